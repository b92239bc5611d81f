"""Runs that another server on this folder has in its queue or works on: where they are, their output and their end.

This server only reads them: their records from the database, and their output from the folder of the run, if the
servers share it. Called by `service.py` and, as a port, by `approvals/`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from ..core.clock import Clock
from ..core.errors import CabinetError, Conflict, OnAnotherServer
from ..execution.output import follow_finished
from ..execution.settings import Surroundings
from ..schedules.leases import Leases
from ..storage.database import Database
from . import store

LOOK_AGAIN_SECONDS = 1.0


class RemoteRuns:
    """Reads the runs of other servers."""

    def __init__(self, *, database: Database, leases: Leases, clock: Clock) -> None:
        self._database = database
        self._leases = leases
        self._clock = clock

    async def refusal(self, run_id: str) -> CabinetError:
        """Return, and do not raise, the error for what only the server that has this run can do. It names that server.

        `OnAnotherServer`; or `Conflict` if this server has the run, which has just changed.
        """
        holder = await self._database.read(lambda c: store.holder_of(c, run_id))
        if holder == self._leases.holder:
            return Conflict()  # it has just changed
        name = await self._database.read(lambda c: self._leases.server_name(c, holder or ""))
        if not name:
            return OnAnotherServer("The server that has this run has just ended. Try again in a moment.")
        return OnAnotherServer(f"This belongs to another server on this folder, on {name}. Do this there.", server=name)

    async def wait(self, run_id: str, seconds: float) -> None:
        """Wait until the run is final or is unknown, for at most `seconds`. Asks the database every second."""
        until = self._clock.monotonic() + seconds
        while await self._is_unfinished(run_id) and (left := until - self._clock.monotonic()) > 0:
            await self._clock.sleep(min(left, LOOK_AGAIN_SECONDS))

    async def follow(self, run_id: str, since: int, places: Surroundings) -> AsyncIterator[bytes]:
        """Yield the kept output from index `since` on, until the run is final. It comes up to a second late.

        Yields nothing if the servers do not share the folder of the run.
        """
        path = places.run_folder(run_id) / "output.jsonl"
        while True:
            ended = not await self._is_unfinished(run_id)
            async for record in follow_finished(path, since, beneath=places.state_folder):
                since += 1
                yield record
            if ended:
                return
            await self._clock.sleep(LOOK_AGAIN_SECONDS)

    async def _is_unfinished(self, run_id: str) -> bool:
        return bool(await self._database.read(lambda c: store.unfinished_among(c, (run_id,))))
