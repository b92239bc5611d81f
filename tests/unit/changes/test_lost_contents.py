"""Files of `.cabinet/changes/` are damaged or gone: the changes that need them say so, and the others still work."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from dulwich.objects import Blob
from harness.backend import ADA, Place

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.changes import run_comparison, service, store
from jupyter_cabinet.changes.model import Changes, Decide
from jupyter_cabinet.changes.record import ChangeRecord
from jupyter_cabinet.changes.service import ChangedRun
from jupyter_cabinet.changes.snapshots import objects
from jupyter_cabinet.core.errors import Conflict
from jupyter_cabinet.core.events import Scope

SCOPE = Scope(owner="ada", visibility="private")
NAMES = ("a.txt", "b.txt", "sub/c.txt", "sub/d.txt")


def cut(file: Path) -> None:
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content[: len(content) // 2])


def overwrite(content: bytes) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        file.unlink()
        file.write_bytes(content)

    return damage


def put_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


DAMAGES = {
    "a folder": put_folder,
    "gone": Path.unlink,
    "cut": cut,
    "empty": overwrite(b""),
    "garbage": overwrite(b"x" * 50),
    "another content": overwrite(zlib.compress(b"blob 1\0a")),
}
damages = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())


async def changed(backend: Backend, place: Place, run: str = "r1") -> ChangeRecord:
    """A run that has changed all files, and what is on record of it."""
    (place.root / "sub").mkdir(exist_ok=True)
    for name in NAMES:
        (place.root / name).write_text(f"{name} before {run}\n")
    await backend.changes.begin(ChangedRun(run, "."))
    for name in NAMES:
        (place.root / name).write_text(f"{name} after {run}\n")
    await backend.changes.end(run)
    record = await backend.database.read(lambda c: store.load(c, run))
    assert record is not None and len(record.files) == len(NAMES)
    return record


def file_of(place: Place, id: str) -> Path:
    return place.root / ".cabinet" / "changes" / id[:2] / id[2:]


def blob_of(backend: Backend, tree: str, path: str) -> str:
    return backend.changes._objects.listing(tree)[path].blob


def tree_of(backend: Backend, tree: str, folder: str) -> str:
    return next(id.decode() for name, _, id in backend.changes._objects._entries(tree.encode()) if name == folder)  # type: ignore[arg-type]


def forget(backend: Backend) -> None:
    """As after a restart: listings are read from their files."""
    backend.changes._objects._last = ("", {})


async def revert(backend: Backend, *paths: str, anyway: bool = False, run: str = "r1") -> Changes:
    wanted = Decide(decision="revert", paths=paths or None, anyway=anyway)
    return await backend.changes.decide(run, wanted, ADA, SCOPE)


def states(place: Place) -> list[str]:
    return [(place.root / name).read_text().split()[1] for name in NAMES]


@damages
async def test_a_lost_content_is_named_and_the_other_changes_still_work(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        record = await changed(backend, place)
        damage(file_of(place, blob_of(backend, record.before, "b.txt")))
        shown = await backend.changes.file("r1", "b.txt")
        assert shown.note == service.LOST and not shown.parts
        assert (await backend.changes.file("r1", "a.txt")).parts
        for paths in (("b.txt",), ()):
            with pytest.raises(Conflict, match=r"b\.txt: the contents .* are damaged or gone") as refused:
                await revert(backend, *paths)
            assert refused.value.detail["paths"] == ["b.txt"]
        assert states(place) == ["after"] * 4
        await revert(backend, "a.txt")
        changes = await revert(backend, anyway=True)
        assert [file.path for file in changes.files if not file.decision] == ["b.txt"]
        assert states(place) == ["before", "after", "before", "before"]
        with pytest.raises(Conflict, match="damaged or gone"):
            await revert(backend, "b.txt", anyway=True)


@damages
async def test_a_lost_listing_takes_only_the_files_of_its_folder(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        record = await changed(backend, place)
        damage(file_of(place, tree_of(backend, record.before, "sub")))
        forget(backend)
        assert (await backend.changes.file("r1", "sub/c.txt")).note == service.LOST
        assert (await backend.changes.file("r1", "b.txt")).parts
        with pytest.raises(Conflict) as refused:
            await revert(backend)
        assert refused.value.detail["paths"] == ["sub/c.txt", "sub/d.txt"]
        await revert(backend, anyway=True)
        assert states(place) == ["before", "before", "after", "after"]
        await backend.changes.collect()


async def test_where_all_is_lost_and_people_have_edited_both_are_said(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        record = await changed(backend, place)
        file_of(place, blob_of(backend, record.before, "b.txt")).unlink()
        (place.root / "a.txt").write_text("mine\n")
        with pytest.raises(Conflict, match=r"damaged or gone.*a\.txt: the same lines were edited") as refused:
            await revert(backend)
        assert refused.value.detail["paths"] == ["b.txt", "a.txt"]
        file_of(place, record.before).unlink()
        forget(backend)
        with pytest.raises(Conflict, match=r"a\.txt and 3 more: the contents"):
            await revert(backend, anyway=True)


async def test_what_was_lost_is_kept_again_by_the_next_run(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        record = await changed(backend, place)
        cut(file_of(place, blob_of(backend, record.after, "b.txt")))
        assert (await backend.changes.file("r1", "b.txt")).note == service.LOST
        await backend.changes.begin(ChangedRun("r2", "."))
        (place.root / "b.txt").write_text("b.txt again\n")
        await backend.changes.end("r2")
        await revert(backend, run="r2")
        assert (place.root / "b.txt").read_text() == "b.txt after r1\n"
        assert (await backend.changes.file("r1", "b.txt")).parts


@pytest.mark.parametrize("what", ["a content", "the listing"])
async def test_a_run_ends_with_its_other_changes_where_something_is_lost_meanwhile(tmp_path: Path, what: str) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        (place.root / "b.txt").write_text("before\n")
        await backend.changes.begin(ChangedRun("r1", "."))
        listing = backend.changes._working.records["r1"].before
        file_of(place, blob_of(backend, listing, "b.txt") if what == "a content" else listing).unlink()
        forget(backend)
        for name in ("a.txt", "b.txt"):
            (place.root / name).write_text("after\n")
        await backend.changes.end("r1")
        changes = await backend.changes.of("r1")
        if what == "a content":
            assert [file.path for file in changes.files] == ["a.txt", "b.txt"]
            assert (await backend.changes.file("r1", "b.txt")).note == service.LOST
        else:
            assert (changes.state, changes.reason) == ("failed", run_comparison.DAMAGED)


async def test_an_undo_that_a_dead_server_left_is_given_up_where_its_content_is_lost(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        record = await changed(backend, place)
        pending = backend.changes._deciding.planned(record, Decide(decision="revert"), ["a.txt", "b.txt"], "Ada")
        await backend.commits.commit(lambda c: store.put(c, msgspec.structs.replace(record, pending=pending)))
        cut(file_of(place, blob_of(backend, record.before, "b.txt")))
    async with place.backend() as backend:
        changes = await backend.changes.of("r1")
        assert [file.path for file in changes.files if file.decision] == ["a.txt"]
    assert states(place) == ["before", "after", "after", "after"]


@pytest.mark.parametrize("age", [3600, 0])
def test_the_lock_of_a_server_that_was_killed_does_not_stay_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: float
) -> None:
    monkeypatch.setattr(objects, "LOCK_LOOK_SECONDS", 0.001)
    store = objects.Objects(tmp_path / "objects")
    content = Blob.from_string(b"plum").id.decode()
    lock = tmp_path / "objects" / content[:2] / f"{content[2:]}.lock"
    store.put_content(b"pear")
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    os.utime(lock, (time.time() - age,) * 2)
    assert store.put_content(b"plum") == content
    assert store.content(content) == b"plum" and not lock.exists()
