"""Folders of `.agents/` that people bring, with much in them and under other names, work from the first run on."""

from __future__ import annotations

import re
from pathlib import Path

from harness.agents import heartbeat, make, reports
from harness.backend import ADA, Place

from jupyter_cabinet.agents.agent_files import MAX_FILE_BYTES


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
        _, prompt = await backend.runs.prompt(first.id, ADA)
        assert "entry 4999 " in prompt and "This is your first heartbeat" not in prompt
        own, other = await reports(backend, first)  # the demo agent remembers a sentence beside what it is told to
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
        _, prompt = await backend.runs.prompt(second.id, ADA)
        assert "the new one" in prompt and "entry 4999 " in prompt
