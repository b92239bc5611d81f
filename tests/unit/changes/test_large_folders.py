"""In a folder that is too large for a full snapshot, only some files are compared, and the report says so."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place, ended, submit, waiting_are

from jupyter_cabinet.approvals.model import ApprovalFilter, NewAnswer
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.changes.model import Changes, Decide, LeftOut
from jupyter_cabinet.changes.service import ChangedRun, ReportedCall
from jupyter_cabinet.changes.settings import ChangeSettings
from jupyter_cabinet.changes.snapshots import partial_snapshot, scan
from jupyter_cabinet.changes.snapshots.exclusions import NOTHING_EXCLUDED
from jupyter_cabinet.changes.snapshots.objects import Objects, Stopped
from jupyter_cabinet.changes.snapshots.scan import Bounds
from jupyter_cabinet.core.events import Scope

SCOPE = Scope(owner="ada", visibility="private")
REVERT, UNDO = Decide(decision="revert"), Decide(decision="undo")
SMALL = ChangeSettings(changes_folder_files=5)


async def decide(backend: Backend, run: str, wanted: Decide) -> Changes:
    return await backend.changes.decide(run, wanted, ADA, SCOPE)


def kinds(changes: Changes) -> dict[str, str]:
    return {file.path: file.kind for file in changes.files}


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


def large(tmp_path: Path, *tracked: str) -> Place:
    """Ten files that nobody knows, and some that git tracks."""
    place = Place(tmp_path)
    (place.root / "data").mkdir()
    for number in range(10):
        (place.root / "data" / str(number)).write_text("data\n")
    if tracked:
        git(place.root, "init", "-q")
    for name in tracked:
        (place.root / name).parent.mkdir(parents=True, exist_ok=True)
        (place.root / name).write_text("tracked\n")
        git(place.root, "add", name)
    return place


def save(backend: Backend, place: Place, path: str, text: str) -> None:
    old = (place.root / path).read_bytes() if (place.root / path).exists() else None
    (place.root / path).write_text(text)
    backend.changes.saved(path, old, text.encode())


async def test_what_git_tracks_and_the_document_are_compared_and_nothing_else(tmp_path: Path) -> None:
    place = large(tmp_path, "src/one.py", "src/two.py", "src/three.py")
    root = place.root
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.begin(ChangedRun("r1", ".", path="a.md"))
        (root / "src" / "one.py").write_text("agent\n")
        (root / "src" / "two.py").unlink()
        place.document.write_text("# A\nagent\n")
        (root / "data" / "0").write_text("agent\n")
        (root / "data" / "new").write_text("agent\n")
        counts = await backend.changes.end("r1")
        found = await backend.changes.of("r1")
        assert kinds(found) == {"a.md": "changed", "src/one.py": "changed", "src/two.py": "deleted"}
        assert counts == found.counts and found.partial and found.state == "ready"
        assert found.reason.startswith(
            "The folder holds more than 5 files or 2000 MB, so only 4 of them were compared:"
        )
        await decide(backend, "r1", REVERT)
        assert (root / "src" / "two.py").read_text() == (root / "src" / "one.py").read_text() == "tracked\n"
        assert place.document.read_text() == "# A\n"
        assert (root / "data" / "0").read_text() == (root / "data" / "new").read_text() == "agent\n"
        await decide(backend, "r1", UNDO)
        assert (root / "src" / "one.py").read_text() == "agent\n" and not (root / "src" / "two.py").exists()


async def test_nothing_seen_is_not_nothing_changed(tmp_path: Path) -> None:
    place = large(tmp_path)
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        (place.root / "data" / "0").write_text("agent\n")
        assert await backend.changes.end("r1") is None
        found = await backend.changes.of("r1")
        assert (found.files, found.partial) == ((), True) and "only 0 of them" in found.reason


async def test_nothing_is_read_but_what_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, read, open_regular = large(tmp_path, "one.py"), [], scan.open_regular

    def noted(path: str, *, dir_fd: int) -> int:
        read.append(path)
        return open_regular(path, dir_fd=dir_fd)

    monkeypatch.setattr(scan, "open_regular", noted)
    monkeypatch.setattr(scan, "SETTLED_NS", -(10**18))  # all of them are settled
    async with place.backend(changes=ChangeSettings(changes_folder_megabytes=50 / 1_000_000)) as backend:
        for run in ("r1", "r2"):
            await backend.changes.begin(ChangedRun(run, "."))
            await backend.changes.end(run)
            assert (await backend.changes.of(run)).partial and read == ["one.py"]


async def test_more_than_is_compared_is_not_looked_at_whoever_names_it(tmp_path: Path) -> None:
    place = large(tmp_path, *(f"src/{number}.py" for number in range(6)))
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.begin(ChangedRun("r1", ".", path="a.md"))
        place.document.write_text("agent\n")
        (place.root / "src" / "0.py").write_text("agent\n")
        await backend.changes.end("r1")
        assert kinds(await backend.changes.of("r1")) == {"a.md": "changed"}
    async with place.backend(changes=ChangeSettings(changes_folder_megabytes=20 / 1_000_000)) as backend:
        await backend.changes.begin(ChangedRun("r2", "."))
        (place.root / "src" / "0.py").write_text("agent\n")
        await backend.changes.end("r2")
        assert kinds(await backend.changes.of("r2")) == {}


async def test_a_folder_that_becomes_too_large_is_compared_by_what_it_held(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "b").write_text("b\n")
    (place.root / "empty").mkdir()
    (place.root / "emptied").mkdir()
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        assert not (await backend.changes.of("r1")).partial
        for number in range(10):
            (place.root / "empty" / str(number)).touch()
        (place.root / "emptied").rmdir()
        (place.root / "b").unlink()
        (place.root / "b").mkdir()
        (place.root / "b" / "x").touch()
        await backend.changes.end("r1")
        found = await backend.changes.of("r1")
        assert found.partial and kinds(found) == {"b": "deleted", "emptied": "deleted"}
        place.document.write_text("agent\n")  # the next instruction in the open CLI
        await backend.changes.begin(ChangedRun("r2", ".", typed=True))
        await backend.changes.end("r2")
        assert (await backend.changes.of("r2")).partial
        assert kinds(await backend.changes.of("r2")) == {"a.md": "changed"}


async def test_what_people_save_is_seen_from_then_on(tmp_path: Path) -> None:
    place = large(tmp_path, "one.py")
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        save(backend, place, "mine.md", "1\n2\n3\n4\n")
        save(backend, place, "data/0", "mine\n")
        save(backend, place, "one.py", "mine\n")
        await backend.changes._working.saved_all()
        (place.root / "mine.md").write_text("1\n2\n3\nagent\n")
        save(backend, place, "mine.md", "mine\n2\n3\nagent\n")
        await backend.changes.end("r1")
        assert kinds(await backend.changes.of("r1")) == {"mine.md": "changed"}
        await decide(backend, "r1", REVERT)
        assert (place.root / "mine.md").read_text() == "mine\n2\n3\n4\n"
        assert (place.root / "one.py").read_text() == "mine\n"


async def test_what_the_agent_asks_to_edit_is_kept_before_it_may(tmp_path: Path) -> None:
    place = large(tmp_path)
    root = place.root
    (tmp_path / "outside").write_text("outside\n")
    (root / "link").symlink_to(tmp_path)
    (root / "folder" / "inner").mkdir(parents=True)
    (root / "folder" / "inner" / "x").touch()
    asked = [
        "data/0",
        str(root / "data" / "1"),
        "data/../new/file",
        "../outside",
        "link/outside",
        str(tmp_path / "outside"),
        ".git/config",
        ".cabinet/cabinet.db",
        "folder",
        "nul\0",
        "no text \ud800",
    ]
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.about_to_edit("unknown", asked)
        await backend.changes.begin(ChangedRun("r1", "."))
        await backend.changes.about_to_edit("r1", asked)
        for name in ("data/0", "data/1", "data/2"):
            (root / name).write_text("agent\n")
        await backend.changes.about_to_edit("r1", ["data/0"])
        (root / "new").mkdir()
        (root / "new" / "file").write_text("agent\n")
        edits = ("data/0", "data/2", "../outside", "no text \udc80")
        backend.changes.reported("r1", ReportedCall("c1", edits, anything=False))
        backend.changes.reported("unknown", ReportedCall("c1", ("data/0",), anything=False))
        await backend.changes.end("r1")
        found = await backend.changes.of("r1")
        assert kinds(found) == {"data/0": "changed", "data/1": "changed", "new/file": "added"}
        assert found.left_out == (LeftOut(path="data/2", reason="unseen"),)
        await decide(backend, "r1", REVERT)
        assert [(root / "data" / name).read_text() for name in "012"] == ["data\n", "data\n", "agent\n"]
        assert (root / "new").is_dir() and not (root / "new" / "file").exists(), "nobody knows what was in it"


async def test_a_run_in_a_folder_of_a_repository(tmp_path: Path) -> None:
    place = large(tmp_path, "src/one.py", "other/two.py")
    for number in range(10):
        (place.root / "src" / str(number)).touch()
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.begin(ChangedRun("r1", "src", path="a.md"))
        (place.root / "src" / "one.py").write_text("agent\n")
        (place.root / "other" / "two.py").write_text("agent\n")
        await backend.changes.about_to_edit("r1", ["../other/two.py", "0"])
        (place.root / "src" / "0").write_text("agent\n")
        await backend.changes.end("r1")
        assert kinds(await backend.changes.of("r1")) == {"src/one.py": "changed", "src/0": "changed"}


async def test_what_cannot_be_kept_holds_no_question_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = large(tmp_path)
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        monkeypatch.setattr(Objects, "listing", lambda *_: 1 // 0)
        await backend.changes.about_to_edit("r1", ["data/0"])


async def test_what_can_stand_where_a_file_is_named(tmp_path: Path) -> None:
    place = large(tmp_path, *"bcdef", "gone/x", "linked/x")
    root = place.root
    async with place.backend(changes=ChangeSettings(changes_folder_files=8)) as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        shutil.rmtree(root / "gone")
        (root / "linked").rename(tmp_path / "elsewhere")
        (root / "linked").symlink_to(tmp_path / "elsewhere")
        for name in "bcdef":
            (root / name).unlink()
        (root / "b").symlink_to("a.md")
        os.mkfifo(root / "c")
        (root / "d").mkdir()
        (root / "e").write_text("x")
        (root / "e").chmod(0o755)
        await backend.changes.end("r1")
        found = await backend.changes.of("r1")
        assert kinds(found) == {
            "b": "changed",
            "c": "deleted",
            "d": "changed",
            "e": "changed",
            "f": "deleted",
            "gone/x": "deleted",
            "linked/x": "deleted",
        }
        assert found.left_out == (LeftOut(path="c", reason="special"),)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_what_cannot_be_read_is_listed(tmp_path: Path) -> None:
    place = large(tmp_path, "one.py")
    (place.root / "one.py").chmod(0)
    async with place.backend(changes=SMALL) as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        await backend.changes.end("r1")
        assert (await backend.changes.of("r1")).left_out == (LeftOut(path="one.py", reason="unreadable"),)


def test_a_look_at_some_files_ends_at_the_next_one(tmp_path: Path) -> None:
    place, stop = large(tmp_path), threading.Event()
    some = partial_snapshot.SomeFiles(place.root, Objects(tmp_path / "objects"), Bounds(), NOTHING_EXCLUDED.of(""))
    assert sorted(some.look({"data/0": None, "data/1": None}, stop).files) == ["data/0", "data/1"]
    stop.set()
    with pytest.raises(Stopped):
        some.look({"data/0": None}, stop)


@pytest.mark.parametrize("where", ["a link", "a pipe", "nothing", "no index"])
async def test_an_index_that_is_none_is_not_read(tmp_path: Path, where: str) -> None:
    place = large(tmp_path, "one.py")
    index = place.root / ".git" / "index"
    kept = tmp_path / "index"
    index.rename(kept)
    if where == "a link":
        index.symlink_to(kept)
    elif where == "a pipe":
        os.mkfifo(index)
    elif where == "no index":
        index.write_text("no index")
    assert partial_snapshot.tracked_by_git(place.root, "") == []
    index.unlink(missing_ok=True)
    kept.rename(index)
    assert partial_snapshot.tracked_by_git(place.root, "") == ["one.py"]


@pytest.mark.slow(reason="starts a real agent")
async def test_an_edit_is_kept_before_a_person_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, calls = large(tmp_path), []
    async with place.backend(changes=SMALL) as backend:
        keep, ask, report = backend.changes.about_to_edit, backend.approvals.ask, backend.changes.reported

        async def keeping(run_id: str, paths: Iterable[str]) -> None:
            await keep(run_id, paths)
            calls.append(("kept", *map(named, paths)))

        async def asking(*given: Any) -> None:
            calls.append(("asked",))
            await ask(*given)

        def reporting(run_id: str, call: ReportedCall) -> None:
            report(run_id, call)
            calls.append(("reported", *map(named, call.edits)))

        monkeypatch.setattr(backend.changes, "about_to_edit", keeping)
        monkeypatch.setattr(backend.approvals, "ask", asking)
        monkeypatch.setattr(backend.changes, "reported", reporting)
        run = await submit(backend, "append: one", path="data/0", mode="headless", permission_mode="ask")
        await waiting_are(backend, 1)
        (approval,) = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
        await backend.approvals.answer(approval.id, NewAnswer(option="allow"), ADA)
        run = await ended(backend, run)
        found = await backend.changes.of(run.id)
        assert found.partial and kinds(found) == {"data/0": "changed"}
        assert [call for call in calls if call[0] != "reported"] == [("kept", "0"), ("asked",)]
        assert ("reported", "0") in calls


def named(path: str) -> str:
    return Path(path).name
