"""A tick that is due, as whoever fires it is given it. Made by `scheduler.py`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from sqlalchemy import Connection

from .model import Tick

# Puts a tick on record inside a transaction, or raises.
Record = Callable[[Connection, Tick], None]


class Due:
    """A schedule is due. Whoever is called with it must call `claim` in the transaction that creates the run or keeps
    the reason for none: so no crash loses the tick or fires it twice."""

    def __init__(self, *, key: str, at: datetime, missed: int, record: Record) -> None:
        """`at`: UTC. `missed`: ticks between the last one and this that passed while nobody could act."""
        self.key = key
        self.at = at
        self.missed = missed
        self.claimed = False  # `claim` was called, though its transaction may have failed
        self._record = record

    def claim(self, connection: Connection, run_id: str | None = None, skipped: str = "") -> None:
        """Inside a transaction: the tick is on record with its run, or with the reason why there is none.

        Raises `AlreadyFired` where another server was quicker, `LeaseLost` where this one no longer may.
        """
        self._record(connection, Tick(key=self.key, due=self.at, run_id=run_id, skipped=skipped, missed=self.missed))
        self.claimed = True


Fire = Callable[[Due], Awaitable[None]]
