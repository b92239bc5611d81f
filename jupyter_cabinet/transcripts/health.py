"""Judges a session from its entries alone: context pressure, failure, loops, stalls, waste, and one grade. Pure.

Each finding lowers the grade by its points and names the entries that show it. `docs/reference/session-health.md` has
the table. A change of a rule needs a new `VERSION`: sessions that were judged by an older one are judged again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from ..runtimes.session_entries import EntryKind
from .model import Finding, FindingKind, Grade, Pressure, SessionHealth

VERSION = 1
WEIGHTS: dict[FindingKind, int] = {
    "output_token_limit": 5,
    "context_exhausted": 6,
    "error": 5,
    "loop": 3,
    "repeated_failures": 2,
    "stall": 1,
    "no_progress": 1,
    "waste": 2,
    "retries": 1,
}
PRESSURE_WEIGHTS: dict[Pressure, int] = {"none": 0, "moderate": 1, "high": 2, "critical": 4}
LEAST_POINTS: tuple[tuple[int, Grade], ...] = ((8, "F"), (6, "D"), (4, "C"), (2, "B"), (0, "A"))
HIGH_PEAK_TOKENS, MODERATE_PEAK_TOKENS = 150_000, 120_000
SAME_CALLS = 3  # with the same arguments and the same result
FAILURES_IN_A_ROW = 3  # of one tool
STALL_SECONDS = 5 * 60.0
MANY_CALLS = 40  # without a change of a file, and without a command
MANY_RETRIES = 5
WASTED_SHARE = 0.25
SHOWN_ENTRIES = 10

_OUTPUT_LIMIT = re.compile(r"output.{0,40}token|max_tokens|maximum.{0,20}output|output.{0,20}limit", re.I | re.S)
_CONTEXT = re.compile(
    r"context.{0,40}(length|window|limit|exceed|exhaust|full|too)|token limit|prompt is too long|too many tokens"
    r"|exceed.{0,40}context|input.{0,20}too long",
    re.I | re.S,
)


class JudgedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules need to know about an entry."""

    id: str
    kind: EntryKind
    at: float | None = None  # seconds since 1970
    text: str = ""  # of an error
    answer: str = ""
    context_tokens: int = 0  # input, cache reads and cache writes of the answer
    output_tokens: int = 0
    tool: str = ""
    call: int = 0  # digest of the call's tool and arguments
    result: int = 0  # digest of its result; 0: it has none
    is_error: bool = False  # its result is an error
    may_change_files: bool = False
    is_side: bool = False  # of a sub-agent's conversation


def judge(entries: Sequence[JudgedEntry], *, context_window: int = 0) -> SessionHealth | None:
    """Return the judgement; None for a session without an answer or an error. `context_window`: tokens; 0: unknown."""
    if not any(each.kind in ("assistant", "tool_call", "error") for each in entries):
        return None
    main = [each for each in entries if not each.is_side]
    compactions = [each for each in main if each.kind == "compaction"]
    peak = max((each.context_tokens for each in main), default=0)
    pressure = _pressure(main, len(compactions), peak)
    repeated = _repeated_calls(entries)
    share = _wasted_share(entries, {each.answer for each in repeated if each.answer})
    findings = [
        *_failure(main),
        *_pressure_finding(pressure, compactions, peak),
        *_loops(repeated),
        *_failing_tools(entries),
        *_stalls(main),
        *_no_progress(entries),
        *_waste(share),
        *_retries(entries),
    ]
    points = sum(each.points for each in findings)
    return SessionHealth(
        version=VERSION,
        grade=next(grade for least, grade in LEAST_POINTS if points >= least),
        pressure=pressure,
        compactions=len(compactions),
        peak_tokens=peak,
        context_window=context_window,
        wasted_share=round(share, 3),
        findings=tuple(sorted(findings, key=lambda each: -each.points)),
    )


def _pressure(main: Sequence[JudgedEntry], compactions: int, peak: int) -> Pressure:
    if compactions >= 3 or (compactions >= 2 and _answers_since_compaction(main) <= 1):
        return "critical"
    if compactions >= 2 or (compactions >= 1 and peak > HIGH_PEAK_TOKENS):
        return "high"
    if compactions >= 1 or peak > MODERATE_PEAK_TOKENS:
        return "moderate"
    return "none"


def _answers_since_compaction(main: Sequence[JudgedEntry]) -> int:
    last = max(place for place, each in enumerate(main) if each.kind == "compaction")
    return len({each.answer or each.id for each in main[last:] if each.kind in ("assistant", "tool_call")})


def _pressure_finding(pressure: Pressure, compactions: Sequence[JudgedEntry], peak: int) -> Iterator[Finding]:
    points = PRESSURE_WEIGHTS[pressure]
    if not points:
        return
    times = f"compacted {len(compactions)} times" if len(compactions) > 1 else "compacted once"
    said = f"The conversation was {times}." if compactions else f"The context grew to {peak:,} tokens."
    yield Finding(kind="context_pressure", message=said, points=points, entries=_ids(compactions))


