"""The lines of a session that Cabinet records for an agent that keeps none: written from runs, read as entries.

The first line describes the session. For each run, one line has the instruction, one each of its events, and one its
end. The tokens are those of the whole session so far, because a run does not report them for each answer of the model.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ...execution.output import OutputRecord
from ...runs.model import Run
from ...runtimes.model import AnyAgentEvent, Retrying, TextBlock, Thinking, ToolCall, ToolResult, Usage, Warned
from ...runtimes.session_entries import Entry, Item, SessionFacts, SessionFiles

SHOWN = (TextBlock, Thinking, ToolCall, ToolResult, Retrying, Warned)
STOPPED = ("cancelled", "interrupted")
TOKENS = Usage.__struct_fields__


class SessionLine(msgspec.Struct, frozen=True, kw_only=True, tag="session"):
    """The first line. `native_id`: the id of our session. `cwd`: absolute."""

    native_id: str
    cwd: str


class InstructionLine(msgspec.Struct, frozen=True, kw_only=True, tag="instruction"):
    """A run has begun. `at`: seconds since 1970."""

    run: str
    at: float
    text: str


class EventLine(msgspec.Struct, frozen=True, kw_only=True, tag="event"):
    """An event of a run, the one with this `index` in its journal."""

    run: str
    index: int
    at: float
    model: str = ""
    event: AnyAgentEvent


class EndLine(msgspec.Struct, frozen=True, kw_only=True, tag="end"):
    """A run has ended. `usage` and `cost_usd`: of the whole session until then; None: not reported."""

    run: str
    at: float
    problem: str = ""  # why it did not succeed; empty: it did
    stopped: bool = False  # by a person or with its server
    usage: Usage | None = None
    cost_usd: float | None = None


INSTRUCTION = b'{"type":"%b"' % str(InstructionLine.__struct_config__.tag).encode()  # how its line begins
Line = SessionLine | InstructionLine | EventLine | EndLine


def store_of(folder: Path, runtime: str) -> SessionFiles:
    """Return where the recorded sessions of a runtime are, for the index. `folder`: of all recorded sessions."""
    return SessionFiles(
        folder=folder,
        patterns=(f"*/{runtime}/*.jsonl",),
        read_line=read_line,
        facts_of_path=lambda path: SessionFacts(native_id=path.stem),
    )


async def written(
    id: str, cwd: str, runs: AsyncIterable[tuple[Run, AsyncIterable[OutputRecord]]]
) -> AsyncIterator[bytes]:
    """Yield the lines of a session's file: its runs with their events, oldest first. `id`: of our session."""
    yield _encoded(SessionLine(native_id=id, cwd=cwd))
    usage: Usage | None = None
    cost: float | None = None
    async for run, records in runs:
        usage = _sum(usage, run.usage)
        cost = run.cost_usd if cost is None else cost + (run.cost_usd or 0)
        async for line in _of_run(run, records, usage, cost):
            yield _encoded(line)


def _encoded(line: Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"


def _sum(before: Usage | None, more: Usage | None) -> Usage | None:
    if before is None or more is None:
        return before or more
    return Usage(**{name: getattr(before, name) + getattr(more, name) for name in TOKENS})


async def _of_run(
    run: Run, records: AsyncIterable[OutputRecord], usage: Usage | None, cost: float | None
) -> AsyncIterator[Line]:
    start = (run.started_at or run.queued_at).timestamp()
    yield InstructionLine(run=run.id, at=start, text=run.instruction)
    async for record in records:
        if isinstance(record.event, SHOWN):
            at = start + record.at
            yield EventLine(run=run.id, index=record.index, at=at, model=run.model or "", event=record.event)
    yield EndLine(
        run=run.id,
        at=run.finished_at.timestamp() if run.finished_at else start,
        problem="" if run.state == "succeeded" else run.reason or run.state,
        stopped=run.state in STOPPED,
        usage=usage,
        cost_usd=cost,
    )


def read_line(position: int, line: dict[str, Any]) -> Iterator[Item]:
    """Yield what one line contains. An unknown or invalid line becomes an entry of the kind `other`."""
    try:
        found: Line = msgspec.convert(line, Line)
    except msgspec.ValidationError:
        yield Entry(id=str(position), kind="other", text=str(line.get("type", "")))
        return
    match found:
        case SessionLine():
            yield SessionFacts(native_id=found.native_id, cwd=found.cwd)
        case InstructionLine():
            yield Entry(id=found.run, kind="user", at=found.at, text=found.text)
        case EventLine():
            yield _entry(found)
        case EndLine():
            yield SessionFacts(usage=found.usage, cost_usd=found.cost_usd)
            if found.problem:
                kind = "other" if found.stopped else "error"
                yield Entry(id=f"{found.run}:end", kind=kind, at=found.at, text=found.problem)  # type: ignore[arg-type]


def _entry(line: EventLine) -> Entry:
    event, shared = line.event, {"id": f"{line.run}:{line.index}", "at": line.at}
    match event:
        case TextBlock():
            return Entry(kind="assistant", text=event.text, model=line.model, **shared)  # type: ignore[arg-type]
        case Thinking():
            return Entry(kind="thinking", text=event.text, model=line.model, **shared)  # type: ignore[arg-type]
        case ToolCall():  # an agent may number its calls from 1 in each run
            call = f"{line.run}:{event.call_id}"
            return Entry(kind="tool_call", call_id=call, tool=event.tool, input=event.input, **shared)  # type: ignore[arg-type]
        case ToolResult():
            call = f"{line.run}:{event.call_id}"
            return Entry(kind="tool_result", call_id=call, text=event.text, is_error=event.is_error, **shared)  # type: ignore[arg-type]
        case Retrying():
            return Entry(kind="retry", text=event.reason, **shared)  # type: ignore[arg-type]
        case _:
            return Entry(kind="other", text=getattr(event, "message", ""), **shared)  # type: ignore[arg-type]
