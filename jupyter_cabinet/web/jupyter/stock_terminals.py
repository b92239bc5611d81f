"""JupyterLab's own terminals under our turn-taking (`CabinetApp.share_jupyter_terminals`), stock routes included.

`jupyter_server_terminals` creates this manager instead of the stock one (`terminal_manager_class`) and requests a
terminal from it once per WebSocket: each gets a `StockViewer` (`stock_viewer.py`), a viewer of one of our terminals.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from datetime import datetime
from typing import Any

from jupyter_server import CallContext
from jupyter_server._tz import isoformat, utcnow
from jupyter_server.prometheus.metrics import TERMINAL_CURRENTLY_RUNNING_TOTAL
from jupyter_server_terminals.terminalmanager import TerminalManager
from tornado import web

from ...core.clock import Clock
from ...core.errors import NotYourTurn
from ...core.events import Event, EventBus, Scope
from ...core.people import OWNER, Principal
from ...terminals.model import NewTerminal, TerminalChanged, TerminalClosed
from ...terminals.service import Terminals
from ...terminals.terminal import OpenTerminal
from ..identity import is_shared
from .stock_viewer import StockViewer

NOT_YET = "Jupyter Cabinet shares the terminals of this server and has not started. The reason is in its log."


class OnTheLoop(Executor):
    """Run key presses, which terminado passes to an executor.

    Ours waits for nothing, so they stay on the loop, in order.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class StockTerminal:
    """One name in the stock list, and its terminal once that is open."""

    def __init__(self, name: str, opening: asyncio.Task[OpenTerminal]) -> None:
        self.name = name
        self.opening = opening
        self.last_activity: datetime = utcnow()

    def admits(self, principal: Principal) -> bool:
        """Return whether `principal` may see it. One that is still being opened is visible to everybody."""
        opened = self.opening.done() and not self.opening.cancelled() and self.opening.exception() is None
        return not opened or self.opening.result().admits(principal)


