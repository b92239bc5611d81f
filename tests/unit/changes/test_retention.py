"""What is kept of runs' changes, and for how long; nothing that is of use goes, whoever writes or dies meanwhile."""

from __future__ import annotations

import os
import random
import threading
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from harness.backend import ADA, Place

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.changes import store
from jupyter_cabinet.changes.decisions import restore
from jupyter_cabinet.changes.garbage_collection import Collector
from jupyter_cabinet.changes.model import Changes, Decide
from jupyter_cabinet.changes.record import ChangeRecord, Pending
from jupyter_cabinet.changes.service import ChangedRun
from jupyter_cabinet.changes.settings import ChangeSettings
from jupyter_cabinet.changes.snapshots import objects as objects_module
from jupyter_cabinet.changes.snapshots.objects import Objects, Stopped, fresh_since, never
from jupyter_cabinet.core.errors import Conflict
from jupyter_cabinet.core.events import Scope
from jupyter_cabinet.testing.manual_clock import ManualClock

SCOPE = Scope(owner="ada", visibility="private")
REVERT, ACCEPT, UNDO = (Decide(decision=name) for name in ("revert", "accept", "undo"))
DAY = 86_400.0
RANDOM = random.Random(1)


@pytest.fixture(autouse=True)
def nothing_is_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is collected but where a test says so."""
    monkeypatch.setattr(objects_module, "FRESH_SECONDS", -3600.0)
    monkeypatch.setattr(Collector, "collect_soon", lambda _: None)


class Killed(BaseException):
    """As if the process were gone."""


async def decide(backend: Backend, run: str, wanted: Decide) -> Changes:
    return await backend.changes.decide(run, wanted, ADA, SCOPE)


def noise(kilobytes: int = 100) -> bytes:
    """What no compression makes smaller."""
    return RANDOM.randbytes(kilobytes * 1000)


async def run_writes(backend: Backend, place: Place, run: str, content: bytes, name: str = "data") -> None:
    await backend.changes.begin(ChangedRun(run, "."))
    (place.root / name).write_bytes(content)
    await backend.changes.end(run)


def capped(kilobytes: int) -> ChangeSettings:
    return ChangeSettings(changes_megabytes=kilobytes / 1000)


async def has_contents(backend: Backend, *runs: str) -> list[bool]:
    return [(await backend.changes.of(run)).removed_at is None for run in runs]


async def test_the_oldest_runs_lose_their_contents_first(tmp_path: Path) -> None:
    place, clock = Place(tmp_path), ManualClock(datetime(2026, 11, 1, 12, tzinfo=UTC))
    async with place.backend(clock=clock, changes=capped(390)) as backend:
        for run in ("r1", "r2", "r3", "r4"):
            await run_writes(backend, place, run, noise())
            await clock.advance(1)
        await backend.changes.collect()
        assert await has_contents(backend, "r1", "r2", "r3", "r4") == [False, False, True, True]
        kept = await backend.changes.kept()
        assert 290_000 < kept.size < 390_000 and kept.most == 390_000 and (kept.runs, kept.days) == (2, 30)
        lost = await backend.changes.of("r1")
        assert lost.reason == "The contents of this run's changes were removed on 2026-11-01 to keep below 0.39 MB."
        assert [file.path for file in lost.files] == ["data"] and lost.counts.files == 1, "the list stays"
        assert (await backend.changes.file("r1", "data")).note == lost.reason
        now = (place.root / "data").read_bytes()
        for wanted in (REVERT, ACCEPT, UNDO):
            with pytest.raises(Conflict, match="were removed"):
                await decide(backend, "r1", wanted)
        assert (place.root / "data").read_bytes() == now
        await decide(backend, "r4", REVERT)
        await decide(backend, "r4", UNDO)
        assert (place.root / "data").read_bytes() == now
        await decide(backend, "r3", Decide(decision="revert", anyway=True))


async def test_an_older_run_keeps_nothing_where_a_newer_one_could_not(tmp_path: Path) -> None:
    place, clock = Place(tmp_path), ManualClock(datetime(2026, 11, 1, 12, tzinfo=UTC))
    async with place.backend(clock=clock, changes=capped(350)) as backend:
        for run, kilobytes in (("r1", 20), ("r2", 300), ("r3", 100)):
            await run_writes(backend, place, run, noise(kilobytes), name=run)
            (place.root / run).unlink()
            await clock.advance(1)
        await backend.changes.collect()
        assert await has_contents(backend, "r1", "r2", "r3") == [False, False, True]


async def test_what_is_older_than_so_many_days_goes(tmp_path: Path) -> None:
    place, clock = Place(tmp_path), ManualClock()
    async with place.backend(clock=clock) as backend:
        await run_writes(backend, place, "r1", noise())
        await clock.advance(29 * DAY)
        await run_writes(backend, place, "r2", noise())
        await backend.changes.collect()
        assert await has_contents(backend, "r1", "r2") == [True, True]
        await clock.advance(2 * DAY)
        await backend.changes.collect()
        assert await has_contents(backend, "r1", "r2") == [False, True]
        assert "because they are kept for 30 days" in (await backend.changes.of("r1")).reason


async def test_what_runs_and_folders_need_stays_whatever_the_cap_says(tmp_path: Path) -> None:
    place, clock = Place(tmp_path), ManualClock()
    content = noise()
    (place.root / "data").write_bytes(content)
    async with place.backend(clock=clock, changes=capped(1)) as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        (place.root / "data").write_bytes(noise())
        await clock.advance(40 * DAY)
        await backend.changes.collect()
        await backend.changes.end("r1")
        await decide(backend, "r1", REVERT)
        assert (place.root / "data").read_bytes() == content
        await backend.changes.begin(ChangedRun("r2", ".", typed=True))  # from the rolling baseline
        await backend.changes.collect()
        assert await has_contents(backend, "r1") == [False]
        await backend.changes.end("r2")
        await decide(backend, "r2", REVERT)


async def test_a_reverted_part_can_be_restored_after_a_cleanup(tmp_path: Path) -> None:
    place = Place(tmp_path)
    lines = [f"{number}\n" for number in range(60)]
    (place.root / "a.md").write_text("".join(lines))
    async with place.backend() as backend:
        lines[5], lines[50] = "five\n", "fifty\n"
        await run_writes(backend, place, "r1", "".join(lines).encode(), name="a.md")
        for part in ("0", "1"):
            await decide(backend, "r1", Decide(decision="revert", paths=("a.md",), part=part))
        await backend.changes.collect()
        await decide(backend, "r1", Decide(decision="undo", paths=("a.md",), part="1"))
        assert (place.root / "a.md").read_text().splitlines()[5:51:45] == ["5", "fifty"]


async def test_a_revert_that_was_half_done_is_finished_whatever_the_cap_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    content, take = noise(), restore.take
    (place.root / "data").write_bytes(content)

    def dying(*_: object) -> bool:
        raise Killed

    async with place.backend() as backend:
        await run_writes(backend, place, "r1", noise())
        monkeypatch.setattr(restore, "take", dying)
        with pytest.raises(Killed):
            await decide(backend, "r1", REVERT)
    monkeypatch.setattr(restore, "take", take)
    async with place.backend(changes=capped(1)) as backend:
        assert (place.root / "data").read_bytes() == content
        await backend.changes.collect()
        assert await has_contents(backend, "r1") == [False]


async def test_pending_steps_keep_their_contents(tmp_path: Path) -> None:
    place = Place(tmp_path)
    content = noise()
    (place.root / "data").write_bytes(content)
    async with place.backend(changes=capped(1)) as backend:
        await run_writes(backend, place, "r1", noise())
        record = await backend.database.read(lambda c: store.load(c, "r1"))
        assert record is not None
        pending = backend.changes._deciding.planned(record, REVERT, ["data"], "Ada")
        await backend.changes._put(store_with(record, pending))
        await backend.changes.collect()
        await backend.changes.start(foreign=False)
        assert (place.root / "data").read_bytes() == content


def store_with(record: ChangeRecord, pending: Pending) -> ChangeRecord:
    return msgspec.structs.replace(record, pending=pending)


async def test_who_is_killed_in_the_middle_goes_on_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, clock = Place(tmp_path), ManualClock()
    removed: list[Path] = []
    remove = Objects._remove

    def dying(self: Objects, path: Path, oldest: float) -> bool:
        if removed:
            raise Killed
        removed.append(path)
        return remove(self, path, oldest)

    async with place.backend(clock=clock) as backend:
        for run in ("r1", "r2", "r3"):
            await run_writes(backend, place, run, noise())
        size = (await backend.changes.kept()).size
        await clock.advance(40 * DAY)
        monkeypatch.setattr(Objects, "_remove", dying)
        with pytest.raises(Killed):
            await backend.changes.collect()
        monkeypatch.setattr(Objects, "_remove", remove)
        assert await has_contents(backend, "r1", "r2", "r3") == [False] * 3, "on record before anything goes"
    async with place.backend() as backend:
        await backend.changes.collect()
        assert (await backend.changes.kept()).size < 110_000 < size, "what stands in the folder now is known still"


async def test_the_start_and_the_end_of_a_run_collect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    place, clock = Place(tmp_path), ManualClock()
    async with place.backend(clock=clock) as backend:
        for days in (0, 40):
            await clock.advance(days * DAY)
            await collected(backend)
            await run_writes(backend, place, f"r{days}", noise())
            await collected(backend)
        assert await has_contents(backend, "r0", "r40") == [False, True]
    async with place.backend(changes=capped(1)) as backend:
        await collected(backend)
        assert await has_contents(backend, "r40") == [False]


async def collected(backend: Backend) -> None:
    if (task := backend.changes._collector.task) is not None:
        await task


async def test_a_run_that_was_deleted_does_not_come_back(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await run_writes(backend, place, "r1", noise())
        record = await backend.database.read(lambda c: store.load(c, "r1"))
        assert record is not None
        await backend.changes.forget("r1")
        assert await backend.database.write(lambda c: store.replace(c, record)) is False
        assert await backend.database.read(lambda c: store.load(c, "r1")) is None


def old(folder: Path) -> None:
    """As if everything had been put long ago."""
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (1, 1))


@pytest.fixture
def objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Objects:
    monkeypatch.setattr(objects_module, "FRESH_SECONDS", 3600.0)
    return Objects(tmp_path / "objects")


def test_what_was_put_or_put_again_lately_stays(objects: Objects, tmp_path: Path) -> None:
    gone, again = objects.put_content(b"gone"), objects.put_content(b"again")
    old(tmp_path)
    fresh = objects.put_content(b"fresh")
    assert objects.put_content(b"again") == again
    objects.remove_but(set(), fresh_since())
    assert objects.sizes().keys() == {again, fresh} and gone not in objects.sizes()


def test_a_writer_and_the_sweep_do_not_cross(objects: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is put again after the sweep has seen how old it is stays."""
    blob = objects.put_content(b"content")
    old(tmp_path)
    files = Objects._files

    def seen_then_put(self: Objects, stopped: object) -> object:
        for found in list(files(self, never)):
            writer = threading.Thread(target=objects.put_content, args=(b"content",))
            writer.start()
            writer.join()
            yield found

    monkeypatch.setattr(Objects, "_files", seen_then_put)
    assert objects.remove_but(set(), fresh_since()) == 0
    assert objects.content(blob) == b"content"


