"""Imported by a server under test: on SIGUSR1 it writes what its threads and its tasks wait for (`Server.stop`).

It looks for garbage less often than usual, because that takes a tenth of a server's start, and does not wait for the
disk.
"""

import faulthandler
import gc
import signal
import sys
from types import FrameType

from harness import unsynced


def _tell_tasks(number: int, frame: FrameType | None) -> None:
    import asyncio

    try:
        tasks = asyncio.all_tasks()
    except RuntimeError:
        return  # no loop runs
    for task in tasks:
        print(task, file=sys.stderr)
        task.print_stack(file=sys.stderr)
    sys.stderr.flush()


gc.set_threshold(10_000)
unsynced.begin()
signal.signal(signal.SIGUSR1, _tell_tasks)
faulthandler.register(signal.SIGUSR1, chain=True)  # also where Python itself no longer runs
