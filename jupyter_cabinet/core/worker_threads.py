"""Lets the server's process end although a request was being answered when it was stopped.

Jupyter Server reads and writes files in AnyIO's worker threads (seen in 2.21.1 and 4.16.0). Such a thread ends with the
task that started it. A task that is still unfinished when the event loop ends never does, so its thread waits
forever, and Python waits for the thread.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from functools import cache
from queue import Full


@cache
def end_with_the_process() -> None:
    """End AnyIO's idle worker threads when the main thread has ended. Only the first call has an effect."""
    register = getattr(threading, "_register_atexit", None)  # `atexit` calls back only when the threads have ended
    if register is not None:
        register(_end_idle_threads)


def _end_idle_threads() -> None:
    backend = sys.modules.get("anyio._backends._asyncio")
    kind = getattr(backend, "WorkerThread", None)
    if kind is None:
        return
    for thread in threading.enumerate():
        if isinstance(thread, kind):
            with suppress(AttributeError, Full):
                if not thread.loop.is_running():  # a loop in another thread may still need its workers
                    thread.queue.put_nowait(None)
