"""What our tools answer: capped, in order, and with nothing of strangers unless the run may see it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_cabinet.agents.correspondence.messages import Message
from jupyter_cabinet.agents.correspondence.tasks import Task
from jupyter_cabinet.agents.memory.entries import read
from jupyter_cabinet.agents.prompts import tool_texts
from jupyter_cabinet.agents.prompts.tool_list import MAX_ANSWER_BYTES, TOOLS
from jupyter_cabinet.agents.prompts.tool_texts import MOST_FOUND, WITHHELD, Foreign, PastRun

AT = datetime(2026, 1, 14, 12, 30, tzinfo=UTC)
NONE, MARKED = Foreign(), Foreign(marker="m4rk")


def entries(*days: int, text: str = "plums") -> list[tuple[str, object]]:
    content = "".join(f"## 2026-01-{day:02}T00:00:00Z <!-- r/{day} -->\n{text} {day}\n\n" for day in days)
    return [("context.md", section) for section in read(content).sections]


def past(**changes: object) -> PastRun:
    values: dict[str, object] = {"id": "r1", "at": AT, "kind": "message", "state": "succeeded", "instruction": "Count."}
    return PastRun(**(values | changes))  # type: ignore[arg-type]


def test_entries_with_all_words_are_found_newest_first_and_the_rest_is_counted():
    found = tool_texts.found_entries(entries(3, 1, 2), "PLUMS")
    assert found.index("plums 3") < found.index("plums 2") < found.index("plums 1")
    assert "left out" not in found
    many = tool_texts.found_entries(entries(*range(1, MOST_FOUND + 4)), "plums")
    assert many.count("context.md") == MOST_FOUND and "(3 more are left out.)" in many
    assert tool_texts.found_entries(entries(1), "plums pears").startswith("Nothing in your memory")


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
    assert len({tool.name for tool in TOOLS}) == len(TOOLS) == 13
