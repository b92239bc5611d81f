"""What a list of plays says of each: how its last run ended, and whether the caller may change it."""

from __future__ import annotations

import pytest
from harness.plays import ADA, Playhouse, settled

from jupyter_cabinet.core.errors import NotAllowed
from jupyter_cabinet.core.events import Event, Scope
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.plays.model import PlayChanged

TOM = Principal(username="tom", display_name="Tom")


async def test_the_run_that_ended_last_stands_in_the_list(house: Playhouse) -> None:
    house.play("greet", body="reply with the single word {{who}}")
    async with house.backend() as backend:
        (before,) = await backend.plays.find(ADA)
        assert before.last is None
        for who in ("Ada", "Tom"):
            run = await backend.plays.run("greet", {"who": who}, ADA)
            await settled(backend, 1 if who == "Ada" else 2)
        (after,) = await backend.plays.find(ADA)
        assert after.last is not None and after.last.run_id == run.id and after.last.status == "completed"
        detail = await backend.plays.get("greet", ADA)
        assert detail.last == after.last
        assert detail.fields == {"agent": "bob", "name": "greet"}


async def test_a_play_whose_run_waits_in_the_queue_is_queued(house: Playhouse) -> None:
    house.play("greet", body="reply with the single word hello")
    async with house.backend() as backend:
        (before,) = await backend.plays.find(ADA)
        assert before.run_state is None
        await backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        run = await backend.plays.run("greet", {}, ADA)
        (paused,) = await backend.plays.find(ADA)
        assert (paused.run_id, paused.run_state) == (run.id, "queued")
        await backend.runs.turn_switch(paused=False, now=False, principal=ADA)
        await settled(backend, 1)


async def test_plays_are_listed_in_the_natural_order_of_their_names(house: Playhouse) -> None:
    for slug in ("play-10", "play-9", "play-b", "play-a"):
        house.play(slug)
    async with house.backend() as backend:
        assert [play.name for play in await backend.plays.find(ADA)] == ["play-9", "play-10", "play-a", "play-b"]


async def test_a_file_with_mistakes_is_told_from_one_that_nobody_has_confirmed(house: Playhouse) -> None:
    house.play("greet")
    (house.root / ".playbooks/plays/torn.md").write_text("---\nagent: [bob\n---\nhello\n")
    async with house.backend(trust="ask") as backend:
        plays = {play.slug: (play.broken, play.confirmed) for play in await backend.plays.find(ADA)}
    assert plays == {"greet": (False, False), "torn": (True, False)}


async def test_who_looks_at_a_play_learns_that_its_history_has_a_line_more(house: Playhouse) -> None:
    house.play("greet")
    async with house.backend() as backend:
        told: list[tuple[str, int]] = []

        def hear(event: Event, scope: Scope) -> None:
            if isinstance(event, PlayChanged):
                told.append((event.play, len(house.lines("greet"))))

        backend.bus.subscribe(hear)
        await backend.plays.run("greet", {}, ADA)
        await settled(backend, 1)
        assert told == [("greet", 1)]


async def test_the_last_line_of_a_history_that_ends_torn_is_the_one_before(house: Playhouse) -> None:
    house.play("greet")
    async with house.backend() as backend:
        await backend.plays.run("greet", {}, ADA)
        await settled(backend, 1)
        history = house.root / ".playbooks" / ".history" / "greet.jsonl"
        history.write_text("x" * 40_000 + "\n" + history.read_text() + '{"playSlug": "gre')
        (play,) = await backend.plays.find(ADA)
        assert play.last is not None and play.last.status == "completed"


async def test_who_does_not_own_every_agent_of_a_play_is_told_so_beforehand(house: Playhouse) -> None:
    house.play("greet")
    house.play("nobodys", agent=None)
    async with house.backend() as backend:
        assert [(play.slug, play.may_change) for play in await backend.plays.find(ADA)] == [
            ("greet", True),
            ("nobodys", True),
        ]
        assert [(play.slug, play.may_change) for play in await backend.plays.find(TOM)] == [
            ("greet", False),
            ("nobodys", True),
        ]
        with pytest.raises(NotAllowed):
            await backend.plays.save("greet", {"title": "Mine"}, None, TOM)
        assert (await backend.plays.save("nobodys", {"title": "Ours"}, None, TOM)).may_change
