"""What waits for a person's review is listed for the people who may see it, and only while it waits."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
from harness.agents import heartbeat, make, put_strangers_message, reports
from harness.backend import ADA, Place, ended

from jupyter_cabinet.agents.skill_desk import WrittenSkill
from jupyter_cabinet.skills.model import NewSkill, SkillDecision

BEN = msgspec.structs.replace(ADA, username="ben", display_name="Ben", shared_token=False)


def approving(digest: str) -> SkillDecision:
    return SkillDecision(hash=digest, decision="approve")


async def test_a_proposed_soul_waits_for_the_owner_of_its_agent(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "open")
        await backend.agents.create("ada", "research", {"runtime": "demo"}, ADA, "private")
        assert await backend.reviews.find(ADA) == []
        for slug in ("ada", "open"):
            await ended(backend, await backend.reflections.start(slug, ADA))
        await backend.outbox.settled()
        newest, oldest = await backend.reviews.find(ADA)
        assert (newest.kind, newest.name, newest.may_decide) == ("soul", "open", True)
        assert oldest.name == "ada" and oldest.since <= newest.since
        (seen,) = await backend.reviews.find(BEN)  # the other agent is private
        assert (seen.name, seen.may_decide) == ("open", False)
        proposal = await backend.reflections.get("ada", ADA)
        assert proposal is not None
        await backend.reflections.refuse("ada", proposal.hash, ADA)
        assert [each.name for each in await backend.reviews.find(ADA)] == ["open"]


async def test_a_damaged_proposal_or_one_of_no_agent_is_left_out(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada")
        await ended(backend, await backend.reflections.start("ada", ADA))
        await backend.outbox.settled()
        (file,) = (tmp_path / "data" / "proposals").glob("*/ada.json")
        file.with_name("gone.json").write_bytes(file.read_bytes())
        file.with_name("No slug.json").write_bytes(file.read_bytes())
        assert [each.name for each in await backend.reviews.find(ADA)] == ["ada"]
        file.write_text("{")
        assert await backend.reviews.find(ADA) == []


async def test_a_skill_waits_until_exactly_its_files_are_approved(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend(trust="ask") as backend:
        await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        before = datetime.now(UTC).timestamp() - 1
        await backend.skills.add(NewSkill(name="mine", description="d", instructions="By a person."), ADA)
        await backend.skills.keep(
            WrittenSkill(agent="eve", name="hers", description="d", instructions="x", tainted=True)
        )
        (found,) = await backend.reviews.find(BEN)
        assert (found.kind, found.name, found.changed, found.may_decide) == ("skill", "hers", False, True)
        assert found.source == "written by the agent eve, which had read text from outside"
        assert before < found.since.timestamp() < datetime.now(UTC).timestamp() + 1
        await backend.skills.decide("hers", approving((await backend.skills.get("hers", ADA)).hash), ADA)
        assert await backend.reviews.find(ADA) == []

        path = place.root / ".playbooks" / "skills" / "hers" / "SKILL.md"
        path.write_text(path.read_text() + "\nMore.\n")
        (found,) = await backend.reviews.find(ADA)
        assert (found.name, found.changed) == ("hers", True)
        path.write_text("This is no skill.")  # nobody could approve it: the list of skills says what is wrong
        assert await backend.reviews.find(ADA) == []


async def test_held_directives_wait_for_the_owner_of_their_run(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ben")
        await make(backend, "ada", "answer: MESSAGE_TO [ben]: one\nanswer: MESSAGE_TO [ben]: two")
        put_strangers_message(place.root, "ada", "Hello")
        run = await heartbeat(backend, "ada")
        await backend.outbox.settled()
        (found,) = await backend.reviews.find(ADA)
        assert (found.kind, found.name, found.agent, found.count) == ("directives", run.id, "ada", 2)
        assert found.title == (await backend.agents.get("ada", ADA)).name and found.may_decide
        assert found.since == run.finished_at
        assert not any(each.may_decide for each in await backend.reviews.find(BEN))
        first, second = [each.position for each in await reports(backend, run) if each.state == "held"]
        await backend.aftermath.decide(run.id, first, allow=True, principal=ADA)
        await backend.outbox.settled()
        assert [each.count for each in await backend.reviews.find(ADA)] == [1]
        await backend.aftermath.decide(run.id, second, allow=False, principal=ADA)
        assert await backend.reviews.find(ADA) == []
