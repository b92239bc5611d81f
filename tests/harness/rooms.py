"""All rooms of a server in the test's own process, with the demo agent at work in them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jupyter_cabinet.core.clock import Clock
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.house import House, Plan
from jupyter_cabinet.runs.model import NewRun, Run
from jupyter_cabinet.web.rooms import Rooms

ADA = Principal(username="ada", display_name="Ada", shared_token=True)
BOUND_SECONDS = 40


class Place:
    """A root directory with one document, and shortcuts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.document = self.root / "a.md"
        for each in (self.root, folder / "home"):
            each.mkdir(exist_ok=True)
        self.document.write_text("# A\n")

    async def open(
        self, *, clock: Clock | None = None, environment: dict[str, str] | None = None, **plan: Any
    ) -> House:
        environment = {"HOME": str(self.folder / "home"), "PATH": os.environ["PATH"], **(environment or {})}
        places = {"root": self.root, "data": self.folder / "data", "run_directories": self.folder / "d"}
        values = {**places, "environment": environment, "secrets": ("s3cret-s3cret",), "trust": "always", **plan}
        house = House(Plan(**values), clock)
        await house.open(Rooms(root_name="root", allow_bypass=False))
        return house

    @asynccontextmanager
    async def house(self, **plan: Any) -> AsyncIterator[House]:
        house = await self.open(**plan)
        try:
            yield house
        finally:
            await house.close()


async def submit(house: House, instruction: str, **fields: Any) -> Run:
    new = {"instruction": instruction, "runtime": "demo", "kind": "editor", "path": "a.md", **fields}
    return await house.runs.submit(NewRun(**new), ADA)


async def ended(house: House, run: Run) -> Run:
    await house.runs.wait(run.id, BOUND_SECONDS)
    return await house.runs.get(run.id, ADA)
