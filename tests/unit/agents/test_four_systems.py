"""Folders of agents as four other systems write them: read, shown, run, and written back without a loss."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from harness.agents import heartbeat, reports
from harness.backend import ADA, Place
from harness.brought import ANSWERS, SYSTEMS, bring, content_of, follow_guide
from harness.examples import cases
from harness.plays import settled

from jupyter_cabinet.agents.files import front_matter
from jupyter_cabinet.agents.model import AgentDetail
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Conflict
from jupyter_cabinet.testing.manual_clock import ManualClock

every_system = pytest.mark.parametrize("system", cases(*SYSTEMS, quick=2))


async def confirm(backend: Backend, slug: str) -> AgentDetail:
    """With the demo agent, as a person does it who has looked."""
    saved = await backend.agents.save(slug, {"runtime": "demo", "model": None}, None, ADA)
    return saved if saved.confirmed else await backend.agents.confirm(slug, saved.hash, ADA)


async def answering(backend: Backend, slug: str, answers: tuple[str, ...]) -> None:
    """Let the demo agent answer with these directives in the agent's heartbeats."""
    files = {file.path for file in await backend.agents.list_files(slug, ADA)}
    before = await backend.agents.read_file(slug, "HEARTBEAT.md", ADA) if "HEARTBEAT.md" in files else None
    text = (before.content if before else b"") + "".join(f"\nanswer: {each}" for each in answers).encode()
    await backend.agents.write_file(slug, "HEARTBEAT.md", text, before.etag if before else None, ADA)


@every_system
async def test_everything_is_read_or_named_and_reading_writes_nothing(tmp_path: Path, system: str) -> None:
    place = Place(tmp_path)
    brought = bring(system, place.root)
    async with place.backend(trust="ask") as backend:
        before = content_of(place.root)
        assert tuple(each.slug for each in await backend.agents.find(ADA)) == brought.agents
        assert await backend.agents.problems() == brought.problems
        follow_guide(brought, place.root)
        moved = content_of(place.root)
        details = [await backend.agents.get(each.slug, ADA) for each in await backend.agents.find(ADA)]
        assert tuple(sorted(each.slug for each in details)) == brought.all
        for each in details:
            assert (each.status, each.errors, each.confirmed) == ("unconfirmed", (), False), each.slug
        plays = [await backend.plays.get(each.slug, ADA) for each in await backend.plays.find(ADA)]
        assert tuple(sorted(each.slug for each in plays)) == brought.plays
        assert [(each.errors, each.broken, each.confirmed) for each in plays] == [((), False, False)] * len(plays)
        assert content_of(place.root) == moved and sorted(moved.values()) == sorted(before.values())


@every_system
async def test_everything_is_shown_and_told_in_the_prompt(tmp_path: Path, system: str) -> None:
    place = Place(tmp_path)
    brought = bring(system, place.root)
    follow_guide(brought, place.root)
    async with place.backend(trust="ask") as backend:
        for slug in brought.all:
            seen = await backend.agents.get(slug, ADA)
            await backend.agents.confirm(slug, seen.hash, ADA)
            assembled = await backend.agents.prompt(slug, ADA)
            prompt = assembled.system + assembled.prompt
            assert [text for text in brought.told[slug] if text not in prompt] == []
            listed = [file.path for file in await backend.agents.list_files(slug, ADA)]
            shown = [(await backend.agents.read_file(slug, path, ADA)).content for path in listed]
            there = content_of(place.root).items()
            own = [content for name, content in there if place_after(name).startswith(f".agents/{slug}/")]
            assert sorted(shown) == sorted(own)


