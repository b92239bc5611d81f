"""What was known of a folder before a restart: used where it holds, read again where it may not, thrown away."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jupyter_cabinet.changes.snapshots import scan, scanner
from jupyter_cabinet.changes.snapshots.objects import Objects
from jupyter_cabinet.changes.snapshots.scanner import Scanner
from jupyter_cabinet.changes.snapshots.stat_cache import StatCache

LONG_AGO, FAR_AHEAD = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


class Place:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.objects = folder / "root", Objects(folder / "objects")
        self.cache, self.known = StatCache(folder / "known"), folder / "known"
        self.read: list[str] = []
        self.root.mkdir()
        for name in "abc":
            (self.root / name).write_text(name)
        self._open = scan.open_regular
        monkeypatch.setattr(scan, "open_regular", self._noted)
        monkeypatch.setattr(scan, "SETTLED_NS", -(10**18))  # all of them are settled

    def _noted(self, path: str, *, dir_fd: int) -> int:
        self.read.append(path)
        return self._open(path, dir_fd=dir_fd)

    def restarted(self) -> list[str]:
        """Look with a new scanner, and save; the files that it has read."""
        self.read.clear()
        scanner = Scanner(self.root, "", self.objects, self.cache)
        found = scanner.look().files
        assert {path: self.objects.content(state.blob) for path, state in found.items()} == {
            path.name: path.read_bytes() for path in self.root.iterdir()
        }
        scanner.save()
        return list(self.read)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def test_the_first_look_after_a_restart_reads_what_has_changed(place: Place) -> None:
    assert place.restarted() == ["a", "b", "c"]
    assert place.restarted() == []
    (place.root / "b").write_text("other")
    (place.root / "d").write_text("d")
    assert place.restarted() == ["b", "d"]
    assert place.restarted() == []


def test_a_file_that_may_have_changed_since_is_read_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.restarted()
    monkeypatch.setattr(scan, "SETTLED_NS", 10**18)  # each was read in the moment of its last change
    assert place.restarted() == ["a", "b", "c"]


@pytest.mark.parametrize("damage", [b"", b"x" * 100, b"short"])
def test_a_damaged_one_is_thrown_away(place: Place, damage: bytes) -> None:
    place.restarted()
    (file,) = place.known.iterdir()
    data = file.read_bytes()
    file.write_bytes(damage or data[:-1] + b"\0")
    assert place.restarted() == ["a", "b", "c"]
    assert place.restarted() == []


def test_what_has_the_right_sum_and_is_none_is_thrown_away(place: Place) -> None:
    place.cache.save("", {"files": 1})  # type: ignore[dict-item]
    assert place.restarted() == ["a", "b", "c"]


def test_a_content_that_is_gone_is_read_again(place: Place) -> None:
    place.restarted()
    (blob,) = [state.blob for state in place.cache.all(LONG_AGO) if place.objects.content(state.blob) == b"b"]
    (place.objects._folder / blob[:2] / blob[2:]).unlink()
    assert place.restarted() == ["b"]


def test_it_is_saved_when_much_was_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner, "SAVED_AFTER", 3)
    Scanner(place.root, "", place.objects, place.cache).look()
    assert len(place.cache.all(LONG_AGO)) == 3


def test_old_ones_and_those_of_a_stranger_go(place: Place) -> None:
    place.restarted()
    assert place.cache.all(FAR_AHEAD) == [] and place.restarted() == ["a", "b", "c"]
    place.cache.forget()
    assert place.restarted() == ["a", "b", "c"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_one_that_cannot_be_saved_costs_nothing_but_time(place: Place) -> None:
    place.known.mkdir()
    place.known.chmod(0o500)
    assert place.restarted() == place.restarted() == ["a", "b", "c"]


def test_a_link_in_its_place_is_not_written_through(place: Place, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    place.known.symlink_to(tmp_path / "elsewhere")
    assert place.restarted() == ["a", "b", "c"] and not list((tmp_path / "elsewhere").iterdir())
