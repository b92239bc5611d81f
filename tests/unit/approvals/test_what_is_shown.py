"""What a person has seen is what the agent asks: where a byte differs, nothing is allowed."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import msgspec
import pytest
from harness.backend import ADA, Place
from harness.examples import cases

from jupyter_cabinet.approvals.card import shown_of
from jupyter_cabinet.approvals.model import Approval, NewAnswer, Shown
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Conflict
from jupyter_cabinet.core.people import Principal

from .test_open_questions import Agent, at_work

pytestmark = pytest.mark.slow(reason="starts real agents")


async def asked(backend: Backend, place: Place, command: str) -> tuple[Agent, Approval]:
    agent, _ = await at_work(backend, place)
    await agent.ask("q", command)
    (approval,) = await agent.open()
    return agent, approval


async def answer(backend: Backend, approval: Approval, shown: Shown | None, principal: Principal = ADA) -> None:
    await backend.approvals.answer(approval.id, NewAnswer(option="allow", shown=shown), principal)


@pytest.mark.parametrize("flips", cases(1_000, 10_000))
async def test_of_thousands_of_changed_bytes_none_is_allowed(tmp_path: Path, flips: int) -> None:
    place, chosen = Place(tmp_path), random.Random(14)
    async with place.backend() as backend:
        agent, approval = await asked(backend, place, "git push --tags origin main | tee log && echo $(date)")
        true = msgspec.json.encode(shown_of(approval))
        refused = 0
        for _ in range(flips):
            changed = bytearray(true)
            at = chosen.randrange(len(changed))
            changed[at] = chosen.choice([byte for byte in range(32, 127) if byte != changed[at]])
            try:
                shown = msgspec.json.decode(changed, type=Shown)
            except msgspec.DecodeError:  # the request is refused before it is checked
                refused += 1
                continue
            if shown == shown_of(approval):  # such as another blank between two fields
                refused += 1
                continue
            with pytest.raises(Conflict, match="something other than what you have seen"):
                await answer(backend, approval, shown)
            refused += 1
        assert (refused, agent.heard) == (flips, {})
        await answer(backend, approval, msgspec.json.decode(true, type=Shown))
        assert agent.heard == {"q": ("allow", "")}


async def test_a_question_that_somebody_has_changed_in_the_database_is_shown_as_it_was_asked(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        agent, approval = await asked(backend, place, "rm -rf /")
        path = backend.database._engine.url.database
        assert path is not None
        with sqlite3.connect(path, timeout=30) as raw:
            raw.execute("UPDATE approvals SET body = replace(body, 'rm -rf /', 'ls')")
        raw.close()
        (listed,) = await agent.open()
        assert listed.parts[0].text == "rm -rf /"
        assert (await backend.approvals.get(approval.id, ADA)).parts[0].text == "rm -rf /"
        parts = (msgspec.structs.replace(listed.parts[0], text="ls"),)
        with pytest.raises(Conflict):
            await answer(backend, approval, msgspec.structs.replace(shown_of(listed), parts=parts))
        assert agent.heard == {}
