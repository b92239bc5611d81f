"""Messages and tasks are shown with the display name of whoever sent them."""

from __future__ import annotations

from pathlib import Path

from harness.agents import heartbeat, make
from harness.backend import Place

from jupyter_cabinet.core.people import Principal

GRACE = Principal(username="gh1906", display_name="Grace Hopper")
ANN = Principal(username="ann", display_name="Ann")


async def test_people_and_agents_are_named_as_others_know_them(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(
            backend, "iris", "answer: MESSAGE_TO [ada]: hi\nanswer: TASK_CREATE [ada] [1]: do | it", name="Iris B."
        )
        await make(backend, "ada")
        await heartbeat(backend, "iris")
        await backend.agent_work.send("ada", "hello", GRACE)
        await backend.agent_work.give("ada", "Read", "", 3, GRACE)
        inbox = await backend.agent_work.inbox("ada", GRACE)
        assert {(each.sender, each.sender_name) for each in inbox.messages} == {
            ("iris", "Iris B."),
            ("grace-hopper", "Grace Hopper"),
        }
        tasks = (await backend.agent_work.tasks("ada", GRACE)).tasks
        assert {each.from_name for each in tasks} == {"Iris B.", "Grace Hopper"}
        await heartbeat(backend, "ada")
        read = (await backend.agent_work.inbox("ada", GRACE)).read
        assert {each.sender_name for each in read} == {"Iris B.", "Grace Hopper"}


async def test_the_name_of_an_agent_that_the_caller_may_not_see_is_not_told(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada")
        await backend.agents.create("hers", "research", {"runtime": "demo", "name": "Secret plan"}, ANN, "private")
        inbox = place.root / ".agents/.messages/ada"
        inbox.mkdir(parents=True)
        (inbox / "2026-01-01T00-00-00Z_from_hers_m1.md").write_text("---\nfrom: hers\nto: ada\n---\nHello.\n")
        (message,) = (await backend.agent_work.inbox("ada", GRACE)).messages
        assert (message.sender, message.sender_name) == ("hers", "")
        (message,) = (await backend.agent_work.inbox("ada", ANN)).messages
        assert message.sender_name == "Secret plan"
