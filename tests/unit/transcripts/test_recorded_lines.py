"""Sessions that are written from runs, because their agent keeps none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.execution.output import OutputRecord
from jupyter_cabinet.runs.model import Run, Trigger
from jupyter_cabinet.runtimes.model import (
    AnyAgentEvent,
    Retrying,
    SessionStarted,
    TextBlock,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    Warned,
)
from jupyter_cabinet.runtimes.session_entries import Entry, Item, SessionFacts
from jupyter_cabinet.transcripts.recorded import lines
from jupyter_cabinet.transcripts.recorded.lines import INSTRUCTION, read_line, store_of

START = datetime(2026, 1, 1, tzinfo=UTC)


def run(number: int = 1, **changes: Any) -> Run:
    shared: dict[str, Any] = {
        "id": f"run-{number}",
        "number": number,
        "kind": "manual",
        "state": "succeeded",
        "instruction": f"Instruction {number}",
        "runtime": "toy",
        "runtime_title": "Toy",
        "permission_mode": "edit",
        "mode": "headless",
        "session_id": "ours",
        "trigger": Trigger(kind="person", username="ada", display_name="Ada"),
        "owner": "ada",
        "visibility": "private",
        "queued_at": START,
        "started_at": START + timedelta(seconds=10),
        "finished_at": START + timedelta(seconds=20),
    }
    return Run(**{**shared, **changes})


def records(*events: AnyAgentEvent) -> list[OutputRecord]:
    return [OutputRecord(index=index, at=index / 2, event=event) for index, event in enumerate(events)]


def written(id: str, cwd: str, runs: list[tuple[Run, list[OutputRecord]]]) -> bytes:
    """The whole file."""

    async def found() -> AsyncIterator[tuple[Run, AsyncIterator[OutputRecord]]]:
        for run, records in runs:
            yield run, each(records)

    async def each(records: list[OutputRecord]) -> AsyncIterator[OutputRecord]:
        for record in records:
            yield record

    async def joined() -> bytes:
        return b"".join([line async for line in lines.written(id, cwd, found())])

    return asyncio.run(joined())


def read(content: bytes) -> list[Item]:
    return [item for at, line in enumerate(content.splitlines()) for item in read_line(at, json.loads(line))]


def entries(content: bytes) -> list[Entry]:
    return [item for item in read(content) if isinstance(item, Entry)]


def test_a_run_is_read_as_its_instruction_and_what_the_agent_did():
    events = (
        SessionStarted(native_id="n"),
        Thinking(text="Hm."),
        ToolCall(call_id="1", tool="look", input={"path": "here"}),
        ToolResult(call_id="1", text="nothing", is_error=True),
        Retrying(attempt=1, reason="busy"),
        Warned(message="Careful"),
        TextBlock(text="Done."),
    )
    content = written("n", "/work", [(run(model="big"), records(*events))])
    found = entries(content)
    kinds = ["user", "thinking", "tool_call", "tool_result", "retry", "other", "assistant"]
    assert [each.kind for each in found] == kinds
    assert found[0] == Entry(
        id="run-1", kind="user", at=(START + timedelta(seconds=10)).timestamp(), text="Instruction 1"
    )
    assert found[2].input == {"path": "here"} and found[2].call_id == found[3].call_id and found[3].is_error
    assert found[-1].model == "big" and found[-1].at == (START + timedelta(seconds=13)).timestamp()
    assert read(content)[0] == SessionFacts(native_id="n", cwd="/work")


def test_the_runs_of_a_file_are_counted_by_the_beginning_of_their_lines():
    content = written("n", "/work", [(run(1), records(TextBlock(text="x"))), (run(2), [])])
    assert sum(line.startswith(INSTRUCTION) for line in content.splitlines()) == 2


def test_calls_that_have_the_same_number_in_two_runs_are_different_calls():
    events = records(ToolCall(call_id="1", tool="look"), ToolResult(call_id="1"))
    found = entries(written("n", "/work", [(run(1), events), (run(2), events)]))
    assert len({each.call_id for each in found if each.kind == "tool_call"}) == 2
    assert len({each.id for each in found}) == len(found)


def test_tokens_and_cost_are_those_of_all_runs_so_far():
    some = Usage(input_tokens=10, output_tokens=1)
    runs = [(run(1, usage=some), []), (run(2, usage=some, cost_usd=0.5), []), (run(3), []), (run(4, cost_usd=1.0), [])]
    facts = [item for item in read(written("n", "/work", runs)) if isinstance(item, SessionFacts)][1:]
    assert [each.usage.input_tokens if each.usage else 0 for each in facts] == [10, 20, 20, 20]
    assert [each.cost_usd for each in facts] == [None, 0.5, 0.5, 1.5]


@pytest.mark.parametrize(
    ("state", "kind"), [("failed", "error"), ("timed_out", "error"), ("cancelled", "other"), ("interrupted", "other")]
)
def test_a_run_that_did_not_succeed_ends_with_the_reason(state, kind):
    last = entries(written("n", "/work", [(run(state=state, reason="Because."), [])]))[-1]
    assert (last.kind, last.text) == (kind, "Because.")


def test_a_run_that_never_began_has_the_time_of_its_request():
    found = entries(written("n", "/work", [(run(started_at=None, finished_at=None, state="failed"), [])]))
    assert [each.at for each in found] == [START.timestamp()] * 2 and found[-1].text == "failed"


def test_the_file_of_a_session_names_it_where_its_first_line_does_not(tmp_path):
    store = store_of(tmp_path, "toy")
    assert store.patterns == ("*/toy/*.jsonl",)
    assert store.facts_of_path(Path("root/toy/key.jsonl")) == SessionFacts(native_id="key")


@given(
    st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text() | st.lists(st.integers()), max_size=4)
)
def test_any_line_becomes_an_entry_or_facts(line):
    for name in ("session", "instruction", "event", "end", "nothing", 7):
        for item in read_line(3, {**line, "type": name}):
            assert isinstance(item, Entry | SessionFacts)
            msgspec.json.encode(item)
