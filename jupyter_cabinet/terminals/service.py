"""The shared terminals of this server: open, find, close. The room's service; `runs/` and `web/` call it.

Framework-free: a client's transport comes in as a `ViewerTransport`, and a `Sandbox` starts processes.
"""

from __future__ import annotations

import asyncio

import msgspec

from ..core.clock import Clock, Timer
from ..core.errors import CabinetError, NotAllowed, NotFound, ShuttingDown
from ..core.events import Event, EventBus, Scope
from ..core.ids import new_id
from ..core.people import Person, Principal, Visibility
from ..sandboxes.port import Sandbox
from .model import (
    SHELL,
    About,
    NewTerminal,
    Terminal,
    TerminalChanged,
    TerminalClosed,
    TerminalHidden,
    TerminalOpened,
    TerminalPatch,
    TurnChanged,
    checked_size,
)
from .recording.recordings import Recordings
from .settings import TerminalSettings
from .terminal import OpenTerminal

DEFAULT_COLS = 120
DEFAULT_ROWS = 30
CULLED_EVERY_PARTS = 4  # of the time after which an idle terminal is closed


class Terminals:
    """Keeps every open terminal, and each ended one for as long as its screen stays readable."""

    def __init__(
        self,
        *,
        clock: Clock,
        bus: EventBus,
        sandbox: Sandbox,
        settings: TerminalSettings | None = None,
        recordings: Recordings | None = None,
    ) -> None:
        self._recordings = recordings
        self._clock = clock
        self._bus = bus
        self._sandbox = sandbox
        self._settings = settings or TerminalSettings()
        self._terminals: dict[str, OpenTerminal] = {}
        self._expiries: dict[str, Timer] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._culling: Timer | None = None
        self._numbered = 0  # how many terminals got a number as their name
        self._stopping = False

    async def open(
        self,
        owner: Principal,
        *,
        name: str,
        cwd: str,
        cols: int = DEFAULT_COLS,
        rows: int = DEFAULT_ROWS,
        visibility: Visibility = "server",
        program: str = "agent",
    ) -> OpenTerminal:
        """Open a terminal that `owner` controls. It is empty until an agent is started in it, and ends with the agent.

        `cwd`: absolute. `program`: the name of the agent's runtime. Emits `TerminalOpened`. Raises `Invalid` for a size
        that is not allowed, and `ShuttingDown`.
        """
        about = self._about(owner, name=name, cwd=cwd, visibility=visibility)
        about = msgspec.structs.replace(about, program=program)
        terminal = self._make(about, cols, rows)
        self._publish(terminal, TerminalOpened(terminal=terminal.view()))
        return terminal

    async def open_for(self, owner: Principal, wanted: NewTerminal, *, cwd: str) -> OpenTerminal:
        """Open a terminal that stays: a shell takes over when an agent ends. Emits `TerminalOpened`.

        `cwd`: the wanted folder, absolute. It contains the wanted command or a shell; the caller starts a runtime's
        CLI. Raises `Invalid`, `Unavailable` if a command cannot be started, and `ShuttingDown`.
        """
        name = wanted.name or f"Terminal {self._numbered + 1}"
        about = self._about(owner, name=name, cwd=cwd, visibility=wanted.visibility)
        program = wanted.command[0].rpartition("/")[2] if wanted.command else wanted.program
        about = msgspec.structs.replace(about, program=program, lasting=True, record=wanted.record)
        cols = DEFAULT_COLS if wanted.cols is None else wanted.cols
        rows = DEFAULT_ROWS if wanted.rows is None else wanted.rows
        terminal = self._make(about, cols, rows)
        self._numbered += wanted.name is None
        try:
            if wanted.command is not None or wanted.program == SHELL:
                terminal.programs.start_shell(wanted.command)
        except CabinetError:
            del self._terminals[terminal.id]
            await terminal.close("It could not be opened.")
            raise
        self._publish(terminal, TerminalOpened(terminal=terminal.view()))
        self._cull_later()
        return terminal

    def _about(self, owner: Principal, *, name: str, cwd: str, visibility: Visibility) -> About:
        return About(
            id=new_id(),
            name=name,
            owner=owner.person,
            visibility=visibility,
            cwd=cwd,
            created_at=self._clock.now(),
        )

    def _make(self, about: About, cols: int, rows: int) -> OpenTerminal:
        if self._stopping:
            raise ShuttingDown
        terminal = OpenTerminal(
            about,
            size=checked_size(cols, rows),
            clock=self._clock,
            settings=self._settings,
            sandbox=self._sandbox,
            recordings=self._recordings,
            listener=self,
        )
        self._terminals[terminal.id] = terminal
        return terminal

    def list(self, principal: Principal) -> list[Terminal]:
        """Return the terminals that `principal` may see, oldest first."""
        seen = (each for each in self._terminals.values() if each.admits(principal))
        return [terminal.view() for terminal in seen]

    def get(self, id: str, principal: Principal) -> OpenTerminal:
        """Return the terminal with this id. Raises `NotFound`, also if `principal` may not see it.

        If it was shared before, and so everybody could see it, the error says who made it private.
        """
        terminal = self._terminals.get(id)
        if terminal is not None and terminal.hidden_because and not terminal.admits(principal):
            raise NotFound(terminal.hidden_because, reason="made_private")
        if terminal is None or not terminal.admits(principal):
            raise NotFound("There is no such terminal, or you may not see it.")
        return terminal

    def find(self, id: str) -> OpenTerminal:
        """Return the terminal with this id. Raises `NotFound`. The caller checks who may see it."""
        if id not in self._terminals:
            raise NotFound("There is no such terminal any more.")
        return self._terminals[id]

    def __contains__(self, id: object) -> bool:
        """Return whether a terminal is open here."""
        return id in self._terminals

    def silent_seconds(self) -> float | None:
        """Return the seconds since any output or key in any terminal; None if there is no terminal."""
        return min((each.silent_seconds() for each in self._terminals.values()), default=None)

    def change_for(self, id: str, patch: TerminalPatch, principal: Principal) -> Terminal:
        """Share a terminal or make it private, and return it. For the person who started it, not for administrators.

        Emits `TerminalChanged`, and `TerminalHidden` if it is private now. Raises `NotFound`, and `NotAllowed` for
        others.
        """
        terminal = self.get(id, principal)
        if not terminal.gate.may_share(principal):
            raise NotAllowed("Only the person who started this terminal may share it or make it private.")
        if patch.visibility != terminal.about.visibility:
            owner = terminal.about.owner
            reason = f"{owner.display_name} made this terminal private."
            terminal.set_visibility(patch.visibility, reason)
            if patch.visibility == "private":
                hidden = TerminalHidden(terminal_id=id, owner=owner.username, reason=reason)
                self._bus.publish(hidden, Scope(owner=owner.username, visibility="server"))
            self._publish(terminal, TerminalChanged(terminal=terminal.view()))
        return terminal.view()

    async def close_for(self, id: str, principal: Principal) -> None:
        """Close a terminal for somebody, and return when nothing of it is left. Emits `TerminalClosed`.

        Raises `NotFound`, and `NotYourTurn` if they neither control it nor started it or its agent.
        """
        self.get(id, principal).gate.must_steer(principal)
        await self.close(id, f"Closed by {principal.display_name}.")

    async def close(self, id: str, reason: str) -> None:
        """End the programs of a terminal, forget it, and return when nothing is left. Emits `TerminalClosed`.

        Raises `NotFound`. The caller checks who may.
        """
        terminal = self._terminals.pop(id, None)
        if terminal is None:
            raise NotFound
        self._forget_expiry(id)
        await terminal.close(reason)
        self._publish(terminal, TerminalClosed(terminal_id=id, reason=reason))

    async def stop(self) -> None:
        """Close all terminals at the same time, because the server stops. None can be opened afterwards."""
        self._stopping = True
        if self._culling is not None:
            self._culling.cancel()
        closing = [self.close(id, "The server has stopped.") for id in list(self._terminals)]
        await asyncio.gather(*closing, *self._closing)

    # --- the port `TerminalListener` --------------------------------------------------------------

    def changed(self, terminal: OpenTerminal) -> None:
        """Publish that a terminal has changed.

        If its programs have ended, close it after `exited_kept_seconds`.
        """
        if terminal.id not in self._terminals:
            return
        self._forget_expiry(terminal.id)
        if terminal.programs.exited:
            self._expiries[terminal.id] = self._clock.call_at(
                self._clock.monotonic() + self._settings.exited_kept_seconds,
                lambda: self._close_later(terminal.id, "It ended a while ago."),
            )
        self._publish(terminal, TerminalChanged(terminal=terminal.view()))

    def recording_changed(self, terminal: OpenTerminal) -> None:
        if terminal.id in self._terminals:
            self._publish(terminal, TerminalChanged(terminal=terminal.view()))

    def control_moved(self, terminal: OpenTerminal, why: str, by: Person | None) -> None:
        event = TurnChanged(
            terminal_id=terminal.id,
            controller=terminal.control.turn.controller,
            why=why,
            by=by.username if by is not None else None,
        )
        self._publish(terminal, event)

    # --- inside ----------------------------------------------------------------------------------

    def _close_later(self, id: str, reason: str) -> None:
        if id in self._terminals:
            task = asyncio.create_task(self.close(id, reason))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _cull_later(self) -> None:
        limit = self._settings.terminal_idle_seconds
        if limit is not None and self._culling is None and not self._stopping:
            at = self._clock.monotonic() + limit / CULLED_EVERY_PARTS
            self._culling = self._clock.call_at(at, lambda: self._cull(limit))

    def _cull(self, limit: float) -> None:
        """Close terminals that nobody has watched or used for so long; never one with an agent in it."""
        self._culling = None
        for terminal in self._terminals.values():
            if not terminal.programs.occupied and terminal.quiet_seconds() >= limit:
                self._close_later(terminal.id, "Nobody has used it for a while.")
        if self._terminals:
            self._cull_later()

    def _forget_expiry(self, id: str) -> None:
        timer = self._expiries.pop(id, None)
        if timer is not None:
            timer.cancel()

    def _publish(self, terminal: OpenTerminal, event: Event) -> None:
        scope = Scope(owner=terminal.about.owner.username, visibility=terminal.about.visibility)
        self._bus.publish(event, scope)
