"""`jupyter cabinet changes`: the changes of a run, as a list and as lines."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..changes.comparison.patch import patch_lines
from ..changes.model import ChangedFile, Changes, FileDiff, LeftOutReason
from ..client.api import Api, converted
from ..core.plain_text import one_line, table
from .printing import Printed

NOT_COMPARED: dict[LeftOutReason, str] = {
    "ignored": "ignored",
    "excluded": "excluded from every run's changes",
    "large": "too large",
    "unreadable": "unreadable",
    "special": "no regular files",
    "unseen": "earlier content unknown",
    "name": "with a name that is not UTF-8",
    "deep": "nested too deeply",
    "many": "more than are listed",
}


def shown(api: Api, given: argparse.Namespace) -> Printed:
    """`changes RUN`: its files; with `--patch` also their lines, with `--file` those of one file."""
    address = f"runs/{given.id}/changes"
    value = api.get(address)
    changes = converted(value, Changes)
    lines = tuple(_listed(changes))
    if given.file is None and not given.patch:
        return Printed(value=value, lines=lines)
    paths = [file.path for file in changes.files] if given.file is None else [given.file]
    diffs = [api.get(f"{address}/file", path=path) for path in paths]
    patch = tuple(line for diff in diffs for line in patch_lines(converted(diff, FileDiff)))
    return Printed(value={**value, "diffs": diffs}, lines=patch if given.file is not None else (*lines, "", *patch))


def _listed(changes: Changes) -> Iterator[str]:
    if changes.reason:
        yield one_line(changes.reason)
    if changes.files:
        headings = ("FILE", "WHAT", "ADDED", "REMOVED", "DECIDED")
        yield from table(headings, [_row(file) for file in changes.files])
    elif not changes.reason:
        yield "This run has changed no files."
    if changes.beside:
        yield "Another run worked here at the same time. Its changes are among these."
    if changes.late:
        yield "The server stopped during this run. Later changes are among these."
    skipped = [one_line(each.path) for each in changes.left_out if each.reason not in ("ignored", "excluded")]
    if skipped:
        yield f"Not compared: {', '.join(skipped)}"
    counts = [f"{each.count} {NOT_COMPARED[each.reason]}" for each in changes.not_compared]
    if counts:
        yield f"Files and folders that were not compared, by reason: {', '.join(counts)}."


def _row(file: ChangedFile) -> tuple[str, ...]:
    name = file.path if file.old_path is None else f"{file.old_path} → {file.path}"
    what = f"{file.kind} (empty folder)" if file.folder else file.kind
    decided = f"{file.decision.decision} by {file.decision.by}" if file.decision else ""
    return (one_line(name), what, str(file.counts.added), str(file.counts.removed), one_line(decided))
