"""The output for one viewer: a cursor into the shown screen's ring, one write in flight, a short list of frames.

A viewer is sent no more than it keeps up with. A viewer that has fallen too far behind is resynchronized: it is
notified, then sent the screen from a later position. Nothing is skipped silently, and no viewer costs more memory than
one frame. Nothing here knows turns or locks.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable

import msgspec

from ...core.clock import Clock, Timer
from ..frames import Replay, ServerFrame
from ..model import ScreenSource
from ..screens.screen import Screen
from ..settings import TerminalSettings
from .pacing import Pace, PacingLimits
from .transport import NORMAL, TRY_AGAIN, ViewerTransport

log = logging.getLogger(__name__)

MAX_FRAMES_WAITING = 512  # frames not sent yet; more means that the viewer does not read at all
CLOSE_SECONDS = 5.0  # for the remaining output when a terminal is closed
RESYNC_PARTS = 4  # a viewer that has fallen behind restarts a quarter of the ring before the end, not at its edge
BEHIND_PARTS = 2  # a viewer that is half the ring behind is too far behind

_encoder = msgspec.json.Encoder()


class Stream:
    """Sends to one viewer, in its own task."""

    def __init__(
        self, transport: ViewerTransport, *, clock: Clock, settings: TerminalSettings, on_lost: Callable[[], None]
    ) -> None:
        self._transport = transport
        self._clock = clock
        self._frame_bytes = settings.frame_bytes
        self._limits = PacingLimits(
            stall_seconds=settings.stall_seconds,
            window_bytes=settings.ring_bytes,
            pace_bytes=min(settings.pace_bytes, settings.ring_bytes // RESYNC_PARTS),
            behind_bytes=settings.ring_bytes // BEHIND_PARTS,
        )
        self._on_lost = on_lost
        # (the position after which it is due, the frame)
        self._frames: deque[tuple[tuple[Screen, int] | None, ServerFrame]] = deque()
        self._screen: Screen | None = None
        self._cursor = 0
        self._until = 0  # the replay's end
        self._pace: Pace | None = None
        self._stall_timer: Timer | None = None
        self._closing_reason: str | None = None
        self._closed = False
        self._news = True
        self._waiting: asyncio.Future[None] | None = None  # for news
        self._rest: Awaitable[None] | None = None  # of a write that the transport has not taken
        self._task = asyncio.create_task(self._run(), name="terminal viewer")

    def tell(self, frame: ServerFrame, *, after_output: bool = False) -> None:
        """Send a frame, without waiting; with `after_output`, only after all output written until now was sent.

        A viewer for which more than 512 frames wait is closed. After `close`, nothing is sent.
        """
        if self._closed:
            return
        if len(self._frames) >= MAX_FRAMES_WAITING:
            self.close(TRY_AGAIN, "this viewer does not keep up")
            return
        screen = self._screen
        after = (screen, screen.ring.end) if after_output and screen is not None else None
        self._frames.append((after, frame))
        self.wake()

    def show(self, screen: Screen, *, since: int | None = None, source: ScreenSource | None = None) -> None:
        """Switch to `screen`, continuing at byte offset `since` if possible, else from the oldest usable byte.

        It continues only if `since` belongs to this screen's PTY (`source`) and those bytes are still buffered.
        """
        self._screen = screen
        if since is not None and source == screen.source and screen.ring.holds(since):
            self.tell(self._replay(since, reset=False))
        else:
            self.tell(self._resynchronise(screen, screen.ring.capacity))

    def acked(self, offset: int) -> None:
        """Record that the viewer has drawn everything before `offset`. An impossible offset is ignored."""
        screen, pace = self._screen, self._pace
        if self._closed or screen is None or pace is None:
            return
        if pace.acknowledge(offset, self._clock.monotonic()):
            if self._cursor < screen.flushed:
                self.wake()
            screen.pace()

    def slows(self, screen: Screen) -> bool:
        """Return whether the program of `screen` has to wait for this viewer. Only the primary's stream is asked."""
        if self._closed or screen is not self._screen or self._pace is None:
            return False
        return self._pace.slows(screen.ring.end, self._clock.monotonic())

    def wake(self) -> None:
        """Send what there may be. Frames that can go at once do not wait for the loop."""
        self._news = True
        if self._waiting is not None and not self._waiting.done() and not self._send_at_once():
            self._waiting.set_result(None)

    def finish(self, reason: str) -> None:
        """Send the remaining output, then close. A viewer that does not take it within 5 seconds is closed without it.

        It does not wait.
        """
        self._closing_reason = reason
        self.wake()
        self._clock.call_at(self._clock.monotonic() + CLOSE_SECONDS, lambda: self.close(NORMAL, reason))

    def close(self, code: int, reason: str) -> None:
        """Close the viewer now, without the remaining output."""
        if not self._closed:
            self.abandon()
            self._transport.close(code, reason)

    def abandon(self) -> None:
        """Send nothing more, because the viewer is gone. The transport is not closed. May be called twice."""
        self._closed = True
        self._task.cancel()
        if asyncio.iscoroutine(self._rest):
            self._rest.close()
        if self._stall_timer is not None:
            self._stall_timer.cancel()
        if self._screen is not None:
            self._screen.pace()  # it no longer waits for this one

    async def _run(self) -> None:
        try:
            while True:
                self._news = False
                while await self._send_one():
                    pass
                if self._closing_reason is not None:
                    break
                if not self._news:
                    self._waiting = asyncio.get_running_loop().create_future()
                    await self._waiting
            self.close(NORMAL, self._closing_reason)
        except ConnectionError:
            self._on_lost()
        except Exception:
            log.exception("A terminal's viewer failed")
            self._on_lost()

    def _send_at_once(self) -> bool:
        """Send plain output while the transport takes it; return whether that is all there is to do."""
        screen, pace = self._screen, self._pace
        if self._frames or self._closing_reason is not None or screen is None or pace is None:
            return False
        now, ring = self._clock.monotonic(), screen.backlog.ring
        while self._cursor < screen.flushed and self._rest is None:
            if not pace.takes(now):
                break
            if self._cursor < self._until or self._cursor < ring.start or pace.too_far(ring.end):
                return False
            data = ring.read(self._cursor, self._frame_bytes, until=screen.flushed)
            try:
                self._rest = self._send_output(pace, data, now)
            except ConnectionError:
                return False  # the task will notice it, too
        self._news = False
        return self._rest is None

    async def _send_one(self) -> bool:
        """Send one frame if there is any; return False when there is none."""
        if self._rest is not None:
            rest, self._rest = self._rest, None
            await rest
        if self._frames and self._is_due(self._frames[0][0]):
            self._rest = self._send_frame(self._frames.popleft()[1])
            return True
        screen, pace = self._screen, self._pace
        if screen is None or pace is None or not pace.takes(self._clock.monotonic()):
            return False
        if self._cursor < screen.ring.start or pace.too_far(screen.ring.end):
            self._rest = self._send_frame(self._resynchronise(screen, screen.ring.capacity // RESYNC_PARTS))
            return True
        data = self._next(screen)
        if not data:
            return False
        self._rest = self._send_output(pace, data, self._clock.monotonic())
        return True

    def _send_output(self, pace: Pace, data: bytes, now: float) -> Awaitable[None] | None:
        self._cursor += len(data)
        pace.sent(self._cursor, now)
        if self._stall_timer is None:
            self._watch()
        return self._transport.send_bytes(data)

    def _next(self, screen: Screen) -> bytes:
        if self._cursor >= self._until:
            return screen.ring.read(self._cursor, self._frame_bytes, until=screen.flushed)
        # No sequence is open at `until`, so that a replay never contains a question that has to be answered.
        data = screen.backlog.replay(self._cursor, self._frame_bytes)
        left = self._until - self._cursor
        return data if len(data) <= left else data[:left]

    def _send_frame(self, frame: ServerFrame) -> Awaitable[None] | None:
        return self._transport.send_text(_encoder.encode(frame).decode())

    def _is_due(self, after: tuple[Screen, int] | None) -> bool:
        return after is None or after[0] is not self._screen or self._cursor >= after[1]

    def _resynchronise(self, screen: Screen, size: int) -> Replay:
        beginning = screen.backlog.beginning(size)
        screen.begun(beginning)
        return self._replay(beginning.offset, reset=True, prelude=beginning.prelude)

    def _replay(self, offset: int, *, reset: bool, prelude: str = "") -> Replay:
        assert self._screen is not None
        self._cursor, self._until = offset, self._screen.ring.end
        self._pace = Pace(self._limits, offset=offset, until=self._until, now=self._clock.monotonic())
        return Replay(source=self._screen.source, from_=offset, until=self._until, reset=reset, prelude=prelude)

    def _watch(self) -> None:
        """Check again when the viewer would count as stalled."""
        stalls_at = self._pace.stalls_at() if self._pace is not None else None
        if self._stall_timer is None and stalls_at is not None:
            self._stall_timer = self._clock.call_at(stalls_at, self._look)

    def _look(self) -> None:
        self._stall_timer = None
        if self._pace is None or self._screen is None or self._closed:
            return
        if not self._pace.stalled(self._clock.monotonic()):
            self._watch()
        self._screen.pace()
