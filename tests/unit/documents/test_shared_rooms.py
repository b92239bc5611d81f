"""Agents' and people's changes both survive in a shared notebook. A real room of `jupyter-server-ydoc`, a real file.

Nothing runs in a thread here, so the same step is always the same moment.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio.lowlevel
import pytest
from harness.examples import cases
from harness.values import example_run
from jupyter_server.services.contents import fileio, filemanager
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupyter_server_fileid.manager import ArbitraryFileIdManager
from jupyter_server_ydoc.loaders import FileLoader
from jupyter_server_ydoc.rooms import DocumentRoom
from nbformat import v4

from jupyter_cabinet.core.events import EventBus, Scope
from jupyter_cabinet.documents import save_guard
from jupyter_cabinet.documents.live_documents import SAVE_AGAIN_SECONDS, LiveDocuments
from jupyter_cabinet.documents.save_guard import SaveGuard
from jupyter_cabinet.runs.model import RunFinished, RunStarted
from jupyter_cabinet.testing.manual_clock import ManualClock

SCOPE = Scope(owner="ada", visibility="server")
MOST_MOMENTS = 300  # more than the scene has
FEWEST_MOMENTS = 40  # so that the tests try something
TURNS = 40  # of the event loop, until everything that was begun is over


class Moments:
    """Counts the points at which the server waits, and does at some of them what was planned."""

    def __init__(self) -> None:
        self.count = 0
        self.plans: dict[int, Callable[[], None]] = {}

    async def waits(self) -> None:
        self._passes()
        await asyncio.sleep(0)
        self._passes()

    async def run_sync(self, work: Callable[..., Any], *args: Any, **_: Any) -> Any:
        await self.waits()
        result = work(*args)
        await self.waits()
        return result

    def _passes(self) -> None:
        self.count += 1
        if plan := self.plans.pop(self.count, None):
            plan()


@pytest.fixture
def moments(monkeypatch: pytest.MonkeyPatch) -> Moments:
    found = Moments()
    monkeypatch.setattr(filemanager, "run_sync", found.run_sync)
    monkeypatch.setattr(fileio, "run_sync", found.run_sync)
    monkeypatch.setattr(anyio.lowlevel, "checkpoint", found.waits)
    return found


class Scene:
    """A shared notebook whose cell prints, a person who adds a cell and saves, and agents."""

    def __init__(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.file = root / "n.ipynb"
        self.file.write_text(v4.writes(v4.new_notebook(cells=[v4.new_code_cell("print(1)", id="prints")])))
        self.contents = AsyncLargeFileManager(root_dir=str(root))
        ids = ArbitraryFileIdManager(root_dir=str(root), db_path=":memory:")
        id = ids.index("n.ipynb")
        self.loader = FileLoader(id, ids, self.contents)
        events = SimpleNamespace(emit=lambda **_: None)
        name = f"json:notebook:{id}"
        self.room = DocumentRoom(name, "json", "notebook", self.loader, events, None, None, save_delay=0)
        self.document = self.room._document
        self.clock, self.bus = ManualClock(), EventBus()
        extension = SimpleNamespace(ywebsocket_server=SimpleNamespace(rooms={name: self.room}))
        web_app = SimpleNamespace(settings={"file_id_manager": ids})
        apps = SimpleNamespace(extension_apps={"jupyter_server_ydoc": [extension]})
        server = SimpleNamespace(contents_manager=self.contents, web_app=web_app, extension_manager=apps)
        self.guard = SaveGuard(self.contents, root, self.clock, LiveDocuments(server, self.clock))
        changes = SimpleNamespace(hear_writes=lambda hearer: None, follows=lambda path: False)
        self.guard.watch(self.bus, changes)  # type: ignore[arg-type]
        self.run = example_run(path="n.ipynb", state="running")
        self.lines = 0

    async def begin(self) -> None:
        await self.room.initialize()
        self.bus.publish(RunStarted(run=self.run), SCOPE)
        await self.guard.settled()

    async def play(self) -> None:
        """The cell prints, a person saves, and the room looks at its file, over and over."""
        for turn in range(4):
            self.print()
            if turn == 1:
                self.document.ycells.append(
                    self.document.create_ycell(v4.new_markdown_cell("By a person", id="person"))
                )
            self.room._save_to_disc()
            looks = asyncio.create_task(self.loader.maybe_notify())
            for _ in range(7):
                await asyncio.sleep(0)
            self.room._save_to_disc()
            with suppress(Exception):
                await looks

    def print(self) -> None:
        self.lines += 1
        text = "".join(f"{line}\n" for line in range(self.lines))
        outputs = next(cell for cell in self.document.ycells if cell["id"] == "prints")["outputs"]
        outputs.clear()
        outputs.append(v4.new_output("display_data", data={"text/plain": text}))

    async def end(self) -> None:
        await self.rest()
        self.bus.publish(RunFinished(run=self.run), SCOPE)
        for _ in range(3):
            await self.rest()
            with suppress(Exception):
                await self.loader.maybe_notify()
            await self.clock.advance(SAVE_AGAIN_SECONDS)
        await self.clock.advance(save_guard.GUARDED_AFTERWARDS_SECONDS)
        self.print()
        self.room._save_to_disc()
        await self.rest()

    async def rest(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0)

    def agent_adds(self, id: str) -> None:
        self.agent_writes(self.agent_reads(), id)

    def agent_reads(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file.read_text())
        return found

    def agent_writes(self, notebook: dict[str, Any], id: str) -> None:
        cells = [*notebook["cells"], v4.new_markdown_cell("By an agent", id=id)]
        self.file.write_text(json.dumps({**notebook, "cells": cells}))


async def lost_in(scene: Scene, moments: Moments, plans: dict[int, Callable[[], None]]) -> set[str] | None:
    """What is missing at the end in the file or in the document. None: the scene was over too soon."""
    await scene.begin()
    moments.plans = {moments.count + moment: plan for moment, plan in plans.items()}
    await scene.play()
    if moments.plans:
        moments.plans = {}
        return None
    await scene.end()
    saved, shown = scene.agent_reads(), scene.document.get()
    wanted = {"prints", "person", "one", "two"}
    lost = wanted - ({cell["id"] for cell in saved["cells"]} & {cell["id"] for cell in shown["cells"]})
    if f"{scene.lines - 1}" not in json.dumps(saved):
        lost.add("output")
    return lost


@pytest.mark.parametrize("step", cases(3, 1))
async def test_the_cells_of_two_agents_survive_whenever_they_come(tmp_path: Path, moments: Moments, step: int) -> None:
    lost: dict[int, set[str]] = {}
    for first in range(1, MOST_MOMENTS, step):
        scene = Scene(tmp_path / str(first))
        plans = {first: lambda: scene.agent_adds("one"), first + 9: lambda: scene.agent_adds("two")}  # noqa: B023
        found = await lost_in(scene, moments, plans)
        if found is None:
            break
        lost |= {first: found} if found else {}
    assert first > FEWEST_MOMENTS
    assert not lost


@pytest.mark.long(reason="many interleavings; the other test of this file tries some")
async def test_what_people_do_while_an_agent_holds_what_it_has_read_survives(tmp_path: Path, moments: Moments) -> None:
    lost: dict[int, set[str]] = {}
    for first in range(1, MOST_MOMENTS):
        scene = Scene(tmp_path / str(first))
        read: list[dict[str, Any]] = []
        plans: dict[int, Callable[[], None]] = {
            first: lambda: read.append(scene.agent_reads()),  # noqa: B023
            first + 20: lambda: scene.agent_writes(read[0], "one"),  # noqa: B023
        }
        found = await lost_in(scene, moments, plans)
        if found is None:
            break
        lost |= {first: found - {"two"}} if found - {"two"} else {}
    assert first > FEWEST_MOMENTS
    assert not lost
