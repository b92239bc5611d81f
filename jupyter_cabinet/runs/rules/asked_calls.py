"""The tool calls of one attempt of a run that have no result yet, and what was asked about them. Pure.

Fed by `reporter.py`, held by `live.py`. A call that nobody has allowed has changed nothing.
"""

from __future__ import annotations

from ...runtimes.model import QuestionAsked, ToolCall, ToolResult


class AskedCalls:
    """Questions and calls by their ids. Each question is about one call: an equal one may be allowed."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._open: dict[str, QuestionAsked] = {}  # nobody has answered it
        self._denied: dict[str, QuestionAsked] = {}

    def called(self, call: ToolCall) -> None:
        """The CLI has reported a call."""
        self._calls[call.call_id] = call

    def ended(self, result: ToolResult) -> bool:
        """Take in the result of a call. Returns whether a person has denied the call."""
        call = self._calls.pop(result.call_id, None)
        return call is not None and result.is_error and _take(self._denied, call)

    def asked(self, asked: QuestionAsked) -> None:
        """The CLI waits for an answer."""
        self._open[asked.question_id] = asked

    def answered(self, asked: QuestionAsked, *, denied: bool) -> None:
        """A person or a rule has answered here."""
        self._open.pop(asked.question_id, None)
        if denied:
            self._denied[asked.question_id] = asked

    def closed(self, question_id: str) -> None:
        """A question is gone from the CLI. One that stood in a terminal may have been allowed there."""
        asked = self._open.get(question_id)
        if asked is not None and asked.in_terminal:
            del self._open[question_id]

    def overruled(self, question_id: str) -> None:
        """What was denied here was carried out, because the terminal allowed it."""
        self._denied.pop(question_id, None)

    def never_allowed(self) -> list[str]:
        """The ids of the calls that wait for an answer, or whose denial the CLI has not confirmed."""
        unanswered = {**self._open, **self._denied}
        return [call.call_id for call in self._calls.values() if _take(unanswered, call)]


def _take(questions: dict[str, QuestionAsked], call: ToolCall) -> bool:
    """Remove a question about this call, which it does not name. Returns whether there was one."""
    about = (call.tool, call.input)
    found = next((each for each, asked in questions.items() if (asked.tool, asked.input) == about), None)
    return found is not None and questions.pop(found) is not None
