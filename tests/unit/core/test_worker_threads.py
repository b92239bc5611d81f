from __future__ import annotations

import subprocess
import sys

STOPPED_WHILE_A_FILE_IS_READ = """
import asyncio, threading
import anyio.to_thread
from jupyter_cabinet.core.worker_threads import end_with_the_process

def read_file():
    loop.call_soon_threadsafe(loop.stop)
    stopped.wait()

end_with_the_process()
loop, stopped = asyncio.new_event_loop(), threading.Event()
request = loop.create_task(anyio.to_thread.run_sync(read_file))
loop.run_forever()
stopped.set()
assert not request.done()
"""


def test_a_process_ends_although_a_request_was_being_answered() -> None:
    subprocess.run([sys.executable, "-c", STOPPED_WHILE_A_FILE_IS_READ], check=True, timeout=60)
