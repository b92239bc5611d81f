"""The judgement of sessions: the table of context pressure, failures, loops, stalls, the grade."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from jupyter_cabinet.transcripts.health import (
    LEAST_POINTS,
    PRESSURE_WEIGHTS,
    WEIGHTS,
    JudgedEntry,
    failure_kind,
    judge,
)

LIMIT, FULL, OTHER = "Output token maximum exceeded", "The CONTEXT window is full", "502 Bad Gateway"


def answers(count: int, *, peak: int = 0, start: int = 0) -> list[JudgedEntry]:
    return [
        JudgedEntry(id=f"a{start + at}", kind="assistant", answer=f"a{start + at}", context_tokens=peak)
        for at in range(count)
    ]


def error(text: str, id: str = "x") -> JudgedEntry:
    return JudgedEntry(id=id, kind="error", text=text)


def call(id: str, *, call: int = 1, result: int = 2, failed: bool = False, tool: str = "bash", **more) -> JudgedEntry:
    return JudgedEntry(id=id, kind="tool_call", answer=id, tool=tool, call=call, result=result, is_error=failed, **more)


def expected_pressure(compactions: int, peak: int, since: int) -> str:
    """The table of docs/reference/session-health.md."""
    if compactions >= 3 or (compactions == 2 and since <= 1):
        return "critical"
    if compactions == 2 or (compactions == 1 and peak > 150_000):
        return "high"
    return "moderate" if compactions == 1 or peak > 120_000 else "none"


PEAKS = (0, *(limit + by for limit in (120_000, 150_000) for by in (-1, 0, 1)))


@pytest.mark.parametrize(("compactions", "peak", "since"), list(itertools.product(range(5), PEAKS, range(4))))
def test_context_pressure_follows_the_table(compactions, peak, since):
    entries = answers(1, peak=peak, start=100)
    for number in range(compactions):
        entries += [JudgedEntry(id=f"c{number}", kind="compaction"), *answers(2, start=10 * number)]
    if compactions:
        entries = [*entries[:-2], *answers(since, start=200)]
    health = judge(entries)
    assert health is not None
    assert health.pressure == expected_pressure(compactions, peak, since)
    assert (health.compactions, health.peak_tokens) == (compactions, peak)
    points = PRESSURE_WEIGHTS[health.pressure]
    assert sum(each.points for each in health.findings) == points
    assert health.grade == next(grade for least, grade in LEAST_POINTS if points >= least)


@pytest.mark.parametrize("order", list(itertools.permutations((LIMIT, FULL, OTHER))))
def test_the_kind_of_failure_does_not_depend_on_the_order_of_the_errors(order):
    assert failure_kind(order) == "output_token_limit"
    assert failure_kind([each for each in order if each != LIMIT]) == "context_exhausted"
    assert failure_kind([OTHER]) == "error"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("API Error: Claude's response exceeded the 32000 output token maximum.", "output_token_limit"),
        ("prompt is too long: 210000 tokens > 200000 maximum", "context_exhausted"),
        ("Your input exceeds the context window of this model.", "context_exhausted"),
        ("The input token count exceeds the maximum number of tokens allowed: context length", "context_exhausted"),
        ("429 Too Many Requests", "error"),
        ("", "error"),
    ],
)
def test_the_texts_of_real_services_are_recognised(text, kind):
    assert failure_kind([text]) == kind


def test_an_error_that_an_answer_followed_is_history():
    health = judge([*answers(1), error(FULL), *answers(1, start=5)])
    assert health is not None and health.grade == "A" and health.findings == ()


def test_a_session_that_ended_with_an_error_names_it():
    health = judge([*answers(1), error(OTHER, "broken")])
    assert health is not None and health.grade == "C"
    assert [(each.kind, each.entries) for each in health.findings] == [("error", ("broken",))]


def test_a_session_without_an_answer_has_no_grade():
    assert judge([]) is None
    assert judge([JudgedEntry(id="1", kind="user")]) is None


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_three_equal_calls_with_equal_results_are_a_loop(times):
    health = judge([call(str(at), may_change_files=True) for at in range(times)])
    assert health is not None
    assert ("loop" in [each.kind for each in health.findings]) == (times >= 3)


def test_equal_calls_with_different_results_are_no_loop():
    health = judge([call(str(at), result=10 + at) for at in range(5)])
    assert health is not None and health.findings == ()


def test_waste_is_the_share_of_output_that_went_into_repeated_calls():
    entries = [call(str(at), output_tokens=100) for at in range(3)]
    entries.append(JudgedEntry(id="a", kind="assistant", answer="a", output_tokens=200))
    health = judge(entries)
    assert health is not None and health.wasted_share == 0.4
    assert "waste" in [each.kind for each in health.findings]


def test_failures_of_one_tool_in_a_row_count_and_a_success_begins_again():
    failing = [call(str(at), call=at, result=50 + at, failed=True) for at in range(2)]
    success = [call("ok", call=77, result=78)]
    again = [call(f"b{at}", call=at, result=90 + at, failed=True) for at in range(3)]
    health = judge([*failing, *success, *failing])
    assert health is not None and health.findings == ()
    health = judge([*failing, *success, *again])
    assert health is not None and [each.kind for each in health.findings] == ["repeated_failures"]
    assert health.findings[0].entries == ("b0", "b1", "b2")


def test_a_pause_counts_unless_a_tool_or_a_person_explains_it():
    def entries(before: str, after: str) -> list[JudgedEntry]:
        made = [JudgedEntry(id="1", kind="user", at=0.0), JudgedEntry(id="2", kind=before, at=1.0)]
        return [*made, JudgedEntry(id="3", kind=after, at=301.0)]

    def kinds(found) -> list[str]:
        return [each.kind for each in found.findings]

    assert kinds(judge(entries("assistant", "assistant"))) == ["stall"]
    assert kinds(judge(entries("tool_call", "assistant"))) == []
    assert kinds(judge(entries("assistant", "user"))) == []


def test_many_calls_without_a_change_are_no_progress():
    def calls(change: bool) -> list[JudgedEntry]:
        return [call(str(at), call=at, result=at + 1, may_change_files=change and at == 7) for at in range(40)]

    for change, expected in ((False, ["no_progress"]), (True, [])):
        health = judge(calls(change))
        assert health is not None and [each.kind for each in health.findings] == expected


def test_sub_agents_do_not_count_for_pressure_and_failure():
    side = [
        JudgedEntry(id="s", kind="compaction", is_side=True),
        JudgedEntry(id="t", kind="error", text=FULL, is_side=True),
        JudgedEntry(id="u", kind="assistant", context_tokens=900_000, is_side=True),
    ]
    health = judge([*answers(1), *side])
    assert health is not None and (health.pressure, health.grade) == ("none", "A")


def test_the_reference_lists_every_weight():
    page = (Path(__file__).parents[3] / "docs" / "reference" / "session-health.md").read_text()
    for kind, points in WEIGHTS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{kind}` |"))
        assert row.rstrip(" |").endswith(f"| {points}")