class SharedTerminalManager(TerminalManager):
    """Every terminal of the stock routes is one of ours. `StockTerminal` replaces terminado's PTY."""

    terminals: dict[str, StockTerminal]  # type: ignore[assignment]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, blocking_io_executor=OnTheLoop())
        self._shared: Terminals | None = None
        self._clock: Clock

    def serve(self, shared: Terminals, bus: EventBus, clock: Clock) -> None:
        """Create terminals from now on. Before that, `create` answers 503.

        `bus`: tells which terminals have ended.
        """
        self._shared, self._clock = shared, clock
        bus.subscribe(self._heard)

    # --- called by the stock handlers --------------------------------------------------------

    def create(self, **wanted: Any) -> dict[str, Any]:
        """Return the model of a new terminal, or of the one that has this name. It is opened in a task.

        `name`, `cwd` and `shell_command` in the body of `POST api/terminals` count as in the stock manager. Raises HTTP
        503 before `serve`. If it cannot be opened, that is logged, and it leaves the list.
        """
        if self._shared is None:
            raise web.HTTPError(503, reason=NOT_YET)
        name = str(wanted.get("name") or self._next_available_name())
        command = wanted.get("shell_command")
        argv = (command,) if isinstance(command, str) else tuple(command) if command else None
        if name not in self.terminals:
            assert self.parent is not None, "the server makes its manager"
            cwd = str(wanted.get("cwd") or self.parent.root_dir)
            new = NewTerminal(name=name, command=argv)
            opening = asyncio.create_task(self._shared.open_for(principal_of(caller()), new, cwd=cwd))
            self.terminals[name] = StockTerminal(name, opening)
            opening.add_done_callback(lambda done: self._opened(name, done))
            TERMINAL_CURRENTLY_RUNNING_TOTAL.inc()
            self._initialize_culler()
        return self.get_terminal_model(name)

    def get_terminal(self, term_name: str) -> StockViewer:  # type: ignore[override]
        """Return a viewer of the terminal with this name, which is created if it does not exist.

        Called once per WebSocket.
        """
        if term_name not in self.terminals:
            self.create(name=term_name)
        return StockViewer(self.terminals[term_name].opening, self._clock)

    def list(self) -> list[dict[str, Any]]:
        """List the terminals that the caller may see."""
        names = [name for name in self.terminals if self._shows(name)]
        TERMINAL_CURRENTLY_RUNNING_TOTAL.set(len(self.terminals))
        return [self.get_terminal_model(name) for name in names]

    def get_terminal_model(self, name: str) -> dict[str, Any]:
        self._check_terminal(name)
        return {"name": name, "last_activity": isoformat(self.terminals[name].last_activity)}

    async def terminate(self, name: str, force: bool = False) -> None:
        """Close a terminal (`DELETE api/terminals/{name}`), under the same rule as our route.

        Raises HTTP 404 if the caller may not see it, and 403 if somebody else controls it.
        """
        self._check_terminal(name)
        terminal = await self.terminals[name].opening
        principal = principal_of(caller())
        if not terminal.gate.may_steer(principal):
            raise web.HTTPError(403, reason=NotYourTurn().message)
        await self._end(name, f"Closed by {principal.display_name}.")

    async def terminate_all(self) -> None:
        """Forget all terminals, because the server stops: the service closes them with all others."""
        self.terminals.clear()

    async def _cull_inactive_terminal(self, name: str) -> None:
        """Cull as the stock manager does, but never a terminal with an agent in it."""
        terminal = await self.terminals[name].opening
        idle = (utcnow() - self.terminals[name].last_activity).total_seconds()
        if idle > self.cull_inactive_timeout and not terminal.programs.occupied:
            self.log.warning("Culling terminal '%s' due to %s seconds of inactivity.", name, int(idle))
            await self._end(name, "Nobody has used it for a while.")

    def _check_terminal(self, name: str) -> None:
        """Raise 404 for a name that does not exist, or whose terminal the caller may not see."""
        super()._check_terminal(name)
        if not self._shows(name):
            raise web.HTTPError(404, f"Terminal not found: {name}")

    def _shows(self, name: str) -> bool:
        """Whether the caller may see this terminal. Outside a request nothing is hidden."""
        handler = caller()
        return handler is None or self.terminals[name].admits(principal_of(handler))

    # --- ended terminals ---------------------------------------------------------------------

    async def _end(self, name: str, reason: str) -> None:
        assert self._shared is not None
        terminal = await self.terminals[name].opening
        self._forget(name)
        await self._shared.close(terminal.id, reason)

    def _opened(self, name: str, opening: asyncio.Task[OpenTerminal]) -> None:
        if opening.cancelled() or opening.exception() is not None:
            self.log.error("Terminal '%s' could not be opened: %s", name, opening)
            self._forget(name)

    def _heard(self, event: Event, scope: Scope) -> None:
        """One of ours has ended: it is removed from the stock list, like a stock terminal."""
        if isinstance(event, TerminalClosed):
            self._forget_id(event.terminal_id)
        elif isinstance(event, TerminalChanged) and event.terminal.exited:
            self._forget_id(event.terminal.id)

    def _forget_id(self, id: str) -> None:
        for name, stock in list(self.terminals.items()):
            if stock.opening.done() and not stock.opening.exception() and stock.opening.result().id == id:
                self._forget(name)

    def _forget(self, name: str) -> None:
        if self.terminals.pop(name, None) is not None:
            TERMINAL_CURRENTLY_RUNNING_TOTAL.dec()


def caller() -> Any:
    """Return the handler of the current request; None outside a request."""
    return CallContext.get(CallContext.JUPYTER_HANDLER)


def principal_of(handler: Any) -> Principal:
    """Return the caller on a stock route. It knows no administrators of ours: those use our own routes.

    Raises HTTP 403 without a login.
    """
    user = handler.current_user
    if user is None:
        raise web.HTTPError(403)
    name = user.display_name or user.name or user.username
    return Principal(username=user.username or OWNER, display_name=name, shared_token=is_shared(handler))
