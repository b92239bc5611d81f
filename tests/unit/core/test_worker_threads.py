from __future__ import annotations

import subprocess
import sys

STOPPED_WHILE_A_FILE_IS_READ = """
import asyncio, time
import anyio.to_thread
from jupyter_cabinet.core.worker_threads import end_with_the_process

def read_file():
    loop.call_soon_threadsafe(loop.stop)
    time.sleep(0.2)

end_with_the_process()
loop = asyncio.new_event_loop()
request = loop.create_task(anyio.to_thread.run_sync(read_file))
loop.run_forever()
assert not request.done()
"""


def test_a_process_ends_although_a_request_was_being_answered() -> None:
    subprocess.run([sys.executable, "-c", STOPPED_WHILE_A_FILE_IS_READ], check=True, timeout=60)