def test_what_a_killed_writer_left_goes_and_is_no_content(objects: Objects, tmp_path: Path) -> None:
    blob = objects.put_content(b"content")
    lock = tmp_path / "objects" / blob[:2] / f"{blob[2:]}.lock"
    lock.write_bytes(b"half")
    assert objects.sizes().keys() == {blob}
    old(tmp_path)
    assert objects.remove_but({blob}, fresh_since()) == 4
    assert not lock.exists() and objects.content(blob) == b"content"


def test_a_sweep_can_be_stopped_and_an_empty_store_swept(objects: Objects, tmp_path: Path) -> None:
    assert objects.remove_but(set(), fresh_since()) == 0 and objects.sizes() == {}
    blob = objects.put_content(b"content")
    old(tmp_path)
    with pytest.raises(Stopped):
        objects.remove_but(set(), fresh_since(), lambda: True)
    assert objects.content(blob) == b"content"


async def test_contents_that_somebody_removed_hold_nothing_up(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        for run in ("r1", "r2"):
            await run_writes(backend, place, run, noise())
        record = await backend.database.read(lambda c: store.load(c, "r1"))
        assert record is not None
        (place.root / ".cabinet" / "changes" / record.before[:2] / record.before[2:]).unlink()
        await backend.changes.collect()
        before = (place.root / "data").read_bytes()
        await decide(backend, "r2", REVERT)
        assert (place.root / "data").read_bytes() != before
