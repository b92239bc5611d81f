"""Values that are kept until one of their files changes: what makes them be read again, and what is forgotten."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from jupyter_cabinet.storage.filesystem import untrusted_files
from jupyter_cabinet.storage.filesystem.file_cache import FileCache, Folders, Visited

PARTS = (".agents", "ada", "persona.md")
SETTLED_NS = 20_000_000  # more than a step of this machine's file system


def settled(file: Path) -> None:
    """Wait until another change of the file would have another time."""
    while time.time_ns() - file.stat().st_ctime_ns <= SETTLED_NS:
        time.sleep(0.001)


class Reader:
    """Reads one file through a cache, and counts."""

    def __init__(self, root: Path, cache: FileCache | None = None) -> None:
        self.root = root
        self.file = root.joinpath(*PARTS)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text("one")
        settled(self.file)
        self.cache = cache or FileCache(settled_ns=SETTLED_NS)
        self.times = 0

    def read(self, folders: Folders | None = None) -> str | None:
        return self.cache.value(("agent", "ada"), self._make, folders)

    def _make(self, visited: Visited) -> str | None:
        visited.visit(self.root, PARTS)
        self.times += 1
        try:
            return untrusted_files.read(self.file, limit=100, beneath=self.root).decode()
        except OSError:
            return None


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


def test_a_file_is_read_once_while_it_is_unchanged(reader: Reader) -> None:
    assert [reader.read(), reader.read(), reader.read({})] == ["one"] * 3
    assert reader.times == 1


def test_a_missing_file_is_looked_for_until_it_is_there(reader: Reader) -> None:
    reader.file.unlink()
    assert (reader.read(), reader.read(), reader.times) == (None, None, 1)
    reader.file.write_text("two")
    assert reader.read() == "two"


def same_size_and_time(file: Path) -> None:
    before = file.stat()
    file.write_text("two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced_with_the_same_time(file: Path) -> None:
    before = file.stat()
    other = file.with_name("other")
    other.write_text("two")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(file)


def other_folder(file: Path) -> None:
    shutil.copytree(file.parent, file.parent.with_name("copy"))
    (file.parent.with_name("copy") / file.name).write_text("two")
    shutil.rmtree(file.parent)
    file.parent.with_name("copy").rename(file.parent)


@pytest.mark.parametrize("change", [same_size_and_time, replaced_with_the_same_time, other_folder])
def test_no_change_is_overlooked(reader: Reader, change: Callable[[Path], None]) -> None:
    assert reader.read() == "one"
    change(reader.file)
    assert reader.read() == "two"


def linked_file(file: Path) -> None:
    moved = file.with_name("moved")
    file.rename(moved)
    settled(moved)
    file.symlink_to(moved)


def linked_folder(file: Path) -> None:
    moved = file.parent.with_name("moved")
    file.parent.rename(moved)
    file.parent.symlink_to(moved)


def linked_top(file: Path) -> None:
    top = file.parents[1]
    moved = top.with_name("moved")
    top.rename(moved)
    top.symlink_to(moved)


@pytest.mark.parametrize("link", [linked_file, linked_folder, linked_top])
def test_a_link_in_place_of_what_was_read_is_refused_as_before(reader: Reader, link: Callable[[Path], None]) -> None:
    assert reader.read() == "one"
    link(reader.file)
    assert (reader.read(), reader.read()) == (None, None)
    assert reader.times == 3  # what leads through a link is not kept


def test_other_permissions_count_as_a_change(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reader.read() == "one"
    reader.file.chmod(0)
    reader.read()
    assert reader.times == 2
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("/ada"))  # root may enter any folder
    reader.read()
    assert reader.times == 3


def test_a_file_that_was_just_changed_is_not_kept(tmp_path: Path) -> None:
    reader = Reader(tmp_path, FileCache())
    assert (reader.read(), reader.read(), reader.times) == ("one", "one", 2)


def test_a_file_that_changes_while_it_is_read_is_not_kept(reader: Reader) -> None:
    def make(visited: Visited) -> str:
        visited.visit(reader.root, PARTS)
        text = reader.file.read_text()
        reader.file.write_text(f"{text}!")
        return text

    assert reader.cache.value(("agent", "ada"), make) == "one"
    assert reader.read() == "one!"


def test_what_is_raised_is_not_kept(reader: Reader) -> None:
    def fail(visited: Visited) -> str:
        raise LookupError

    assert reader.read() == "one"
    reader.file.write_text("two and more")
    with pytest.raises(LookupError):
        reader.cache.value(("agent", "ada"), fail)
    assert (reader.cache.count, reader.read()) == (0, "two and more")


def test_folders_are_examined_once_for_a_list(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    lstat = os.lstat

    def noting(path: str) -> os.stat_result:
        seen.append(os.path.relpath(path, reader.root))
        return lstat(path)

    reader.read()
    monkeypatch.setattr(os, "lstat", noting)
    folders = Folders()
    assert [reader.read(folders) for _ in range(3)] == ["one"] * 3
    assert seen == [".agents", ".agents/ada", *[".agents/ada/persona.md"] * 3]


def fill(root: Path, cache: FileCache, count: int) -> None:
    for number in range(count):
        (root / f"{number}").write_text("x" * 100)
        cache.value(("agent", str(number)), lambda visited, name=str(number): visited.visit(root, (name,)))  # type: ignore[misc]


def test_it_is_bounded_by_count_and_by_size(tmp_path: Path) -> None:
    few, small = FileCache(most_values=3, settled_ns=0), FileCache(most_bytes=250, settled_ns=0)
    fill(tmp_path, few, 5)
    fill(tmp_path, small, 5)
    assert (few.count, small.count) == (3, 2)


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    cache = FileCache(settled_ns=0)
    fill(tmp_path, cache, 5)
    cache.keep_only(("agent",), {"1", "2", "9"})
    cache.keep_only(("play",), set())
    assert cache.count == 2


def test_what_is_forgotten_makes_room(tmp_path: Path) -> None:
    cache = FileCache(most_bytes=250, settled_ns=0)
    fill(tmp_path, cache, 5)
    cache.keep_only(("agent",), set())
    fill(tmp_path, cache, 5)
    assert cache.count == 2


def test_threads_share_it(reader: Reader) -> None:
    texts = [str(number) * 3 for number in range(40)]
    wrong: list[object] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            if (text := reader.read()) not in (None, "", "one", *texts):
                wrong.append(text)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for text in texts:
        new = reader.file.with_name("new")
        new.write_text(text)
        new.replace(reader.file)  # while a file is written in place, anybody may read half of it
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert Reader.read(reader) == texts[-1]
