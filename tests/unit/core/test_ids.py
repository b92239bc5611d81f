"""Ids sort by time and are safe in paths; ids from outside are checked."""

import re

import pytest

from jupyter_cabinet.core.ids import is_foreign_id, is_id, new_id


def test_ids_are_unique_and_safe() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(is_id(each) and re.fullmatch(r"[0-9a-z]{26}", each) for each in ids)


def test_a_later_id_sorts_behind_an_earlier_one(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([1_000_000_000, 1_001_000_000, 2_000_000_000_000_000_000])
    monkeypatch.setattr("time.time_ns", lambda: next(times))
    ids = [new_id() for _ in range(3)]
    assert ids == sorted(ids)


@pytest.mark.parametrize("text", ["", "-x", "a/b", "..", "a b", "x" * 129, "a\n", "é"])
def test_a_foreign_id_that_could_be_an_option_or_a_path_is_refused(text: str) -> None:
    assert not is_foreign_id(text)


def test_the_ids_of_the_clis_pass() -> None:
    for text in ("2f1c9f5e-3d0b-4a52-9d5e-0b7c3c5b1d11", "ses_4Kq", "_x"):
        assert is_foreign_id(text)
