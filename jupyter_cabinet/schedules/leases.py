"""Leases: determine which of several servers on one root directory are alive, without comparing their clocks.

A holder renews its row by raising `beat`. Another server considers a lease dead if number and beat did not change for
`DEAD_AFTER_SECONDS` on its *own* monotonic clock, or at once if the holder was a process of this machine that is gone.
A holder may be considered dead although it is not, because its process was stopped for a while. It cannot write under
the old number, because each transaction calls `require` first. Called by `runs/` and, as a port, by
`storage/commits.py`.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from ..core.clock import Clock
from ..core.errors import LeaseLost
from ..core.processes import is_gone, is_here, shown, this_process
from .tables import leases

RENEW_EVERY_SECONDS = 5.0
DEAD_AFTER_SECONDS = 20.0


def servers_on(connection: Connection) -> list[str]:
    """Return the machine and the process of every lease, except of processes that have certainly ended."""
    processes = connection.execute(select(leases.c.process)).scalars().all()
    return [shown(str(process)) or "an unknown machine" for process in processes if not is_gone(str(process))]


class Leases:
    """This server's own lease, and its observations of the others. The methods run inside a transaction."""

    def __init__(self, holder: str, clock: Clock) -> None:
        self.holder = holder
        self._clock = clock
        self._number = 0  # number of this server's lease; grows each time that it is taken
        self._held = False
        self._renewed_at = clock.monotonic()
        self._seen: dict[str, tuple[tuple[int, int], float]] = {}

    def take(self, connection: Connection) -> None:
        """Insert this server's lease, with a beat of 0. This holder must not have one yet."""
        self._number += 1
        connection.execute(
            insert(leases).values(
                name=f"server-{self.holder}", holder=self.holder, number=self._number, beat=0, process=this_process()
            )
        )
        self._held = True
        self._renewed_at = self._clock.monotonic()

    def renew(self, connection: Connection) -> bool:
        """Raise the beat. Return False if this server has no lease any more, so that it must stop acting.

        That is so if another server has declared it dead, or after `release`. Nothing is inserted again.
        """
        now = self._clock.monotonic()
        mine = leases.c.holder == self.holder
        found = connection.execute(update(leases).where(mine).values(beat=leases.c.beat + 1)).rowcount == 1
        if found:
            self._renewed_at = now
        return found

    def require(self, connection: Connection) -> None:
        """Raise `LeaseLost` if another server has declared this one dead since it took its lease.

        Before `take` and after `release` nothing is required. Another server waits with its verdict until the
        transaction ends.
        """
        if not self._held:
            return
        mine = select(leases.c.number).where(leases.c.holder == self.holder)
        number = connection.execute(mine.with_for_update(read=True)).scalar()  # SQLite has one writer at a time
        if number != self._number:
            raise LeaseLost

    def may_act(self) -> bool:
        """Return whether the lease was taken or renewed less than 20 seconds ago, on this server's own clock.

        The database is not read. Before `take` the time counts from when this object was made.
        """
        return self._clock.monotonic() - self._renewed_at < DEAD_AFTER_SECONDS

    def lost_sight(self) -> None:
        """Count from now how long each other lease has not changed.

        To be called when the database was away: none could be renewed or seen then.
        """
        self._seen.clear()

    def release(self, connection: Connection) -> None:
        """Remove this server's lease during an orderly shutdown."""
        self._held = False
        connection.execute(delete(leases).where(leases.c.holder == self.holder))

    def server_name(self, connection: Connection, holder: str) -> str:
        """Return the machine and the process of a holder, for people; empty if it has no lease."""
        process = connection.execute(select(leases.c.process).where(leases.c.holder == holder)).scalar()
        return shown(str(process or ""))

    def remove_dead(self, connection: Connection) -> set[str]:
        """Remove the leases of dead servers. Return the living holders, including this one.

        A process of this machine that is gone is dead at once. Any other server is dead if its lease has not changed
        for 20 seconds of repeated calls; the first call only notes it.
        """
        living = set()
        for row in connection.execute(select(leases)).all():
            if row.holder == self.holder or not self._is_dead(row.holder, (row.number, row.beat), row.process):
                living.add(row.holder)
            else:
                connection.execute(delete(leases).where(leases.c.holder == row.holder))
        return living

    def remove_unproven(self, connection: Connection) -> set[str]:
        """Remove all leases except those of processes that live on this machine. Return the holders of these."""
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
