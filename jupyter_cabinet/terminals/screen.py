"""One PTY as viewers see it: its last bytes, its keyboard, its size, and when to wake the viewers' streams.

Knows neither viewers nor people; `stage.py` shows it, `stream.py` reads it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from .backlog import Backlog, Beginning
from .keyboard import Keyboard
from .model import ScreenSource, Size
from .pty import Pty, Ptys
from .ring import Ring
from .settings import TerminalSettings
from .vt.queries import Queries, Query
from .vt.sequences import Sequence
from .vt.sieve import Sieve
from .vt.titles import Titles

log = logging.getLogger(__name__)

INTERVALS_OF_A_FLOOD = 5  # between two frames that are not whole
NUDGE_SECONDS = 0.05  # programs gather size changes over a few milliseconds
REDRAW_EVERY_SECONDS = 1.0  # however many viewers fall behind


def _never(screen: Screen) -> bool:
    return False


class Screen:
    """Collects output; first bytes at once, then one flush per interval or frame."""

    def __init__(
        self, ptys: Ptys, pty: Pty, source: ScreenSource, *, size: Size, settings: TerminalSettings, first: int
    ) -> None:
        self.source: ScreenSource = source
        self.pty = pty
        self.size = size
        self.backlog = Backlog(settings.ring_bytes, first=first, rows=size.rows)
        self.keyboard = Keyboard(pty, limit=settings.input_queue_bytes)
        self.queries = Queries()
        self.last_output = 0.0  # the loop's time
        self.on_query: Callable[[Query], None] = lambda query: None
        self.on_title: Callable[[str], None] = lambda title: None
        self._on_flush: Callable[[], None] = lambda: None
        self._must_wait: Callable[[Screen], bool] = _never
        self._waits = False
        self._finishing = False
        self._sieve = Sieve()
        self._titles = Titles()
        self._ptys = ptys
        self._settings = settings
        self._subscribers: list[Callable[[bytes], None]] = []
        self._loop = asyncio.get_running_loop()
        self._flushed_at = 0.0
        self.flushed = first  # offset: viewers are sent what is before it
        self._timer: asyncio.TimerHandle | None = None
        self._redrawn_at = -REDRAW_EVERY_SECONDS
        self._redrawing: asyncio.Task[None] | None = None
        pty.on_output = self._take
        ptys.start_reading(pty)

    @property
    def ring(self) -> Ring:
        return self.backlog.ring

    @property
    def is_read(self) -> bool:
        """Not, while the primary viewer is too far behind."""
        return not self._waits

    @property
    def title(self) -> str:
        """The window title that its program has set last; empty: none."""
        return self._titles.current

    @property
    def open(self) -> bool:
        return self.pty.open

    def subscribe(self, callback: Callable[[bytes], None]) -> Callable[[], None]:
        """Hand every byte to `callback` as it comes, whole sequences only; the returned function ends that."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def picture(self, size: int) -> bytes:
        """What draws the screen on an emulator that was just reset, of about that length, without queries."""
        beginning = self.backlog.beginning(size)
        parts = [beginning.prelude.encode()]
        offset = beginning.offset
        while data := self.backlog.replay(offset, size):
            parts.append(data)
            offset += len(data)
        return b"".join(parts)

    # --- who looks at it ------------------------------------------------------------------------

    def show(self, on_flush: Callable[[], None], must_wait: Callable[[Screen], bool]) -> None:
        """People see it from now on. `must_wait`: whether the program is to wait for the primary viewer."""
        self._on_flush, self._must_wait = on_flush, must_wait

    def hide(self) -> None:
        self._on_flush, self._must_wait = (lambda: None), _never
        self.pace()

    def pace(self) -> None:
        """Stop reading while the primary viewer is behind, so that the kernel stops the program; go on after."""
        waits = self.pty.open and not self._finishing and self._must_wait(self)
        if waits != self._waits:
            self._waits = waits
            if waits:
                self._ptys.pause(self.pty)
            else:
                self._ptys.resume(self.pty)

    def begun(self, beginning: Beginning) -> None:
        """A viewer has begun in the middle: a program that keeps its own picture should draw it anew."""
        inside = beginning.offset > self.ring.first
        due = self._loop.time() - self._redrawn_at >= REDRAW_EVERY_SECONDS
        if inside and due and self.open and (beginning.alternate or self.source == "agent"):
            self._redrawn_at = self._loop.time()
            self._redrawing = asyncio.create_task(self.nudge())

    # --- its size, its end ----------------------------------------------------------------------

    def resize(self, size: Size) -> None:
        self.size = size
        self.backlog.resize(size.rows)
        self.pty.resize(size)

    async def nudge(self) -> None:
        """Make the program draw anew: it does so when its size changes, so change it there and back."""
        size = self.size
        self.pty.resize(Size(cols=size.cols, rows=max(1, size.rows - 1)))
        await asyncio.sleep(NUDGE_SECONDS)
        self.pty.resize(self.size)

    async def finish(self) -> None:
        """All processes have ended: take the last output, give everything back. The ring stays readable."""
        self._finishing = True
        self._waits = False
        await self._ptys.finish(self.pty)
        self.keyboard.close()
        rest = self._sieve.rest()
        self._keep(rest, [])
        self._flush()

    # --- output ---------------------------------------------------------------------------------

    def _take(self, data: bytes) -> None:
        self.last_output = self._loop.time()
        kept, sequences = self._sieve.feed(data)
        self._keep(kept, sequences)
        if kept:
            self._flush_soon()
        self.pace()

    def _keep(self, data: bytes, sequences: list[Sequence]) -> None:
        if not data:
            return
        self.backlog.append(data)
        for sequence in sequences:
            self._notice(sequence)
        for callback in list(self._subscribers):
            try:
                callback(data)
            except Exception:  # a full disk there must not stop the screen here
                log.exception("A reader of a terminal's output failed")

    def _notice(self, sequence: Sequence) -> None:
        for query in self.queries.see(sequence):
            self.on_query(query)
        title = self._titles.see(sequence)
        if title is not None:
            self.on_title(title)

    def _flush_soon(self) -> None:
        frame = self._settings.frame_bytes
        whole = self.ring.end // frame * frame  # frames of a flood end at multiples, so that viewers share them
        if whole > self.flushed:
            self._flush(whole)
        elif self._is_time():
            self._flush()
        else:
            self._flush_later()

    def _is_time(self) -> bool:
        """While the program writes faster than it is read a frame may wait a little to become whole."""
        since = self._loop.time() - self._flushed_at
        flooding = self.pty.has_more and not self._waits
        return since >= self._settings.frame_interval_seconds * (INTERVALS_OF_A_FLOOD if flooding else 1)

    def _flush_later(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(self._settings.frame_interval_seconds, self._flush_in_time)

    def _flush_in_time(self) -> None:
        self._timer = None
        if self._is_time():
            self._flush()
        else:
            self._flush_later()

    def _flush(self, until: int | None = None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.flushed = self.ring.end if until is None else until
        self._flushed_at = self._loop.time()
        self._on_flush()
        # Many viewers take a while. It counts from the last of them, or each turn of the loop would be a flush.
        self._loop.call_soon(self._wait)

    def _wait(self) -> None:
        self._flushed_at = self._loop.time()
        if self.flushed < self.ring.end:
            self._flush_later()
