"""A person's shell in a terminal, or the requested program instead. An agent never shares its PTY.

Made by `programs.py`. Its processes are not under a launcher: the sandbox ends the whole session.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ...core.clock import Clock
from ...sandboxes.port import ProcessExit, PtySession
from ..screens.screen import Screen
from .folders import Folder

log = logging.getLogger(__name__)


class Shell:
    """Lives until its program ends; then everything that was started in it is ended too.

    `on_over`: nothing of it is left, `exit` says how it ended. `on_folder`: its folder has changed. `started_at` is in
    the clock's monotonic seconds.
    """

    def __init__(
        self,
        session: PtySession,
        screen: Screen,
        *,
        clock: Clock,
        on_over: Callable[[Shell], None],
        on_folder: Callable[[str], None],
    ) -> None:
        self.screen = screen
        self.folder = Folder(session.pid, on_folder, clock)
        self.started_at = clock.monotonic()
        self.exit: ProcessExit | None = None
        self._on_over = on_over
        self._session = session
        self._closing = False
        self._forget_output = screen.subscribe(self.folder.may_have_changed)
        self._life = asyncio.create_task(self._live(), name=f"shell {session.pid}")

    @property
    def alive(self) -> bool:
        """Whether the shell accepts input: False once it is being ended."""
        return self.exit is None and not self._closing

    async def stop(self) -> None:
        """End it and everything it started; return when nothing is left, or when some of it could not be ended."""
        self._closing = True
        if await self._session.end():
            await asyncio.shield(self._life)

    async def _live(self) -> None:
        ended = ProcessExit()
        try:
            await self._session.wait()
            if not await self._session.end():
                log.warning("Processes of the shell %s could not be ended.", self._session.pid)
            ended = await self.screen.finish()
        except Exception:
            log.exception("A shell's end failed")
        finally:
            self._forget_output()
            self.folder.close()
            self.exit = ended
            self._on_over(self)
