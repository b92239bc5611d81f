"""A due tick, as it is passed to the function that fires it. Made by `scheduler.py`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from sqlalchemy import Connection

from .model import Tick

# Stores a tick inside a transaction, or raises.
Record = Callable[[Connection, Tick], None]


class Due:
    """A due tick of a schedule. The function that receives it must call `claim`.

    It must do so in the transaction that creates the run or stores the reason why there is none. So no crash loses the
    tick or fires it twice.
    """

    def __init__(self, *, key: str, at: datetime, missed: int, record: Record) -> None:
        """`at`: in UTC. `missed`: ticks since the last one that passed while no server could act."""
        self.key = key
        self.at = at
        self.missed = missed
        self.claimed = False  # `claim` was called, though its transaction may have failed
        self._record = record

    def claim(self, connection: Connection, run_id: str | None = None, skipped: str = "") -> None:
        """Store the tick with its run, or with the reason why there is none. Call it inside a transaction.

        Raises `AlreadyFired` if another server was faster, `LeaseLost` if this server may no longer act.
        """
        self._record(connection, Tick(key=self.key, due=self.at, run_id=run_id, skipped=skipped, missed=self.missed))
        self.claimed = True


Fire = Callable[[Due], Awaitable[None]]
