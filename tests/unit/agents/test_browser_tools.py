"""Agents ask something of a person's browser: only with a confirmed power, only that person, and within limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.agents import make
from harness.backend import ADA, Place
from harness.values import example_run

from jupyter_cabinet.agents.browser_tools import HIDDEN, MOST_OF_A_RUN
from jupyter_cabinet.agents.model import BrowserAsked
from jupyter_cabinet.agents.prompts.tool_list import MAX_NOTICE
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import CabinetError, Invalid, NotAllowed, NotFound, OutOfService, OutsideRoot, Refused
from jupyter_cabinet.core.events import Event, Scope
from jupyter_cabinet.runs.model import Run

ACTIONS = ["clipboard", "notify", "open"]


class Desk:
    """The agent `ada`, and the requests that browsers receive."""

    def __init__(self, backend: Backend, root: Path) -> None:
        self.backend = backend
        self.root = root
        self.received: list[tuple[BrowserAsked, Scope]] = []
        backend.bus.subscribe(self._hear)

    def _hear(self, event: Event, scope: Scope) -> None:
        if isinstance(event, BrowserAsked):
            self.received.append((event, scope))

    def run(self, **changes: Any) -> Run:
        fields = {"id": "run1", "state": "running", "agent": "ada", "owner": "ben", "own_tools": tuple(ACTIONS)}
        return example_run(**(fields | changes))

    async def use(self, tool: str, run: Run | None = None, **arguments: object) -> str:
        return (await self.backend._agent_room.tools.call(run or self.run(), tool, arguments)).text


@asynccontextmanager
async def desk(folder: Path, **plan: Any) -> AsyncIterator[Desk]:
    async with Place(folder).backend(**plan) as backend:
        if plan.get("trust") == "ask":
            await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        await make(backend, "ada", name="Ada", browser_actions=ACTIONS)
        yield Desk(backend, folder / "root")


async def test_only_the_person_for_whom_the_run_works_is_asked(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        (at.root / "a b").mkdir()
        (at.root / "a b" / "notes.md").write_text("x")
        assert "Do not wait" in await at.use("notify", text="The report\nis ready.")
        await at.use("open", path="./a b//notes.md")
        await at.use("clipboard_write", text="one\ntwo")
        assert [(event.action, event.text) for event, _ in at.received] == [
            ("notify", "The report is ready."),
            ("open", "a b/notes.md"),
            ("clipboard", "one\ntwo"),
        ]
        assert {(event.agent, event.run_id) for event, _ in at.received} == {("ada", "run1")}
        assert {(scope.owner, scope.visibility) for _, scope in at.received} == {("ben", "private")}


REFUSED: list[tuple[str, dict[str, object], type[CabinetError]]] = [
    ("notify", {}, Invalid),
    ("notify", {"text": ""}, Invalid),
    ("notify", {"text": "x" * (MAX_NOTICE + 1)}, Invalid),
    ("notify", {"text": "x", "url": "https://example.com"}, Invalid),
    ("open", {"path": "absent.md"}, NotFound),
    ("open", {"path": "folder"}, NotFound),
    ("open", {"path": "/etc/passwd"}, OutsideRoot),
    ("open", {"path": "../up.md"}, OutsideRoot),
    ("open", {"path": "link.md"}, OutsideRoot),
    ("open", {"path": ".cabinet/cabinet.db"}, OutsideRoot),
    ("open", {"path": ".agents/ben/persona.md"}, NotFound),
    ("open", {"path": "of-ben.md"}, NotFound),
    ("open", {"path": ".hidden"}, NotFound),
    ("open", {"path": "un\u200bseen.md"}, NotFound),
    ("open", {"path": "https://example.com/x"}, NotFound),
    ("clipboard_write", {"text": "ls\u200b -l"}, Refused),
    ("clipboard_write", {"text": "x" * 20_000}, Invalid),
]


async def test_what_cannot_be_asked_for(tmp_path: Path, subtests: pytest.Subtests) -> None:
    async with desk(tmp_path) as at:
        (tmp_path / "outside.md").write_text("x")
        (at.root / "folder").mkdir()
        (at.root / "un\u200bseen.md").write_text("x")
        (at.root / "link.md").symlink_to(tmp_path / "outside.md")
        await make(at.backend, "ben")
        (at.root / "of-ben.md").symlink_to(at.root / ".agents/ben/persona.md")
        (at.root / ".hidden").write_text("x")
        for number, (tool, arguments, error) in enumerate(REFUSED):
            with subtests.test(tool=tool, arguments=str(arguments)[:80]):
                with pytest.raises(error):
                    await at.use(tool, at.run(id=f"run-{number}"), **arguments)
                assert at.received == []
        await at.use("open", path=".agents/ada/persona.md")  # its own


async def test_each_action_is_off_until_the_persona_lists_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.backend.agents.save("ada", {"browser_actions": ["open"]}, None, ADA)
        with pytest.raises(NotAllowed, match="no longer"):  # it was taken away while it worked
            await at.use("notify", text="x")
        with pytest.raises(NotAllowed, match="no tool notify"):
            await at.use("notify", at.run(own_tools=("open",)), text="x")
        given = set((await at.backend.agents.get("ada", ADA)).own_tools)
        assert given & {"cabinet:clipboard", "cabinet:notify", "cabinet:open"} == {"cabinet:open"}
        with pytest.raises(Invalid) as refused:
            await at.backend.agents.save("ada", {"browser_actions": ["screenshot"]}, None, ADA)
        assert "screenshot is none of notify, open, clipboard" in str(refused.value.__dict__)
        assert at.received == []


async def test_a_power_that_nobody_has_confirmed_gives_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path, trust="ask") as at:
        await make(at.backend, "ben")
        persona = at.root / ".agents/ben/persona.md"
        persona.write_text(persona.read_text().replace("---\n", "---\nbrowser_actions: [notify]\n", 1))
        detail = await at.backend.agents.get("ben", ADA)
        assert detail.status == "unconfirmed"
        assert ("May ask of your browser", "", "notify") in [(d.what, d.before, d.after) for d in detail.difference]
        with pytest.raises(OutOfService):
            await at.use("notify", at.run(agent="ben"), text="x")
        assert at.received == []


async def test_a_run_that_has_read_text_from_outside_asks_for_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        (at.root / "a.md").write_text("x")
        for tool, arguments in (
            ("notify", {"text": "x"}),
            ("open", {"path": "a.md"}),
            ("clipboard_write", {"text": "x"}),
        ):
            with pytest.raises(NotAllowed, match="text from outside"):
                await at.use(tool, at.run(tainted=True), **arguments)
        assert at.received == []


async def test_a_run_asks_a_few_times_at_most(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        for number in range(MOST_OF_A_RUN):
            await at.use("notify", text=f"{number}")
        for _ in range(2):
            with pytest.raises(Refused, match=f"{MOST_OF_A_RUN} times"):
                await at.use("notify", text="one more")
        await at.use("notify", at.run(id="run2"), text="another run")
        assert len(at.received) == MOST_OF_A_RUN + 1
        with pytest.raises(Refused) as refused:
            await at.use("clipboard_write", at.run(id="run2"), text="\u202e")
        assert refused.value.message == HIDDEN
