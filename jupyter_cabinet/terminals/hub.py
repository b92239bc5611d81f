"""The shared terminals of this server: open, find, close. The room's service; `runs/` and `web/` call it.

Framework-free: a client's transport comes in as a `Viewer`.
"""

from __future__ import annotations

import asyncio

from ..core.clock import Clock
from ..core.errors import Invalid, NotFound, ShuttingDown
from ..core.events import Event, EventBus, Scope
from ..core.ids import new_id
from ..core.people import Person, Principal, Visibility, may_see
from .agent import AgentProcess
from .connection import SIDES, Connection
from .model import Size, Terminal, TerminalClosed, TerminalOpened, TurnChanged
from .pty import Ptys
from .settings import TerminalSettings
from .terminal import About, OpenTerminal
from .viewer import Viewer

__all__ = ["AgentProcess", "Connection", "OpenTerminal", "TerminalSettings", "Terminals", "Viewer"]


class Terminals:
    """Keeps every open terminal, and each ended one for as long as its screen stays readable."""

    def __init__(self, *, clock: Clock, bus: EventBus, settings: TerminalSettings | None = None) -> None:
        self._clock = clock
        self._bus = bus
        self._settings = settings or TerminalSettings()
        self._terminals: dict[str, OpenTerminal] = {}
        self._expiries: dict[str, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._ptys = Ptys()
        self._stopping = False

    async def open(
        self,
        owner: Principal,
        *,
        name: str,
        cwd: str,
        cols: int = 120,
        rows: int = 30,
        visibility: Visibility = "server",
    ) -> OpenTerminal:
        """Open a terminal that `owner` controls. It is empty until something is started in it."""
        if self._stopping:
            raise ShuttingDown
        if cols not in SIDES or rows not in SIDES:
            raise Invalid("A terminal has 1 to 1000 columns and rows.", field="cols")
        about = About(
            id=new_id(),
            name=name,
            owner=Person(username=owner.username, display_name=owner.display_name),
            visibility=visibility,
            cwd=cwd,
            created_at=self._clock.now(),
        )
        terminal = OpenTerminal(
            about,
            size=Size(cols=cols, rows=rows),
            clock=self._clock,
            settings=self._settings,
            ptys=self._ptys,
            on_turn=self._turn_changed,
            on_exited=self._exited,
        )
        self._terminals[terminal.id] = terminal
        self._publish(terminal, TerminalOpened(terminal=terminal.view()))
        return terminal

    def list(self, principal: Principal) -> list[Terminal]:
        """The terminals that `principal` may see, oldest first."""
        seen = (each for each in self._terminals.values() if _visible(each, principal))
        return [terminal.view() for terminal in seen]

    def get(self, id: str, principal: Principal) -> OpenTerminal:
        """Raises `NotFound`, also for what `principal` may not see."""
        terminal = self._terminals.get(id)
        if terminal is None or not _visible(terminal, principal):
            raise NotFound("There is no such terminal, or it is not yours to see.")
        return terminal

    async def close(self, id: str, reason: str) -> None:
        """End what runs in a terminal and forget it. Raises `NotFound`. Who may is the caller's question."""
        terminal = self._terminals.pop(id, None)
        if terminal is None:
            raise NotFound
        self._forget_expiry(id)
        await terminal.close(reason)
        self._publish(terminal, TerminalClosed(terminal_id=id, reason=reason))

    async def stop(self) -> None:
        """The server ends: close every terminal, at the same time."""
        self._stopping = True
        closing = [self.close(id, "The server has stopped.") for id in list(self._terminals)]
        await asyncio.gather(*closing, *self._closing)

    def _exited(self, terminal: OpenTerminal, exited: bool) -> None:
        """Its agent has ended: keep it readable for a while. A new one was started: keep it."""
        self._forget_expiry(terminal.id)
        if exited and terminal.id in self._terminals:
            self._expiries[terminal.id] = asyncio.get_running_loop().call_later(
                self._settings.exited_kept_seconds, self._expire, terminal.id
            )

    def _expire(self, id: str) -> None:
        if id in self._terminals:
            task = asyncio.create_task(self.close(id, "It ended a while ago."))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _forget_expiry(self, id: str) -> None:
        timer = self._expiries.pop(id, None)
        if timer is not None:
            timer.cancel()

    def _turn_changed(self, terminal: OpenTerminal, why: str, by: Person | None) -> None:
        event = TurnChanged(
            terminal_id=terminal.id,
            controller=terminal.desk.turn.controller,
            why=why,
            by=by.username if by is not None else None,
        )
        self._publish(terminal, event)

    def _publish(self, terminal: OpenTerminal, event: Event) -> None:
        scope = Scope(owner=terminal.about.owner.username, visibility=terminal.about.visibility)
        self._bus.publish(event, scope)


def _visible(terminal: OpenTerminal, principal: Principal) -> bool:
    return may_see(principal, terminal.about.owner.username, terminal.about.visibility)
