"""One PTY as viewers see it: its ring, its keyboard, its size, and when to wake the viewers' streams.

Knows neither viewers nor people; `terminal.py` shows it, `stream.py` reads it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from .keyboard import Keyboard
from .model import ScreenSource, Size
from .pty import Pty, Ptys
from .queries import Queries, Query
from .ring import Ring
from .settings import TerminalSettings
from .titles import Titles

log = logging.getLogger(__name__)

NUDGE_SECONDS = 0.05  # programs gather size changes over a few milliseconds


class Screen:
    """Collects output; first bytes at once, then one flush per interval or frame."""

    def __init__(
        self, ptys: Ptys, pty: Pty, source: ScreenSource, *, size: Size, settings: TerminalSettings, first: int
    ) -> None:
        self.source: ScreenSource = source
        self.pty = pty
        self.size = size
        self.ring = Ring(settings.ring_bytes, first=first)
        self.keyboard = Keyboard(pty, limit=settings.input_queue_bytes)
        self.queries = Queries()
        self.last_output = 0.0  # the loop's time
        self.on_flush: Callable[[], None] = lambda: None
        self.on_query: Callable[[Query], None] = lambda query: None
        self.on_title: Callable[[str], None] = lambda title: None
        self._titles = Titles()
        self._ptys = ptys
        self._settings = settings
        self._subscribers: list[Callable[[bytes], None]] = []
        self._loop = asyncio.get_running_loop()
        self._flushed_at = 0.0
        self._flushed_to = first
        self._timer: asyncio.TimerHandle | None = None
        pty.on_output = self._take
        ptys.start_reading(pty)

    @property
    def open(self) -> bool:
        return self.pty.open

    def subscribe(self, callback: Callable[[bytes], None]) -> Callable[[], None]:
        """Hand every byte to `callback` as it comes; the returned function ends that."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def resize(self, size: Size) -> None:
        self.size = size
        self.pty.resize(size)

    async def nudge(self) -> None:
        """Make the program draw anew: it does so when its size changes, so change it there and back."""
        size = self.size
        self.pty.resize(Size(cols=size.cols, rows=max(1, size.rows - 1)))
        await asyncio.sleep(NUDGE_SECONDS)
        self.pty.resize(self.size)

    async def finish(self) -> None:
        """All processes have ended: take the last output, give everything back. The ring stays readable."""
        await self._ptys.finish(self.pty)
        self.keyboard.close()
        self._flush()

    def _take(self, data: bytes) -> None:
        self.last_output = self._loop.time()
        self.ring.append(data)
        for query in self.queries.feed(data):
            self.on_query(query)
        title = self._titles.feed(data)
        if title is not None:
            self.on_title(title)
        self._flush_soon()
        for callback in list(self._subscribers):
            try:
                callback(data)
            except Exception:  # a full disk there must not stop the screen here
                log.exception("A reader of a terminal's output failed")

    def _flush_soon(self) -> None:
        since = self._loop.time() - self._flushed_at
        pending = self.ring.end - self._flushed_to
        if since >= self._settings.frame_interval_seconds or pending >= self._settings.frame_bytes:
            self._flush()
        elif self._timer is None:
            self._timer = self._loop.call_later(self._settings.frame_interval_seconds - since, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._flushed_at = self._loop.time()
        self._flushed_to = self.ring.end
        self.on_flush()
