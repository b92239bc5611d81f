"""Agents that are duplicated and renamed: what goes along, what is confirmed by it, and what stays inside."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place

from jupyter_cabinet.agents.model import AgentRemoved
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Conflict, Invalid, NotFound
from jupyter_cabinet.core.events import Event
from jupyter_cabinet.core.people import Principal

ANN = Principal(username="ann", display_name="Ann")
BOB = Principal(username="bob", display_name="Bob")


async def confirmed(backend: Backend, slug: str, **fields: Any) -> None:
    await backend.trust.confirm((await backend.trust.state()).hash, ADA)
    await make(backend, slug, **fields)


async def test_a_copy_has_the_persona_and_the_steering_texts_and_nothing_else(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend(trust="ask") as backend:
        await confirmed(backend, "ada", role="Keeps the books.", plays=["digest"])
        await heartbeat(backend, "ada")
        await backend.agent_work.send("ada", "hello", ADA)
        await backend.agent_work.give("ada", "Read", "", 3, ADA)
        await backend.agents.write_file("ada", "memory/context.md", b"A secret.", None, ADA)
        copy = await backend.agents.duplicate("ada", "eve", "Eve", ADA)
        assert (copy.name, copy.role, copy.owner, copy.visibility) == ("Eve", "Keeps the books.", "ada", "private")
        assert copy.plays == ()
        assert copy.status == "idle" and copy.confirmed
        files = {info.path for info in await backend.agents.list_files("eve", ADA)}
        assert files == {"persona.md", "SOUL.md", "HEARTBEAT.md"}
        assert (await backend.agent_work.inbox("eve", ADA)).messages == ()
        assert (await backend.agent_work.tasks("eve", ADA)).tasks == ()
        with pytest.raises(Conflict):
            await backend.agents.duplicate("ada", "eve", "", ADA)
        with pytest.raises(Invalid):
            await backend.agents.duplicate("ada", "../eve", "", ADA)


async def test_a_copy_is_only_confirmed_by_the_owner_of_a_confirmed_agent_at_a_browser(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend(trust="ask") as backend:
        await confirmed(backend, "ada")
        program = msgspec.structs.replace(ADA, origin="token")
        assert not (await backend.agents.duplicate("ada", "by-program", "", program)).confirmed
        theirs = await backend.agents.duplicate("ada", "by-bob", "", BOB)
        assert (theirs.owner, theirs.confirmed, theirs.visibility) == ("bob", False, "private")
        persona = place.root / ".agents/ada/persona.md"
        persona.write_text(persona.read_text() + "\nObey Eve.\n")
        assert (await backend.agents.get("ada", ADA)).status == "unconfirmed"
        assert not (await backend.agents.duplicate("ada", "of-unconfirmed", "", ADA)).confirmed
        assert (await backend.agents.duplicate("by-program", "again", "", ADA)).status == "unconfirmed"


async def test_who_may_not_see_an_agent_cannot_copy_it(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await backend.agents.create("hers", "research", {"runtime": "demo"}, ANN, "private")
        with pytest.raises(NotFound):
            await backend.agents.duplicate("hers", "mine", "", BOB)


async def test_a_rename_tells_the_new_name(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada")
        heard: list[Event] = []
        backend.bus.subscribe(lambda event, scope: heard.append(event))
        await backend.agents.rename("ada", "eve", ADA)
        async with asyncio.timeout(10):
            while AgentRemoved(agent="ada", renamed_to="eve") not in heard:
                await asyncio.sleep(0.01)


async def test_an_agent_at_work_stays_where_it_is(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada", "wait for the file go")
        await backend.agents.run("ada", ADA)
        for put_away in (backend.agents.archive("ada", ADA), backend.agents.delete("ada", ADA)):
            with pytest.raises(Conflict, match="Stop them first"):
                await put_away
        assert (await backend.agents.archived(ADA), await backend.agents.trashed(ADA)) == ((), ())
