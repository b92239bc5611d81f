"""Folders of `.agents/` that people bring, with much in them and under other names, work from the first run on."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from harness.agents import heartbeat, make, reports
from harness.backend import ADA, Place

from jupyter_cabinet.agents.correspondence.mailbox import MAX_LISTED
from jupyter_cabinet.agents.correspondence.task_listing import MAX_FINISHED, TaskListing
from jupyter_cabinet.agents.directives.effects.agent_data import AgentData
from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.agents.files.safe_files import MAX_FILE_BYTES


class Reads(AgentData):
    """Notes which files are read."""

    def __init__(self, **where: Any) -> None:
        super().__init__(**where)
        self.read_files: list[str] = []

    def read_object(self, place: str) -> dict[str, Any] | None:
        self.read_files.append(place)
        return super().read_object(place)


async def test_a_memory_that_is_too_large_is_told_and_archived_with_the_first_entry(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada", "answer: CONTEXT_UPDATE: the new one")
        memory = place.root / ".agents/ada/memory"
        memory.mkdir(exist_ok=True)
        old = [f"## 2025-01-03T10:00:00.{number % 1000:03}Z\nentry {number} {'x' * 1000}\n\n" for number in range(5000)]
        (memory / "context.md").write_text("".join(old))

        first = await heartbeat(backend, "ada")
        assert first.state == "succeeded"
        assert [each for each in first.warnings if "memory/context.md is larger than 4 MiB" in each]
        _, prompt = await backend.runs.files.prompt(first.id, ADA)
        assert "entry 4999 " in prompt and "This is your first heartbeat" not in prompt
        own, other = await reports(backend, first)  # the demo agent adds an entry besides the requested one
        assert own.state == other.state == "applied" and "moved to memory/archive/" in own.reason and not other.reason

        files = [file.path for file in await backend.agents.list_files("ada", ADA) if "memory/" in file.path]
        shown = {path: (await backend.agents.read_file("ada", path, ADA)).content.decode() for path in files}
        archived = [shown.pop(f"memory/archive/context-2025-01{part}.md") for part in ("", "-2")]
        assert max(map(len, archived)) <= MAX_FILE_BYTES
        text = "".join([*archived, shown["memory/context.md"]])
        assert re.findall(r"^entry (\d+) x", text, re.MULTILINE) == [str(number) for number in range(5000)]

        second = await heartbeat(backend, "ada")
        assert not [each for each in second.warnings if "context.md" in each]
        assert [(each.state, each.reason) for each in await reports(backend, second)] == [("applied", "")] * 2
        _, prompt = await backend.runs.files.prompt(second.id, ADA)
        assert "the new one" in prompt and "entry 4999 " in prompt


def put_task(folder: Path, id: str, status: str, **fields: object) -> Path:
    """A task as other installations write it."""
    folder.mkdir(parents=True, exist_ok=True)
    task = {
        "id": id,
        "fromAgent": "ben",
        "fromEmoji": "🤖",
        "toAgent": "ada",
        "channel": "general",
        "title": f"Do {id}",
    }
    times = {"createdAt": "2025-01-01T08:00:00.000Z", "updatedAt": "2025-01-02T08:00:00.000Z"}
    rest = {"description": "", "kbRefs": [], "status": status, "priority": 3, **times, **fields}
    (folder / f"{id}.json").write_text(json.dumps(task | rest))
    return folder / f"{id}.json"


async def test_open_tasks_are_listed_beside_any_number_of_finished_ones(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        folder = place.root / ".agents/ada/tasks"
        for number in range(MAX_FINISHED + 20):
            ended = f"2025-01-{1 + number // 60:02}T08:{number % 60:02}:00.000Z"
            put_task(folder, f"x{1000 - number}", "completed", completedAt=ended)
        opened = put_task(folder, "0-open", "pending")
        put_task(folder, "y", "in_progress", priority=1)
        (folder / "z.json").write_text("{")

        listed = await backend.agent_work.tasks("ada", ADA)
        assert [task.id for task in listed.tasks[:2]] == ["y", "0-open"]
        assert {task.id for task in listed.tasks[2:]} == {f"x{1000 - n}" for n in range(20, MAX_FINISHED + 20)}
        assert listed.left_out == 20 and len(listed.problems) == 1
        assert await backend.agent_work.tasks("ada", ADA) == listed

        _, prompt = await backend.runs.files.prompt((await heartbeat(backend, "ada")).id, ADA)
        assert prompt.count("### Task ") == 2 and "### Task 0-open: Do 0-open" in prompt
        assert json.loads(opened.read_text())["status"] == "completed"  # by the demo agent
        after = await backend.agent_work.tasks("ada", ADA)
        assert len(after.tasks) == MAX_FINISHED and after.left_out == 22
        assert {"0-open", "y"} < {task.id for task in after.tasks}


async def test_a_finished_task_that_somebody_reopens_is_open_at_once(tmp_path: Path) -> None:
    places = Reads(root=tmp_path, folders=AgentFolders(tmp_path, tmp_path / ".cabinet"))
    listing, folder = TaskListing(places), tmp_path / ".agents/ada/tasks"
    for number in range(10):
        put_task(folder, f"t{number}", "completed", completedAt=f"2025-01-01T08:00:0{number}Z")
    assert [task.id for task in listing.of("ada", finished=2).tasks] == ["t8", "t9"]
    places.read_files.clear()
    assert listing.of("ada", finished=2).left_out == 8
    assert [Path(file).stem for file in places.read_files] == ["t8", "t9"]

    before = (folder / "t3.json").stat()
    with (folder / "t3.json").open("r+") as file:  # as large as before, and with the same time
        text = file.read()
        file.seek(0)
        file.write(text.replace('"completed"', '"pending"  '))
    os.utime(folder / "t3.json", ns=(before.st_atime_ns, before.st_mtime_ns))
    (folder / "t5.json").unlink()
    listed = listing.of("ada", finished=2)
    assert [task.id for task in listed.tasks] == ["t3", "t8", "t9"] and listed.left_out == 6


async def test_the_tasks_of_a_renamed_agent_are_completed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        put_task(place.root / ".agents/ada/tasks", "by-directive", "pending")
        await backend.agents.rename("ada", "countess", ADA)
        await heartbeat(backend, "countess")  # the demo agent completes the tasks in its prompt
        put_task(place.root / ".agents/countess/tasks", "by-hand", "pending")
        await backend.agent_work.move("countess", "by-hand", "completed", None, ADA)
        tasks = (await backend.agent_work.tasks("countess", ADA)).tasks
        assert [(task.id, task.status, task.to_agent) for task in tasks] == [
            ("by-directive", "completed", "countess"),
            ("by-hand", "completed", "countess"),
        ]


def put_message(root: Path, name: str, body: str) -> None:
    """A message as other installations write it: no id, and little in front."""
    inbox = root / ".agents/.messages/ada"
    inbox.mkdir(parents=True, exist_ok=True)
    time, _, sender = name.removesuffix(".md").partition("_from_")
    (inbox / name).write_text(f"---\nfrom: {sender}\nto: ada\ntimestamp: {time}\n---\n\n{body}\n")


async def test_messages_of_a_sender_with_an_underscore_in_its_name_are_delivered(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        for number in (1, 2):
            put_message(place.root, f"2026-01-0{number}T08-00-00-000Z_from_data_team.md", f"the export {number}")
        inbox = await backend.agent_work.inbox("ada", ADA)
        assert [(each.sender, each.body) for each in inbox.messages] == [
            ("data_team", "the export 2"),
            ("data_team", "the export 1"),
        ]
        assert inbox.problems == ()
        _, prompt = await backend.runs.files.prompt((await heartbeat(backend, "ada")).id, ADA)
        assert "the export 1" in prompt and "the export 2" in prompt
        after = await backend.agent_work.inbox("ada", ADA)
        assert after.messages == () and [each.body for each in after.read] == ["the export 2", "the export 1"]


async def test_a_full_inbox_is_read_in_pages_and_the_prompt_says_how_many_wait(tmp_path: Path) -> None:
    place, count = Place(tmp_path), MAX_LISTED + 700
    async with place.backend() as backend:
        await make(backend, "ada")
        for number in range(count):
            name = f"2026-01-01T{number // 60:02}-{number % 60:02}-00-000Z_from_ben.md"
            put_message(place.root, name, f"message {number}")
        broken = place.root / ".agents/.messages/ada/2026-01-01T00-05-00-000Z_from_ben.md"
        broken.write_text("---\nfrom: [\n---\n")

        first = await backend.agent_work.inbox("ada", ADA)
        assert (len(first.messages), first.more) == (MAX_LISTED, 700)
        bodies, cursor = [each.body for each in first.messages], first.next
        problems: list[str] = []
        while cursor is not None:
            put_message(place.root, f"2026-01-02T{len(problems):02}-{len(bodies) % 60:02}-00-000Z_from_ben.md", "new")
            page = await backend.agent_work.inbox("ada", ADA, limit=299, cursor=cursor)
            assert page.read == () and len(page.messages) + len(page.problems) <= 299
            bodies += [each.body for each in page.messages]
            problems += page.problems
            cursor = page.next
        assert bodies == [f"message {number}" for number in reversed(range(count)) if number != 5]
        assert len(problems) == 1 and broken.name in problems[0]

        waiting = len(list(broken.parent.glob("*.md")))
        _, prompt = await backend.runs.files.prompt((await heartbeat(backend, "ada")).id, ADA)
        found = re.search(r"\((\d+) more messages found no room\.\)", prompt)
        left = len(list(broken.parent.glob("*.md")))
        assert found and int(found[1]) == left > 700 and prompt.count("### Message ") == waiting - left