@pytest.mark.parametrize("system", cases(*SYSTEMS))
async def test_everything_runs_and_what_is_not_changed_stays_byte_by_byte(tmp_path: Path, system: str) -> None:
    place = Place(tmp_path)
    brought = bring(system, place.root)
    follow_guide(brought, place.root)
    original = content_of(place.root)
    async with place.backend(trust="ask") as backend:
        await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        for slug in brought.all:
            await confirm(backend, slug)
        for slug in brought.all:
            await answering(backend, slug, (*ANSWERS, *brought.answers.get(slug, ())))
            run = await heartbeat(backend, slug)
            assert run.state == "succeeded", (slug, run.reason)
            assert {each.state for each in await reports(backend, run)} == {"applied"}
            memory = place.root / ".agents" / slug / "memory"
            for name, text in (
                ("context", "grüße aus dem Test"),
                ("decisions", "kept short"),
                ("learnings", "it works"),
            ):
                assert (memory / f"{name}.md").read_text().endswith(f"\n{text}\n"), name
        for slug in brought.plays:
            seen = await backend.plays.get(slug, ADA)
            await backend.plays.confirm(slug, seen.hash, ADA)
        if brought.plays:  # the end of the first one starts the other
            with suppress(Conflict):  # its goal is behind, so it may have started by itself
                await backend.plays.run(brought.plays[0], {}, ADA)
            assert {(run.state, run.path) for run in await settled(backend, 2)} == {
                ("succeeded", f".playbooks/plays/{slug}.md") for slug in brought.plays
            }
    after = content_of(place.root)
    for name, content in original.items():
        check_kept(name, content, after[place_after(name)])


async def test_what_a_knowledge_base_has_recorded_is_shown(tmp_path: Path) -> None:
    place = Place(tmp_path)
    bring("knowledge-base", place.root)
    async with place.backend(trust="ask", clock=ManualClock(datetime(2024, 4, 10, tzinfo=UTC))) as backend:
        seen = await backend.agents.get("redaktion", ADA)
        assert (seen.name, seen.department, seen.type, seen.emoji) == ("Redaktion Süd", "Marketing", "lead", "✍️")
        assert (seen.runtime, seen.schedule) == ("claude", "every weekday at 09:00")
        assert [note.split(": ")[1].split(" is ")[0] for note in seen.notes] == ["setupComplete", "avatar"]
        (goal,) = await backend.agents.goals("redaktion", ADA)
        shown = [(each.period, each.actual) for each in goal.history]
        assert shown == [("2024-W13", 4), ("2024-04-01", 2)] and (goal.current, goal.unit) == (0, "Beiträge")
        tasks = (await backend.agent_work.tasks("redaktion", ADA)).tasks
        assert [(each.id, each.status, each.kb_refs) for each in tasks] == [
            ("task-1712134800000", "pending", ("blog/plan",)),
            ("task-1712048400000", "completed", ("blog/plan",)),
        ]
        inbox = await backend.agent_work.inbox("redaktion", ADA)
        assert [(each.sender, each.timestamp) for each in inbox.messages] == [("recherche", "2024-04-03T10:15:00.000Z")]
        earlier = await backend.agent_work.earlier("redaktion", 50, ADA)
        assert [(each.status, each.duration_seconds) for each in earlier] == [("failed", 300), ("completed", 61.5)]
        (played,) = await backend.plays.history("morgenrunde", 50, ADA)
        assert (played.summary, played.duration, played.trigger) == ("Liste geschrieben.", 42.5, "schedule")
        play = await backend.plays.get("morgenrunde", ADA)
        assert (play.schedule, play.title) == ("every weekday at 08:30", "Morgenrunde")


async def test_what_an_agent_does_is_written_as_its_system_reads_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    brought = bring("knowledge-base", place.root)
    agents = place.root / ".agents"
    async with place.backend() as backend:
        for slug in brought.agents:
            await confirm(backend, slug)
        await answering(backend, "redaktion", brought.answers["redaktion"])
        assert (await heartbeat(backend, "redaktion")).state == "succeeded"

    messages = (agents / ".messages" / "recherche").glob("*Z_from_redaktion_*.md")
    both = [front_matter.read(each.read_text(), file=each.name) for each in messages]
    assert [(each.fields["from"], each.fields["to"]) for each in both] == [("redaktion", "recherche")] * 2
    bodies = sorted(each.body.strip() for each in both)
    assert bodies[0] == "Danke für die Quellen"
    assert re.match("The task task-1712134800000 “.+” is completed.\n\n", bodies[1])
    (given,) = [json.loads(each.read_text()) for each in (agents / "recherche" / "tasks").glob("*.json")]
    assert (given["fromAgent"], given["toAgent"], given["title"]) == ("redaktion", "recherche", "Zahlen prüfen")
    assert (given["status"], given["priority"], given["kbRefs"]) == ("pending", 2, [])
    done = json.loads((agents / "redaktion" / "tasks" / "task-1712134800000.json").read_text())
    assert (done["status"], done["fromEmoji"], done["channel"]) == ("completed", "🔎", "allgemein")
    goals = json.loads((agents / "redaktion" / "memory" / "goals.json").read_text())
    goal = goals["goals"]["beiträge_veröffentlicht"]
    assert (goals["version"], goal["current"], goal["target"], goal["trend"]) == (2, 1, 3, "up")
    assert goal["history"][0] == {"period": "2024-W13", "actual": 4, "target": 3, "note": "Ostern"}
    line = json.loads((agents / ".history" / "redaktion.jsonl").read_text().splitlines()[-1])
    assert (line["agentSlug"], line["status"]) == ("redaktion", "completed")
    stats = json.loads((agents / "redaktion" / "memory" / "stats.json").read_text())
    assert (stats["heartbeatsUsed"], stats["streak"]) == (1, 7)


