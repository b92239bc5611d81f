"""The difference of a file in the form of `diff -u`, of a notebook by cell. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.plain_text import one_line, plain
from ..model import DiffPart, FileDiff


def patch_lines(diff: FileDiff) -> Iterator[str]:
    """Yield the lines of a difference, without characters that control a terminal and without line ends.

    A note replaces or follows what cannot be shown as lines.
    """
    yield f"--- {one_line(diff.old_path or diff.path)}"
    yield f"+++ {one_line(diff.path)}"
    if diff.note:
        yield one_line(diff.note)
    for part in diff.parts:
        yield _place(part)
        yield from (plain(f"{line.sign}{line.text}") for line in (*part.lines, *part.other_lines))


def _place(part: DiffPart) -> str:
    old = sum(line.sign != "+" for line in part.lines)
    new = sum(line.sign != "-" for line in part.lines)
    return f"@@ -{part.old_start},{old} +{part.new_start},{new} @@ {one_line(part.title)}".rstrip()
