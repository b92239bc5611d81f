"""The demo agent in a terminal: carries out one instruction, then waits for the next. Standard library only.

Joins `screen.py` (output), `keys.py` (input) and `hooks.py` (reports to the server).
"""

from __future__ import annotations

import signal
import uuid
from pathlib import Path
from typing import Any

from .control import QUESTION_TOOL
from .hooks import Hooks, Waiting
from .keys import BACKSPACE, BESIDE, END, ENTER, ESCAPE, PASTE_BEGIN, Keys
from .screen import RED, Screen
from .session import Session
from .work import Denied, Failed, Work

LEAVE = "/exit"


class Dialogue:
    """One open agent. It is also the `Voice` of its work."""

    def __init__(self, fd: int, root: Path, session: Session, hooks: Hooks, asks: bool) -> None:
        self._screen = Screen(fd)
        self._keys = Keys(fd)
        self._root = root
        self._session = session
        self._hooks = hooks
        self._asks = asks
        self.may: frozenset[str] | None = None  # None: every tool
        self._decided: dict[str, Any] = {}  # the hook's answer to the last question
        self._typed: str | None = None  # None: not reading
        self._pending: tuple[str, dict[str, Any]] = ("", {})  # the call that has no result yet
        self._interruptible = False

    def run(self, first: str, source: str) -> int:
        """Run until the person leaves. `source` reports to the hook how the session began."""
        signal.signal(signal.SIGWINCH, lambda *_: self._resized())
        signal.signal(signal.SIGINT, lambda *_: self._on_interrupt())
        self._screen.title(busy=False)
        self._screen.hello(str(self._root))
        self._hooks.tell("SessionStart", source=source)
        instruction: str | None = first
        while instruction is not None:
            if instruction.strip():
                self._work(instruction)
            instruction = self._read()
        self._hooks.tell("SessionEnd", reason="prompt_input_exit")
        return 0

    def _on_interrupt(self) -> None:
        """Ctrl-C counts once, and only where it is expected: code that handles it is not interrupted itself."""
        if self._interruptible:
            self._interruptible = False
            raise KeyboardInterrupt

    # --- at work -------------------------------------------------------------------------------

    def _work(self, instruction: str) -> None:
        try:
            self._interruptible = True
            self._screen.title(busy=True)
            self._screen.prompt(instruction)
            self._session.user(instruction)
            self._answer(instruction)
            self._interruptible = False
        except KeyboardInterrupt:
            self._screen.under("Interrupted · What should it do instead?", is_error=True)
            self._session.user("[Request interrupted by user]")
        self._screen.title(busy=False)

    def _answer(self, instruction: str) -> None:
        try:
            self._hooks.tell("UserPromptSubmit", prompt=instruction)
            said = Work(instruction, self._root, self._session, self).run()
            self._hooks.tell("Stop", last_assistant_message=said, stop_hook_active=False)
        except Failed as error:
            self._screen.bullet(str(error), RED)
            word = "permission_denied" if isinstance(error, Denied) else "unknown"
            self._hooks.tell("StopFailure", error=word, last_assistant_message=str(error))

    def text(self, text: str) -> None:
        """Say something."""
        self._session.assistant([{"type": "text", "text": text}])
        self._screen.bullet(text)

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Use a tool. Returns the call's id. Raises `Denied` if somebody denies it."""
        call_id = f"demo_{uuid.uuid4().hex[:12]}"
        self._announce(call_id, tool, arguments)
        self._screen.tool(tool, str(arguments.get("file_path", "")))
        if self.may is not None and tool not in self.may:
            self._refuse(call_id, f"The demo agent is not allowed to use {tool}.")
        if self._asks:
            self._permission(call_id, tool, arguments)
        self._pending = (tool, arguments)
        return call_id

    def _permission(self, call_id: str, tool: str, arguments: dict[str, Any]) -> None:
        """Ask in the terminal and through the hook: the first answer counts."""
        with self._hooks.asking(tool_name=tool, tool_input=arguments) as waiting:
            answer = self._yes(f"Do you want to let it use {tool}?", waiting)
        if self._decided.get("updatedPermissions"):
            self._asks = False
        if not answer:
            self._refuse(call_id, str(self._decided.get("message") or f"You did not allow {tool}."))

    def result(self, call_id: str, text: str, is_error: bool = False) -> None:
        """Report the result of the call."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}
        self._session.results([block])
        self._screen.under(text, is_error)
        tool, arguments = self._pending
        event = "PostToolUseFailure" if is_error else "PostToolUse"
        answer = {"error": text} if is_error else {"tool_response": {"content": text}}
        self._hooks.tell(event, tool_name=tool, tool_input=arguments, tool_use_id=call_id, **answer)

    def ask(self, question: str) -> bool | None:
        """Ask the person a yes-or-no question in the terminal, wait without a limit, and return the answer."""
        arguments = {"questions": [{"question": question}]}
        call_id = f"demo_{uuid.uuid4().hex[:12]}"
        self._announce(call_id, QUESTION_TOOL, arguments)
        self._hooks.tell("PermissionRequest", tool_name=QUESTION_TOOL, tool_input=arguments)
        message = {"message": question, "notification_type": "permission_prompt"}
        self._hooks.tell("Notification", **message)
        answer = self._yes(question)
        self._pending = (QUESTION_TOOL, arguments)
        self.result(call_id, "Yes." if answer else "No.")
        return answer

    def inquire(self, questions: list[dict[str, Any]]) -> dict[str, str] | None:
        """Return None: it shows no dialog for several questions."""
        return None

    def _announce(self, call_id: str, tool: str, arguments: dict[str, Any]) -> None:
        self._session.assistant([{"type": "tool_use", "id": call_id, "name": tool, "input": arguments}])
        self._hooks.tell("PreToolUse", tool_name=tool, tool_input=arguments, tool_use_id=call_id)

    def _refuse(self, call_id: str, why: str) -> None:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": why, "is_error": True}
        self._session.results([block])
        raise Denied(why)

    def _yes(self, question: str, waiting: Waiting | None = None) -> bool:
        self._screen.title(busy=False)
        self._screen.question(question)
        self._decided = {}
        while True:
            key = self._keys.read(waiting.fd if waiting else None).lower()
            if key in ("y", "1", "n", "2", ESCAPE, END):
                return self._answered("Yes", True) if key in ("y", "1") else self._answered("No", False)
            if key == BESIDE and waiting is not None:
                self._decided, waiting = waiting.decision(), None
                if self._decided:
                    allowed = self._decided.get("behavior") == "allow"
                    return self._answered("Allowed by a hook" if allowed else "Denied by a hook", allowed)

    def _answered(self, text: str, answer: bool) -> bool:
        self._screen.under(text)
        self._screen.title(busy=True)
        return answer

    # --- the input box ---------------------------------------------------------------------------

    def _read(self) -> str | None:
        """Return the line that the person types, up to Enter; None to leave."""
        typed, done, warned = "", False, False
        while not done:
            self._typed = typed
            try:
                self._interruptible = True
                self._screen.input(typed, "Press Ctrl-C again to leave" if warned else "")
                typed, done = _put(typed, self._keys.read())
                warned = False
                self._interruptible = False
            except KeyboardInterrupt:
                typed, done = (LEAVE, True) if warned and not typed else ("", False)
                warned = True
        self._typed = None
        self._screen.clear_input()
        return None if typed.strip() in (LEAVE, "/quit") else typed

    def _resized(self) -> None:
        if self._typed is not None:
            self._screen.input(self._typed)


def _put(typed: str, key: str) -> tuple[str, bool]:
    """Put one key into the box. Also return whether the line is complete."""
    if key == ENTER:
        return typed, bool(typed.strip())
    if key == END:
        return (typed, False) if typed else (LEAVE, True)
    if key in (BACKSPACE, "\x08"):
        return typed[:-1], False
    if key.startswith(PASTE_BEGIN):
        return typed + key.removeprefix(PASTE_BEGIN), False
    if key == "\n" or (key != ESCAPE and key.isprintable()):
        return typed + key, False
    return typed, False
