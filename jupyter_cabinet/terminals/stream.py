"""What one viewer is sent: a cursor into the shown screen's ring, one write in flight, a short list of frames.

A viewer that falls behind the ring is resynchronised: told so, then sent the screen from further on. Nothing
is skipped silently, and no viewer costs more memory than one frame. Nothing here knows turns or locks.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

import msgspec

from .model import Replay, ScreenSource, ServerFrame
from .screen import Screen
from .viewer import NORMAL, TRY_AGAIN, Viewer

log = logging.getLogger(__name__)

MAX_FRAMES_WAITING = 512  # told but not sent yet; more means that the viewer does not read at all
LAST_WORDS_SECONDS = 5.0
RESYNC_PARTS = 4  # who fell behind starts again a quarter of the ring before the end, not at its edge

_encoder = msgspec.json.Encoder()


class Stream:
    """Sends to one viewer, in its own task."""

    def __init__(self, viewer: Viewer, *, frame_bytes: int, on_lost: Callable[[], None]) -> None:
        self._viewer = viewer
        self._frame_bytes = frame_bytes
        self._on_lost = on_lost
        self._frames: deque[tuple[int | None, ServerFrame]] = deque()
        self._screen: Screen | None = None
        self._cursor = 0
        self._last_words: str | None = None
        self._closed = False
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name="terminal viewer")

    @property
    def behind(self) -> int:
        """How many bytes this viewer has yet to get."""
        return self._screen.ring.end - self._cursor if self._screen is not None else 0

    def tell(self, frame: ServerFrame, *, after_output: bool = False) -> None:
        """Send a frame; with `after_output` only when everything written until now was sent."""
        if self._closed:
            return
        if len(self._frames) >= MAX_FRAMES_WAITING:
            self.close(TRY_AGAIN, "this viewer does not keep up")
            return
        after = self._screen.ring.end if after_output and self._screen is not None else None
        self._frames.append((after, frame))
        self._news.set()

    def show(self, screen: Screen, *, since: int | None = None, source: ScreenSource | None = None) -> None:
        """Go over to `screen`, from where the viewer has it, else from the oldest byte that makes sense."""
        exact = since is not None and source == screen.source and screen.ring.holds(since)
        self._screen = screen
        self._cursor = since if exact and since is not None else screen.ring.tail(screen.ring.capacity)
        self.tell(self._replay(reset=not exact))

    def wake(self) -> None:
        """There may be something to send."""
        self._news.set()

    def finish(self, reason: str) -> None:
        """Send what is left, then close. Who does not take it in time is closed without."""
        self._last_words = reason
        self._news.set()
        asyncio.get_running_loop().call_later(LAST_WORDS_SECONDS, self.close, NORMAL, reason)

    def close(self, code: int, reason: str) -> None:
        """Close the viewer now, whatever is left."""
        if not self._closed:
            self.abandon()
            self._viewer.close(code, reason)

    def abandon(self) -> None:
        """The viewer is gone: send nothing more."""
        self._closed = True
        self._task.cancel()

    async def _run(self) -> None:
        try:
            while True:
                while await self._send_one():
                    pass
                if self._last_words is not None:
                    break
                await self._news.wait()
                self._news.clear()
            self.close(NORMAL, self._last_words)
        except ConnectionError:
            self._on_lost()
        except Exception:
            log.exception("A terminal's viewer failed")
            self._on_lost()

    async def _send_one(self) -> bool:
        """Send one thing if there is any; False when there is none."""
        if self._frames and self._is_due(self._frames[0][0]):
            _, frame = self._frames.popleft()
            self._viewer.send_text(_encoder.encode(frame).decode())
            return True
        if self._screen is None:
            return False
        ring = self._screen.ring
        if self._cursor < ring.start:
            self._cursor = ring.tail(ring.capacity // RESYNC_PARTS)
            self._viewer.send_text(_encoder.encode(self._replay(reset=True)).decode())
        data = ring.read(self._cursor, self._frame_bytes)
        if not data:
            return False
        self._cursor += len(data)
        await self._viewer.send_bytes(data)
        return True

    def _is_due(self, after: int | None) -> bool:
        return after is None or self._cursor >= after

    def _replay(self, *, reset: bool) -> Replay:
        assert self._screen is not None
        return Replay(source=self._screen.source, from_=self._cursor, until=self._screen.ring.end, reset=reset)
