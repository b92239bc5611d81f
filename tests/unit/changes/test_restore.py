"""One file is put into a state that it had: exactly, or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from jupyter_cabinet.changes.decisions import restore
from jupyter_cabinet.changes.decisions.restore import FileRestore, state_of, take
from jupyter_cabinet.changes.model import EMPTY_FOLDER, FILE_MODE, LINK_MODE, PROGRAM_MODE, FileState
from jupyter_cabinet.changes.snapshots.objects import Objects
from jupyter_cabinet.core.errors import OutsideRoot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    return place


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects(tmp_path / "objects")


def state(objects: Objects, content: bytes, mode: int = FILE_MODE) -> FileState:
    return FileState(mode=mode, blob=objects.put_content(content))


def test_there_and_back(root: Path, objects: Objects) -> None:
    file = root / "sub" / "a"
    old, new = state(objects, b"old\r\n\xff"), state(objects, b"new")
    assert state_of(root, "sub/a", objects) is None
    assert take(root, FileRestore(path="sub/a", old=None, new=old), objects)
    assert file.read_bytes() == b"old\r\n\xff" and state_of(root, "sub/a", objects) == old
    assert take(root, FileRestore(path="sub/a", old=None, new=old), objects), "what is done stays so"
    assert take(root, FileRestore(path="sub/a", old=old, new=new), objects)
    assert file.read_bytes() == b"new"
    assert take(root, FileRestore(path="sub/a", old=new, new=None), objects)
    assert list(root.iterdir()) == [], "the folder that was made for it goes with it"
    assert take(root, FileRestore(path="sub/a", old=new, new=None), objects)


def test_something_else_is_left_as_it_is(root: Path, objects: Objects) -> None:
    (root / "a").write_bytes(b"mine")
    old, new = state(objects, b"old"), state(objects, b"new")
    assert not take(root, FileRestore(path="a", old=old, new=new), objects)
    assert not take(root, FileRestore(path="a", old=old, new=None), objects)
    assert not take(root, FileRestore(path="a", old=None, new=new), objects)
    assert not take(root, FileRestore(path="gone/b", old=old, new=new), objects)
    assert [(path.name, path.read_bytes()) for path in root.iterdir()] == [("a", b"mine")]


@pytest.mark.parametrize("changed", [False, True], ids=["as it was", "edited since"])
def test_the_temporary_file_of_a_server_that_was_killed_is_gone_when_the_step_is_done_again(
    root: Path, objects: Objects, changed: bool
) -> None:
    file = root / "sub" / "a"
    file.parent.mkdir()
    file.write_bytes(b"old")
    step = FileRestore(path="sub/a", old=state(objects, b"old"), new=state(objects, b"new"))
    child = os.fork()
    if child == 0:
        os.rename = lambda *_, **__: os._exit(9)  # type: ignore[assignment]
        take(root, step, objects)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert len(list(file.parent.iterdir())) == 2
    if changed:
        file.write_bytes(b"mine")
    assert take(root, step, objects) == (not changed)
    assert [(path.name, path.read_bytes()) for path in file.parent.iterdir()] == [("a", b"mine" if changed else b"new")]


def test_rights_stay_but_for_execution(root: Path, objects: Objects) -> None:
    file = root / "a"
    file.write_bytes(b"x")
    file.chmod(0o640)
    old, new = state(objects, b"x"), state(objects, b"x", PROGRAM_MODE)
    assert take(root, FileRestore(path="a", old=old, new=new), objects)
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert take(root, FileRestore(path="a", old=new, new=old), objects)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_new_file_has_the_rights_that_the_mask_leaves(
    root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(root, FileRestore(path="a", old=None, new=state(objects, b"x")), objects)
    expected = root / "expected"
    expected.write_text("x")
    assert (root / "a").stat().st_mode == expected.stat().st_mode
    monkeypatch.setattr(restore.Path, "read_text", lambda self: "nothing")
    assert take(root, FileRestore(path="b", old=None, new=state(objects, b"x")), objects)
    assert stat.S_IMODE((root / "b").stat().st_mode) == 0o644


def test_links_are_put_and_never_followed(root: Path, objects: Objects, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link, file = state(objects, os.fsencode(outside), LINK_MODE), state(objects, b"x")
    assert take(root, FileRestore(path="a", old=None, new=link), objects)
    assert (root / "a").readlink() == outside and state_of(root, "a", objects) == link
    with pytest.raises(OSError):
        take(root, FileRestore(path="a/b", old=None, new=file), objects)
    with pytest.raises(OSError):
        state_of(root, "a/b", objects)
    assert list(outside.iterdir()) == []
    assert take(root, FileRestore(path="a", old=link, new=file), objects)
    assert not (root / "a").is_symlink() and (root / "a").read_bytes() == b"x"


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", "sub/.git/config", ".cabinet/x", "../x", "/x", ".hg/x"])
def test_records_of_version_control_and_ours_are_out_of_reach(root: Path, objects: Objects, path: str) -> None:
    with pytest.raises(OutsideRoot):
        take(root, FileRestore(path=path, old=None, new=state(objects, b"x")), objects)
    assert list(root.iterdir()) == []


def test_a_disk_that_is_full_leaves_the_old_content(
    root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        take(root, FileRestore(path="a", old=state(objects, b"old"), new=state(objects, b"new")), objects)
    assert [(path.name, path.read_bytes()) for path in root.iterdir()] == [("a", b"old")]


def test_what_is_there_may_be_a_folder_or_too_large(
    root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").mkdir()
    assert state_of(root, "a", objects) == EMPTY_FOLDER
    (root / "a" / "b").touch()
    with pytest.raises(IsADirectoryError):
        state_of(root, "a", objects)
    (root / "a" / "b").unlink()
    monkeypatch.setattr(restore, "LARGEST_FILE", 3)
    (root / "b").write_bytes(b"1234")
    with pytest.raises(OSError):
        state_of(root, "b", objects)


def test_an_empty_folder_is_made_and_removed_and_one_with_something_in_it_stays(root: Path, objects: Objects) -> None:
    made, removed = (
        FileRestore(path="d/e", old=None, new=EMPTY_FOLDER),
        FileRestore(path="d/e", old=EMPTY_FOLDER, new=None, keep="d"),
    )
    assert take(root, made, objects) and (root / "d" / "e").is_dir()
    assert take(root, made, objects), "what is done stays so"
    (root / "d" / "e" / "mine").touch()
    with pytest.raises(IsADirectoryError):
        take(root, removed, objects)
    (root / "d" / "e" / "mine").unlink()
    assert take(root, removed, objects)
    assert [path.name for path in root.rglob("*")] == ["d"], "it was there before"


def test_somebody_puts_something_into_a_folder_in_the_moment_in_which_it_is_removed(
    root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "d").mkdir()
    rmdir = os.rmdir

    def late(name: str, *, dir_fd: int) -> None:
        (root / "d" / "mine").write_text("mine")
        rmdir(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "rmdir", late)
    with pytest.raises(OSError, match="not empty"):
        take(root, FileRestore(path="d", old=EMPTY_FOLDER, new=None), objects)
    assert (root / "d" / "mine").read_text() == "mine"


def test_a_file_becomes_an_empty_folder_and_again_a_file(root: Path, objects: Objects) -> None:
    file = state(objects, b"x")
    (root / "a").write_bytes(b"x")
    there = FileRestore(path="a", old=file, new=EMPTY_FOLDER)
    back = FileRestore(path="a", old=EMPTY_FOLDER, new=file)
    assert take(root, there, objects) and (root / "a").is_dir()
    assert take(root, back, objects) and (root / "a").read_bytes() == b"x"
    (root / "a").unlink()  # as where a server died in between
    assert take(root, there, objects) and (root / "a").is_dir()
    (root / "a").rmdir()
    assert take(root, back, objects) and (root / "a").read_bytes() == b"x"
