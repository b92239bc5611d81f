"""Agents and plays that another program writes are announced, listed and scheduled within two seconds."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from harness.plays import ADA, Playhouse

from jupyter_cabinet.agents.model import AgentChanged, AgentRemoved
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.events import Event, Scope
from jupyter_cabinet.plays.model import PlayChanged, PlayRemoved

NOTICED_SECONDS = 2.0
PERSONA = "---\nname: Cyd\nruntime: demo\nheartbeat: 0 8 * * *\n---\nBe kind.\n"
PLAY = "---\nname: Sweep\nagent: cyd\nschedule: {type: daily, at: 09:00}\n---\nSweep.\n"


class Announcements:
    """Events of agents and plays, as they are published."""

    def __init__(self, backend: Backend) -> None:
        self.found: list[tuple[str, str]] = []
        self._news = asyncio.Event()
        backend.bus.subscribe(self._hear)

    def _hear(self, event: Event, scope: Scope) -> None:
        if isinstance(event, AgentChanged | AgentRemoved):
            self.found.append((type(event).__name__, event.agent))
        elif isinstance(event, PlayChanged | PlayRemoved):
            self.found.append((type(event).__name__, event.play))
        self._news.set()

    async def come(self, *wanted: tuple[str, str]) -> None:
        """Wait until all of them have come since the last call, at most as long as is promised."""
        async with asyncio.timeout(NOTICED_SECONDS):
            while not set(wanted) <= set(self.found):
                self._news.clear()
                await self._news.wait()
        self.found.clear()


@asynccontextmanager
async def watched(house: Playhouse) -> AsyncIterator[tuple[Backend, Announcements]]:
    async with house.backend() as backend:
        yield backend, Announcements(backend)


@pytest.fixture
def house(tmp_path: Path) -> Playhouse:
    return Playhouse(tmp_path)


def write(house: Playhouse, path: str, text: str) -> Path:
    file = house.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


async def test_a_new_agent_and_a_new_play_are_announced_and_scheduled(house: Playhouse) -> None:
    shutil.rmtree(house.root / ".agents")  # neither folder is there at first
    async with watched(house) as (backend, events):
        write(house, ".agents/cyd/persona.md", PERSONA)
        await events.come(("AgentChanged", "cyd"))
        assert backend.agents.next_heartbeat("cyd") is not None
        write(house, ".playbooks/plays/sweep.md", PLAY)
        await events.come(("PlayChanged", "sweep"))
        (play,) = await backend.plays.find(ADA)
        assert play.next_due is not None and play.agent == "cyd"


def edited(house: Playhouse) -> None:
    write(house, ".agents/cyd/persona.md", PERSONA.replace("Be kind", "Be bold"))


def steered(house: Playhouse) -> None:
    write(house, ".agents/cyd/HEARTBEAT.md", "Read the notes.")


def replaced(house: Playhouse) -> None:
    write(house, ".agents/cyd/.persona.md.swp", PERSONA.replace("0 8", "0 7")).replace(
        house.root / ".agents/cyd/persona.md"
    )


def folder_swapped(house: Playhouse) -> None:
    """As `git checkout` of another branch does."""
    shutil.rmtree(house.root / ".agents")
    write(house, ".agents/cyd/persona.md", PERSONA.replace("0 8", "0 6"))


@pytest.mark.parametrize("change", [edited, steered, replaced, folder_swapped])
async def test_every_change_by_hand_is_announced(house: Playhouse, change: Callable[[Playhouse], None]) -> None:
    write(house, ".agents/cyd/persona.md", PERSONA)
    async with watched(house) as (_backend, events):
        change(house)
        await events.come(("AgentChanged", "cyd"))
        write(house, ".agents/cyd/persona.md", PERSONA.replace("Be kind", "Be quick"))  # what is there now is watched
        await events.come(("AgentChanged", "cyd"))


async def test_what_is_removed_by_hand_is_announced_and_no_longer_scheduled(house: Playhouse) -> None:
    write(house, ".agents/cyd/persona.md", PERSONA)
    write(house, ".playbooks/plays/sweep.md", PLAY)
    async with watched(house) as (backend, events):
        assert {each.slug for each in await backend.agents.find(ADA) if each.next_heartbeat} == {"cyd"}
        (house.root / ".playbooks/plays/sweep.md").unlink()
        shutil.rmtree(house.root / ".agents/cyd")
        await events.come(("AgentRemoved", "cyd"), ("PlayRemoved", "sweep"))
        assert backend.agents.next_heartbeat("cyd") is None


async def test_an_agent_is_scheduled_in_the_first_list_that_has_it(house: Playhouse) -> None:
    async with watched(house) as (backend, _events):
        write(house, ".agents/cyd/persona.md", PERSONA)
        cyd = next(each for each in await backend.agents.find(ADA) if each.slug == "cyd")
        assert cyd.next_heartbeat is not None


async def test_what_the_server_itself_saves_is_not_announced_as_a_change_by_hand(house: Playhouse) -> None:
    async with watched(house) as (backend, events):
        await backend.agents.create("dan", "research", {"runtime": "demo"}, ADA, "server")
        await backend.agents.save("dan", {"role": "Reads"}, None, ADA)
        await backend.plays.create("greet", {"agent": "dan"}, "Greet.", ADA)
        saved = list(events.found)
        write(house, ".agents/cyd/persona.md", PERSONA)
        await events.come(("AgentChanged", "cyd"))  # by now the others would have been announced too
        assert sum(slug == "dan" for _kind, slug in saved) == 3
        assert sum(slug == "greet" for _kind, slug in saved) == 1


async def test_a_link_in_place_of_a_folder_is_not_followed(house: Playhouse) -> None:
    elsewhere = house.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "persona.md").write_text(PERSONA)
    async with watched(house) as (backend, events):
        (house.root / ".agents" / "eve").symlink_to(elsewhere)
        write(house, ".agents/cyd/persona.md", PERSONA)
        await events.come(("AgentChanged", "cyd"))
        assert backend.agents.next_heartbeat("eve") is None
