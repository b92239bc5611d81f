"""The tool calls of one attempt that have no result yet, and the questions about them. Pure.

Fed by `dispatch/reporter.py`, held by `dispatch/live.py`. A call that was never approved has changed nothing.
"""

from __future__ import annotations

from ...runtimes.model import QuestionAsked, ToolCall, ToolResult


class AskedCalls:
    """Questions and calls by their ids. Each question is about one call, because an equal call may be approved."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._open: dict[str, QuestionAsked] = {}  # not answered yet
        self._denied: dict[str, QuestionAsked] = {}

    def called(self, call: ToolCall) -> None:
        """Add a call that the CLI has reported."""
        self._calls[call.call_id] = call

    def ended(self, result: ToolResult) -> bool:
        """Process the result of a call, and forget the call. Return whether a person or a rule has denied it.

        False for an unknown call and for a result that is no error.
        """
        call = self._calls.pop(result.call_id, None)
        return call is not None and result.is_error and _take(self._denied, call)

    def asked(self, asked: QuestionAsked) -> None:
        """Add a question that the CLI has asked."""
        self._open[asked.question_id] = asked

    def answered(self, asked: QuestionAsked, *, denied: bool) -> None:
        """Note that a person or a rule has answered a question in Cabinet."""
        self._open.pop(asked.question_id, None)
        if denied:
            self._denied[asked.question_id] = asked

    def closed(self, question_id: str) -> None:
        """Forget a question that the CLI no longer asks, if it was shown in a terminal: it may have been approved
        there.
        """
        asked = self._open.get(question_id)
        if asked is not None and asked.in_terminal:
            del self._open[question_id]

    def overruled(self, question_id: str) -> None:
        """Forget a denial, because the call was approved in the terminal and carried out."""
        self._denied.pop(question_id, None)

    def never_allowed(self) -> list[str]:
        """Return the ids of calls whose question is unanswered, or whose denial the CLI has not confirmed."""
        unanswered = {**self._open, **self._denied}
        return [call.call_id for call in self._calls.values() if _take(unanswered, call)]


def _take(questions: dict[str, QuestionAsked], call: ToolCall) -> bool:
    """Remove a question about this call, matched by tool and input. Return whether there was one."""
    about = (call.tool, call.input)
    found = next((each for each, asked in questions.items() if (asked.tool, asked.input) == about), None)
    return found is not None and questions.pop(found) is not None
