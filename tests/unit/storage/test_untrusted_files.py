"""Files that somebody else writes: whatever is in their place, reading ends at once and is bounded."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.storage.filesystem import untrusted_files

pytestmark = pytest.mark.timeout(10)


def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    assert untrusted_files.read(tmp_path / "a", limit=10) == b"0123456789"
    with pytest.raises(OSError):
        untrusted_files.read(tmp_path / "a", limit=9)
    assert untrusted_files.read_start(tmp_path / "a", limit=3) == b"012"
    assert untrusted_files.read_end(tmp_path / "a", limit=3) == b"789"
    assert untrusted_files.read_end(tmp_path / "a", limit=99) == b"0123456789"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "missing"])
def test_what_is_no_regular_file_is_an_error_and_hangs_nobody(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    make = {"pipe": lambda: os.mkfifo(path), "device": lambda: path.symlink_to("/dev/zero"), "folder": path.mkdir}
    make.get(kind, lambda: None)()
    for beneath in (None, tmp_path):
        with pytest.raises(OSError):
            untrusted_files.read(path, limit=10, beneath=beneath)


def test_a_link_is_followed_only_where_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"x")
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "link").symlink_to(tmp_path / "mine")
    (tmp_path / "state" / "runs").symlink_to(tmp_path)
    assert untrusted_files.read(tmp_path / "state" / "link", limit=10) == b"x"
    for path in ("link", "runs/mine", "../mine", "runs/../mine"):
        with pytest.raises(OSError):
            untrusted_files.read(tmp_path / "state" / path, limit=10, beneath=tmp_path / "state")


def test_a_file_with_several_names_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    os.link(tmp_path / "a", tmp_path / "b")
    assert untrusted_files.read(tmp_path / "b", limit=10, beneath=tmp_path) == b"x"


def test_of_a_journal_the_last_whole_values_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"n": 1}\n{"torn\n' + b"[" * 100_000 + b'\n{"bad": "\xff"}\n{"n": 2}\n')
    assert list(untrusted_files.last_values(path, limit=1 << 20)) == [{"n": 1}, {"n": 2}]
    assert list(untrusted_files.last_values(path, limit=12)) == [{"n": 2}]


def test_a_journal_of_nothing_but_size_costs_its_end_only(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("wb") as file:
        file.truncate(3 << 30)
        file.seek(0, os.SEEK_END)
        file.write(b'\n{"n": 1}\n')
    assert list(untrusted_files.last_values(path, limit=4 << 20)) == [{"n": 1}]


@given(st.binary())
def test_any_bytes_hold_an_object_or_none(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content)
    assert isinstance(untrusted_files.read_object(path, limit=1 << 20), dict)


def test_a_settings_file_that_is_nested_deeply_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"a":' * 100_000)
    assert untrusted_files.read_object(tmp_path / "a", limit=1 << 20) == {}


def test_a_folder_is_listed_up_to_a_limit_and_never_through_a_link(tmp_path: Path) -> None:
    inner = tmp_path / "root/inner"
    inner.mkdir(parents=True)
    for name in ("b", "a", "c"):
        (inner / name).touch()
    (inner / "link").symlink_to("/etc")
    (tmp_path / "root/linked").symlink_to(inner)
    found = untrusted_files.entries(inner, limit=10, beneath=tmp_path / "root")
    assert [name for name, _about in found] == ["a", "b", "c", "link"]
    assert stat.S_ISLNK(found[-1][1].st_mode)
    assert len(untrusted_files.entries(inner, limit=2, beneath=tmp_path / "root")) == 2
    for path in (tmp_path / "root/linked", inner / "link", inner / "a", tmp_path, inner / "absent", inner / ".."):
        with pytest.raises(OSError):
            untrusted_files.entries(path, limit=10, beneath=tmp_path / "root")
