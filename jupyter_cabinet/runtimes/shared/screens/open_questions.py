"""Keeps the questions that an open CLI shows: permission dialogs (from hooks) and first-start dialogs.

Pure; used by `terminal_turns.py`. Hooks fire with a dialog but name no call (Claude Code 2.1.329, Codex 0.169.0), and
nothing fires when the person denies; the screen or the next hook shows that the dialog is closed.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ...model import AnswerOption, AnswerOverruled, AnyAgentEvent, QuestionAnswered, QuestionAsked
from ...requested_actions import AnyAction
from ..messages.content_blocks import blocks, summary
from ..tool_table import reason


class OpenQuestions:
    """The open questions, oldest first. Dialogs and questions without options can only be answered in the terminal."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._open: dict[str, QuestionAsked] = {}  # by question: the same may be asked twice at once
        # Answered here, with the result still unknown: the CLI's own dialog may have been answered first.
        self._allowed: dict[str, AnyAction] = {}
        self._denied: dict[str, AnyAction] = {}
        self._left: set[str] = set()  # only the terminal's own dialog can answer these any more
        self._asked = 0

    def __bool__(self) -> bool:
        return bool(self._open)

    def ask_dialog(self, name: str, question: str) -> list[AnyAgentEvent]:
        """Record that a dialog is on the screen, and return the events. It replaces all earlier questions.

        Nothing if it is known already.
        """
        question_id = f"dialog-{name}"
        if question_id in self._open:
            return []
        gone = self.close_all()
        asked = QuestionAsked(question_id=question_id, question=question, in_terminal=True)
        self._open[question_id] = asked
        return [*gone, asked]

    def has_dialog(self, name: str) -> bool:
        """Return whether this dialog is on the screen, according to the last report."""
        return f"dialog-{name}" in self._open

    def close_dialog(self, name: str) -> list[AnyAgentEvent]:
        """Record that this dialog is no longer on the screen. Return the event for that; nothing if it was not open."""
        gone = self._open.pop(f"dialog-{name}", None)
        return [QuestionAnswered(question_id=f"dialog-{name}")] if gone is not None else []

    def close_dialogs(self) -> list[AnyAgentEvent]:
        """Close all dialogs, because a hook reports more precisely what is asked. Return an event for each."""
        gone = [question_id for question_id in self._open if question_id.startswith("dialog-")]
        for question_id in gone:
            del self._open[question_id]
        return [QuestionAnswered(question_id=question_id) for question_id in gone]

    def ask_for_tool(
        self,
        tool: str,
        arguments: dict[str, Any],
        asks: AnyAction,
        offered: tuple[AnswerOption, ...] = (),
        *,
        in_terminal: bool = True,
    ) -> list[AnyAgentEvent]:
        """Add a question, and return its event, followed by those of the dialogs that it closes.

        `asks`: the action of the call; `offered`: the answers that the hook accepts, which waits for one of them.
        """
        self._asked += 1
        asked = question_for_tool(self._title, f"question-{self._asked}", tool, arguments, asks, offered)
        asked = msgspec.structs.replace(asked, in_terminal=in_terminal)
        gone = self.close_dialogs()
        self._open[asked.question_id] = asked
        return [asked, *gone]

    def find(self, question_id: str) -> QuestionAsked | None:
        """Return the open question of this id; None if it is not open."""
        return self._open.get(question_id)

    def answered(self, question_id: str, *, allowed: bool) -> None:
        """Record that the hook has delivered an answer: the dialog is closed, and nothing reports it."""
        gone = self._open.pop(question_id, None)
        if gone is not None:
            (self._allowed if allowed else self._denied)[question_id] = gone.asks

    def leave(self, question_id: str) -> None:
        """Record that its hook has ended without an answer. The question stays open: see `close_left`."""
        self._left.add(question_id)

    def close_left(self) -> list[AnyAgentEvent]:
        """Close the questions whose hook ended without an answer; return one `QuestionAnswered` for each.

        Called when the screen shows that their dialog in the terminal is closed.
        """
        gone = [question_id for question_id in self._open if question_id in self._left]
        for question_id in gone:
            del self._open[question_id]
        return [QuestionAnswered(question_id=question_id) for question_id in gone]

    def close(self, asks: AnyAction) -> list[AnyAgentEvent]:
        """Record that a call with this action continued, so its dialog is closed. Return the events.

        Questions that are still open are asked again, because they are shown now. If the call was denied here, the
        event is `AnswerOverruled`. The reason is not compared: Codex leaves it out when it reports that the call
        continued (0.169.0).
        """
        if _take(self._allowed, asks):  # it was that one, not one that looks the same and is still open
            return []
        gone = next((question_id for question_id, asked in self._open.items() if asked.asks == asks), None)
        if gone is None:
            denied = _take(self._denied, asks)
            return [AnswerOverruled(question_id=denied, done=True)] if denied else []
        del self._open[gone]
        return [QuestionAnswered(question_id=gone), *self._open.values()]

    def refused_here(self, asks: AnyAction) -> None:
        """Record that the CLI has accepted the denial given here."""
        _take(self._denied, asks)

    def refused_in_terminal(self, asks: AnyAction) -> list[AnyAgentEvent]:
        """Record that a call with this action was refused in the CLI's own dialog.

        Return `AnswerOverruled` if it was allowed here before, else nothing.
        """
        allowed = _take(self._allowed, asks)
        if not allowed:
            _take(self._denied, asks)
        return [AnswerOverruled(question_id=allowed, done=False)] if allowed else []

    def close_all(self) -> list[AnyAgentEvent]:
        """Close all questions, and return one `QuestionAnswered` for each. Answers without a result are forgotten."""
        gone = [QuestionAnswered(question_id=question_id) for question_id in self._open]
        self._open.clear()
        self._allowed.clear()
        self._denied.clear()
        return [*gone]


def _take(answered: dict[str, AnyAction], asks: AnyAction) -> str:
    """Remove the oldest question about this action; return its id, or an empty text if there is none."""
    found = next((question_id for question_id, each in answered.items() if each == asks), "")
    answered.pop(found, None)
    return found


def question_for_tool(
    title: str,
    question_id: str,
    tool: str,
    arguments: dict[str, Any],
    asks: AnyAction,
    offered: tuple[AnswerOption, ...],
) -> QuestionAsked:
    """Return the question about a tool. `title` is the name of the CLI; `asks` is the action of the call."""
    return QuestionAsked(
        question_id=question_id,
        question=_sentence(title, tool, arguments),
        tool=tool,
        input=arguments,
        asks=asks,
        why=reason(arguments),
        options=offered,
    )


def _sentence(title: str, tool: str, arguments: dict[str, Any]) -> str:
    if tool == "AskUserQuestion":
        asked = [str(each.get("question", "")) for each in blocks(arguments.get("questions"))]
        return f"{title} asks: {' '.join(asked)}".rstrip()
    detail = summary(arguments)
    return f"{title} asks to use {tool}: {detail}" if detail else f"{title} asks to use {tool}."
