"""One PTY as viewers see it: its last bytes, its input, its size, and when to wake the viewers' streams.

Knows neither viewers nor people; `display.py` makes and shows it, `viewers/stream.py` reads it.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from typing import Protocol

from ...core.clock import Clock
from ...sandboxes.port import ProcessExit, Pty, Size
from ..input.pty_writer import PtyWriter
from ..model import ScreenSource
from ..settings import TerminalSettings
from ..vt.queries import Queries, Query
from ..vt.sequences import Sequence
from ..vt.sieve import Sieve
from ..vt.titles import Titles
from .backlog import Backlog, Beginning
from .intervals import FlushInterval
from .ring import Ring

log = logging.getLogger(__name__)

NUDGE_SECONDS = 0.05  # programs gather size changes over a few milliseconds
REDRAW_EVERY_SECONDS = 1.0  # however many viewers fall behind


class Watchers(Protocol):
    """The viewers of a screen while it is shown."""

    def wake(self) -> None:
        """Called when there is output to be sent, before `Screen.flushed`."""

    def primary_slows(self, screen: Screen) -> bool:
        """Whether the program has to wait for the primary viewer."""


class ScreenListener(Protocol):
    """Receives the sequences that a program sends to its emulator, shown or not."""

    def asked(self, screen: Screen, query: Query) -> None:
        """Called when the program sends a query, such as for the cursor's position. The listener arranges an answer."""

    def titled(self, screen: Screen, text: str) -> None:
        """Called when the program has set the window's title."""


class Screen:
    """Collects output: the first bytes go out at once, then one flush per interval or frame.

    `size` is the size in which the PTY was opened, `first` the offset at which its stream starts.
    """

    def __init__(
        self,
        pty: Pty,
        source: ScreenSource,
        *,
        listener: ScreenListener,
        size: Size,
        clock: Clock,
        settings: TerminalSettings,
        first: int,
    ) -> None:
        self.source: ScreenSource = source
        self.pty = pty
        self.size = size
        self.backlog = Backlog(settings.ring_bytes, first=first, rows=size.rows)
        self.input = PtyWriter(pty, limit=settings.input_queue_bytes)
        self.queries = Queries()
        self._clock = clock
        self._last_output = -math.inf
        self._listener = listener
        self._watchers: Watchers | None = None  # None: it is not shown
        self._waits = False
        self._finishing = False
        self._sieve = Sieve()
        self._titles = Titles()
        self._frame_bytes = settings.frame_bytes
        self._subscribers: list[Callable[[bytes], None]] = []
        self._loop = asyncio.get_running_loop()
        self._interval = FlushInterval(
            settings.frame_interval_seconds,
            flooding=lambda: self.pty.has_more and not self._waits,
            flush=self._flush,
        )
        self.flushed = first  # offset: viewers are sent everything before it
        self._redrawn_at = -math.inf
        self._redrawing: asyncio.Task[None] | None = None
        pty.start(self._take)

    @property
    def ring(self) -> Ring:
        """Its last bytes, by offset."""
        return self.backlog.ring

    @property
    def is_read(self) -> bool:
        """Whether it is read: not while the primary viewer is too far behind."""
        return not self._waits

    @property
    def title(self) -> str:
        """The window title that its program has set last; empty: none."""
        return self._titles.current

    @property
    def quiet_seconds(self) -> float:
        """Return the seconds since its program last wrote something; infinite before its first output."""
        return self._clock.monotonic() - self._last_output

    @property
    def open(self) -> bool:
        """Whether there may be more output."""
        return self.pty.open

    def subscribe(self, callback: Callable[[bytes], None]) -> Callable[[], None]:
        """Pass every byte to `callback` as it comes, only complete sequences; the returned function ends that."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def picture(self, size: int) -> bytes:
        """Return bytes that draw the screen on an emulator after a reset, about that many, without queries."""
        beginning = self.backlog.beginning(size)
        parts = [beginning.prelude.encode()]
        offset = beginning.offset
        while data := self.backlog.replay(offset, size):
            parts.append(data)
            offset += len(data)
        return b"".join(parts)

    # --- its viewers -------------------------------------------------------------------------------

    def show(self, watchers: Watchers) -> None:
        """Show this screen to people from now on: `watchers` are woken for its output."""
        self._watchers = watchers

    def hide(self) -> None:
        """Show this screen to no one any more. Its program no longer waits for a viewer."""
        self._watchers = None
        self.pace()

    def pace(self) -> None:
        """Stop reading while the primary viewer is behind, so that the kernel stops the program; then continue."""
        slowed = self._watchers is not None and self._watchers.primary_slows(self)
        waits = slowed and self.pty.open and not self._finishing
        if waits != self._waits:
            self._waits = waits
            self.pty.read(not waits)

    def begun(self, beginning: Beginning) -> None:
        """Make a full-screen program or an agent redraw, because a viewer starts in the middle of output.

        At most once a second, and in a task. A shell at its prompt is left alone.
        """
        inside = beginning.offset > self.ring.first
        due = self._clock.monotonic() - self._redrawn_at >= REDRAW_EVERY_SECONDS
        if inside and due and self.open and (beginning.alternate or self.source == "agent"):
            self._redrawn_at = self._clock.monotonic()
            self._redrawing = asyncio.create_task(self.nudge())

    # --- its size, its end ----------------------------------------------------------------------

    def resize(self, size: Size) -> None:
        """Set the size of the PTY."""
        self.size = size
        self.backlog.resize(size.rows)
        self.pty.resize(size)

    async def nudge(self) -> None:
        """Make the program redraw: it does so when its size changes, so change it there and back."""
        size = self.size
        self.pty.resize(Size(cols=size.cols, rows=max(1, size.rows - 1)))
        await asyncio.sleep(NUDGE_SECONDS)
        self.pty.resize(self.size)

    async def finish(self) -> ProcessExit:
        """Take the last output and release everything, after all processes have ended. The ring stays readable.

        Returns how the leader of the PTY's session ended.
        """
        self._finishing = True
        self._waits = False
        ended = await self.pty.finish()
        self.input.close()
        rest = self._sieve.rest()
        self._keep(rest, [])
        self._flush()
        return ended

    # --- output ---------------------------------------------------------------------------------

    def _take(self, data: bytes) -> None:
        self._last_output = self._clock.monotonic()
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
            except Exception:  # an error in a reader (such as a full disk) must not stop the screen
                log.exception("A reader of a terminal's output failed")

    def _notice(self, sequence: Sequence) -> None:
        for query in self.queries.see(sequence):
            self._listener.asked(self, query)
        title = self._titles.see(sequence)
        if title is not None:
            self._listener.titled(self, title)

    def _flush_soon(self) -> None:
        frame = self._frame_bytes
        whole = self.ring.end // frame * frame  # frames of a flood end at multiples, so that viewers share them
        if whole > self.flushed:
            self._flush(whole)
        elif self._interval.is_over:
            self._flush()
        else:
            self._interval.flush_later()

    def _flush(self, until: int | None = None) -> None:
        self.flushed = self.ring.end if until is None else until
        self._interval.begin()
        if self._watchers is not None:
            self._watchers.wake()
        # Many viewers take a while. The interval starts after the last of them, or each turn of the loop would be a
        # flush.
        self._loop.call_soon(self._wait)

    def _wait(self) -> None:
        self._interval.begin()
        if self.flushed < self.ring.end:
            self._interval.flush_later()
