"""Where in a document a change is that an agent asks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_cabinet.approvals import edits, service
from jupyter_cabinet.approvals.edits import edits_of, path_of
from jupyter_cabinet.approvals.model import ProposedEdit
from jupyter_cabinet.runtimes.requested_actions import Change, Command, Edit

ROOT = "/home/ada/work"
NOTEBOOK = json.dumps(
    {"cells": [{"id": "a", "source": ["x = 1\n", "y"]}, {"id": "b", "source": "z"}, {"id": "c", "source": 1}]}
)


def edit(*changes: Change, path: str = "a.md") -> Edit:
    return Edit(paths=(path,), changes=changes)


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        ("a.md", ROOT, "a.md"),
        ("a.md", f"{ROOT}/sub", "sub/a.md"),
        (f"{ROOT}/sub/../a.md", ROOT, None),  # `sub` may be a link
        ("../b.md", ROOT, None),
        ("/etc/passwd", ROOT, None),
        (f"{ROOT}2/a.md", ROOT, None),
    ],
)
def test_a_file_below_the_root_is_named_from_there(path: str, folder: str, found: str | None) -> None:
    assert path_of(edit(path=path), root=ROOT, folder=folder) == found


def test_several_files_and_other_questions_have_no_place() -> None:
    assert path_of(Edit(paths=("a", "b")), root=ROOT, folder=ROOT) is None
    assert path_of(Command(text="ls"), root=ROOT, folder=ROOT) is None


@pytest.mark.parametrize(
    ("change", "path", "present", "found"),
    [
        (Change(old="a", new="b"), "a.md", None, ProposedEdit(path="a.md", old="a", new="b")),
        (Change(new="b"), "a.md", "before", ProposedEdit(path="a.md", old="before", new="b")),
        (Change(new="b"), "a.md", None, None),  # nobody knows what is written over
        (Change(new="{}"), "a.ipynb", "{}", None),
        (Change(diff="+b"), "a.md", "a", None),
        (
            Change(new="n", cell="a"),
            "a.ipynb",
            NOTEBOOK,
            ProposedEdit(path="a.ipynb", cell="a", old="x = 1\ny", new="n"),
        ),
        (Change(new="n", cell="b"), "a.ipynb", NOTEBOOK, ProposedEdit(path="a.ipynb", cell="b", old="z", new="n")),
        (Change(new="n", cell="c"), "a.ipynb", NOTEBOOK, None),
        (Change(new="n", cell="gone"), "a.ipynb", NOTEBOOK, None),
        (Change(new="n", cell="a"), "a.ipynb", "no notebook", None),
        (Change(new="n", cell="a"), "a.ipynb", None, None),
        (Change(new="n", cell="a", cell_mode="insert"), "a.ipynb", NOTEBOOK, None),
        (Change(cell="a", cell_mode="delete"), "a.ipynb", NOTEBOOK, None),
    ],
)
def test_a_change_is_drawn_where_all_of_it_is_known(
    change: Change, path: str, present: str | None, found: ProposedEdit | None
) -> None:
    assert edits_of(edit(change, path=path), path, present) == ((found,) if found else ())


def test_all_changes_are_drawn_or_none() -> None:
    good = Change(old="a", new="b")
    assert len(edits_of(edit(good, good), "a.md", None)) == 2
    assert edits_of(edit(good, Change(diff="+")), "a.md", None) == ()
    long = Change(old="a", new="b" * edits.LONGEST)
    assert edits_of(edit(long), "a.md", None) == ()


def test_a_file_is_read_only_below_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").write_text("here")
    (root / "b.bin").write_bytes(b"\xff")
    (tmp_path / "secret").write_text("out of it")
    (root / "link").symlink_to(tmp_path / "secret")
    read = service._text_below
    assert [read(root, path) for path in ("a.md", "b.bin", "link", "gone", "../secret")] == ["here", *[None] * 4]
    monkeypatch.setattr(service, "LONGEST_FILE", 3)
    assert read(root, "a.md") is None
