"""Connects Cabinet's services with the Jupyter server that they are in: its routes, files, terminals, activity and end.

Called by `app.py`, which has the settings. `backend.py` builds the services.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import CabinetError
from ...core.worker_threads import end_with_the_process
from ...documents.live_documents import LiveDocuments
from ...documents.renames import hear_of_moves
from ...documents.save_guard import SaveGuard
from ...storage.filesystem.hidden_state import HiddenState
from ..chat_page.handlers import PAGES
from ..routes import PREFIX, ROUTES, pattern
from ..server_status import ServerStatus
from .guard import PATTERN, StateHandler, guarded_files, hide_from_contents
from .last_activity import LastActivity
from .operator_log import OperatorLog

if TYPE_CHECKING:  # imported off the event loop, when Jupyter serves already
    from ...backend import Backend

STOP_LOG_SECONDS = 2
STOP_SECONDS = 25  # after which the server ends without the rest: its launchers end what they have started


class JupyterIntegration:
    """One per server. `server`: the `ServerApp`; `root`: its root directory."""

    def __init__(self, server: Any, root: Path, status: ServerStatus, log: logging.Logger) -> None:
        self.status = status
        self._server = server
        self._root = root
        self._log = log
        live = LiveDocuments(server, status.clock)
        self._saves = SaveGuard(server.contents_manager, root, status.clock, live)
        self._backend: Backend | None = None
        self._activity: LastActivity | None = None
        self._unhear: Callable[[], None] = lambda: None
        self._operator_log: OperatorLog | None = None

    def connect(self) -> list[tuple[Any, ...]]:
        """Guard the files that Jupyter itself serves, and return the routes of this extension. Call it once."""
        contents, hidden = self._server.contents_manager, HiddenState(self._root)
        hide_from_contents(contents, hidden)
        own = [(rf"/{PREFIX}/{pattern(path)}", handler, {"server_status": self.status}) for path, handler in ROUTES]
        pages = [(f"/{path}", handler) for path, handler in PAGES]
        return [(PATTERN, StateHandler), *own, *pages, *guarded_files(contents, hidden)]

    async def start(
        self,
        build: Callable[[], Backend],
        *,
        event_texts: bool,
        share_terminals: bool,
        patience_seconds: float,
        schedules_count: bool,
    ) -> None:
        """Build and open the services. If that fails, nothing is raised: the interface shows why, and the server
        continues.

        `event_texts`: whether the operator's log includes texts. The last two: see `LastActivity`.
        """
        end_with_the_process()
        try:
            # SQLAlchemy and the services are imported off the loop, when the server has already started
            backend = self._backend = await asyncio.to_thread(build)
            await backend.open()
            self.status.serve(backend)
            self._saves.watch(backend.bus, backend.changes)
            followers = (backend.changes.moved, backend.editor.document_moved)
            self._unhear = hear_of_moves(self._server.event_logger, *followers)
            self._operator_log = OperatorLog(self._server.event_logger, texts=event_texts)
            self._operator_log.watch(backend.bus)
            if share_terminals:
                self._share_terminals(backend)
            self._activity = LastActivity(
                self._server.web_app.settings,
                backend,
                patience_seconds=patience_seconds,
                schedules_count=schedules_count,
            )
            self._activity.start()
        except CabinetError as error:
            self.status.trouble = error.message
            self._log.error("Jupyter Cabinet could not start: %s", error.message)
        except Exception:
            self.status.trouble = "Cabinet could not start. The reason is in the server's log."
            self._log.exception("Jupyter Cabinet could not start")

    def is_busy(self) -> bool:
        """Return whether an agent works, or something else keeps the server from being idle."""
        return self._activity is not None and self._activity.is_busy()

    def _share_terminals(self, backend: Backend) -> None:
        from .stock_terminals import SharedTerminalManager

        manager = self._server.web_app.settings.get("terminal_manager")
        if isinstance(manager, SharedTerminalManager):
            manager.serve(backend.terminals, backend.bus, self.status.clock)
        else:
            self._log.error("CabinetApp.share_jupyter_terminals has no effect: %r manages the terminals.", manager)

    async def stop(self) -> None:
        """End every run and terminal; no process remains. After 25 seconds it gives up, and logs what it waited for."""
        backend, self._backend = self._backend, None
        self._unhear()
        if self._activity is not None:
            await self._activity.stop()
        if backend is not None:
            self.status.trouble = "The server is stopping."
            closing = asyncio.create_task(backend.close())
            _, late = await asyncio.wait([closing], timeout=STOP_SECONDS)
            if late:
                waits = _what_it_waits_for()
                self._log.error("Cabinet did not stop within %d s. It waits for: %s", STOP_SECONDS, waits)
                closing.cancel()
            await asyncio.gather(closing, return_exceptions=bool(late))
            if self._operator_log is not None:  # the last events are the ends of runs
                await self._operator_log.stop(STOP_LOG_SECONDS)


def _what_it_waits_for() -> str:
    """Return the positions in the code, for a bug report."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    frames = [frame for task in others for frame in task.get_stack(limit=1)]
    return ", ".join(sorted(f"{frame.f_code.co_qualname}:{frame.f_lineno}" for frame in frames))
