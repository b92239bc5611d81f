"""What counts as work of this server, for whoever stops idle ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from harness.agents import make
from harness.backend import ADA, Place, ended, submit, waiting_are
from harness.waiting import holds

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.terminals.model import NewTerminal
from jupyter_cabinet.testing.manual_clock import ManualClock
from jupyter_cabinet.web.jupyter.last_activity import NOTED_EVERY_SECONDS, SETTING, LastActivity, Signs, last_activity

NOW = datetime(2026, 11, 1, 3, tzinfo=UTC)
SILENT = Signs(at_work=False, silent_seconds=None, coming=False)


@pytest.mark.parametrize(
    ("signs", "schedules_count", "expected"),
    [
        ({}, False, None),
        ({"at_work": True}, False, NOW),
        ({"silent_seconds": 90.0}, False, NOW - timedelta(seconds=90)),
        ({"silent_seconds": 90.0, "at_work": True}, False, NOW),
        ({"coming": True}, False, None),
        ({"coming": True}, True, NOW),
    ],
)
def test_work_is_activity_now_and_silence_counts_from_the_last_output(
    signs: dict[str, Any], schedules_count: bool, expected: datetime | None
) -> None:
    seen = Signs(**{**{name: getattr(SILENT, name) for name in Signs.__struct_fields__}, **signs})
    assert last_activity(seen, NOW, schedules_count=schedules_count) == expected


class Watched:
    """A backend, and what it reports to Jupyter."""

    def __init__(self, backend: Backend, *, patience: float = 600, schedules: bool = False) -> None:
        self.settings: dict[str, datetime] = {}
        self.activity = LastActivity(self.settings, backend, patience_seconds=patience, schedules_count=schedules)

    def told(self) -> datetime | None:
        self.activity.note()
        return self.settings.get(SETTING)


@asynccontextmanager
async def a_run_at_work(place: Place, backend: Backend) -> AsyncIterator[None]:
    run = await submit(backend, "wait for the file go", mode="headless")
    await holds(lambda: backend.records.live[run.id].run.state == "running")
    yield
    (place.root / "go").touch()
    await ended(backend, run)
    await holds(lambda: not backend.records.live)


async def test_a_run_at_work_is_activity_until_its_end_and_none_afterwards(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        watched = Watched(backend)
        assert (watched.activity.is_busy(), watched.told()) == (False, None)
        async with a_run_at_work(place, backend):
            assert watched.activity.is_busy()
            first = watched.told()
            assert first is not None and watched.told() > first
        assert not watched.activity.is_busy()
        assert watched.told() == watched.told()


async def test_a_run_that_waits_for_a_person_counts_for_as_long_as_its_question_is_kept(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await submit(backend, "ask a question", mode="headless", permission_mode="ask")
        await waiting_are(backend, 1)
        assert Watched(backend).activity.is_busy()
        assert not Watched(backend, patience=0).activity.is_busy()


async def test_what_waits_in_a_paused_queue_is_no_activity(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        await submit(backend, "append: later")
        watched = Watched(backend)
        assert (watched.activity.is_busy(), watched.told()) == (False, None)


def _earliest(watched: Watched) -> datetime:
    """The time of the last activity. One reading can be late, because two clocks are read one after the other."""
    return min(told for _ in range(100) if (told := watched.told()) is not None)


async def test_a_terminal_counts_from_its_last_output_and_a_silent_one_keeps_no_server_up(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        watched = Watched(backend)
        script = "while [ ! -e go ]; do sleep 0.02; done; echo hello; exec sleep 1000"
        await backend.terminals.open_for(ADA, NewTerminal(command=("sh", "-c", script)), cwd=str(tmp_path))
        opened, pause = _earliest(watched), timedelta(milliseconds=50)
        await asyncio.sleep(pause.total_seconds())
        assert _earliest(watched) - opened < pause / 10
        (tmp_path / "go").touch()
        await holds(lambda: _earliest(watched) - opened > pause)
        assert not watched.activity.is_busy()


@pytest.mark.parametrize("counts", [True, False])
async def test_a_coming_heartbeat_is_activity_where_that_is_set_and_work_is_not_paused(
    tmp_path: Path, counts: bool
) -> None:
    clock = ManualClock()
    async with Place(tmp_path).backend(clock=clock) as backend:
        watched = Watched(backend, schedules=counts)
        assert not watched.activity.is_busy()
        await make(backend, "ada", heartbeat="0 8 * * *", heartbeat_enabled=True)
        await holds(lambda: backend.agents.next_heartbeat("ada") is not None)
        assert watched.activity.is_busy() is counts
        assert (watched.told() == clock.now()) is counts
        await backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        assert not watched.activity.is_busy()


async def test_the_time_is_kept_up_to_date_until_the_server_stops(tmp_path: Path) -> None:
    clock, place = ManualClock(), Place(tmp_path)
    async with place.backend(clock=clock) as backend:
        watched = Watched(backend)
        watched.activity.start()
        async with a_run_at_work(place, backend):
            for _ in range(3):
                await clock.advance(NOTED_EVERY_SECONDS, busy=lambda: backend.database.busy > 0)
                assert clock.now() - watched.settings[SETTING] <= timedelta(seconds=NOTED_EVERY_SECONDS)
        await watched.activity.stop()
