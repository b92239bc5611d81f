"""What our tools answer: capped, in order, and with nothing of strangers unless the run may see it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_cabinet.agents.correspondence.messages import Message
from jupyter_cabinet.agents.correspondence.tasks import Task
from jupyter_cabinet.agents.prompts import tool_texts
from jupyter_cabinet.agents.prompts.tool_list import MAX_ANSWER_BYTES, TOOLS
from jupyter_cabinet.agents.prompts.tool_texts import WITHHELD, Foreign, PastRun

AT = datetime(2026, 1, 14, 12, 30, tzinfo=UTC)
NONE, MARKED = Foreign(), Foreign(marker="m4rk")


def past(**changes: object) -> PastRun:
    values: dict[str, object] = {"id": "r1", "at": AT, "kind": "message", "state": "succeeded", "instruction": "Count."}
    return PastRun(**(values | changes))  # type: ignore[arg-type]


def test_passages_are_shown_with_file_and_lines_and_the_rest_is_counted():
    two = [("context.md", 3, 5, "plums\n"), ("a\nb.md", 1, 1, "pears")]
    assert tool_texts.found_passages(two) == "context.md, lines 3 to 5\nplums\n\na b.md, lines 1 to 1\npears"
    assert tool_texts.found_passages([], left_out=2) == (
        "Nothing in your memory has all of these words.\n\n(2 files could not be searched.)"
    )
    many = tool_texts.found_passages([("context.md", 1, 9, "x" * 10_000)] * 50)
    assert len(many.encode()) <= MAX_ANSWER_BYTES + 100 and "more are left out.)" in many


def test_files_of_memory_are_listed_and_the_rest_is_counted():
    time = AT.timestamp()
    assert tool_texts.memory_files([("context.md", 12, time)]) == "context.md  12 bytes  2026-01-14 12:30 UTC"
    assert tool_texts.memory_files([]) == "Your memory has no files yet."
    many = tool_texts.memory_files([(f"{number}.md", 1, time) for number in range(2000)])
    assert len(many.encode()) <= MAX_ANSWER_BYTES + 100 and "more are left out.)" in many


def test_lines_of_a_file_are_shown_with_their_numbers():
    assert tool_texts.memory_lines("a.md", "x\ny", first=2, last=3, count=9) == "a.md, lines 2 to 3 of 9:\nx\ny"
    assert tool_texts.memory_lines("a.md", "x", first=2, last=None, count=9) == "a.md, from line 2 of 9:\nx"
    assert tool_texts.memory_lines("a.md", "", first=10, last=9, count=9) == "a.md has 9 lines."


def test_a_long_answer_is_capped_and_says_so():
    message = Message(id="m", sender="bob", timestamp="t", body="x" * 10_000)
    told = tool_texts.inbox([(message, False)] * 20, NONE, [])
    assert len(told.encode()) <= MAX_ANSWER_BYTES + 100 and "more are left out" in told
    assert tool_texts.inbox([(message, False)], NONE, [], more=4500).endswith("(4500 more are left out.)")
    read_one = tool_texts.run(past(answer="x" * 100_000), NONE)
    assert len(read_one.encode()) <= MAX_ANSWER_BYTES + 100 and "left out" in read_one


@pytest.mark.parametrize(("foreign", "expected"), [(NONE, WITHHELD), (MARKED, "<foreign-text m4rk>\nbad\n</foreign")])
def test_text_from_outside_is_left_out_or_between_marks(foreign: Foreign, expected: str):
    message = Message(id="m", sender="bob", timestamp="t", body="bad")
    told = tool_texts.inbox([(message, True)], foreign, ["It is broken."])
    assert expected in told and "(It is broken.)" in told
    assert ("bad" in told) == (foreign is MARKED)
    task = Task(id="t1", title="bad", tainted=True)
    assert expected in tool_texts.tasks([task], foreign, [])
    run = tool_texts.run(past(instruction="", answer="bad", tainted=True), foreign)
    assert ("bad" in run) == (foreign is MARKED)


def test_what_is_from_here_is_shown_as_it_is():
    message = Message(id="m", sender="bob", timestamp="t", body="good")
    assert tool_texts.inbox([(message, False)], NONE, []) == "Message m from bob, t\ngood"
    task = Task(id="t1", title="Fix", from_agent="bob", description="Soon")
    assert tool_texts.tasks([task], NONE, []) == "Task t1: priority 3, pending, from bob\nFix\nSoon"
    assert tool_texts.tasks([Task(id="t2", title="Fix")], NONE, []).startswith(
        "Task t2: priority 3, pending, from some"
    )
    assert tool_texts.run(past(), NONE).endswith("Instruction:\nCount.\n\nAnswer:\n(none)")
    line = "r1  2026-01-14 12:30 UTC  message, succeeded  Count."
    assert tool_texts.runs([past()]) == line
    assert tool_texts.runs([past(tainted=True)]) == line.removesuffix("  Count.")
    assert tool_texts.agents([("bob", "Bob", ""), ("eve", "Eve", "Ops")]) == "bob: Bob\neve: Eve, Ops"


def test_nothing_is_said_to_be_nothing():
    assert tool_texts.inbox([], NONE, []) == "Your inbox is empty."
    assert tool_texts.tasks([], NONE, []) == "You have no tasks."
    assert tool_texts.runs([]) == "You have no earlier runs."
    assert tool_texts.agents([]) == "There is no other agent."


def test_every_tool_has_a_schema_of_its_own_without_references():
    for tool in TOOLS:
        schema = tool.schema()
        assert schema["type"] == "object" and schema["additionalProperties"] is False
        assert "$ref" not in str(schema)
        assert tool.description.endswith(".") and "\n" not in tool.description
    assert len({tool.name for tool in TOOLS}) == len(TOOLS) == 32