async def test_another_heartbeat_of_a_group_keeps_its_other_parts(tmp_path: Path) -> None:
    place = Place(tmp_path)
    bring("orchestrator", place.root)
    async with place.backend(trust="ask") as backend:
        before = await backend.agents.get("analyst", ADA)
        assert (before.role, before.schedule) == ("Collects and compares sources", "every 4 hours")
        assert (before.fields["heartbeat"], before.fields["heartbeat_enabled"]) == ("4h", True)
        saved = await backend.agents.save("analyst", {"heartbeat": "every 1h", "role": "Compares"}, before.etag, ADA)
        assert saved.fields == {
            **before.fields,
            "heartbeat": "every 1h",
            "description": "Compares",
        }
        assert saved.role == "Compares" and saved.schedule == "every hour"


async def test_facts_in_the_folder_of_an_agent_move_to_its_memory_when_they_are_saved(tmp_path: Path) -> None:
    place = Place(tmp_path)
    bring("orchestrator", place.root)
    async with place.backend() as backend:
        facts = await backend.agents.read_file("analyst", "memory/MEMORY.md", ADA)
        await backend.agents.write_file("analyst", facts.path, facts.content + b"- It ends in March\n", facts.etag, ADA)
        assert "It ends in March" in (await backend.agents.prompt("analyst", ADA)).prompt
    folder = place.root / ".agents" / "analyst"
    assert (folder / "memory" / "MEMORY.md").read_text().endswith("begins in April\n- It ends in March\n")
    assert not (folder / "MEMORY.md").exists()


def place_after(name: str) -> str:
    """Where a file is once its agent has worked: in the layout of today, and a message among those that were read."""
    agents, _, rest = name.partition("/")
    moves = {
        "recherche.md": "recherche/persona.md",
        ".memory/recherche/state.json": "recherche/memory/goals.json",
        ".memory/recherche/context.md": "recherche/memory/context.md",
        "analyst/MEMORY.md": "analyst/memory/MEMORY.md",
        "coder/MEMORY.md": "coder/memory/MEMORY.md",
        "concierge/MEMORY.md": "concierge/memory/MEMORY.md",
        ".memory/recherche/stats.json": "recherche/memory/stats.json",
    }
    return f"{agents}/{moves.get(rest, rest)}".replace("/.messages/redaktion/", "/.messages/redaktion/.read/")


def check_kept(name: str, before: bytes, after: bytes) -> None:
    """Files in which the server writes keep what was in them; each other one has the same bytes."""
    if name.endswith(("persona.md", "recherche.md")):
        old, new = (front_matter.read(content.decode(), file=name) for content in (before, after))
        changed = {"runtime": "demo", "provider": "demo"}
        assert new.body == old.body
        assert {**old.fields, **changed, "model": None} == {**new.fields, **changed, "model": None}
    elif name.endswith(("goals.json", "/state.json", "stats.json", "tasks/task-1712134800000.json")):
        assert is_kept(json.loads(before), json.loads(after)), name
    elif name.endswith((".jsonl", "HEARTBEAT.md")):
        assert after.startswith(before), name
    elif name.endswith(("/context.md", "/decisions.md", "/learnings.md")):
        assert before.strip() in after, name
    else:
        assert after == before, name


def is_kept(before: Any, after: Any) -> bool:
    """Whether each name of an object is still there, and lists are not shorter."""
    if isinstance(before, dict):
        return isinstance(after, dict) and all(name in after and is_kept(before[name], after[name]) for name in before)
    return not isinstance(before, list) or len(after) >= len(before)
