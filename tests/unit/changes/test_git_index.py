"""What a repository tracks, by its index alone: every version that git writes, and whatever else it may contain."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.changes.snapshots.git_index import tracked

NAMES = ["a", "b/c.txt", "b/deep/er/name.py", "b/deep/er/other.py", "bcd", "n" * 200, "link", "ä/ö"]


def git(root: Path, *arguments: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, env=environment)


def fill(root: Path) -> None:
    git(root, "init", "-q")
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if name == "link":
            (root / name).symlink_to("a")
        else:
            (root / name).write_text(name)


def index(root: Path) -> bytes:
    return (root / ".git" / "index").read_bytes()


@pytest.mark.parametrize("version", [2, 3, 4])
def test_every_version_that_git_writes(tmp_path: Path, version: int) -> None:
    fill(tmp_path)
    git(tmp_path, "add", "--all")
    if version == 3:  # entries that are only meant to be added need more flags
        (tmp_path / "later").touch()
        git(tmp_path, "add", "-N", "later")
    git(tmp_path, "update-index", "--force-write-index", f"--index-version={version}")
    data = index(tmp_path)
    assert data[7] == version
    assert sorted(tracked(data)) == sorted([*NAMES, *(["later"] if version == 3 else [])])


def test_other_repositories_in_it_and_names_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    git(tmp_path / "inner", "init", "-q")
    people = ("-c", "user.name=a", "-c", "user.email=a@b")
    git(tmp_path / "inner", *people, "commit", "-q", "--allow-empty", "-m", "one")
    git(tmp_path, "init", "-q")
    (tmp_path / "a").touch()
    (tmp_path / os.fsdecode(b"\xff")).touch()
    git(tmp_path, "add", "--all")
    assert tracked(index(tmp_path)) == ["a"]


def test_one_without_a_sum_is_read_and_one_with_a_wrong_sum_is_not(tmp_path: Path) -> None:
    fill(tmp_path)
    git(tmp_path, "-c", "index.skipHash=true", "add", "--all")
    body = index(tmp_path)[:-20]
    assert sorted(tracked(body + bytes(20))) == sorted(NAMES)
    assert tracked(body + b"x" * 20) == []


def test_an_index_that_ends_too_early_gives_what_it_has(tmp_path: Path) -> None:
    fill(tmp_path)
    git(tmp_path, "add", "--all")
    body = index(tmp_path)
    for length in (12, 12 + 40, 12 + 62, 12 + 72 + 30):
        assert set(tracked(body[:length] + bytes(20))) <= set(NAMES)
    assert tracked(body[: 12 + 62] + bytes(20)) == []
    assert tracked(body[: 12 + 72] + bytes(20)) == ["a"]


def test_a_packed_index_that_ends_within_a_number() -> None:
    entry = bytes(24) + (0o100644).to_bytes(4, "big") + bytes(34)
    for rest in (b"", b"\x80", b"\x80\x80"):
        assert tracked(b"DIRC\0\0\0\4\0\0\0\1" + entry + rest + bytes(20)) == []
    assert tracked(b"DIRC\0\0\0\4\0\0\0\1" + entry + b"\x81\0name\0" + bytes(20)) == ["name"]


@pytest.mark.parametrize("data", [b"", b"DIRC", b"x" * 100, b"DIRC" + b"\0\0\0\5" + bytes(40)])
def test_what_is_no_index_has_no_paths(data: bytes) -> None:
    assert tracked(data) == []


@given(st.sampled_from([2, 3, 4]), st.integers(0, 2**32 - 1), st.binary(max_size=600))
def test_no_bytes_are_an_error(version: int, count: int, rest: bytes) -> None:
    body = b"DIRC" + version.to_bytes(4, "big") + count.to_bytes(4, "big") + rest
    assert all(tracked(body + hashlib.sha1(body).digest()))


def test_what_is_packed_into_very_long_names_is_not_unpacked() -> None:
    entry = bytes(24) + (0o100644).to_bytes(4, "big") + bytes(32) + bytes(2)
    names = b"".join(entry + b"\x00" + b"x" * 200 + b"\0" for _ in range(2000))  # each has the one before whole
    data = b"DIRC\0\0\0\4" + (2000).to_bytes(4, "big") + names + bytes(20)
    found = tracked(data)
    assert max(map(len, found)) <= 4096 and len(found) == 4096 // 200