def _failure(main: Sequence[JudgedEntry]) -> Iterator[Finding]:
    """Find the error that ended the session. An error that an answer followed is history."""
    last_answer = max((place for place, each in enumerate(main) if each.kind in ("assistant", "tool_call")), default=-1)
    open_errors = [each for each in main[last_answer + 1 :] if each.kind == "error"]
    if not open_errors:
        return
    kind = failure_kind([each.text for each in open_errors])
    messages = {
        "output_token_limit": "It ended because an answer reached the limit of output tokens.",
        "context_exhausted": "It ended because the context was full.",
        "error": "It ended with an error.",
    }
    yield _finding(kind, messages[kind], open_errors[-1:])


def failure_kind(texts: Sequence[str]) -> FindingKind:
    """Return the kind of failure that these error texts describe; `error` if they fit no other."""
    if any(_OUTPUT_LIMIT.search(text) for text in texts):
        return "output_token_limit"
    return "context_exhausted" if any(_CONTEXT.search(text) for text in texts) else "error"


def _repeated_calls(entries: Sequence[JudgedEntry]) -> list[JudgedEntry]:
    """Return the calls that repeat an earlier call with the same result, of groups large enough to be a loop."""
    same: dict[tuple[int, int], list[JudgedEntry]] = defaultdict(list)
    for each in entries:
        if each.kind == "tool_call" and each.result:
            same[each.call, each.result].append(each)
    return [each for group in same.values() if len(group) >= SAME_CALLS for each in group[1:]]


def _loops(repeated: Sequence[JudgedEntry]) -> Iterator[Finding]:
    if repeated:
        tools = ", ".join(sorted({each.tool for each in repeated})[:3])
        said = f"It repeated calls of {tools} {len(repeated)} times with the same arguments and result."
        yield _finding("loop", said, repeated)


def _failing_tools(entries: Sequence[JudgedEntry]) -> Iterator[Finding]:
    failing: dict[str, list[JudgedEntry]] = defaultdict(list)
    worst: dict[str, list[JudgedEntry]] = {}
    for each in entries:
        if each.kind != "tool_call" or not each.result:
            continue
        if not each.is_error:
            failing[each.tool] = []
            continue
        row = failing[each.tool]
        row.append(each)
        if len(row) >= max(FAILURES_IN_A_ROW, len(worst.get(each.tool, ()))):
            worst[each.tool] = row
    for tool, calls in sorted(worst.items()):
        yield _finding("repeated_failures", f"{tool} failed {len(calls)} times in a row.", calls)


def _stalls(main: Sequence[JudgedEntry]) -> Iterator[Finding]:
    timed = [each for each in main if each.at is not None]
    slow = [
        after
        for before, after in pairwise(timed)
        if before.kind != "tool_call" and after.kind != "user" and _gap(before, after) >= STALL_SECONDS
    ]
    if slow:
        times = "once" if len(slow) == 1 else f"{len(slow)} times"
        yield _finding("stall", f"It paused {times} for more than five minutes without a reason.", slow)


def _gap(before: JudgedEntry, after: JudgedEntry) -> float:
    return (after.at or 0) - (before.at or 0)


def _no_progress(entries: Sequence[JudgedEntry]) -> Iterator[Finding]:
    calls = [each for each in entries if each.kind == "tool_call"]
    if len(calls) >= MANY_CALLS and not any(each.may_change_files for each in calls):
        yield _finding("no_progress", f"{len(calls)} calls changed no file.", calls[-1:])


def _wasted_share(entries: Sequence[JudgedEntry], wasted_answers: set[str]) -> float:
    output = {each.answer: each.output_tokens for each in entries if each.answer and each.output_tokens}
    total = sum(output.values())
    return sum(tokens for answer, tokens in output.items() if answer in wasted_answers) / total if total else 0.0


def _waste(share: float) -> Iterator[Finding]:
    if share >= WASTED_SHARE:
        yield _finding("waste", f"{share:.0%} of the output went into repeated calls.", ())


def _retries(entries: Sequence[JudgedEntry]) -> Iterator[Finding]:
    retries = [each for each in entries if each.kind == "retry"]
    if len(retries) >= MANY_RETRIES:
        yield _finding("retries", f"The model's service failed {len(retries)} times and was tried again.", retries)


def _finding(kind: FindingKind, message: str, entries: Sequence[JudgedEntry]) -> Finding:
    return Finding(kind=kind, message=message, points=WEIGHTS[kind], entries=_ids(entries))


def _ids(entries: Sequence[JudgedEntry]) -> tuple[str, ...]:
    return tuple(each.id for each in entries[:SHOWN_ENTRIES])
