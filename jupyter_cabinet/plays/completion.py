"""The effects of the end of a play's run: a line in the history, and a notice for the plays that follow it.

Both are stored with the run's end, so that no crash loses them. Pure; `starters/follow_up_plays.py` executes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC

import msgspec

from ..runs.model import Run
from ..runs.rules.trigger_chain import link_of, play_of
from ..runtimes.model import Outcome
from ..storage.outbox import Effect
from .model import PlayLine
from .triggers import STATUS_OF_STATE, CompletionStatus

HISTORY, COMPLETED = "plays.history", "plays.completed"
MAX_SUMMARY = 500  # characters
MAX_RESULT = 8_000  # characters of an answer that the next play receives


class Completed(msgspec.Struct, frozen=True, kw_only=True):
    """Notice that a run of a play has ended. `agent`: the agent that carried it out.

    `chain`: the chain of the runs that follow. `tainted`: the run's prompt contained text from outside.
    """

    run_id: str
    play: str
    status: CompletionStatus
    chain: tuple[str, ...]
    text: str
    tainted: bool
    agent: str | None = None


def history_of(run: Run, outcome: Outcome) -> Iterable[Effect]:
    """Return the effect that adds the run to its play's history; none if the run's path is no play any more."""
    slug, at = play_of(run.path), run.finished_at or run.queued_at
    if slug is None:  # the run's path is not a play, because the file was renamed meanwhile
        return
    line = PlayLine(
        play_slug=slug,
        agent_slug=run.agent,
        timestamp=at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        duration=round(run.duration_seconds or 0.0, 3),
        status="completed" if run.state == "succeeded" else "failed",
        summary=_told(run, outcome)[:MAX_SUMMARY],
        trigger=run.trigger.kind,
        run_id=run.id,
    )
    yield Effect(topic=HISTORY, key=slug, body=msgspec.json.encode(line).decode())


def completed_of(run: Run, outcome: Outcome) -> Iterable[Effect]:
    """Return the notice for the plays that follow. There is none if the run never started or a person stopped it."""
    slug, status = play_of(run.path), STATUS_OF_STATE.get(run.state)
    if slug is None or status is None:
        return
    completed = Completed(
        run_id=run.id,
        play=slug,
        status=status,
        chain=(*run.trigger.chain, link_of(run)),
        text=_told(run, outcome)[:MAX_RESULT],
        tainted=run.tainted,
        agent=run.agent,
    )
    yield Effect(topic=COMPLETED, key=slug, body=msgspec.json.encode(completed).decode())


def _told(run: Run, outcome: Outcome) -> str:
    return (outcome.text or run.reason).encode(errors="replace").decode()
