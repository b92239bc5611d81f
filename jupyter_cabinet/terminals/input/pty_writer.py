"""The only way into a PTY: a queue on the loop, without a thread. It does not decide who may type, nor what.

Each entry carries its own admission check, which is repeated when its bytes leave: the permission may have been
withdrawn in the meantime.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from ...sandboxes.port import Pty


class Entry:
    """Bytes in the queue, from one origin."""

    def __init__(self, data: bytes, admitted: Callable[[], bool] | None, gone: Callable[[bool], None]) -> None:
        self.rest = memoryview(data)
        self.admitted = admitted  # None: the server's own, never dropped
        self.gone = gone  # called once. True: the kernel has all of it; False: the rest was dropped


class PtyWriter:
    """Writes to one PTY as fast as the program reads."""

    def __init__(self, pty: Pty, *, limit: int) -> None:
        self._pty = pty
        self._limit = limit
        self._queue: deque[Entry] = deque()
        self._waiting = 0  # bytes
        self._armed = False

    def put(self, data: bytes, admitted: Callable[[], bool], dropped: Callable[[], None]) -> bool:
        """Queue a person's keys. Return False if the queue is full, and queue nothing then.

        `admitted`: asked again before writing. `dropped`: called if the keys are dropped after all. A single paste
        may be as long as a frame.
        """
        if not self.has_room(len(data)):
            return False
        self._append(Entry(data, admitted, lambda taken: None if taken else dropped()))
        return True

    def answer(self, data: bytes) -> None:
        """Queue an answer to a program's query. It is dropped silently if the queue is full or the PTY is closed."""
        if data and self.has_room(len(data)):
            self._append(Entry(data, None, lambda taken: None))

    async def type(self, data: bytes, admitted: Callable[[], bool] | None = None) -> bool:
        """Write the server's own keys, or a person's, behind what is queued. The queue's limit does not count.

        Return when the kernel has all of them, however long that takes, or False if they were dropped before.
        """
        taken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if not self._pty.open:
            return False
        self._append(Entry(data, admitted, lambda answer: None if taken.done() else taken.set_result(answer)))
        return await taken

    def has_room(self, size: int) -> bool:
        """Return whether so much more would be queued. An empty queue takes anything; a closed PTY takes nothing."""
        return self._pty.open and (not self._queue or self._waiting + size <= self._limit)

    def recheck(self) -> None:
        """Drop entries that are no longer admitted, because the right to type has moved."""
        for entry in list(self._queue):
            if entry.admitted is not None and not entry.admitted():
                self._queue.remove(entry)
                self._finish(entry, False)

    def close(self) -> None:
        """Drop everything that is queued, because the PTY is gone."""
        while self._queue:
            self._finish(self._queue.popleft(), False)
        self._disarm()

    def _append(self, entry: Entry) -> None:
        self._queue.append(entry)
        self._waiting += len(entry.rest)
        if not self._armed:
            self._write()

    def _write(self) -> None:
        while self._queue:
            entry = self._queue[0]
            if entry.admitted is not None and not entry.admitted():
                self._finish(self._queue.popleft(), False)
                continue
            try:
                count = self._pty.write(entry.rest)
            except OSError:  # nobody has the other end open any more
                self.close()
                return
            self._waiting -= count
            entry.rest = entry.rest[count:]
            if entry.rest:
                self._arm()
                return
            self._finish(self._queue.popleft(), True)
        self._disarm()

    def _finish(self, entry: Entry, taken: bool) -> None:
        self._waiting -= len(entry.rest)
        entry.gone(taken)

    def _arm(self) -> None:
        if not self._armed:
            self._armed = True
            self._pty.on_writable(self._write)

    def _disarm(self) -> None:
        if self._armed:
            self._armed = False
            self._pty.on_writable(None)
