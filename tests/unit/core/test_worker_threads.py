from __future__ import annotations

import subprocess
import sys

import pytest

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
A_LOOP_IN_ANOTHER_THREAD_STILL_WORKS = """
import asyncio, threading
import anyio.to_thread
from jupyter_cabinet.core.worker_threads import end_with_the_process

async def work():
    await anyio.to_thread.run_sync(int)
    worker_is_idle.set()
    while not main_thread_has_ended.is_set():
        await asyncio.sleep(0.01)
    await anyio.to_thread.run_sync(print, "saved")

worker_is_idle, main_thread_has_ended = threading.Event(), threading.Event()
threading._register_atexit(main_thread_has_ended.set)  # the last registered is called first
end_with_the_process()
threading.Thread(target=asyncio.run, args=(work(),)).start()
worker_is_idle.wait()
"""


@pytest.mark.parametrize(
    ("program", "prints"), [(STOPPED_WHILE_A_FILE_IS_READ, ""), (A_LOOP_IN_ANOTHER_THREAD_STILL_WORKS, "saved\n")]
)
def test_a_process_ends_without_losing_work(program: str, prints: str) -> None:
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, check=True, timeout=60, capture_output=True, text=True).stdout == prints
