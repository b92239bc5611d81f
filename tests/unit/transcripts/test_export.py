"""Exports: foreign text is harmless in them, and no text takes long."""

from __future__ import annotations

import msgspec
import nbformat
import pytest

from jupyter_cabinet.runtimes.session_entries import Entry
from jupyter_cabinet.transcripts.export import as_json, as_markdown, as_notebook
from jupyter_cabinet.transcripts.model import CliSession

SESSION = CliSession(id="1", runtime="pi", native_id="n", title="<script>alert(1)</script>", cwd="/work")
ENTRIES = [
    Entry(id="1", kind="user", text="Do it <img src=x onerror=alert(1)> ![x](http://evil/p.png)"),
    Entry(id="2", kind="tool_call", tool="bash", call_id="c", input={"command": "ls \u202e"}),
    Entry(id="3", kind="tool_result", call_id="c", text="\x1b]0;title\x07file"),
    Entry(
        id="4",
        kind="tool_call",
        tool="edit",
        call_id="d",
        input={"path": "a", "edits": [{"oldText": "x", "newText": "y"}]},
    ),
    Entry(id="5", kind="thinking", text="hm"),
    Entry(id="6", kind="assistant", text="**Done** [x](javascript:alert(1))"),
]


def test_markdown_shows_all_of_it_and_runs_nothing():
    text = as_markdown(SESSION, ENTRIES).decode()
    assert "```bash\nls" in text and "-x\n+y" in text and "**Done**" in text
    assert "<img" not in text and "<script" not in text and "](javascript" not in text and "![" not in text


def test_a_notebook_has_commands_as_cells_with_their_output():
    made = nbformat.reads(as_notebook(SESSION, ENTRIES).decode(), as_version=4)
    nbformat.validate(made)
    (cell,) = [cell for cell in made.cells if cell.cell_type == "code"]
    assert cell.source.startswith("%%bash\nls") and "\u202e" not in cell.source
    assert "file" in cell.outputs[0].text and "\x1b" not in cell.outputs[0].text


def test_json_has_every_entry():
    assert len(msgspec.json.decode(as_json(SESSION, ENTRIES))["entries"]) == len(ENTRIES)


@pytest.mark.parametrize("text", ["a " + "~" * 50_000, "a " + "~~~ " * 20_000, "!" * 90_000, "://" * 30_000 + " `a`"])
def test_no_text_takes_more_than_its_length(text):
    """With a quadratic expression each of these takes longer than the time limit of a test."""
    as_markdown(SESSION, [Entry(id="1", kind="user", text=text), Entry(id="2", kind="assistant", text=f"$ {text} $")])
