"""Which calls of a run nobody has allowed: those that wait for an answer at the end, and those that were denied."""

from __future__ import annotations

from jupyter_cabinet.runs.rules.asked_calls import AskedCalls
from jupyter_cabinet.runtimes.model import QuestionAsked, ToolCall, ToolResult

INPUT = {"command": "make"}


def call(call_id: str) -> ToolCall:
    return ToolCall(call_id=call_id, tool="Bash", input=INPUT)


def question(question_id: str, *, in_terminal: bool = False) -> QuestionAsked:
    return QuestionAsked(question_id=question_id, question="?", tool="Bash", input=INPUT, in_terminal=in_terminal)


def result(call_id: str, *, is_error: bool) -> ToolResult:
    return ToolResult(call_id=call_id, text="", is_error=is_error)


def test_a_call_that_waits_for_an_answer_was_never_allowed_and_one_that_was_not_asked_about_was() -> None:
    calls = AskedCalls()
    calls.called(call("c1"))
    assert calls.never_allowed() == []
    calls.asked(question("q1"))
    assert calls.never_allowed() == ["c1"]
    calls.answered(question("q1"), denied=False)
    assert calls.never_allowed() == []


def test_each_answer_counts_for_one_of_several_equal_calls() -> None:
    calls = AskedCalls()
    for number in "123":
        calls.called(call(f"c{number}"))
        calls.asked(question(f"q{number}"))
    calls.answered(question("q1"), denied=True)
    calls.answered(question("q2"), denied=False)
    assert calls.ended(result("c1", is_error=True))
    assert not calls.ended(result("c2", is_error=True))  # it was allowed and failed
    assert calls.never_allowed() == ["c3"]


def test_a_question_that_left_a_terminal_may_have_been_allowed_there() -> None:
    calls = AskedCalls()
    for number, in_terminal in (("1", True), ("2", False)):
        calls.called(call(f"c{number}"))
        calls.asked(question(f"q{number}", in_terminal=in_terminal))
    calls.closed("q1")
    assert len(calls.never_allowed()) == 1
    calls.closed("q2")
    assert len(calls.never_allowed()) == 1


def test_what_the_terminal_allowed_after_a_denial_is_no_denial() -> None:
    calls = AskedCalls()
    calls.called(call("c1"))
    calls.asked(question("q1"))
    calls.answered(question("q1"), denied=True)
    assert calls.never_allowed() == ["c1"]
    calls.overruled("q1")
    assert calls.never_allowed() == []
