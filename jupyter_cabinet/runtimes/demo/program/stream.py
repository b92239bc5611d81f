"""The demo agent without a terminal: the prompt on stdin, Claude Code's `stream-json` on stdout. Standard library.

No cost and no tokens are reported: there are none.
"""

from __future__ import annotations

import json
import sys
import uuid
from pathlib import Path
from typing import Any

from .control import QUESTION_TOOL, Control
from .session import Session
from .work import Failed, Work

DELTA_CHARACTERS = 200


class Stream:
    """A `Voice` that writes JSON lines, and keeps the session's transcript."""

    def __init__(
        self, session: Session, may: frozenset[str] | None, asks: bool, control: Control | None = None
    ) -> None:
        self._session = session
        self._may = may  # None: every tool
        self._asks = asks
        self._control = control  # None: nobody can be asked
        self.denied: list[dict[str, Any]] = []

    def emit(self, kind: str, **fields: Any) -> None:
        """Write one line of `stream-json`."""
        line = {"type": kind, "session_id": self._session.id, "uuid": str(uuid.uuid4()), **fields}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    def text(self, text: str) -> None:
        """Say something, in pieces and then whole, and record it in the session."""
        for start in range(0, len(text), DELTA_CHARACTERS):
            delta = {"type": "text_delta", "text": text[start : start + DELTA_CHARACTERS]}
            self.emit("stream_event", event={"type": "content_block_delta", "index": 0, "delta": delta})
        self._message([{"type": "text", "text": text}])

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Announce a call, record it in the session, and return its id. Raises `Failed` if the tool is not allowed."""
        call_id = f"demo_{uuid.uuid4().hex[:12]}"
        self._message([{"type": "tool_use", "id": call_id, "name": tool, "input": arguments}])
        why = self._refusal(tool, arguments, call_id)
        if why:
            self.denied.append({"tool_name": tool, "tool_use_id": call_id, "tool_input": arguments})
            self.emit("system", subtype="permission_denied", tool_name=tool, tool_use_id=call_id, message=why)
            self.result(call_id, why, is_error=True)
            raise Failed(why)
        return call_id

    def _refusal(self, tool: str, arguments: dict[str, Any], call_id: str) -> str:
        """Return why it may not use the tool; empty: it may."""
        refused = f"The demo agent is not allowed to use {tool}."
        if self._may is not None and tool not in self._may:
            return refused
        if not self._asks:
            return ""
        if self._control is None:
            return refused
        decided = self._control.may_use(tool, arguments, call_id)
        if decided.get("updatedPermissions"):
            self._asks = False
        allowed = decided.get("behavior") == "allow"
        return "" if allowed else str(decided.get("message") or refused)

    def result(self, call_id: str, text: str, is_error: bool = False) -> None:
        """Report the result of a call, and record it in the session."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}
        self._session.results([block])
        self.emit("user", message={"role": "user", "content": [block]})

    def ask(self, question: str) -> bool | None:
        """Ask a yes-or-no question, wait without a limit, and return the answer; None: nobody can be asked.

        No answer is no.
        """
        offered = [{"label": "Yes"}, {"label": "No"}]
        answers = self.inquire([{"question": question, "options": offered, "multiSelect": False}])
        # also answered in text
        return None if answers is None else answers.get(question, "").strip().lower().startswith("y")

    def inquire(self, questions: list[dict[str, Any]]) -> dict[str, str] | None:
        """Ask the person several questions and return the answers; None: nobody can be asked."""
        if self._control is None:
            return None
        arguments = {"questions": questions}
        call_id = f"demo_{uuid.uuid4().hex[:12]}"
        self._message([{"type": "tool_use", "id": call_id, "name": QUESTION_TOOL, "input": arguments}])
        decided = self._control.may_use(QUESTION_TOOL, arguments, call_id)
        answers = decided.get("updatedInput", {}).get("answers", {})
        self.result(call_id, "\n".join(f"{question} {answer}" for question, answer in answers.items()) or "No answer.")
        return {str(question): str(answer) for question, answer in answers.items()}

    def _message(self, blocks: list[dict[str, Any]]) -> None:
        self._session.assistant(blocks)
        self.emit("assistant", message={"role": "assistant", "model": "none", "content": blocks})


def run(prompt: str, root: Path, session: Session, stream: Stream) -> int:
    """Carry out one prompt, and write its result. Return the exit code: 1 if it failed, but 0 if a tool was refused."""
    stream.emit("system", subtype="init", cwd=str(root), tools=[], mcp_servers=[], model="none (demonstration)")
    session.user(prompt)
    try:
        said, failed = Work(prompt, root, session, stream).run(), False
    except Failed as error:
        said, failed = str(error), True
        if stream.denied:  # like Claude Code: no error, but the refusal is listed
            stream.text(said)
            failed = False
    stream.emit("result", subtype="success", is_error=failed, result=said, permission_denials=stream.denied)
    return int(failed)


def session_gone(session: Session) -> int:
    """Report that there is nothing to resume, as Claude Code does."""
    message = f"No conversation found with session ID: {session.id}"
    Stream(session, None, False).emit(
        "result", subtype="error_during_execution", is_error=True, errors=[message], permission_denials=[]
    )
    sys.stderr.write(message + "\n")
    return 1
