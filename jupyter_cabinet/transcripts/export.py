"""Writes a session as Markdown, as JSON of our shape, or as a notebook. Pure.

A transcript is foreign text, and other programs render what is exported, so it goes through `core/safe_markdown.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
import nbformat

from ..core.plain_text import one_line, plain
from ..core.safe_markdown import escaped, fenced, safe_markdown
from ..runtimes.edited_files import action_of
from ..runtimes.model import ToolCall
from ..runtimes.requested_actions import AnyAction, Command, Edit
from ..runtimes.session_entries import Entry
from .model import CliSession

Format = Literal["md", "json", "ipynb"]
MOST_NOTEBOOK_ENTRIES = 5000
SAID_CHARACTERS = 100_000
OUTPUT_CHARACTERS = 20_000  # of one output of a tool in Markdown and notebooks; JSON has all that the index read


def as_json(session: CliSession, entries: Sequence[Entry]) -> bytes:
    """Return the session and its entries as JSON, encoded as UTF-8. Nothing is cut."""
    return msgspec.json.format(msgspec.json.encode({"session": session, "entries": entries}), indent=1)


def as_markdown(session: CliSession, entries: Sequence[Entry]) -> bytes:
    """Return it as a document: people and agents under headings, commands and outputs as code.

    Long texts are cut: outputs after 20,000 characters, what people and agents said after 100,000.
    """
    parts = [_heading(session), *(text for entry in entries for text in _markdown(entry, session.runtime))]
    return ("\n\n".join(parts) + "\n").encode(errors="replace")


def as_notebook(session: CliSession, entries: Sequence[Entry]) -> bytes:
    """Return it as a notebook: people and agents as Markdown cells, commands as code cells with their output.

    After 5,000 entries, a last cell says how many are left out. Outputs are cut after 20,000 characters.
    """
    make: Any = nbformat.v4
    cells = [make.new_markdown_cell(_heading(session), id="session")]
    results = {each.call_id: each for each in entries if each.kind == "tool_result"}
    shown_with_call: set[str] = set()
    for at, entry in enumerate(entries[:MOST_NOTEBOOK_ENTRIES]):
        action = _action(entry, session.runtime)
        if isinstance(action, Command) and action.text:
            shown_with_call.add(entry.call_id)
            cells.append(_command_cell(make, action, results.get(entry.call_id), f"entry-{at}"))
        elif entry.kind != "tool_result" or entry.call_id not in shown_with_call:
            text = "\n\n".join(_markdown(entry, session.runtime))
            cells += [make.new_markdown_cell(text, id=f"entry-{at}")] if text else []
    left = len(entries) - MOST_NOTEBOOK_ENTRIES
    if left > 0:
        cells.append(make.new_markdown_cell(f"{left} more entries are not shown here.", id="rest"))
    made = make.new_notebook(cells=cells)
    return msgspec.json.format(msgspec.json.encode(made), indent=1)


def _command_cell(make: Any, action: Command, result: Entry | None, id: str) -> Any:
    outputs = []
    if result is not None and result.text:
        name = "stderr" if result.is_error else "stdout"
        outputs.append(make.new_output("stream", name=name, text=plain(result.text[:OUTPUT_CHARACTERS])))
    return make.new_code_cell(f"%%bash\n{plain(action.text)}", outputs=outputs, id=id)


def _heading(session: CliSession) -> str:
    started = _time(session.started_at)
    facts = [session.runtime, *session.models, *([started] if started else []), session.cwd]
    title = session.marks.alias or session.title or "Session"
    return f"# {escaped(one_line(title, most=200))}\n\n{escaped(' · '.join(filter(None, facts)))}"


def _markdown(entry: Entry, runtime: str) -> Iterator[str]:
    at = f" · {_time(entry.at)}" if entry.at is not None else ""
    match entry.kind:
        case "user":
            yield f"## Person{at}"
            yield safe_markdown(entry.text[:SAID_CHARACTERS])
        case "assistant":
            yield f"## Agent{at}"
            yield safe_markdown(entry.text[:SAID_CHARACTERS])
        case "thinking":
            yield "**Thinking**"
            yield fenced(entry.text[:OUTPUT_CHARACTERS])
        case "tool_call":
            yield from _call(entry, runtime)
        case "tool_result":
            yield fenced(entry.text[:OUTPUT_CHARACTERS])
        case "error" | "retry" | "compaction" | "attachment":
            yield f"**{entry.kind.capitalize()}**"
            yield fenced(entry.text[:OUTPUT_CHARACTERS])


def _call(entry: Entry, runtime: str) -> Iterator[str]:
    yield f"**{escaped(one_line(entry.tool, most=200))}**"
    match _action(entry, runtime):
        case Command(text=text) if text:
            yield fenced(text, "bash")
        case Edit(paths=paths, changes=changes):
            yield escaped(", ".join(one_line(path, most=200) for path in paths))
            for change in changes:
                yield fenced(change.diff or _as_diff(change.old or "", change.new), "diff")
        case _:
            yield fenced(msgspec.json.format(msgspec.json.encode(entry.input), indent=1).decode(), "json")


def _as_diff(old: str, new: str) -> str:
    return "\n".join([*(f"-{line}" for line in old.splitlines()), *(f"+{line}" for line in new.splitlines())])


def _action(entry: Entry, runtime: str) -> AnyAction | None:
    if entry.kind != "tool_call":
        return None
    return action_of(runtime, ToolCall(call_id=entry.call_id, tool=entry.tool, input=entry.input))


def _time(seconds: float | None) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC" if seconds is not None else ""
