"""A difference as `diff -u` has it."""

from __future__ import annotations

from jupyter_cabinet.changes.comparison.patch import patch_lines
from jupyter_cabinet.changes.model import DiffPart, FileDiff, Line


def test_a_file_without_lines_has_its_note_and_a_renamed_one_both_names() -> None:
    diff = FileDiff(path="b.bin", old_path="a.bin", kind="renamed", note="It is no text.")
    assert list(patch_lines(diff)) == ["--- a.bin", "+++ b.bin", "It is no text."]


def test_a_cell_has_its_title_its_source_and_its_outputs() -> None:
    lines = (Line(sign=" ", text="x"), Line(sign="-", text="y\x1b[2J"))
    part = DiffPart(title="Cell 4, changed", lines=lines, other_lines=(Line(sign="+", text="3"),))
    assert list(patch_lines(FileDiff(path="n.ipynb", kind="changed", parts=(part,)))) == [
        "--- n.ipynb",
        "+++ n.ipynb",
        "@@ -1,2 +1,1 @@ Cell 4, changed",
        " x",
        "-y\\x1b[2J",
        "+3",
    ]
