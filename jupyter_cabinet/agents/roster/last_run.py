"""The result of an agent's newest run, for its card. Pure. Called by `service.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...core.people import Principal, may_see
from ...runs.model import Run
from ...runs.rules.lifecycle import FINAL
from ..directives.answer_block import NOTHING_TO_REPORT
from ..model import LastRun

MAX_TEXT_CHARACTERS = 200

_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)


def last_runs(newest: Mapping[str, Run], principal: Principal) -> dict[str, LastRun]:
    """Return the results of the runs that have ended and that the caller may see, by slug of their agent."""
    return {
        slug: last_run(run)
        for slug, run in newest.items()
        if run.state in FINAL and may_see(principal, run.owner, run.visibility)
    }


def last_run(run: Run) -> LastRun:
    """Return the result of a run that has ended."""
    answer = _one_line(_FENCE.split(run.result.text, maxsplit=1)[0]) if run.result else ""
    is_quiet = run.kind == "heartbeat" and run.state == "succeeded" and answer.strip("`*. ") == NOTHING_TO_REPORT
    failure = run.failure.message if run.failure else ""
    return LastRun(
        id=run.id,
        kind=run.kind,
        state=run.state,
        at=run.finished_at or run.queued_at,
        text=""
        if is_quiet
        else _one_line(failure or (answer if run.state == "succeeded" else run.reason) or run.reason),
        nothing_to_report=is_quiet,
    )


def _one_line(text: str) -> str:
    line = " ".join(text[: 20 * MAX_TEXT_CHARACTERS].split())
    return line if len(line) <= MAX_TEXT_CHARACTERS else f"{line[: MAX_TEXT_CHARACTERS - 1]}…"
