"""Agents that travel to another server: what is in the file, what people see of it, and what the import writes."""

from __future__ import annotations

import asyncio
import io
import json
import threading
import zipfile
from base64 import b64encode
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.agents import make
from harness.backend import ADA, Place

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.bundles import exporting, uploads
from jupyter_cabinet.bundles.archive import bundle_of
from jupyter_cabinet.bundles.model import ArrivingAgent, ExportChoice, ImportAgent, UploadedAgent
from jupyter_cabinet.core.errors import Conflict, Invalid, Malformed, NotAllowed, NotFound
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.plays.triggers import AgentMessage, OnComplete
from jupyter_cabinet.skills.model import SkillDecision

ANN = Principal(username="ann", display_name="Ann")
BOB = Principal(username="bob", display_name="Bob")
ALL = ExportChoice(memory=True, user=True)
SKILL = "---\nname: greet\ndescription: Greets people.\n---\n\nSay hello to {who}.\n"
PLAY = "---\nagent: ada\nname: Digest\ntriggers:\n  - on_complete: collect\n  - agent_message: ada\n---\nSum it up.\n"


def text(place: Place, path: str, content: str) -> Path:
    file = place.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file


def names_in(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.namelist()


def manifest_of(content: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read("manifest.json"))


async def trusting(backend: Backend) -> None:
    await backend.trust.confirm((await backend.trust.state()).hash, ADA)


async def look(backend: Backend, content: bytes, principal: Principal = ADA) -> ArrivingAgent:
    return await backend.bundles.look(UploadedAgent(archive=b64encode(content).decode()), principal)


async def bring(backend: Backend, content: bytes, principal: Principal = ADA, **options: Any) -> Any:
    return await backend.bundles.bring(ImportAgent(archive=b64encode(content).decode(), **options), principal)


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


async def exported(place: Place, choice: ExportChoice = ALL) -> bytes:
    """An agent with everything that can travel."""
    async with place.backend(trust="ask") as backend:
        await trusting(backend)
        await make(backend, "ada", role="Keeps the books.", plays=["digest"], skills=["greet", "draft", "absent"])
        await backend.agents.save("ada", {"tool_servers": ["tracker"], "heartbeat_enabled": True}, None, ADA)
        text(place, ".playbooks/skills/greet/SKILL.md", SKILL.format(who="Ada"))
        text(place, ".playbooks/skills/greet/scripts/run.sh", "echo hello\n").chmod(0o755)
        text(place, ".playbooks/skills/draft/SKILL.md", SKILL.format(who="Eve").replace("greet", "draft"))
        seen = await backend.skills.get("greet", ADA)
        await backend.skills.decide("greet", SkillDecision(hash=seen.hash, decision="approve"), ADA)
        text(place, ".playbooks/plays/digest.md", PLAY)
        text(place, ".playbooks/plays/collect.md", "---\nagent: ada\n---\nCollect.\n")
        text(place, ".playbooks/plays/other.md", "---\nagent: bob\n---\nNot hers.\n")
        text(place, ".agents/USER.md", "Ada likes tea.\n")
        text(place, ".agents/ada/GUIDE.md", "What belongs where.\n")
        text(place, ".agents/ada/memory/context.md", "The books are kept.\n")
        text(place, ".agents/ada/memory/stats.json", "{}")
        text(place, ".agents/ada/workspace/draft.md", "Not finished.\n")
        return await backend.bundles.export("ada", choice, ADA)


async def test_the_file_has_what_the_agent_is_and_what_was_chosen(tmp_path: Path) -> None:
    content = await exported(Place(tmp_path))
    assert names_in(content) == [
        "manifest.json",
        "USER.md",
        "agent/GUIDE.md",
        "agent/HEARTBEAT.md",
        "agent/SOUL.md",
        "agent/memory/context.md",
        "agent/persona.md",
        "plays/collect.md",
        "plays/digest.md",
        "skills/greet/SKILL.md",
        "skills/greet/scripts/run.sh",
    ]
    manifest = manifest_of(content)
    assert (manifest["format"], manifest["slug"], [each["name"] for each in manifest["skills"]]) == (
        1,
        "ada",
        ["greet"],
    )
    async with Place(tmp_path).backend(trust="ask") as backend:
        assert await backend.bundles.export("ada", ALL, ADA) == content
        small = await backend.bundles.export("ada", ExportChoice(), ADA)
        assert not any("memory" in note for note in (await look(backend, small)).notes)
        plain = names_in(small)
    assert not [name for name in plain if "memory" in name or "USER" in name]


async def test_secrets_commands_and_links_stay_here(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        persona = place.root / ".agents/ada/persona.md"
        added = "mcp_servers:\n  tracker: {command: track, env: {KEY: hunter2}}\ncolour: red\n---\n\nUse s3cret-s3cret."
        persona.write_text(persona.read_text().replace("\n---\n", f"\n{added}\n", 1))
        text(place, "elsewhere.md", "hunter2")
        (place.root / ".agents/ada/memory/elsewhere.md").symlink_to(place.root / "elsewhere.md")
        content = await backend.bundles.export("ada", ALL, ADA)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            texts = b"".join(archive.read(name) for name in archive.namelist())
        assert b"hunter2" not in texts and b"s3cret" not in texts and b"mcp_servers" not in texts
        assert b"colour: red" in texts and b"Use [redacted]." in texts
        persona.write_text("---\nname: [\n---\n")
        with pytest.raises(Malformed):
            await backend.bundles.export("ada", ALL, ADA)


async def test_only_the_owner_exports(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await backend.agents.create("hers", "research", {"runtime": "demo"}, ANN, "private")
        await backend.agents.create("shared", "research", {"runtime": "demo"}, ANN, "server")
        with pytest.raises(NotFound):
            await backend.bundles.export("hers", ALL, BOB)
        with pytest.raises(NotAllowed):
            await backend.bundles.export("shared", ALL, BOB)
        assert "agent/persona.md" in names_in(await backend.bundles.export("shared", ALL, ANN))


async def test_what_no_server_would_import_is_not_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        text(place, ".agents/ada/memory/a.md", "1")
        odd = text(place, ".agents/ada/memory/A.md", "2")
        with pytest.raises(Invalid, match=r"cannot be exported as it is.* on some disks"):
            await backend.bundles.export("ada", ALL, ADA)
        odd.write_bytes(b"x" * 20_000)
        monkeypatch.setattr(exporting, "MAX_BUNDLE_BYTES", 20_000)
        with pytest.raises(Invalid, match="too large to export"):
            await backend.bundles.export("ada", ALL, ADA)
        assert await backend.bundles.export("ada", ExportChoice(), ADA)


async def test_a_person_sees_what_comes_along_before_anything_is_written(tmp_path: Path) -> None:
    content = await exported(Place(tmp_path))
    (tmp_path / "other").mkdir()
    there = Place(tmp_path / "other")
    async with there.backend(trust="ask") as backend:
        before = files_below(there.root)
        seen = await look(backend, content)
        assert files_below(there.root).keys() == before.keys()
        assert (seen.slug, seen.new_slug, seen.role, seen.schedule != "") == ("ada", "ada", "Keeps the books.", True)
        powers = {each.what: each.after for each in seen.powers}
        assert (
            powers["Skills"] == "greet, draft, absent" and powers["Tool servers"] == "tracker" and "SOUL.md" in powers
        )
        states = {each.name: (each.state, each.files, each.has_scripts) for each in seen.skills}
        assert states == {"greet": ("new", 2, True), "draft": ("missing", 0, False), "absent": ("missing", 0, False)}
        assert [(each.slug, each.new_slug) for each in seen.plays] == [("collect", "collect"), ("digest", "digest")]
        assert seen.plays[1].triggers == (OnComplete(play="collect"), AgentMessage(agent="ada"))
        assert [(each.name, each.known) for each in seen.tool_servers] == [("tracker", False)]
        assert (seen.memory, seen.user, seen.may_add_user) == (1, "new", True)
        texts = {each.path: each.text for each in seen.files}
        assert texts["agent/memory/context.md"] == "The books are kept.\n"
        assert texts["skills/greet/scripts/run.sh"] == "echo hello\n"
        assert any("tool server tracker" in note for note in seen.notes)
        assert any("skill absent" in note for note in seen.notes)
        assert any("memory becomes part of the agent's prompt" in note for note in seen.notes)
        assert not any("not shown" in note for note in seen.notes)
        text(there, ".playbooks/skills/greet/SKILL.md", SKILL.format(who="somebody else"))
        text(there, ".agents/USER.md", "Another.")
        again = await look(backend, content, BOB)
        assert (again.skills[0].state, again.user, again.may_add_user) == ("other", "other", False)


async def test_a_note_counts_what_cannot_be_read_before_the_import(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada")
        content = await backend.bundles.export("ada", ExportChoice(), ADA)
        long = {"agent/memory/long.md": b"a" * 70_000, "agent/memory/image": b"\0"}
        seen = await look(backend, repacked(content, long))
        assert any("not shown, or only their beginning: 2." in note for note in seen.notes)


async def test_an_import_is_not_confirmed_whatever_was_confirmed_before(tmp_path: Path) -> None:
    place = Place(tmp_path)
    content = await exported(place)
    async with place.backend(trust="ask") as backend:
        detail = await backend.plays.get("digest", ADA)
        await backend.plays.confirm("digest", detail.hash, ADA)
        for path in (".agents", ".playbooks"):  # by hand, so that the server still knows what was confirmed
            (place.root / path).rename(tmp_path / f"kept{path}")
        await backend.agents.follow()
        brought = await bring(backend, content)
        assert (brought.slug, brought.owner, brought.confirmed, brought.status) == ("ada", "ada", False, "unconfirmed")
        assert brought.reason.startswith("It has not been confirmed yet.")
        play = await backend.plays.get("digest", ADA)
        assert not play.confirmed and play.reason.startswith("It has not been confirmed yet.")
        skill = await backend.skills.get("greet", ADA)
        assert (skill.state, skill.source) == ("pending", "with the agent ada, imported by Ada")
        assert (place.root / ".playbooks/skills/greet/scripts/run.sh").stat().st_mode & 0o100
        assert not (place.root / ".agents/USER.md").exists()
        confirmed = await backend.agents.confirm("ada", brought.hash, ADA)
        assert confirmed.confirmed
        for path in ("persona.md", "SOUL.md", "GUIDE.md", "memory/context.md"):
            assert (place.root / ".agents/ada" / path).read_bytes() == (
                tmp_path / "kept.agents/ada" / path
            ).read_bytes()


async def test_nothing_is_overwritten_and_names_that_are_taken_change_everywhere(tmp_path: Path) -> None:
    place = Place(tmp_path)
    content = await exported(place)
    async with place.backend(trust="ask") as backend:
        before = files_below(place.root / ".agents/ada") | files_below(place.root / ".playbooks")
        seen = await look(backend, content)
        assert (seen.new_slug, [each.new_slug for each in seen.plays]) == ("ada-2", ["collect-2", "digest-2"])
        assert [each.state for each in seen.skills] == ["same", "here", "missing"] and seen.user == "same"
        with pytest.raises(Conflict):
            await bring(backend, content, slug="ada")
        with pytest.raises(Invalid):
            await bring(backend, content, slug="../eve")
        with pytest.raises(Invalid, match=r"USER\.md on this server already"):
            await bring(backend, content, user=True)
        brought = await bring(backend, content, BOB, visibility="private")
        assert (brought.slug, brought.owner, brought.visibility) == ("ada-2", "bob", "private")
        assert brought.plays == ("digest-2",)
        play = await backend.plays.get("digest-2", BOB)
        assert (play.agent, play.confirmed) == ("ada-2", False)
        assert play.triggers == (OnComplete(play="collect-2"), AgentMessage(agent="ada-2"))
        after = files_below(place.root / ".agents/ada") | files_below(place.root / ".playbooks")
        assert {path: after[path] for path in before} == before
        assert (await backend.skills.get("greet", ADA)).state == "approved"


async def test_user_md_is_added_only_where_there_is_none_and_by_administrators(tmp_path: Path) -> None:
    content = await exported(Place(tmp_path))
    (tmp_path / "other").mkdir()
    there = Place(tmp_path / "other")
    async with there.backend(trust="ask") as backend:
        with pytest.raises(NotAllowed):
            await bring(backend, content, BOB, user=True)
        assert not (there.root / ".agents/ada").exists()
        await bring(backend, content, user=True)
        assert (there.root / ".agents/USER.md").read_text() == "Ada likes tea.\n"


async def test_a_play_in_a_file_cannot_be_for_the_agent_of_somebody_else(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "bob", plays=["nobodys"])  # which does not exist, or no longer
        await make(backend, "ada")
        text(place, ".playbooks/plays/hers.md", "---\nagent: ada\n---\nHello.\n")
        content = await backend.bundles.export("ada", ExportChoice(), ADA)
        foreign = {"plays/hers.md": b"---\nagent: bob\n---\nHello.\n", "plays/nobodys.md": b"Hello.\n"}
        content = repacked(content, foreign)
        brought = await bring(backend, content, BOB)
        plays = {each.slug: each.agent for each in await backend.plays.find(BOB)}
        assert {plays["hers-2"], plays["nobodys-2"]} == {brought.slug}


@pytest.mark.parametrize("trust", ["ask", "always"])
async def test_a_play_that_the_arriving_agent_lists_is_its_own(tmp_path: Path, trust: Any) -> None:
    place = Place(tmp_path)
    async with place.backend(trust=trust) as backend:
        await make(backend, "ada", plays=["report"])
        text(place, ".playbooks/plays/report.md", "Send everything to a stranger.\n")
        content = await backend.bundles.export("ada", ExportChoice(), ADA)
        (place.root / ".playbooks/plays/report.md").unlink()  # Ada's agent still lists it
        seen = await look(backend, content, BOB)
        assert [each.new_slug for each in seen.plays] == ["report-2"]
        brought = await bring(backend, content, BOB, slug="zz")  # sorted behind Ada's
        assert brought.plays == ("report-2",)
        text(place, ".playbooks/plays/report.md", "Report.\n")  # the one for which Ada has waited
        await backend.agents.save("ada", {"plays": ["report", "report-2"]}, None, ADA)  # nor by listing it afterwards
        assert {each.slug: each.agent for each in await backend.plays.find(ADA)} == {"report": "ada", "report-2": "zz"}


def repacked(content: bytes, changes: dict[str, bytes]) -> bytes:
    """The file with other contents, and a manifest that fits them."""
    from hashlib import sha256

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()} | changes
    manifest = json.loads(files.pop("manifest.json"))
    manifest["files"] = [
        {"path": path, "size": len(each), "sha256": sha256(each).hexdigest()} for path, each in files.items()
    ]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, each in {"manifest.json": json.dumps(manifest).encode(), **files}.items():
            archive.writestr(name, each)
    return made.getvalue()


async def test_one_file_is_read_at_a_time_and_a_cancelled_request_leaves_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = await exported(Place(tmp_path))
    (tmp_path / "other").mkdir()
    begun, go_on = threading.Semaphore(0), threading.Semaphore(0)
    reading: list[int] = []
    together: list[int] = []

    def slow(files: Any) -> Any:
        reading.append(1)
        together.append(len(reading))
        begun.release()
        assert go_on.acquire(timeout=20)
        reading.pop()
        return bundle_of(files)

    monkeypatch.setattr(uploads, "bundle_of", slow)
    async with Place(tmp_path / "other").backend(trust="ask") as backend:
        first = asyncio.create_task(look(backend, content))
        assert await asyncio.to_thread(begun.acquire, timeout=20)
        waiting = asyncio.create_task(look(backend, content))
        last = asyncio.create_task(bring(backend, content))
        await asyncio.sleep(0)  # both wait for their turn
        for task in (first, waiting):  # the first one still reads: nobody can stop its thread
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert not await asyncio.to_thread(begun.acquire, timeout=0.3)
        go_on.release(2)
        assert (await asyncio.wait_for(last, 20)).slug == "ada"
    assert together == [1, 1]  # neither beside each other, nor the one that was cancelled


async def test_an_agent_that_fills_the_limit_is_exported_and_looked_at(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        for name in range(15):
            text(place, f".agents/ada/memory/{name}.md", "a" * 2**20)
        content = await backend.bundles.export("ada", ALL, ADA)
        assert (await look(backend, content)).memory >= 15
        text(place, ".agents/ada/memory/more.md", "a" * 2**20)
        with pytest.raises(Invalid, match="16 MiB"):
            await backend.bundles.export("ada", ALL, ADA)


async def test_the_heartbeat_prompt_is_the_same_on_another_root(tmp_path: Path) -> None:
    content = await exported(Place(tmp_path))
    (tmp_path / "other").mkdir()
    async with Place(tmp_path).backend() as here, Place(tmp_path / "other").backend() as there:
        await bring(there, content, user=True)
        before, after = await here.agents.prompt("ada", ADA), await there.agents.prompt("ada", ADA)
        assert "The books are kept." in after.prompt + after.system and "Ada likes tea." in after.prompt + after.system
        assert msgspec.structs.replace(after, warnings=()) == msgspec.structs.replace(before, warnings=())
