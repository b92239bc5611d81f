"""Which file that came is one that vanished."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.changes.comparison import renames
from jupyter_cabinet.changes.model import FILE_MODE, LINK_MODE, PROGRAM_MODE, FileState

TEXT = b"".join(b"line %d\n" % number for number in range(10))


def paired(gone: dict[str, bytes], come: dict[str, bytes], *, modes: dict[str, int] | None = None) -> dict[str, str]:
    contents: dict[str, bytes] = {}

    def states(files: dict[str, bytes]) -> dict[str, FileState]:
        found = {}
        for path, content in files.items():
            blob = hashlib.sha1(content).hexdigest()
            contents[blob] = content
            found[path] = FileState(mode=(modes or {}).get(path, FILE_MODE), blob=blob)
        return found

    return renames.renamed(states(gone), states(come), contents.__getitem__)


def with_lines(count: int) -> bytes:
    """The text with so many of its ten lines written again."""
    return b"".join([b"new %d\n" % number for number in range(count)] + TEXT.splitlines(keepends=True)[count:])


def test_the_same_content_under_another_name() -> None:
    assert paired({"a": b"\0x", "b": b"b"}, {"d/a": b"\0x", "e": b"e"}) == {"d/a": "a"}
    assert paired({"a": b"x"}, {"b": b"x"}, modes={"b": PROGRAM_MODE}) == {"b": "a"}


def test_a_link_is_no_file() -> None:
    assert paired({"a": b"x"}, {"b": b"x"}, modes={"b": LINK_MODE}) == {}
    assert paired({"a": b"x"}, {"b": b"x"}, modes={"a": LINK_MODE, "b": LINK_MODE}) == {"b": "a"}
    assert paired({"a": b"x\ny"}, {"b": b"x\nz"}, modes={"a": LINK_MODE}) == {}


def test_an_empty_file_is_nobodys() -> None:
    assert paired({"a": b""}, {"b": b""}) == {}


@pytest.mark.parametrize(("count", "found"), [(0, {"b": "a"}), (4, {"b": "a"}), (5, {}), (10, {})])
def test_texts_with_most_lines_in_common(count: int, found: dict[str, str]) -> None:
    assert paired({"a": TEXT}, {"b": with_lines(count)}) == found


def test_a_text_of_another_length_is_another() -> None:
    assert paired({"a": TEXT}, {"b": TEXT * 2}) == {}


def test_the_likest_are_paired_and_of_equal_ones_those_of_the_same_name() -> None:
    assert paired({"a": TEXT, "b": with_lines(2)}, {"c": with_lines(1), "d": with_lines(3)}) == {"c": "a", "d": "b"}
    assert paired({"x/a": TEXT, "x/b": TEXT}, {"y/b": TEXT, "y/a": TEXT}) == {"y/a": "x/a", "y/b": "x/b"}
    assert paired({"x/a": TEXT, "x/b": TEXT}, {"y/c": TEXT}) == {"y/c": "x/a"}


def test_a_file_that_became_a_folder_is_not_in_itself() -> None:
    assert paired({"a": TEXT}, {"a/b": TEXT}) == {}
    assert paired({"a/b": TEXT}, {"a": TEXT}) == {}


def test_what_holds_no_text_or_too_much_of_it_is_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert paired({"a": TEXT + b"\0"}, {"b": with_lines(1) + b"\0"}) == {}
    monkeypatch.setattr(renames, "LONGEST_TRIED", len(TEXT) - 1)
    assert paired({"a": TEXT}, {"b": with_lines(1)}) == {}
    assert paired({"a": TEXT}, {"b": TEXT}) == {"b": "a"}


def test_beyond_the_bound_only_equal_contents_are_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renames, "MOST_ALIKE_TRIED", 2)
    gone = {"a": TEXT, "b": b"1", "c": b"2", "d": b"3"}
    assert paired(gone, {"x": with_lines(1), "y": b"1"}) == {"y": "b"}
    assert paired({"a": TEXT, "b": b"1", "c": b"2"}, {"x": with_lines(1), "y": b"1"}) == {"x": "a", "y": "b"}


FILES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([b"", b"1\n", b"1\n2\n", b"1\n2\n3\n", TEXT]))


@given(FILES, FILES)
def test_each_file_is_paired_once_at_most(gone: dict[str, bytes], come: dict[str, bytes]) -> None:
    come = {path.upper(): content for path, content in come.items()}
    found = paired(gone, come)
    assert found.keys() <= come.keys() and set(found.values()) <= gone.keys()
    assert len(set(found.values())) == len(found)
    assert {content for content in gone.values() if content} & set(come.values()) <= {come[new] for new in found}
