"""What is shown of a changed file: texts, notebooks, what holds no text, what is too long; and what is reverted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_cabinet.changes.comparison import differences, notebooks
from jupyter_cabinet.changes.comparison.differences import changed_file, diff_of, summed, taken_back, without_part
from jupyter_cabinet.changes.model import FILE_MODE, LINK_MODE, PROGRAM_MODE, ChangeCounts, ChangedFile, FileState

FILE = FileState(mode=FILE_MODE, blob="1")


def changed(path: str, old: bytes | None, new: bytes | None, mode: int = FILE_MODE) -> ChangedFile:
    after = FileState(mode=mode, blob="2")
    return changed_file(path, None if old is None else (FILE, old), None if new is None else (after, new))


def notebook(*cells: dict[str, Any]) -> bytes:
    return json.dumps({"cells": list(cells), "nbformat": 4}).encode()


def cell(id: str, source: str | list[str], **more: Any) -> dict[str, Any]:
    return {"id": id, "cell_type": "code", "source": source, "outputs": [], **more}


def test_a_text_is_shown_by_lines() -> None:
    old, new = b"one\ntwo\nthree\n", b"one\n2\nthree\nfour"
    file = changed("a.md", old, new)
    assert (file.kind, file.counts, file.binary) == ("changed", ChangeCounts(files=1, added=2, removed=1), False)
    (part,) = diff_of(file, old, new).parts
    assert [(line.sign, line.text) for line in part.lines] == [
        (" ", "one"),
        ("-", "two"),
        ("+", "2"),
        (" ", "three"),
        ("+", "four"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected", "counts", "note"),
    [
        (b"a\nb", b"a\nb\nc", [" a", " b", "+c"], (1, 0), ""),
        (b"a\nb\nc", b"a\nb", [" a", " b", "-c"], (0, 1), ""),
        (b"a\nb", b"x\nb\n", ["-a", "+x", " b"], (1, 1), "The line break at the end of this file was added."),
        (b"a\nb\n", b"a\nb", [" a", " b"], (0, 0), "The line break at the end of this file was removed."),
        (b"a\nb", b"a\nB\nc", [" a", "-b", "+B", "+c"], (2, 1), ""),
        (b"a\nb", b"x\na\nb", ["+x", " a", " b"], (1, 0), ""),
    ],
)
def test_a_last_line_that_stays_is_not_shown_as_removed_and_added(
    old: bytes, new: bytes, expected: list[str], counts: tuple[int, int], note: str
) -> None:
    file = changed("a.md", old, new)
    diff = diff_of(file, old, new)
    assert [line.sign + line.text for part in diff.parts for line in part.lines] == expected
    assert (file.counts.added, file.counts.removed, diff.note) == (*counts, note)
    assert without_part("a.md", old, new, diff.parts[0].id) == old  # exact, to the last byte
    before, after = notebook(cell("a", old.decode())), notebook(cell("a", new.decode()))
    found = changed("a.ipynb", before, after)
    (part,) = diff_of(found, before, after).parts
    assert [line.sign + line.text for line in part.lines] == expected
    assert (found.counts.added, found.counts.removed) == counts


def test_files_come_and_go() -> None:
    assert changed("a", None, b"x\n").kind == "added"
    assert changed("a", b"x\n", None).counts == ChangeCounts(files=1, removed=1)
    assert changed("a", b"x\n", None).kind == "deleted"


def test_what_has_no_lines_says_so() -> None:
    binary = changed("a.png", b"\0old", b"\0new")
    assert binary.binary and "is not text" in diff_of(binary, b"\0old", b"\0new").note
    program = changed("a.sh", b"x\n", b"x\n", PROGRAM_MODE)
    assert program.mode_changed and "permissions" in diff_of(program, b"x\n", b"x\n").note
    large = b"x" * (differences.LONGEST_SHOWN + 1)
    assert "larger than" in diff_of(changed("a", b"", large), b"", large).note


def test_a_renamed_file_is_shown_by_what_differs() -> None:
    def moved(old: bytes, new: bytes, mode: int = FILE_MODE) -> ChangedFile:
        after = FileState(mode=mode, blob="2")
        return changed_file("b", (FILE, old), (after, new), old_path="a")

    file = moved(b"1\n2\n", b"1\n3\n")
    (part,) = diff_of(file, b"1\n2\n", b"1\n3\n").parts
    assert (file.kind, part.id) == ("renamed", "0") and diff_of(file, b"1\n2\n", b"1\n3\n").old_path == "a"
    assert diff_of(moved(b"1", b"1"), b"1", b"1").note == "Only the name of this file has changed."
    program = moved(b"1", b"1", PROGRAM_MODE)
    assert diff_of(program, b"1", b"1").note == "Only the name and the permissions of this file have changed."


def test_too_many_lines_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "MOST_LINES", 3)
    assert "More than 3 lines" in diff_of(changed("a", b"", b"a\nb\nc\nd\n"), b"", b"a\nb\nc\nd\n").note


def test_a_notebook_is_shown_by_cell() -> None:
    old = notebook(cell("a", "df.head(3)"), cell("b", ["x = 1\n", "y = 2"]), cell("gone", "z"), cell("same", "s"))
    new = notebook(
        cell("a", "df.head(10)"), cell("new", "q\nr"), cell("b", "x = 1\ny = 2", execution_count=4), cell("same", "s")
    )
    file = changed("n.ipynb", old, new)
    assert file.counts == ChangeCounts(files=1, cells=4, added=3, removed=2)
    parts = diff_of(file, old, new).parts
    assert [part.title for part in parts] == [
        "Cell 1, code, changed",
        "Cell 2, code, added",
        "Cell 3, code, outputs or metadata changed",
        "Cell 3, code, deleted",
    ]
    assert [line.text for line in parts[1].lines] == ["q", "r"] and parts[2].lines == ()


def test_a_deleted_cell_is_placed_after_a_cell_that_is_still_there() -> None:
    old = notebook(cell("top", "a"), cell("b", "b"), cell("c", "c"), cell("d", "d"))
    new = notebook(cell("b", "b"))
    parts = diff_of(changed("n.ipynb", old, new), old, new).parts
    assert [(part.id, part.deleted_after) for part in parts] == [("top", ""), ("c", "b"), ("d", "b")]
    assert diff_of(changed("n.ipynb", new, old), new, old).parts[0].deleted_after is None


@pytest.mark.parametrize("content", [b"no json", b"[]", b'{"cells": 4}', b'{"cells": ["x"]}', b"\xff", b"[" * 100_000])
def test_what_is_no_notebook_is_shown_by_lines(content: bytes) -> None:
    assert notebooks.cells_of(content) is None
    file = changed("n.ipynb", notebook(cell("a", "x")), content + b"\n")
    assert file.counts.cells == 0 and file.counts.added >= 1


def test_cells_without_ids_are_told_by_their_place() -> None:
    plain = {"cell_type": "markdown", "source": "a"}
    found = notebooks.changed_cells(
        notebooks.cells_of(notebook(plain, plain)) or [],
        notebooks.cells_of(notebook(plain, {**plain, "source": "b"})) or [],
    )
    assert [change.title for change in found] == ["Cell 2, markdown, changed"]


def test_an_added_notebook_has_its_cells() -> None:
    assert changed("n.ipynb", None, notebook(cell("a", "x"))).counts == ChangeCounts(files=1, cells=1, added=1)


def test_the_sum_of_files() -> None:
    files = [changed("a", b"", b"x\n"), changed("b", b"y\n", b"")]
    assert summed(files) == ChangeCounts(files=2, added=1, removed=1)


def back(path: str, base: bytes, present: bytes, target: bytes, mode: int = FILE_MODE) -> bytes | None:
    state = FileState(mode=mode, blob="x")
    return taken_back(path, base=base, present=present, target=target, states=(state, state, state))


def test_an_edit_elsewhere_stays() -> None:
    assert back("a", b"agent\nb\nc\n", b"agent\nb\nmine\n", b"a\nb\nc\n") == b"a\nb\nmine\n"
    assert back("a", b"agent\n", b"mine\n", b"a\n") is None
    assert back("a", b"agent\nb\nc\n", b"agent\nb\nmine\n", b"a\nb\nc\n", LINK_MODE) is None
    assert back("a", b"\0agent\nb\nc\n", b"\0agent\nb\nmine\n", b"\0a\nb\nc\n") is None


def joined(base: list[Any], present: list[Any], target: list[Any], **about: Any) -> list[Any] | None:
    found = back("n.ipynb", notebook(*base), notebook(*present), notebook(*target))
    return None if found is None else json.loads(found)["cells"]


def test_cells_of_people_stay() -> None:
    before = [cell("a", "x = 1"), cell("b", "y")]
    agent = [cell("a", "x = 2"), cell("new", "z"), cell("b", "y")]
    ran = {"execution_count": 3, "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1"]}]}
    person = [cell("a", "x = 2"), cell("new", "z"), cell("b", "y", **ran), cell("mine", "w")]
    found = joined(agent, person, before)
    assert found is not None
    assert [(one["id"], "".join(one["source"])) for one in found] == [("a", "x = 1"), ("b", "y"), ("mine", "w")]
    assert found[1]["execution_count"] == 3 and found[1]["outputs"] == ran["outputs"]


def test_lines_of_one_cell_are_joined_or_refused() -> None:
    before, agent = [cell("a", "1\n2\n3")], [cell("a", "agent\n2\n3")]
    assert joined(agent, [cell("a", "agent\n2\nmine")], before) == [cell("a", ["1\n", "2\n", "mine"])]
    assert joined(agent, [cell("a", "mine\n2\n3")], before) is None
    assert joined([cell("a", "x", n=1)], [cell("a", "x", n=2)], [cell("a", "x", n=3)]) is None
    assert joined([cell("a", "x", n=1)], [cell("a", "x", n=1)], [cell("a", "x")]) == [cell("a", ["x"])]
    assert joined([cell("a", "x")], [cell("a", "y")], []) is None  # deleted there, edited here


def test_metadata_is_joined_key_by_key() -> None:
    def with_metadata(**metadata: Any) -> bytes:
        return json.dumps({"cells": [], "metadata": metadata}).encode()

    found = back("n.ipynb", with_metadata(a=1, b=1), with_metadata(a=1, b=2, c=3), with_metadata(b=1))
    assert found is not None and json.loads(found)["metadata"] == {"b": 2, "c": 3}


def test_parts_that_are_not_there() -> None:
    assert differences.without_part("a", b"x\n", b"y\n", "1") is None
    assert differences.without_part("a", b"x\n", b"y\n", "cell") is None
    assert differences.without_part("n.ipynb", notebook(cell("a", "x")), notebook(cell("a", "y")), "b") is None
    assert notebooks.without_cell(b"", notebook(), "a") is None
    deleted = differences.without_part(
        "n.ipynb", notebook(cell("a", "x"), cell("b", "y")), notebook(cell("b", "y")), "a"
    )
    assert deleted is not None and [one["id"] for one in json.loads(deleted)["cells"]] == ["a", "b"]


def test_what_tells_no_cells_is_not_joined() -> None:
    plain = {"cell_type": "code", "source": "x"}
    assert joined([plain], [plain, plain], [plain]) is None
    assert joined([cell("a", "x")], [cell("a", "x"), cell("a", "y")], []) is None
    assert back("n.ipynb", notebook(), b"[]", notebook()) is None
    broken = notebook({"id": "a", "cell_type": "code", "source": "x", "outputs": 5})
    assert back("n.ipynb", notebook(), broken, notebook(plain)) is None
    assert joined([cell("a", "1"), cell("b", "2")], [cell("b", "2"), cell("a", "1")], [cell("a", "1")]) is None
    moved = [cell("c", "3"), cell("a", "1"), cell("b", "2")]
    assert joined([cell("a", "1"), cell("b", "2")], moved, [cell("a", "1"), cell("b", "2"), cell("c", "3")]) is None


def test_what_differs_beside_the_source_of_a_cell_is_shown_with_it() -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": "1\n"}
    old, new = notebook(cell("a", "x")), notebook({**cell("a", "x"), "outputs": [printed]})
    (part,) = diff_of(changed("a.ipynb", old, new), old, new).parts
    assert (part.lines, [(line.sign, line.text) for line in part.other_lines]) == ((), [("+", "stdout: 1")])
    (gone,) = diff_of(changed("a.ipynb", new, notebook()), new, notebook()).parts
    assert [(line.sign, line.text) for line in gone.other_lines] == [("-", "stdout: 1")]


DEEP = b'{"cells": [{"id": "a", "source": "", "metadata": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}]}"


@pytest.mark.parametrize(
    ("path", "old", "new", "note"),
    [
        ("a.ipynb", notebook() + b"\n", b"{not JSON\n", "This file is not a valid notebook, so "),
        ("a.ipynb", None, b"[1]\n", "This file is not a valid notebook, so "),
        ("a.ipynb", b"\xff\n", notebook() + b"\n", "This file was not a valid notebook before, so "),
        ("a.ipynb", b"\xff\n", None, "This file is not a valid notebook, so "),
        ("a.md", b"caf\xc3\xa9\n", b"caf\xe9\n", "This file is not UTF-8, so "),
        ("a.ipynb", None, notebook(), ""),
        ("a.ipynb", notebook(), b"", ""),
        ("a.md", b"caf\xc3\xa9\n", b"caf\xc3\xa8\n", ""),
    ],
)
def test_a_file_that_jupyter_cannot_open_is_reported(
    path: str, old: bytes | None, new: bytes | None, note: str
) -> None:
    diff = diff_of(changed(path, old, new), old or b"", new or b"")
    assert note in diff.note and bool(diff.note) == bool(note)
    assert diff.parts or not note


def test_a_notebook_that_is_nested_too_deeply_to_be_merged_is_no_error() -> None:
    whole = DEEP.replace(b'"id": "a"', b'"id": "b"')
    assert without_part("a.ipynb", whole, DEEP, "a") is None
