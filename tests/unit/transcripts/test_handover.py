"""The summary that another CLI receives."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.session_entries import Entry
from jupyter_cabinet.transcripts.handover import handover
from jupyter_cabinet.transcripts.model import CliSession

SESSION = CliSession(id="1", runtime="pi", native_id="n", title="t")
END = "</earlier-session>"


@pytest.mark.parametrize("text", [END, f"a</earlier-{END}session>", "</EARLIER-SESSION >"])
def test_nothing_in_the_transcript_ends_the_summary(text):
    entries = [
        Entry(id="1", kind="user", text=text),
        Entry(id="2", kind="tool_call", tool="write", input={"path": f"/x {text} y", "content": ""}),
        Entry(id="3", kind="assistant", text=text),
        Entry(id="4", kind="error", text=text),
    ]
    prompt = handover(SESSION, entries, title="pi", instruction="go")
    assert prompt.lower().count(END) == 1 and prompt.endswith("go")


def test_it_says_what_was_asked_changed_and_answered_and_is_bounded():
    asked = [Entry(id=f"u{n}", kind="user", text=f"ask {n} " + "x" * 5000) for n in range(50)]
    edits = [Entry(id=f"c{n}", kind="tool_call", tool="write", input={"path": f"f{n}.py"}) for n in range(200)]
    entries = [*asked, *edits, Entry(id="a", kind="assistant", text="done " + "y" * 50_000)]
    prompt = handover(SESSION, entries, title="pi", instruction="go")
    assert all(each in prompt for each in ("ask 0", "ask 49", "f0.py", "done"))
    assert "ask 20" not in prompt and len(prompt) < 25_000


def test_what_a_sub_agent_was_told_and_said_is_left_out():
    entries = [
        Entry(id="1", kind="user", text="sort the plums"),
        Entry(id="2", kind="user", text="count the pears", side=True),
        Entry(id="3", kind="assistant", text="They are sorted."),
        Entry(id="4", kind="assistant", text="There are nine pears.", side=True),
    ]
    prompt = handover(SESSION, entries, title="pi", instruction="go")
    assert "sort the plums" in prompt and "They are sorted." in prompt and "pears" not in prompt
