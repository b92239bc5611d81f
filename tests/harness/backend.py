"""All services of a server in the test's own process, with the demo agent at work in them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jupyter_cabinet.approvals.model import ApprovalFilter
from jupyter_cabinet.backend import Backend, BackendSettings
from jupyter_cabinet.core.clock import Clock
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs.model import Run

from .tables import begin_with_tables
from .waiting import QUERY_SECONDS

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
    ) -> Backend:
        environment = {"HOME": str(self.folder / "home"), "PATH": os.environ["PATH"], **(environment or {})}
        places = {"root": self.root, "data": self.folder / "data", "run_directories": self.folder / "d"}
        values = {**places, "environment": environment, "secrets": ("s3cret-s3cret",), "trust": "always", **plan}
        if "db_url" not in plan:
            begin_with_tables(self.root, self.folder / "data")
        backend = Backend(BackendSettings(**values), clock)
        await backend.open()
        return backend

    @asynccontextmanager
    async def backend(self, **plan: Any) -> AsyncIterator[Backend]:
        backend = await self.open(**plan)
        try:
            yield backend
        finally:
            await backend.close()


async def submit(backend: Backend, instruction: str, **fields: Any) -> Run:
    """A run of the demo agent about `a.md`, as it enters the queue.

    It works headless: a run in a terminal starts six more processes, for its hooks, and takes three times as long.
    """
    kind = {} if "kind" in fields else {"kind": "editor", "mode": "headless"}
    new = {"instruction": instruction, "runtime": "demo", "path": "a.md", **kind, **fields}
    return await backend.runs.submit(backend.runs.kinds.convert(new), ADA)


async def submit_in_terminal(backend: Backend, instruction: str, **fields: Any) -> Run:
    """The same in a terminal, where the CLI stays open."""
    return await submit(backend, instruction, mode="terminal", **fields)


async def waiting_are(backend: Backend, count: int) -> None:
    """Wait until so many questions wait for a person."""
    async with asyncio.timeout(BOUND_SECONDS):
        while len(await backend.approvals.find(ApprovalFilter(waiting=True), ADA)) != count:
            await asyncio.sleep(QUERY_SECONDS)


async def ended(backend: Backend, run: Run) -> Run:
    await backend.runs.wait(run.id, BOUND_SECONDS)
    return await backend.runs.get(run.id, ADA)
