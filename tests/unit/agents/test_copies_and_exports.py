"""Agents that are duplicated, exported and renamed: what goes along, what is confirmed by it, and what stays inside."""

from __future__ import annotations

import asyncio
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place

from jupyter_cabinet.agents.files import export
from jupyter_cabinet.agents.model import AgentRemoved
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Conflict, Invalid, NotAllowed, NotFound
from jupyter_cabinet.core.events import Event
from jupyter_cabinet.core.people import Principal

ANN = Principal(username="ann", display_name="Ann")
BOB = Principal(username="bob", display_name="Bob")


async def confirmed(backend: Backend, slug: str, **fields: Any) -> None:
    await backend.trust.confirm((await backend.trust.state()).hash, ADA)
    await make(backend, slug, **fields)


def names_in(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sorted(archive.namelist())


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


async def test_who_may_not_see_an_agent_cannot_copy_it_and_who_does_not_own_it_cannot_export_it(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await backend.agents.create("hers", "research", {"runtime": "demo"}, ANN, "private")
        await backend.agents.create("shared", "research", {"runtime": "demo"}, ANN, "server")
        with pytest.raises(NotFound):
            await backend.agents.duplicate("hers", "mine", "", BOB)
        with pytest.raises(NotFound):
            await backend.agents.export("hers", BOB)
        with pytest.raises(NotAllowed):
            await backend.agents.export("shared", BOB)
        assert "shared/persona.md" in names_in(await backend.agents.export("shared", ANN))


async def test_an_export_has_the_files_of_the_folder_and_follows_no_link(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        await backend.agent_work.send("ada", "hello", ADA)
        folder = place.root / ".agents/ada"
        secrets = tmp_path / "secrets"
        secrets.mkdir()
        (secrets / "token").write_text("hunter2")
        (folder / "workspace/token").symlink_to(secrets / "token")
        (folder / "workspace/folder").symlink_to(secrets)
        os.mkfifo(folder / "workspace/pipe")
        (folder / "workspace/notes.md").write_text("notes")
        content = await backend.agents.export("ada", ADA)
        assert {"ada/HEARTBEAT.md", "ada/persona.md", "ada/workspace/notes.md"} <= set(names_in(content))
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert archive.read("ada/persona.md") == (folder / "persona.md").read_bytes()
            assert not any(b"hunter2" in archive.read(name) for name in archive.namelist())
        assert not [name for name in names_in(content) if "token" in name or "folder" in name or "pipe" in name]


async def test_an_export_that_would_be_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        monkeypatch.setattr(export, "MAX_EXPORT_BYTES", 20_000)
        assert names_in(await backend.agents.export("ada", ADA))
        (place.root / ".agents/ada/workspace/data.bin").write_bytes(b"x" * 20_001)
        with pytest.raises(Invalid, match="too large to export"):
            await backend.agents.export("ada", ADA)


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
