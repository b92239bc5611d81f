"""What a run leaves in its folder: the journal of its output, the CLI's raw output, its prompt, and its sandbox record.

Made by `service.py`, for `web/`. It writes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from ..core.people import Principal
from ..execution.output import answer_alone
from ..execution.raw_log import read_start
from ..execution.sandbox import sandbox_record
from ..execution.sandbox.sandbox_record import SandboxRecord
from ..execution.settings import Surroundings
from .dispatch.dispatcher import PROMPT_FILE, SYSTEM_FILE
from .model import Run
from .records import RunRecords
from .remote_runs import RemoteRuns


class RunFiles:
    """One per server. `get` returns a run that the caller may see; it raises `NotFound`, and so does each method."""

    def __init__(
        self,
        get: Callable[[str, Principal], Awaitable[Run]],
        records: RunRecords,
        remote: RemoteRuns,
        places: Surroundings,
    ) -> None:
        self._get = get
        self._records = records
        self._remote = remote
        self._places = places

    async def follow(self, run_id: str, since: int, principal: Principal) -> AsyncIterator[bytes]:
        """Yield the output of a run as encoded `OutputRecord`s, from index `since` on, until the run is final.

        Waits without a limit for a run that is queued or at work. If nothing is kept, yields only the stored answer, if
        `since` is 0. The output of a run of another server comes up to a second late.
        """
        run = await self._get(run_id, principal)
        live = self._records.live.get(run_id)
        while live is not None and live.journal is None and not live.finished.is_set():
            await live.begun.wait()
        if live is not None and live.journal is not None:
            records = live.journal.follow(since)
        else:
            records = self._remote.follow(run_id, since, self._places)
        silent = since == 0
        async for record in records:
            silent = False
            yield record
        if silent and run.result is not None and run.result.text:  # the journal is gone, but the record has the answer
            yield answer_alone(run.result.text)

    async def raw(self, run_id: str, principal: Principal) -> bytes:
        """Return the start of the CLI's raw output, at most 10 MB, with its escape sequences; empty if none is kept.

        For a run in a terminal, it is what CLIs wrote there for all runs that are visible to the server; of a private
        run, what they wrote for the private runs of its owner.
        """
        run = await self._get(run_id, principal)
        path = self._places.raw_path(run.id, run.terminal_id, owner=run.owner, visibility=run.visibility)
        return await asyncio.to_thread(read_start, path, beneath=self._places.state_folder)

    async def prompt(self, run_id: str, principal: Principal) -> tuple[str, str]:
        """Return the system text and the prompt that the CLI received; each is empty if none is stored."""
        run = await self._get(run_id, principal)
        folder, beneath = self._places.run_folder(run.id), self._places.state_folder
        paths = (folder / SYSTEM_FILE, folder / PROMPT_FILE)
        contents = [await asyncio.to_thread(read_start, path, beneath=beneath) for path in paths]
        system, prompt = (content.decode(errors="ignore") for content in contents)
        return system, prompt

    async def sandbox(self, run_id: str, principal: Principal) -> SandboxRecord:
        """Return what an isolated run could see, change and reach.

        Raises `NotFound` also for a run that was not isolated, and if its record is missing or damaged.
        """
        run = await self._get(run_id, principal)
        folder = self._places.run_folder(run.id)
        return await asyncio.to_thread(sandbox_record.load, folder, beneath=self._places.state_folder)
