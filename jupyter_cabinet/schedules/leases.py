"""Leases: which of several servers on one root directory holds a thing, without comparing clocks.

A holder renews its row by raising `beat`. Another server calls a lease dead when number and beat stood still for
`DEAD_AFTER_SECONDS` on its *own* monotonic clock, or at once when the holder was a process of this machine that
is gone. A holder that was called dead and is not, because its process was stopped for a while, writes nothing under
the old number: each transaction asks `require` first. Called by `runs/` and, as a port, by `storage/commits.py`.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from ..core.clock import Clock
from ..core.errors import LeaseLost
from ..core.processes import is_gone, is_here, this_process
from .tables import leases

RENEW_EVERY_SECONDS = 5.0
DEAD_AFTER_SECONDS = 20.0


class Leases:
    """This server's own lease, and what it has seen of the others'. The methods run inside a transaction."""

    def __init__(self, holder: str, clock: Clock) -> None:
        self.holder = holder
        self._clock = clock
        self._number = 0  # of the lease that this server holds; grows with every taking
        self._held = False
        self._renewed_at = clock.monotonic()
        self._seen: dict[str, tuple[tuple[int, int], float]] = {}

    def take(self, connection: Connection) -> None:
        """Insert this server's lease, with a beat of 0. There must be none of this holder."""
        self._number += 1
        connection.execute(
            insert(leases).values(
                name=f"server-{self.holder}", holder=self.holder, number=self._number, beat=0, process=this_process()
            )
        )
        self._held = True
        self._renewed_at = self._clock.monotonic()

    def renew(self, connection: Connection) -> bool:
        """Raise the beat. False: another server has declared this one dead, and it must stop acting."""
        now = self._clock.monotonic()
        mine = leases.c.holder == self.holder
        found = connection.execute(update(leases).where(mine).values(beat=leases.c.beat + 1)).rowcount == 1
        if found:
            self._renewed_at = now
        return found

    def require(self, connection: Connection) -> None:
        """Raise `LeaseLost` where another server has declared this one dead since it took its lease."""
        if not self._held:
            return
        mine = select(leases.c.number).where(leases.c.holder == self.holder)
        number = connection.execute(mine.with_for_update(read=True)).scalar()  # SQLite has one writer at a time
        if number != self._number:
            raise LeaseLost

    def may_act(self) -> bool:
        """Whether this server's own clock still vouches for its lease."""
        return self._clock.monotonic() - self._renewed_at < DEAD_AFTER_SECONDS

    def release(self, connection: Connection) -> None:
        """Remove this server's lease: it ends in an orderly way."""
        self._held = False
        connection.execute(delete(leases).where(leases.c.holder == self.holder))

    def remove_dead(self, connection: Connection) -> set[str]:
        """Remove the leases of dead servers. Returns the holders that live, this one included."""
        living = set()
        for row in connection.execute(select(leases)).all():
            if row.holder == self.holder or not self._is_dead(row.holder, (row.number, row.beat), row.process):
                living.add(row.holder)
            else:
                connection.execute(delete(leases).where(leases.c.holder == row.holder))
        return living

    def remove_unproven(self, connection: Connection) -> set[str]:
        """Remove every lease but those of processes that live on this machine; returns the holders of these."""
        rows = connection.execute(select(leases)).all()
        proven = {row.holder for row in rows if is_here(row.process)}
        connection.execute(delete(leases).where(leases.c.holder.not_in(proven)))
        return proven

    def _is_dead(self, holder: str, mark: tuple[int, int], process: str) -> bool:
        if is_gone(process):
            return True
        now = self._clock.monotonic()
        known, since = self._seen.get(holder, (None, now))
        if known != mark:
            known, since = mark, now
        self._seen[holder] = (mark, since)
        return now - since >= DEAD_AFTER_SECONDS
