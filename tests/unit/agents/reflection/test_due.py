"""An agent that may do so reflects by itself, but never while a proposal waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place, ended

from jupyter_cabinet.agents.model import AgentRecord
from jupyter_cabinet.agents.reflection import due
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.runs.model import Run, RunFilter

NOW = datetime(2026, 1, 10, 8, tzinfo=UTC)


def record(finished: int, hours: float | None) -> AgentRecord:
    since = None if hours is None else NOW - timedelta(hours=hours)
    return AgentRecord(id="ada", owner="ada", finished=finished, finished_since=since)


def test_ten_runs_or_three_within_a_day_are_enough() -> None:
    assert due.is_due(record(10, 1), NOW)
    assert due.is_due(record(3, 24), NOW)
    assert not any(due.is_due(each, NOW) for each in (record(9, 23), record(2, 99), record(0, None), record(3, None)))


def test_a_reflection_starts_the_count_over() -> None:
    first = due.counted(record(0, None), reflection=False, succeeded=True, at=NOW)
    assert (first.finished, first.finished_since) == (1, NOW)
    later = due.counted(first, reflection=False, succeeded=True, at=NOW + timedelta(hours=1))
    assert (later.finished, later.finished_since) == (2, NOW)
    assert due.counted(later, reflection=False, succeeded=False, at=NOW) == later
    again = due.counted(later, reflection=True, succeeded=False, at=NOW + timedelta(hours=2))
    assert (again.finished, again.finished_since) == (0, NOW + timedelta(hours=2))


async def reflections(backend: Backend) -> list[Run]:
    found = await backend.runs.find(RunFilter(agent="ada", kind="reflection"), ADA)
    for run in found:
        await ended(backend, run)
    await backend.outbox.settled()
    return found


@pytest.mark.slow(reason="several heartbeats")
async def test_an_agent_reflects_by_itself_and_waits_for_the_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "RUNS", 2)
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada", reflection="propose")
        await make(backend, "ben")
        await heartbeat(backend, "ada")
        assert await reflections(backend) == []
        await heartbeat(backend, "ada")
        (run,) = await reflections(backend)
        assert (run.trigger.kind, run.trigger.source) == ("schedule", "Reflection after 2 runs")
        found = await backend.reflections.get("ada", ADA)
        assert found is not None
        for _ in range(3):
            await heartbeat(backend, "ada")
        assert len(await reflections(backend)) == 1
        await backend.reflections.refuse("ada", found.hash, ADA)
        await heartbeat(backend, "ada")
        assert len(await reflections(backend)) == 2
        for _ in range(3):
            await heartbeat(backend, "ben")
        assert await backend.runs.find(RunFilter(agent="ben", kind="reflection"), ADA) == []
