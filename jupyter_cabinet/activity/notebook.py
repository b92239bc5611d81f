"""The activity list as a notebook of Markdown cells, for people who read, keep or share it. Pure.

Nearly every text in it is foreign, and any program that opens the notebook renders it: each text goes through
`safe_markdown`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import nbformat.v4

from ..approvals.card import shortened
from ..changes.comparison.patch import patch_lines
from ..changes.model import ChangedFile, FileDiff, Line
from ..core import durations
from ..core.plain_text import one_line
from ..core.safe_markdown import escaped, fenced, safe_markdown
from .model import ActivityEntry, ActivityRequest
from .origins import asked_line

MOST_ENTRIES = 500
MOST_FILES = 20  # of an entry, whose lines are shown
MOST_LINES = 200  # of a file
LONGEST_LINE = 300  # characters, of a name or a sentence
Diffs = Mapping[tuple[str, str], FileDiff]  # by run and path


def notebook_of(entries: Sequence[ActivityEntry], diffs: Diffs, *, title: str, more: bool) -> dict[str, Any]:
    """Return a notebook of Markdown cells: one with a title, and one for each entry, in the given order.

    `more`: whether entries were left out; then the first cell says so. All entries that are given are included.
    """
    about = [f"# {_words(title)}", f"{len(entries)} runs, newest first. Times are UTC."]
    if more:
        about.append(f"A notebook has at most {MOST_ENTRIES} of them. Use a filter, or export as JSONL.")
    texts = ["\n\n".join(about), *("\n\n".join(_entry(entry, diffs)) for entry in entries)]
    cells = [nbformat.v4.new_markdown_cell(text, id=f"activity-{at}") for at, text in enumerate(texts)]  # type: ignore[no-untyped-call]
    made: dict[str, Any] = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    return made


def shown_files(entry: ActivityEntry) -> tuple[ChangedFile, ...]:
    """Return the first 20 files of an entry, whose lines are shown in the notebook."""
    return entry.files[:MOST_FILES]


def cut(diff: FileDiff, room: int) -> FileDiff:
    """Return the part of a difference that a notebook shows: at most 200 lines, and at most `room`.

    Lines over 300 characters are shortened. If lines are left out, `note` says how many.
    """
    parts, left = [], min(MOST_LINES, max(0, room))
    for part in diff.parts:
        if left == 0:
            break
        lines = _short(part.lines[:left])
        other = _short(part.other_lines[: left - len(lines)])
        parts.append(msgspec.structs.replace(part, lines=lines, other_lines=other))
        left -= len(lines) + len(other)
    total = sum(len(part.lines) + len(part.other_lines) for part in diff.parts)
    shown = sum(len(part.lines) + len(part.other_lines) for part in parts)
    note = f"{total - shown} more lines are not shown here." if shown < total else diff.note
    return msgspec.structs.replace(diff, parts=tuple(parts), note=note)


def _short(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple(msgspec.structs.replace(line, text=shortened(line.text, LONGEST_LINE)) for line in lines)


def _entry(entry: ActivityEntry, diffs: Diffs) -> Iterator[str]:
    run = entry.run
    yield f"## {run.queued_at:%Y-%m-%d %H:%M} · {_words(asked_line(run, entry.agent_name))}"
    yield " · ".join(_facts(entry))
    if run.reason:
        yield _words(run.reason)
    if run.instruction:
        yield fenced(run.instruction)
    if entry.asked:
        yield "**Asked for**"
        yield from (line for asked in entry.asked for line in _asked(asked))
    if run.result is not None and run.result.text.strip():
        yield "**Answer**"
        yield safe_markdown(run.result.text.strip())
    yield from _changes(entry, diffs)


def _facts(entry: ActivityEntry) -> Iterator[str]:
    run = entry.run
    denied = f", {run.denied} {'action' if run.denied == 1 else 'actions'} denied" if run.denied else ""
    yield f"**{run.state.replace('_', ' ')}**{denied}"
    if took := durations.short(run.duration_seconds):
        yield took
    yield "cost unknown" if run.cost_usd is None else f"${run.cost_usd:.4f}"
    if run.usage is not None:
        yield f"{run.usage.input_tokens + run.usage.output_tokens} tokens"
    model = f", {run.model}" if run.model else ""
    yield _words(f"{run.runtime_title}{model}")
    if run.path:
        yield _words(run.path)
    yield f"run {run.id}"


def _asked(asked: ActivityRequest) -> Iterator[str]:
    end = asked.outcome or asked.state
    by = f" ({asked.by.display_name})" if asked.by else ""
    yield f"- {_words(f'{end}{by}')}"
    yield fenced(asked.what)


def _changes(entry: ActivityEntry, diffs: Diffs) -> Iterator[str]:
    if not entry.files:
        if entry.not_compared:
            yield f"**Changes**: {_words(entry.not_compared)}"
        return
    yield "**Changes**"
    for file in shown_files(entry):
        decided = f", {file.decision.decision} by {file.decision.by}" if file.decision else ""
        yield f"- {_words(f'{file.path}: {file.kind}, +{file.counts.added} −{file.counts.removed}{decided}')}"
        diff = diffs.get((entry.run.id, file.path))
        if diff is not None:
            yield _patch(diff)
    left = len(entry.files) - MOST_FILES
    if left > 0:
        yield f"… and {left} more files"


def _patch(diff: FileDiff) -> str:
    return fenced("\n".join(patch_lines(diff)), "diff")


def _words(text: str) -> str:
    """Return somebody else's name or sentence, as text in a line."""
    return escaped(one_line(text, most=LONGEST_LINE))
