"""What is found in a folder: everything that can lie there, and nothing is carried out or followed."""

from __future__ import annotations

import os
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from jupyter_cabinet.changes.model import EMPTY_FOLDER, FILE_MODE, LINK_MODE, PROGRAM_MODE, FileState, LeftOut
from jupyter_cabinet.changes.snapshots import scan
from jupyter_cabinet.changes.snapshots.objects import Objects, Stopped
from jupyter_cabinet.changes.snapshots.scan import Bounds, FolderListing, TooLarge
from jupyter_cabinet.changes.snapshots.scanner import Scanner
from jupyter_cabinet.core.errors import OutsideRoot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    return place


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects(tmp_path / "objects")


def look(root: Path, objects: Objects, folder: str = "", **named: object) -> FolderListing:
    return Scanner(root, folder, objects).look(**named)  # type: ignore[arg-type]


def test_what_can_lie_in_a_folder(root: Path, objects: Objects, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s")
    (root / "sub").mkdir()
    (root / "sub" / "a.py").write_text("a\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("sub/a.py")
    (root / "folder-link").symlink_to(outside)
    (root / "broken").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    (root / os.fsdecode(b"\xff.txt")).write_text("x")
    found = look(root, objects)
    assert {path: state.mode for path, state in found.files.items()} == {
        "sub/a.py": FILE_MODE,
        "run.sh": PROGRAM_MODE,
        "link": LINK_MODE,
        "folder-link": LINK_MODE,
        "broken": LINK_MODE,
    }
    assert objects.content(found.files["folder-link"].blob) == os.fsencode(outside)
    assert found.left_out == [LeftOut(path="pipe", reason="special"), LeftOut(path="\\xff.txt", reason="name")]
    assert found.left_out_counts == {"special": 1, "name": 1}


def test_what_is_left_out(root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "LARGEST_FILE", 10)
    for folder in ("node_modules/x", ".git", "sub/.git", "sub/build"):
        (root / folder).mkdir(parents=True)
        (root / folder / "file").write_text("x")
    (root / ".gitignore").write_text("*.log\n")
    (root / "sub" / ".gitignore").write_text("build/\n")
    (root / "a.log").write_text("x")
    (root / "large").write_text("x" * 11)
    (root / "sub" / "b").write_text("x")
    found = look(root, objects)
    assert sorted(found.files) == [".gitignore", "sub/.gitignore", "sub/b"]
    assert sorted((each.path, each.reason, each.size) for each in found.left_out) == [
        ("a.log", "ignored", None),
        ("large", "large", 11),
        ("node_modules/", "ignored", None),
        ("sub/build/", "ignored", None),
    ]


def test_what_was_compared_before_is_compared_whatever_an_ignore_file_says_now(root: Path, objects: Objects) -> None:
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("a")
    (root / "b.py").write_text("b")
    before = look(root, objects).files
    (root / ".gitignore").write_text("*\n")
    (root / "src" / "new.py").write_text("n")
    after = look(root, objects, tracked=before).files
    assert sorted(after) == ["b.py", "src/a.py"]


def test_what_an_ignore_file_says_counts_from_the_next_look_on(root: Path, objects: Objects) -> None:
    (root / "sub").mkdir()
    for name in ("a", "sub/a", "sub/b"):
        (root / name).write_text("x")
    scanner = Scanner(root, "", objects)
    before = scanner.look().files
    (root / "sub" / ".gitignore").write_text("a\n")
    for _ in range(2):
        assert sorted(scanner.look(before).files) == ["a", "sub/.gitignore", "sub/a", "sub/b"]
    found = scanner.look()
    assert sorted(found.files) == ["a", "sub/.gitignore", "sub/b"]
    assert found.left_out == [LeftOut(path="sub/a", reason="ignored")]
    assert scanner.look() == found
    (root / "sub" / ".gitignore").unlink()
    assert sorted(scanner.look().files) == ["a", "sub/a", "sub/b"]


def test_only_the_folder_itself(root: Path, objects: Objects) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "a").write_text("a")
    (root / "b").write_text("b")
    assert list(look(root, objects, "sub").files) == ["sub/a"]


@pytest.mark.parametrize("folder", ["..", "/", "link", "sub/../..", ".cabinet"])
def test_a_folder_elsewhere_is_not_looked_at(root: Path, objects: Objects, tmp_path: Path, folder: str) -> None:
    (tmp_path / "outside").write_text("x")
    (root / "sub").mkdir()
    (root / "link").symlink_to(tmp_path)
    with pytest.raises((OSError, OutsideRoot)):
        look(root, objects, folder)


def test_too_many_files_or_bytes(root: Path, objects: Objects) -> None:
    for number in range(4):
        (root / str(number)).write_text("123")
    for bounds in (Bounds(files=3), Bounds(bytes=11)):
        with pytest.raises(TooLarge):
            Scanner(root, "", objects, None, bounds).look()
        assert objects.ids() == set(), "nothing was read of a folder that is too large"
    scanner = Scanner(root, "", objects, None, Bounds(files=4, bytes=12))
    assert len(scanner.look().files) == 4
    (root / "4").touch()
    with pytest.raises(TooLarge):
        scanner.look()


def test_a_file_is_read_again_only_where_it_may_have_changed(
    root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    open_regular = scan.open_regular

    def noted(path: str, *, dir_fd: int) -> int:
        read.append(path)
        return open_regular(path, dir_fd=dir_fd)

    monkeypatch.setattr(scan, "open_regular", noted)
    monkeypatch.setattr(scan, "SETTLED_NS", -(10**18))  # all of them are settled
    (root / "a").write_text("one")
    (root / "b").write_text("one")
    scanner = Scanner(root, "", objects)
    first = scanner.look().files
    assert read == ["a", "b"] and scanner.look().files == first and read == ["a", "b"]
    (root / "a").write_text("two")
    assert objects.content(scanner.look().files["a"].blob) == b"two"
    assert read == ["a", "b", "a"]
    monkeypatch.setattr(scan, "SETTLED_NS", 10**18)  # none is
    scanner.look()
    assert read[3:] == ["a", "b"]


def test_the_same_size_and_time_hide_nothing(root: Path, objects: Objects) -> None:
    """A time can be set by anybody; the time of the last change of the file's record cannot."""
    file = root / "a"
    file.write_text("one")
    scanner = Scanner(root, "", objects)
    scanner.look()
    times = file.stat()
    file.write_text("two")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert objects.content(scanner.look().files["a"].blob) == b"two"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_listed(root: Path, objects: Objects) -> None:
    (root / "a").write_text("x")
    (root / "a").chmod(0)
    assert look(root, objects).left_out == [LeftOut(path="a", reason="unreadable")]


def test_a_file_that_grows_or_goes_while_it_is_read(
    root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "grows").write_text("x")
    (root / "goes").write_text("x")
    open_regular = scan.open_regular

    def swapped(path: str, *, dir_fd: int) -> int:
        if path == "grows":
            (root / "grows").write_text("x" * 100)
        else:
            (root / "goes").unlink()
        return open_regular(path, dir_fd=dir_fd)

    monkeypatch.setattr(scan, "open_regular", swapped)
    monkeypatch.setattr(scan, "LARGEST_FILE", 50)
    found = look(root, objects)
    assert found.files == {} and found.left_out == [LeftOut(path="grows", reason="unreadable")]


def test_deep_folders_end(root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "DEEPEST", 2)
    place = root / "a" / "b" / "c" / "d"
    place.mkdir(parents=True)
    (place / "e").write_text("x")
    assert look(root, objects) == FolderListing({}, [LeftOut(path="a/b/c/", reason="deep")], True, {"deep": 1})


def test_listings_keep_what_stands_there(objects: Objects) -> None:
    one, two = (FileState(mode=FILE_MODE, blob=objects.put_content(text)) for text in (b"1", b"2"))
    files = {"a": one, "a.b": one, "d/e/f": two, "d-e": one, "d/g": FileState(mode=PROGRAM_MODE, blob=one.blob)}
    tree = objects.put_listing(files)
    assert objects.listing(tree) == files
    assert objects.listing(objects.put_listing({})) == {}
    other = objects.put_listing({**files, "d/e/f": one, "h/i": two})
    assert objects.differences(tree, tree) == []
    assert objects.differences(tree, other) == [("d/e/f", two, one), ("h/i", None, two)]


def test_a_folder_of_a_listing_that_somebody_removed_is_put_again(objects: Objects, tmp_path: Path) -> None:
    one = FileState(mode=FILE_MODE, blob=objects.put_content(b"1"))
    files = {"a": one, "d/b": one}
    tree = objects.put_listing(files)
    kept = {path.parent.name + path.name: path for path in (tmp_path / "objects").glob("??/*")}
    for each in kept.keys() - {one.blob}:
        kept[each].unlink()
    assert objects.put_listing(files) == tree
    assert Objects(tmp_path / "objects").listing(tree) == files


def test_a_listing_has_the_id_that_git_gives_it(root: Path, objects: Objects) -> None:
    for name in ("a", "a.b", "a-b", "ab/c", "a0", "d/e/f", "d-e", "d.e", "ä/ö"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "a").chmod(0o755)
    (root / "link").symlink_to("a")
    tree = objects.put_listing(look(root, objects).files)
    git = ["git", "-C", str(root), "-c", "core.autocrlf=false"]
    for arguments in (["init", "-q"], ["add", "--all"]):
        subprocess.run([*git, *arguments], check=True)
    assert subprocess.check_output([*git, "write-tree"], text=True).strip() == tree


def test_an_empty_folder_is_in_a_listing(objects: Objects, tmp_path: Path) -> None:
    one = FileState(mode=FILE_MODE, blob=objects.put_content(b"1"))
    files = {"a": one, "d/empty": EMPTY_FOLDER, "empty": EMPTY_FOLDER}
    tree = objects.put_listing(files)
    assert Objects(tmp_path / "objects").listing(tree) == files
    filled = objects.put_listing({**files, "empty/b": one})
    assert objects.differences(tree, filled) == [("empty/b", None, one)]
    assert objects.differences(filled, tree) == [("empty/b", one, None)]
    gone = objects.put_listing({"a": EMPTY_FOLDER})
    assert objects.differences(tree, gone) == [
        ("a", one, EMPTY_FOLDER),
        ("d/empty", EMPTY_FOLDER, None),
        ("empty", EMPTY_FOLDER, None),
    ]


def test_a_file_becomes_a_folder(objects: Objects) -> None:
    one = FileState(mode=FILE_MODE, blob=objects.put_content(b"1"))
    before, after = objects.put_listing({"a": one, "b": one}), objects.put_listing({"a/x": one, "b": one})
    assert objects.differences(before, after) == [("a", one, None), ("a/x", None, one)]
    assert objects.differences(after, before) == [("a", None, one), ("a/x", one, None)]


PLANTED = """\
[core]
	fsmonitor = "touch {mark}"
	hooksPath = {hooks}
	pager = touch {mark}
	sshCommand = touch {mark}
[filter "evil"]
	clean = touch {mark}
	smudge = touch {mark}
	required = true
[diff "evil"]
	command = touch {mark}
	textconv = touch {mark}
"""


def test_nothing_of_a_planted_repository_is_carried_out_and_it_stays_as_it_is(
    root: Path, objects: Objects, tmp_path: Path
) -> None:
    mark, hooks = tmp_path / "mark", root / "hooks"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "a.txt").write_text("one\n")
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "add", "a.txt"], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    (root / ".gitattributes").write_text("* filter=evil diff=evil\n")
    hooks.mkdir()
    for hook in ("pre-commit", "post-checkout", "post-index-change", "fsmonitor-watchman"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (hooks / hook).chmod(0o755)
    with (root / ".git" / "config").open("a") as file:
        file.write(PLANTED.format(mark=mark, hooks=hooks))
    kept = {path: path.read_bytes() for path in (root / ".git").rglob("*") if stat.S_ISREG(path.lstat().st_mode)}
    found = look(root, objects)
    objects.listing(objects.put_listing(found.files))
    assert "a.txt" in found.files and not any(path.startswith(".git/") for path in found.files)
    assert not mark.exists()
    assert kept == {path: path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file()}


def test_a_look_ends_at_the_next_file_and_what_was_known_stays(
    root: Path, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("a", "b", "c"):
        (root / folder).mkdir()
        for number in range(1000):
            (root / folder / str(number)).touch()
    read: list[str] = []
    stop, open_regular = threading.Event(), scan.open_regular

    def stopping(path: str, *, dir_fd: int) -> int:
        read.append(path)
        if len(read) == 1500:
            stop.set()
        return open_regular(path, dir_fd=dir_fd)

    monkeypatch.setattr(scan, "open_regular", stopping)
    monkeypatch.setattr(scan, "SETTLED_NS", -(10**18))  # all of them are settled
    scanner = Scanner(root, "", objects)
    with pytest.raises(Stopped):
        scanner.look((), stop)
    assert len(read) == 1500
    read.clear()
    assert len(scanner.look().files) == len(read) == 3000
    read.clear()
    with pytest.raises(Stopped):
        scanner.look((), stop)
    assert len(scanner.look().files) == 3000 and not read
