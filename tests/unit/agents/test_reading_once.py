"""Lists of agents and plays read each file once for each of its changes. Reads are counted, not timed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from harness.plays import ADA, Playhouse

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.storage.filesystem import untrusted_files

BOUND_SECONDS = 20
COUNT = 12


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files below `.agents/` and `.playbooks/` that are opened."""
    found: list[str] = []
    really = untrusted_files.open_file

    def noting(path: Path, **options: Any) -> BinaryIO:
        if {".agents", ".playbooks"} & set(path.parts):
            found.append(str(path))
        return really(path, **options)

    monkeypatch.setattr(untrusted_files, "open_file", noting)
    yield found


@pytest.fixture
def house(tmp_path: Path) -> Playhouse:
    made = Playhouse(tmp_path)
    for number in range(COUNT):
        made.agent(f"agent-{number}", "goals: [{metric: pages, target: 3}]\n")
        made.play(f"play-{number}", agent=f"agent-{number}")
    return made


async def listed(backend: Backend) -> tuple[list[str], list[str]]:
    agents, plays = await backend.agents.find(ADA), await backend.plays.find(ADA)
    await backend.agents.problems()
    await backend.agents.archived(ADA)
    await backend.plays.problems()
    return [each.name for each in agents], [each.title or each.name for each in plays]


async def kept(backend: Backend, opened: list[str]) -> None:
    """Wait until the files were changed so long ago that what was read of them is kept."""
    async with asyncio.timeout(BOUND_SECONDS):
        while True:
            opened.clear()
            await listed(backend)
            if not opened:
                return
            await asyncio.sleep(0.1)


@pytest.mark.slow(reason="a file is read again for two seconds after its change")
async def test_a_list_reads_only_what_has_changed(house: Playhouse, opened: list[str]) -> None:
    async with house.backend(trust="ask") as backend:
        await kept(backend, opened)
        house.agent("agent-3", "emoji: x\n")
        house.play("play-4", "title: Other", agent="agent-4")
        _agents, plays = await listed(backend)
        assert opened and [path for path in opened if "agent-3" not in path and "play-4" not in path] == []
        assert "Other" in plays
        (house.root / ".agents" / "agent-5" / "persona.md").unlink()
        (house.root / ".playbooks" / "plays" / "play-5.md").unlink()
        assert [len(each) for each in await listed(backend)] == [COUNT, COUNT - 1]  # and Bob


@pytest.mark.slow(reason="a file is read again for two seconds after its change")
async def test_whoever_may_act_is_decided_by_the_content(house: Playhouse, opened: list[str]) -> None:
    """A kept agent is confirmed neither for longer nor for another content than a person has confirmed."""
    async with house.backend(trust="ask") as backend:
        await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        await kept(backend, opened)

        async def status() -> str:
            return next(each.status for each in await backend.agents.find(ADA) if each.slug == "agent-3")

        assert await status() == "unconfirmed"
        await backend.agents.confirm("agent-3", (await backend.agents.get("agent-3", ADA)).hash, ADA)
        assert await status() == "idle"
        persona = house.root / ".agents" / "agent-3" / "persona.md"
        persona.write_text(persona.read_text().replace("Be kind", "Be rude"))
        assert await status() == "unconfirmed"
