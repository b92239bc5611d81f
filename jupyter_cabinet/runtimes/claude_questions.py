"""Keeps the questions that Claude Code has on the screen: permission boxes (by hook) and first-start dialogs.

Pure; used by `claude_terminal.py` and `terminal_turns.py`. 2.1.329: the PermissionRequest hook fires with the box but
names no call id, and nothing fires when the person says no; the screen or the next hook tells that the box is gone.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .claude_messages import blocks, summary
from .claude_permissions import options
from .model import AnswerOption, AnyAgentEvent, PermissionAnswered, PermissionAsked

_Key = tuple[str, bytes]


class ClaudeQuestions:
    """What is open now, oldest first. Dialogs and questions without options are answered in the terminal only."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._open: dict[_Key, PermissionAsked] = {}
        self._asked = 0

    def __bool__(self) -> bool:
        return bool(self._open)

    def ask_dialog(self, name: str, question: str) -> list[AnyAgentEvent]:
        """A dialog is on the screen. It takes the place of the one before."""
        key = ("dialog", name.encode())
        if key in self._open:
            return []
        return [*self.close_all(), self._ask(key, f"dialog-{name}", question)]

    def ask_permission(
        self, tool: str, arguments: dict[str, Any], offered: tuple[AnswerOption, ...] = (), *, in_terminal: bool = True
    ) -> list[AnyAgentEvent]:
        """`offered`: the answers that the hook takes, which waits for one of them."""
        key = _key(tool, arguments)
        if key in self._open:
            return []
        self._asked += 1
        asked = permission_asked(self._title, f"permission-{self._asked}", tool, arguments)
        self._open[key] = msgspec.structs.replace(asked, options=offered, in_terminal=in_terminal)
        return [self._open[key]]

    def find(self, question_id: str) -> PermissionAsked | None:
        return next((asked for asked in self._open.values() if asked.question_id == question_id), None)

    def answered(self, question_id: str) -> None:
        """The hook has handed an answer over: the box is gone, and nobody tells of it."""
        for key in [key for key, asked in self._open.items() if asked.question_id == question_id]:
            del self._open[key]

    def close(self, tool: str, arguments: dict[str, Any]) -> list[AnyAgentEvent]:
        """This call went on, so its box is gone. What is still open is asked again: it shows now."""
        gone = self._open.pop(_key(tool, arguments), None)
        return [PermissionAnswered(question_id=gone.question_id), *self._open.values()] if gone else []

    def close_all(self) -> list[AnyAgentEvent]:
        gone = [PermissionAnswered(question_id=asked.question_id) for asked in self._open.values()]
        self._open.clear()
        return [*gone]

    def _ask(self, key: _Key, question_id: str, question: str) -> PermissionAsked:
        asked = PermissionAsked(question_id=question_id, question=question, in_terminal=True)
        self._open[key] = asked
        return asked


def permission_asked(title: str, question_id: str, tool: str, arguments: dict[str, Any]) -> PermissionAsked:
    """The question for a tool, with the answers that Claude Code takes."""
    why = arguments.get("description") or arguments.get("justification")
    return PermissionAsked(
        question_id=question_id,
        question=_sentence(title, tool, arguments),
        tool=tool,
        input=arguments,
        why=why if isinstance(why, str) else "",
        options=options(title, tool, arguments),
    )


def _key(tool: str, arguments: dict[str, Any]) -> _Key:
    return tool, msgspec.json.encode(arguments, order="deterministic")


def _sentence(title: str, tool: str, arguments: dict[str, Any]) -> str:
    if tool == "AskUserQuestion":
        asked = [str(each.get("question", "")) for each in blocks(arguments.get("questions"))]
        return f"{title} asks: {' '.join(asked)}".rstrip()
    detail = summary(arguments)
    return f"{title} asks to use {tool}: {detail}" if detail else f"{title} asks to use {tool}."
