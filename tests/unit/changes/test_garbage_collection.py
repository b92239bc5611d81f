"""Contents are collected beside all other work, and the end of the server waits for one file of it at most."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, BOUND_SECONDS, Place

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.changes.garbage_collection import Collector
from jupyter_cabinet.changes.model import Decide
from jupyter_cabinet.changes.service import CLOSING_SECONDS, ChangedRun
from jupyter_cabinet.changes.settings import ChangeSettings
from jupyter_cabinet.changes.snapshots.objects import Objects
from jupyter_cabinet.core.errors import ShuttingDown
from jupyter_cabinet.core.events import Scope
from jupyter_cabinet.testing.manual_clock import ManualClock

SCOPE = Scope(owner="ada", visibility="private")
NOTHING_STAYS = ChangeSettings(changes_megabytes=0)
REVERT = Decide(decision="revert")
WALKS = ["_files", "_remove"]  # sizes are taken; files are removed


class Held:
    """The first file of a walk through what is kept waits until it is let go, or the server ends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, walk: str) -> None:
        self._loop, self._real = asyncio.get_running_loop(), getattr(Objects, walk)
        self.reached, self.go_on, self.files = asyncio.Event(), threading.Event(), 0
        self._wait: Callable[..., bool] = self.go_on.wait
        monkeypatch.setattr(Objects, walk, self._files if walk == "_files" else self._remove)

    def until_the_end_of(self, collector: Collector) -> None:
        self._wait = collector._stop.wait

    def _hold(self) -> None:
        self.files += 1
        if self.files == 1:
            self._loop.call_soon_threadsafe(self.reached.set)
            assert self._wait(BOUND_SECONDS)

    @property
    def _files(self) -> Any:
        def walking(objects: Objects, stopped: Callable[[], bool]) -> Iterator[object]:
            for found in self._real(objects, stopped):
                self._hold()
                yield found

        return walking

    @property
    def _remove(self) -> Any:
        def removing(objects: Objects, path: Path, oldest: float) -> bool:
            self._hold()
            done: bool = self._real(objects, path, oldest)
            return done

        return removing


@pytest.fixture(autouse=True)
def nothing_is_collected_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Collector, "collect_soon", lambda _: None)


async def run_writes(backend: Backend, place: Place, run: str, text: str) -> None:
    await backend.changes.begin(ChangedRun(run, "."))
    place.document.write_text(text)
    await backend.changes.end(run)


def make_old(place: Place) -> None:
    """What is kept was put long ago."""
    for path in (place.root / ".cabinet" / "changes").rglob("*"):
        if path.is_file():
            os.utime(path, (1, 1))


@pytest.mark.parametrize("walk", WALKS)
async def test_runs_and_decisions_go_on_while_it_walks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walk: str
) -> None:
    place = Place(tmp_path)
    async with place.backend(changes=NOTHING_STAYS) as backend:
        await run_writes(backend, place, "r1", "one\n")
        await run_writes(backend, place, "r2", "two\n")
        make_old(place)
        held = Held(monkeypatch, walk)
        collecting = asyncio.create_task(backend.changes.collect())
        await held.reached.wait()
        await run_writes(backend, place, "r3", "three\n")
        await backend.changes.decide("r3", REVERT, ADA, SCOPE)
        assert place.document.read_text() == "two\n"
        held.go_on.set()
        await collecting
        assert held.files > 1
        await backend.changes.decide("r3", Decide(decision="undo"), ADA, SCOPE)
        assert place.document.read_text() == "three\n"
        assert [(await backend.changes.of(run)).removed_at is None for run in ("r1", "r2", "r3")] == [
            False,
            False,
            True,
        ]


async def test_what_somebody_decides_about_while_it_walks_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    async with place.backend(changes=NOTHING_STAYS) as backend:
        await run_writes(backend, place, "r1", "one\n")
        make_old(place)
        held = Held(monkeypatch, "_files")
        collecting = asyncio.create_task(backend.changes.collect())
        await held.reached.wait()
        await backend.changes.decide("r1", REVERT, ADA, SCOPE)
        make_old(place)
        held.go_on.set()
        await collecting
        await backend.changes.decide("r1", Decide(decision="undo"), ADA, SCOPE)
        assert place.document.read_text() == "one\n"


@pytest.mark.parametrize("walk", WALKS)
async def test_the_end_of_the_server_waits_for_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walk: str
) -> None:
    place = Place(tmp_path)
    async with place.backend(changes=NOTHING_STAYS) as backend:
        for number in range(3):
            await run_writes(backend, place, f"r{number}", f"{number}\n")
        make_old(place)
        monkeypatch.undo()  # from here on it is collected by itself
        held = Held(monkeypatch, walk)
        held.until_the_end_of(backend.changes._collector)
        backend.changes._collector.collect_soon()
        await held.reached.wait()
    assert held.files == 1


async def test_how_much_is_kept_is_not_counted_when_the_server_ends(tmp_path: Path) -> None:
    place, clock = Place(tmp_path), ManualClock()
    async with place.backend(clock=clock) as backend:
        await run_writes(backend, place, "r1", "one\n")
        assert (await backend.changes.kept()).runs == 1
        backend.changes.close_soon()
        await clock.advance(CLOSING_SECONDS)
        with pytest.raises(ShuttingDown):
            await backend.changes.kept()
