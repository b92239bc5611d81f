"""One private thread with its own event loop, on which a client does all its work.

So the same code serves blocking and async callers, from any thread and beside any loop. Nothing is started before the
first call. A forked process has no such thread: it needs a new client.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from ..errors import CabinetError

T = TypeVar("T")
JOIN_SECONDS = 5


class Portal:
    """Starts by itself. Every method may be called from any thread, unless it says otherwise."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._closed = False

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start the work; the future has its result. Cancelling the future cancels the work.

        Raises `CabinetError` after `close`, and in a process that was forked.
        """
        try:
            return asyncio.run_coroutine_threadsafe(work, self._running())
        except BaseException:
            work.close()
            raise

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of the work. An interrupt (`KeyboardInterrupt`) ends it. Must not be called on the portal's
        thread.

        Raises what the work raises, and `CabinetError` after `close`, and in a process that was forked.
        """
        future = self.start(work)
        try:
            return self.outcome(future)
        finally:
            future.cancel()  # no effect on finished work

    def outcome(self, future: Future[T]) -> T:
        """Return the result of work that was started. Raises `CabinetError` if `close` has ended it."""
        try:
            return future.result()
        except CancelledError:
            raise _closed() from None

    async def awaited(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of the work, like `wait`, for a caller with an event loop, which is not blocked.

        Cancelling it ends the work. Raises `CabinetError` after `close`, and in a process that was forked.
        """
        future = self.start(work)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._closed and not (task and task.cancelling()):
                raise _closed() from None
            raise

    def forget(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start the work without waiting for it. Does nothing if it cannot be started.

        It may also be called from the portal's own thread.
        """
        try:
            self.start(work)
        except (CabinetError, RuntimeError):
            pass

    def close(self, last: Coroutine[Any, Any, None]) -> None:
        """End everything; `last` is done first, and nothing afterwards. Closing twice is fine.

        It waits at most 5 seconds for the thread, and not at all on that thread. In a forked process, nothing is done.
        """
        with self._lock:
            loop, thread = self._loop, self._thread
            is_mine = self._pid == os.getpid()
            self._loop = self._thread = None
            self._closed = True
        if loop is None or thread is None or not is_mine:
            last.close()
            return
        asyncio.run_coroutine_threadsafe(_end_all(last), loop).add_done_callback(
            lambda _: loop.call_soon_threadsafe(loop.stop)
        )
        if thread is not threading.current_thread():
            thread.join(JOIN_SECONDS)

    def tasks(self) -> set[asyncio.Task[Any]]:
        """Return the work in progress; empty after `close`."""
        with self._lock:
            return asyncio.all_tasks(self._loop) if self._loop is not None else set()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise _closed()
            if self._loop is None:
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                self._thread = threading.Thread(
                    target=_work, args=(self._loop,), name="jupyter-cabinet-client", daemon=True
                )
                self._thread.start()
            elif self._pid != os.getpid():
                raise CabinetError(
                    "This Cabinet was created before the process was forked.",
                    ("Create a new one: Cabinet()."),
                    kind="forked",
                )
            return self._loop


def _closed() -> CabinetError:
    return CabinetError("This Cabinet was closed.", "Create a new one: Cabinet().", kind="closed")


def _work(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _end_all(last: Coroutine[Any, Any, None]) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last
