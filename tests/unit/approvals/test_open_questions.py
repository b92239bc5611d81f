"""Equal questions of a run are one, and a run has at most five open ones."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from harness.backend import ADA, Place, ended, submit

from jupyter_cabinet.approvals.model import Approval, ApprovalFilter, AskingRun, NewAnswer
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runtimes.model import QuestionAsked
from jupyter_cabinet.runtimes.requested_actions import Command
from jupyter_cabinet.runtimes.shared.question_hook import PLAIN

pytestmark = pytest.mark.slow(reason="starts real agents")


class Agent:
    """Asks as a CLI does, and hears the answers: `heard` by the question's own id."""

    def __init__(self, backend: Backend, run: Run, root: Path) -> None:
        self.heard: dict[str, tuple[str, str]] = {}
        self.gone: set[str] = set()
        self._backend = backend
        self._run = AskingRun(
            id=run.id,
            session_id=run.session_id,
            terminal_id=None,
            path=run.path,
            runtime="claude",
            runtime_title=run.runtime_title,
            instruction=run.instruction,
            folder=str(root),
            isolated=False,
            owner=run.owner,
            owner_name="Ada",
            visibility=run.visibility,
        )

    async def ask(self, id: str, command: str) -> None:
        async def deliver(option: str, note: str) -> bool:
            if id in self.gone:
                return False
            self.heard[id] = (option, note)
            return True

        asks = Command(text=command)
        asked = QuestionAsked(question_id=id, question="May it?", tool="Bash", asks=asks, options=PLAIN)
        await self._backend.approvals.ask(self._run, asked, deliver)

    async def open(self) -> list[Approval]:
        """Oldest first."""
        return (await self._backend.approvals.find(ApprovalFilter(run_id=self._run.id, waiting=True), ADA))[::-1]

    async def commands(self) -> list[str]:
        return [approval.parts[0].text for approval in await self.open()]

    async def answer(self, approval: Approval, option: str, note: str = "") -> Approval:
        return await self._backend.approvals.answer(approval.id, NewAnswer(option=option, note=note), ADA)


async def at_work(backend: Backend, place: Place) -> tuple[Agent, Run]:
    run = await submit(backend, "wait for the file go.txt", mode="headless")
    return Agent(backend, run, place.root), run


async def test_equal_questions_are_one_card_and_each_hears_the_answer(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        agent, run = await at_work(backend, place)
        for id in ("one", "two", "three"):
            await agent.ask(id, "make")
        await agent.ask("other", "make test")
        assert await agent.commands() == ["make", "make test"]
        await agent.answer((await agent.open())[0], "deny", "not now")
        assert agent.heard == {id: ("deny", "not now") for id in ("one", "two", "three")}
        assert await agent.commands() == ["make test"]
        await agent.ask("four", "make")  # asked after the answer: a separate question
        assert await agent.commands() == ["make test", "make"]
        await backend.runs.cancel(run.id, ADA)


async def test_one_of_equal_questions_that_is_gone_leaves_the_others(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        agent, run = await at_work(backend, place)
        for id in ("one", "two"):
            await agent.ask(id, "make")
        await backend.approvals.withdraw(run.id, "one", "Answered in the terminal")
        (left,) = await agent.open()
        assert (await agent.answer(left, "allow")).outcome == "Allowed once"
        assert agent.heard == {"two": ("allow", "")}
        await agent.ask("three", "make")
        await backend.approvals.withdraw(run.id, "three", "Answered in the terminal")
        assert await agent.open() == []
        await backend.runs.cancel(run.id, ADA)


async def test_the_sixth_question_waits_for_its_turn(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        agent, run = await at_work(backend, place)
        for number in range(1, 9):
            await agent.ask(f"q{number}", f"make {number}")
        await agent.ask("again", "make 7")  # equal to one that waits
        assert await agent.commands() == [f"make {number}" for number in range(1, 6)]
        await backend.approvals.withdraw(run.id, "q6", "Answered in the terminal")  # it never had a card
        await agent.answer((await agent.open())[1], "allow")
        assert await agent.commands() == ["make 1", "make 3", "make 4", "make 5", "make 7"]
        await agent.answer((await agent.open())[-1], "deny")
        assert {id: option for id, (option, _) in agent.heard.items()} == {"q2": "allow", "q7": "deny", "again": "deny"}
        assert (await agent.commands())[-1] == "make 8"
        await backend.runs.cancel(run.id, ADA)
        assert (await ended(backend, run)).state == "cancelled"
        async with asyncio.timeout(20):
            while await agent.open():  # they are withdrawn one after the other
                await asyncio.sleep(0.01)
        await agent.ask("late", "make")  # the next question is asked as ever
        assert await agent.commands() == ["make"]
        await backend.approvals.withdraw(run.id, None, "Over")


async def test_the_time_of_a_question_begins_with_its_card(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        agent, run = await at_work(backend, place)
        for number in range(1, 7):
            await agent.ask(f"q{number}", f"make {number}")
        first = (await agent.open())[0]
        await agent.answer(first, "allow")
        last = (await agent.open())[-1]
        assert last.parts[0].text == "make 6"
        assert last.asked_at > first.asked_at and last.expires_at - last.asked_at == first.expires_at - first.asked_at
        await backend.runs.cancel(run.id, ADA)
