"""What a play's directives do, and how text from outside stays marked from play to play."""

from __future__ import annotations

from harness.plays import ADA, Playhouse, settled

from jupyter_cabinet.plays.starters.starter import Happening

OUTSIDE = Happening(
    kind="webhook", trigger="webhook", cause="d1", source="A request.", about="From outside.", foreign=True
)


async def test_directives_of_a_play_have_effects_for_its_agent(house: Playhouse) -> None:
    house.agent("eve")
    house.play("a", body="answer: LEARNING: Plays work.\nanswer: MESSAGE_TO [eve]: Hello")
    house.play("b", "triggers: [agent_message]", agent="eve")
    async with house.backend() as backend:
        run = await backend.plays.run("a", {}, ADA)
        runs = await settled(backend, 2)
        reports = await backend.aftermath.reports(run.id)
        assert {each.state for each in reports} == {"applied"}, reports
        assert "Plays work." in (house.root / ".agents/bob/memory/learnings.md").read_text()
        (followed,) = [each for each in runs if each.path == ".playbooks/plays/b.md"]
        assert followed.agent == "eve" and followed.trigger.chain == ("play/a",)


async def test_what_comes_from_outside_reaches_others_only_when_a_person_allows_it(house: Playhouse) -> None:
    house.agent("eve")
    house.play("a", body="answer: LEARNING: Careful.\nanswer: MESSAGE_TO [eve]: Hello")
    house.play("b", "triggers: [{on_complete: {play: a}}]")
    async with house.backend() as backend:
        run = await backend._play_room._starter.start("a", OUTSIDE)
        runs = await settled(backend, 2)
        states = {each.directive.partition(":")[0]: each.state for each in await backend.aftermath.reports(run.id)}
        assert states["MESSAGE_TO [eve]"] == "held" and states["LEARNING"] == "applied"
        assert [each.tainted for each in runs] == [True, True]  # it received the result of the first one
