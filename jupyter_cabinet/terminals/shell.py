"""A person's shell in a terminal, or the program that was asked for instead: a PTY without a launcher.

A launcher would cost megabytes for each; in its stead the whole session is ended by the process table. Made by
`stage.py`. An agent never shares this PTY.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ..sandboxes.port import ProcessExit
from ..sandboxes.sessions import Session
from .folders import Folder
from .screen import Screen

log = logging.getLogger(__name__)


class Shell:
    """Lives until its program ends; then everything that was started in it is ended too."""

    def __init__(self, screen: Screen, *, on_over: Callable[[Shell], None], on_folder: Callable[[str], None]) -> None:
        self.screen = screen
        self.folder = Folder(screen.pty.pid, on_folder)
        self.started_at = asyncio.get_running_loop().time()
        self.exit: ProcessExit | None = None
        self._on_over = on_over
        self._session = Session(screen.pty.pid)
        self._closing = False
        self._forget_output = screen.subscribe(self.folder.may_have_changed)
        self._life = asyncio.create_task(self._live(), name=f"shell {screen.pty.pid}")

    @property
    def alive(self) -> bool:
        return self.exit is None and not self._closing

    async def stop(self) -> None:
        """End it and everything it started; returns when nothing is left."""
        self._closing = True
        if await self._session.end():
            await asyncio.shield(self._life)

    async def _live(self) -> None:
        try:
            await self.screen.pty.leader_ended()
            if not await self._session.end():
                log.warning("Processes of the shell %s cannot be ended.", self.screen.pty.pid)
            await self.screen.finish()
        except Exception:
            log.exception("A shell's end failed")
        finally:
            self._forget_output()
            self.folder.close()
            self.exit = ProcessExit(code=self.screen.pty.code, signal=self.screen.pty.signal)
            self._on_over(self)
