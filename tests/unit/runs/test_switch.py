"""The off switch: nothing starts while it is off, in any server on the root directory, also with a full disk."""

from __future__ import annotations

from pathlib import Path

from harness.backend import ADA, Place, ended, submit
from pytest import MonkeyPatch

from jupyter_cabinet.core.errors import NoRoom
from jupyter_cabinet.core.events import Event
from jupyter_cabinet.runs.switch_model import WorkPaused, WorkResumed

PLAIN = {"kind": "manual", "path": None, "mode": "headless"}


async def test_what_waits_while_work_is_paused_starts_when_it_goes_on(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        told: list[Event] = []
        backend.bus.subscribe(lambda event, scope: told.append(event))
        state = await backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        assert (state.paused, state.by) == (True, "Ada")
        run = await submit(backend, "say hello", **PLAIN)
        assert (await backend.runs.get(run.id, ADA)).state == "queued"
        await backend.runs.turn_switch(paused=False, now=False, principal=ADA)
        assert (await ended(backend, run)).state == "succeeded"
        changes = [event for event in told if isinstance(event, WorkPaused | WorkResumed)]
        assert changes == [WorkPaused(by="Ada"), WorkResumed(by="Ada")]


async def test_what_works_is_ended_only_where_that_is_asked_for(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run = await submit(backend, "wait 60", **PLAIN)
        await backend.records.live[run.id].begun.wait()
        await backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        assert (await backend.runs.get(run.id, ADA)).state in ("starting", "running")
        await backend.runs.turn_switch(paused=True, now=True, principal=ADA)
        assert (await backend.runs.get(run.id, ADA)).state == "cancelled"


async def test_it_is_remembered_and_another_server_sees_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as one, place.backend() as other:
        await one.runs.turn_switch(paused=True, now=False, principal=ADA)
        assert (await other.runs.switch.read()).paused
    async with place.backend() as later:
        assert later.runs.switch.state.paused


async def test_a_full_disk_keeps_nobody_from_pausing(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    async with Place(tmp_path).backend() as backend:
        with monkeypatch.context() as full:

            async def no_room(*_: object, **__: object) -> None:
                raise NoRoom

            full.setattr(backend.commits, "commit", no_room)
            assert (await backend.runs.turn_switch(paused=True, now=False, principal=ADA)).paused
        assert (await backend.runs.switch.read()).paused  # on record now
    async with Place(tmp_path).backend() as later:
        assert later.runs.switch.state.paused
