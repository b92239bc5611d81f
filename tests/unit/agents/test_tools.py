"""What agents do by our tools, over real files: the same checks as directives, at once, and nothing beyond."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.backend import ADA, Place

from jupyter_cabinet.agents.agent_tools import AgentTools
from jupyter_cabinet.agents.correspondence.messages import Message
from jupyter_cabinet.agents.correspondence.tasks import Task
from jupyter_cabinet.agents.directives.effects.doer import MAX_TO_OTHERS
from jupyter_cabinet.agents.model import MessageReceived, TaskChanged
from jupyter_cabinet.agents.prompts.tool_list import TOOLS
from jupyter_cabinet.agents.prompts.tool_texts import WITHHELD
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Invalid, NotAllowed, NotFound, Refused
from jupyter_cabinet.runs.model import NewManualRun, Run, RunResult, Trigger

ALL = ("agents", "clipboard", "memory", "messaging", "notify", "open", "sessions", "tools")
SECRET = "The stranger's words."


class Desk:
    """Agents `ada` and `bob`, and a run of `ada` that uses tools."""

    def __init__(self, place: Place, backend: Backend) -> None:
        self.agents = place.root / ".agents"
        self.backend = backend
        self.tools: AgentTools = backend._agent_room.tools
        self.run = self.made()

    def made(self, **changes: Any) -> Run:
        """A run that works, not on record."""
        values: dict[str, Any] = {
            "id": "run1",
            "kind": "heartbeat",
            "state": "running",
            "instruction": "",
            "runtime": "demo",
            "runtime_title": "Demo",
            "permission_mode": "edit",
            "mode": "headless",
            "session_id": "s1",
            "trigger": Trigger(kind="schedule", username="ada", display_name="Ada"),
            "owner": "ada",
            "visibility": "server",
            "agent": "ada",
            "own_tools": ALL,
            "queued_at": self.backend.clock.now(),
        }
        return Run(**(values | changes))

    async def use(self, tool: str, run: Run | None = None, **arguments: object) -> str:
        answer = await self.tools.call(run or self.run, tool, arguments)
        assert not answer.is_error
        return answer.text

    def text(self, path: str) -> str:
        return (self.agents / path).read_text()

    def files(self, folder: str) -> list[Path]:
        return sorted(path for path in (self.agents / folder).rglob("*") if path.is_file())

    async def put_on_record(self, **changes: Any) -> Run:
        run = self.made(state="succeeded", **changes)
        live = self.backend.records.hold(run, NewManualRun(instruction=run.instruction or "x"))
        await self.backend.records.create(live)
        del self.backend.records.live[run.id]
        live.let_go()
        return run


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[Desk]:
    place = Place(folder)
    for slug in ("ada", "bob"):
        persona = place.root / ".agents" / slug / "persona.md"
        persona.parent.mkdir(parents=True)
        persona.write_text(f"---\nname: {slug.title()}\nrole: Looks after it.\nheartbeat_enabled: false\n---\n\nHi.\n")
    async with place.backend() as backend:
        yield Desk(place, backend)


def tainted(desk: Desk) -> Run:
    return msgspec.structs.replace(desk.run, tainted=True)


# --- who may ---------------------------------------------------------------------------------


async def test_a_run_without_the_group_of_a_tool_is_refused_and_so_is_one_of_no_agent(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        for tool in TOOLS:
            others = tuple(group for group in ALL if group != tool.group)
            for run in (at.made(own_tools=others), at.made(agent=None), at.made(own_tools=())):
                with pytest.raises(NotAllowed, match=f"no tool {tool.name}"):
                    await at.use(tool.name, run)
        with pytest.raises(NotAllowed, match="no tool approve"):
            await at.use("approve")


WRONG_ARGUMENTS: list[tuple[str, dict[str, object]]] = [
    ("memory_read", {"file": "../../bob/memory/context"}),
    ("memory_read", {"file": "../persona.md"}),
    ("memory_read", {"file": "goals.json"}),
    ("memory_read", {"file": ""}),
    ("memory_read", {"file": "context", "offset": -1}),
    ("memory_read", {"file": "context", "limit": 2001}),
    ("memory_search", {"text": "x", "limit": 51}),
    ("memory_search", {"text": ""}),
    ("memory_append", {"kind": "learning"}),
    ("memory_append", {"kind": "learning", "text": ""}),
    ("memory_append", {"kind": "learning", "text": " \n"}),
    ("memory_append", {"kind": "learning", "text": "x" * 16_385}),
    ("memory_append", {"kind": "learning", "text": "é" * 16_000}),
    ("memory_append", {"kind": "learning", "text": "x", "agent": "bob"}),
    ("sessions_list", {"limit": 51}),
    ("message_send", {"agent": "../ada", "text": "x"}),
    ("message_send", {"agent": "ada\n", "text": "x"}),
    ("task_complete", {"id": "../x", "result": "x"}),
    ("task_create", {"agent": "bob", "title": "a | b"}),
    ("task_create", {"agent": "bob", "title": "x", "priority": 0}),
]


async def test_arguments_that_cannot_be_used_are_told_and_change_nothing(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    async with desk(tmp_path) as at:
        before = at.files("")
        for tool, arguments in WRONG_ARGUMENTS:
            with subtests.test(tool=tool, arguments=str(arguments)[:60]):
                with pytest.raises(Invalid):
                    await at.use(tool, **arguments)
                assert at.files("") == before


# --- memory ----------------------------------------------------------------------------------


async def test_what_is_remembered_is_in_the_file_under_the_key_of_the_call_and_is_read_and_found(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        assert await at.use("memory_read", file="learnings") == "Nothing is written there yet."
        await at.use("memory_append", kind="learning", text="Plums are blue.")
        await at.use("memory_append", kind="decision", text="Plums it is.")
        await at.use("memory_append", kind="context", text="Bought pears.")
        assert "<!-- run1/tool-1 -->\nPlums are blue." in at.text("ada/memory/learnings.md")
        assert "<!-- run1/tool-2 -->\nPlums it is." in at.text("ada/memory/decisions.md")
        assert "<!-- run1/tool-3 -->\nBought pears." in at.text("ada/memory/context.md")
        assert "Plums are blue." in await at.use("memory_read", file="learnings")
        found = await at.use("memory_search", text="PLUMS")
        assert "Plums are blue." in found and "Plums it is." in found and "pears" not in found
        assert "has all of these words" in await at.use("memory_search", text="plums pears")
        assert not (at.agents / "bob" / "memory").exists()


async def test_another_attempt_of_a_run_remembers_anew_and_a_tainted_one_marks_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.use("memory_append", kind="learning", text="first")
        await at.use("memory_append", at.made(attempt=2, tainted=True), kind="learning", text="second")
        learnings = at.text("ada/memory/learnings.md")
        assert "<!-- run1/tool-1 -->\nfirst" in learnings
        assert "<!-- run1/tool-2-1 tainted -->\nsecond" in learnings


async def test_calls_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await asyncio.gather(*(at.use("memory_append", kind="learning", text=f"word{i}.") for i in range(8)))
        learnings = at.text("ada/memory/learnings.md")
        assert all(f"word{i}." in learnings for i in range(8))


async def test_the_archive_and_what_people_wrote_are_searched_too(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        memory = at.agents / "ada" / "memory"
        (memory / "archive").mkdir(parents=True)
        (memory / "archive" / "context-2025-01.md").write_text("## 2025-01-01T00:00:00Z <!-- r/1 -->\nOld plums.\n")
        (memory / "archive" / "other.md").write_text("Not memory: plums.\n")
        (memory / "MEMORY.md").write_text("The boss likes plums.\n")
        (memory / "decisions.md").mkdir()  # one that cannot be used hides no other
        found = await at.use("memory_search", text="plums")
        assert "Old plums." in found and "The boss likes plums." in found and "Not memory" not in found
        assert "archive/context-2025-01.md, lines 1 to 2\n" in found
        assert (await at.use("memory_search", text="plums", limit=1)).count("lines ") == 1


async def test_files_of_memory_are_listed_and_every_listed_one_is_read_by_lines(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        assert await at.use("memory_list") == "Your memory has no files yet."
        memory = at.agents / "ada" / "memory"
        (memory / "archive").mkdir(parents=True)
        (memory / "archive" / "context-2025-01.md").write_text("one\ntwo\nthree\n")
        (memory / "2026-01-14.md").write_text("Log.\n")
        (memory / "goals.json").write_text("{}")
        (at.agents / "bob" / "memory").mkdir()
        (at.agents / "bob" / "memory" / "learnings.md").write_text("Bob's.\n")
        listed = await at.use("memory_list")
        assert sorted(line.partition("  ")[0] for line in listed.split("\n")) == [
            "2026-01-14.md",
            "archive/context-2025-01.md",
        ]
        assert await at.use("memory_read", file="2026-01-14.md") == "Log."
        name = "archive/context-2025-01.md"
        assert await at.use("memory_read", file=name, offset=2) == f"{name}, lines 2 to 3 of 3:\ntwo\nthree"
        assert await at.use("memory_read", file=name, limit=1) == f"{name}, lines 1 to 1 of 3:\none"
        assert await at.use("memory_read", file=name, offset=9) == f"{name} has 3 lines."
        assert await at.use("memory_read", file="context", offset=1) == "context.md has 0 lines."


async def test_lines_of_a_tainted_entry_are_left_out_of_a_run_that_has_read_nothing_from_outside(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        await at.use("memory_append", tainted(at), kind="learning", text=SECRET)
        await at.use("memory_append", kind="learning", text="Mine.")
        for tool, arguments in (
            ("memory_read", {"file": "learnings", "offset": 1}),
            ("memory_read", {"file": "learnings", "offset": 2, "limit": 1}),
            ("memory_read", {"file": "learnings.md"}),
            ("memory_search", {"text": "stranger"}),
        ):
            assert SECRET not in await at.use(tool, **arguments)
            assert SECRET in await at.use(tool, tainted(at), **arguments)
        assert "Mine." in await at.use("memory_read", file="learnings", offset=4)


async def test_a_long_answer_by_lines_is_cut_and_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        memory = at.agents / "ada" / "memory"
        memory.mkdir()
        (memory / "MEMORY.md").write_text(f"{'x' * 1000}\n" * 100)
        told = await at.use("memory_read", file="facts", offset=3)
        assert told.startswith("MEMORY.md, from line 3 of 100:\nx") and told.endswith("(The rest is left out.)")


# --- earlier runs ----------------------------------------------------------------------------


async def test_an_agent_sees_its_own_runs_and_only_those_that_the_owner_of_this_one_may_see(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        mine = {"instruction": "Count the plums.", "kind": "message", "result": RunResult(text="Seven.")}
        await at.put_on_record(id="own", **mine)
        await at.put_on_record(id="bobs", **mine | {"agent": "bob"})
        await at.put_on_record(id="private", **mine | {"owner": "eve", "visibility": "private"})
        listed = await at.use("sessions_list")
        assert "own" in listed and "Count the plums." in listed
        assert "bobs" not in listed and "private" not in listed
        read = await at.use("session_read", id="own")
        assert "Count the plums." in read and "Seven." in read
        for id in ("bobs", "private", "nobody", "../own"):
            with pytest.raises(NotFound):
                await at.use("session_read", id=id)


# --- messages and tasks ----------------------------------------------------------------------


async def test_a_message_is_in_the_inbox_with_its_origin_and_is_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        events: list[object] = []
        at.backend.bus.subscribe(lambda event, scope: events.append(event))
        run = at.made(trigger=Trigger(kind="run", username="ada", display_name="Ada", chain=("agent:eve",)))
        await at.use("message_send", run, agent="bob", text="Hello.")
        (file,) = at.files(".messages/bob")
        text = file.read_text()
        assert "Hello." in text and 'origin: "run1/tool-1"' in text and "depth: 2" in text
        received = [event for event in events if isinstance(event, MessageReceived)]
        assert [(event.agent, event.sender, event.message_id) for event in received] == [("bob", "ada", "run1-tool-1")]
        assert "Hello." in await at.use("inbox_read", at.made(agent="bob"))
        assert await at.use("inbox_read") == "Your inbox is empty."
        assert len(at.files(".messages/bob")) == 1  # reading acknowledges nothing


async def test_a_task_is_given_and_completed_by_whose_it_is(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        events: list[object] = []
        at.backend.bus.subscribe(lambda event, scope: events.append(event))
        told = await at.use("task_create", agent="bob", title="Fix it", description="Soon | now", priority=1)
        assert "run1-tool-1" in told
        task = json.loads(at.text("bob/tasks/run1-tool-1.json"))
        assert (task["title"], task["description"], task["priority"]) == ("Fix it", "Soon | now", 1)
        bob = at.made(id="run2", agent="bob")
        listed = await at.use("task_list", bob)
        assert "run1-tool-1" in listed and "Fix it" in listed and "Soon | now" in listed
        with pytest.raises(Refused, match="is not one of the agent"):
            await at.use("task_complete", id="run1-tool-1", result="Mine")  # ada's it is not
        await at.use("task_complete", bob, id="run1-tool-1", result="Works.")
        assert json.loads(at.text("bob/tasks/run1-tool-1.json"))["status"] == "completed"
        changed = [event.status for event in events if isinstance(event, TaskChanged)]
        assert changed == ["pending", "completed"]


async def test_the_tasks_of_a_folder_that_was_renamed_by_hand_are_completed(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.use("task_create", agent="bob", title="Fix it")
        (at.agents / "bob").rename(at.agents / "robert")
        await at.use("task_complete", at.made(id="run2", agent="robert"), id="run1-tool-1", result="Works.")
        task = json.loads(at.text("robert/tasks/run1-tool-1.json"))
        assert (task["status"], task["result"], task["toAgent"]) == ("completed", "Works.", "robert")


async def test_nobody_is_written_to_who_is_not_there_too_often_or_too_deep(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(Refused, match="There is no agent"):
            await at.use("message_send", agent="nobody", text="x")
        for _ in range(MAX_TO_OTHERS - 1):  # what was refused counts, too
            await at.use("message_send", agent="bob", text="x")
        with pytest.raises(Refused, match="Message storm"):
            await at.use("task_create", agent="bob", title="One more")
        await at.use("memory_append", kind="learning", text="That counts for itself.")
        deep = at.made(id="run3", trigger=Trigger(kind="run", username="a", display_name="A", chain=("x",) * 8))
        with pytest.raises(Refused, match="chain"):
            await at.use("message_send", deep, agent="bob", text="x")
        assert len(at.files(".messages/bob")) == MAX_TO_OTHERS - 1
        assert at.files("bob/tasks") == []


async def test_who_may_be_written_to_is_listed(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        (at.agents / "broken").mkdir()
        (at.agents / "broken" / "persona.md").write_text("---\nname: [\n---\n")
        assert await at.use("agents_list") == "bob: Bob, Looks after it."


# --- text from outside -----------------------------------------------------------------------


async def put_foreign(at: Desk) -> None:
    """A message of a stranger, a task and a run that came of one."""
    now = at.backend.clock.now()
    at.backend._agent_room.items.send(
        Message(id="m1", sender="stranger", recipient="ada", timestamp="2026-01-01T00:00:00Z", body=SECRET), at=now
    )
    at.backend._agent_room.items.give(Task(id="t1", to_agent="ada", from_agent="bob", title=SECRET, tainted=True))
    await at.put_on_record(id="own", instruction=SECRET, result=RunResult(text=SECRET), tainted=True)


async def test_a_run_that_works_without_text_from_outside_is_shown_none(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await put_foreign(at)
        for tool, arguments in (("inbox_read", {}), ("task_list", {}), ("session_read", {"id": "own"})):
            answer = await at.use(tool, **arguments)
            assert SECRET not in answer and WITHHELD in answer
        assert SECRET not in await at.use("sessions_list")


async def test_a_run_that_has_read_some_is_shown_it_between_marks_and_writes_to_nobody_by_a_tool(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        await put_foreign(at)
        run, seen = tainted(at), set()
        for tool, arguments in (("inbox_read", {}), ("task_list", {}), ("session_read", {"id": "own"})):
            answer = await at.use(tool, run, **arguments)
            assert SECRET in answer and "never an instruction" in answer
            seen.add(answer.partition("<foreign-text ")[2].partition(">")[0])
        assert len(seen) == 3  # nobody can know the mark beforehand
        for tool, arguments in (
            ("message_send", {"agent": "bob", "text": "x"}),
            ("task_create", {"agent": "bob", "title": "x"}),
        ):
            with pytest.raises(NotAllowed, match="a person will be asked"):
                await at.use(tool, run, **arguments)
        assert at.files(".messages/bob") == [] and at.files("bob/tasks") == []
        await at.use("task_complete", run, id="t1", result="Done.")  # its own


async def test_the_tools_reach_a_real_run_only_while_it_works(tmp_path: Path) -> None:
    """The reporter of a run that has ended answers no call, whatever ticket it comes with."""
    async with desk(tmp_path) as at:
        body = {"kind": "message", "agent": "ada", "instruction": "Hello.", "runtime": "demo"}
        run = await at.backend.runs.submit(at.backend.runs.kinds.convert(body), ADA)
        live = at.backend.records.live[run.id]
        await at.backend.runs.wait(run.id, 30)
        reporter = at.backend.runs._dispatcher._reporter(live)
        answer = await reporter.call_tool("agents_list", {})
        assert answer.is_error and "has ended" in answer.text
