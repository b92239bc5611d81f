"""The CLIs that are open in terminals, by session: which one an order can use, and when they are closed.

Belongs to `executor.py`. `runs/` closes CLIs here; `terminal_execution.py` opens them.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from ...core.durations import spelled
from ...core.errors import NotAllowed, NotFound
from ...sessions.service import Sessions
from ...terminals.service import Terminals
from ...terminals.terminal import OpenTerminal
from ..model import MADE_PRIVATE, Order
from .cli_setup import Setup
from .open_cli import OpenCli

log = logging.getLogger(__name__)


class OpenClis:
    """One per server."""

    def __init__(self, *, sessions: Sessions, terminals: Terminals, idle_seconds: float) -> None:
        self.by_session: dict[str, OpenCli] = {}
        self._sessions = sessions
        self._terminals = terminals
        self._idle_seconds = idle_seconds

    async def close(self, session_id: str, reason: str) -> None:
        """Close the session's CLI, if one is open, and wait until its processes have ended. `reason`: a sentence."""
        cli = self.by_session.get(session_id)
        if cli is not None:
            await cli.close(reason)

    async def close_in(self, terminal_id: str, reason: str) -> bool:
        """Close the CLI in a terminal, and wait until its processes have ended. Return False if there is none."""
        cli = next((cli for cli in self.by_session.values() if cli.terminal.id == terminal_id), None)
        if cli is not None:
            await cli.close(reason)
        return cli is not None

    async def close_all(self, reason: str) -> None:
        """Close every open CLI, at the same time, and wait until their processes have ended."""
        await asyncio.gather(*(cli.close(reason) for cli in list(self.by_session.values())))

    async def close_idle(self) -> None:
        """Close CLIs that nobody has watched or typed into for `idle_seconds`.

        One that works on an order or is paused is kept, and so is one in a terminal that stays after it.
        """
        limit = self._idle_seconds
        for cli in list(self.by_session.values()):
            kept = cli.at_work or bool(cli.held) or cli.terminal.about.lasting
            if not kept and cli.terminal.idle_seconds() > limit:
                await cli.close(f"It was closed after {spelled(limit)} without a viewer or a key.")

    async def fitting(self, order: Order, *, isolated: bool) -> OpenCli | None:
        """Return the open CLI of the order's session, if it can take the order; it may be working on another one.

        One that cannot, because its options differ or it is ending, is closed, and None is returned.
        """
        cli = self.by_session.get(order.session_id)
        if cli is None or (cli.alive and cli.setup == Setup.of(order) and cli.isolated == isolated):
            return cli
        await cli.close("It was opened again with other settings.")
        return None

    async def terminal_of(self, order: Order, cwd: str) -> OpenTerminal:
        """Return the open terminal that was requested, else a new one in `cwd`.

        Raises `NotFound` if the requested one was closed, and `NotAllowed` if it was made private to somebody else.
        """
        if order.terminal_id is not None:
            terminal = self._terminals.find(order.terminal_id)
            check_still_seen(terminal, order)
            return terminal
        return await self._terminals.open(
            order.owner,
            name=order.label[:60],
            cwd=cwd,
            cols=order.cols or 120,
            rows=order.rows or 30,
            visibility=order.visibility,
            program=order.runtime,
        )

    async def note_open(self, cli: OpenCli) -> None:
        """Record in which terminal the session's CLI is open."""
        await self._sessions.note_open(cli.session_id, cli.terminal.id)

    async def give_up(self, cli: OpenCli, order: Order) -> None:
        """Forget a CLI that could not be started. A terminal that was opened for it is closed."""
        self.by_session.pop(cli.session_id, None)
        if order.terminal_id is None:
            with suppress(NotFound):  # a person closed it first
                await self._terminals.close(cli.terminal.id, "The agent could not be started.")

    async def on_end(self, cli: OpenCli) -> None:
        """Record that the CLI is no longer open. Never raises because of the database: that is logged."""
        if self.by_session.get(cli.session_id) is cli:
            del self.by_session[cli.session_id]
        try:
            await self._sessions.note_closed(cli.session_id, cli.closing_reason or "The agent has ended.")
        except Exception:  # a full disk must not prevent anybody from closing it
            log.exception("The end of an agent could not be recorded")


def check_still_seen(terminal: OpenTerminal, order: Order) -> None:
    """Raise `NotAllowed` if the terminal is private to somebody else, so that nothing of the order starts there."""
    if not terminal.admits(order.owner):
        raise NotAllowed(MADE_PRIVATE)
