"""What a launcher reports is not believed unseen: in a container, a program or an image may speak in its place."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.sandboxes.control import Control, Program

READY = b'{"event": "ready", "pid": 1, "started_at": "7@x"}\n'


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b'{"event": "done", "survivors": "x"}',
        b'{"event": "exited", "code": "a"}',
        b"[" * 100_000,
        b"\xff",
    ],
    ids=["list", "empty", "survivors", "code", "deep", "bytes"],
)
async def test_a_report_that_is_none_ends_the_program(line: bytes) -> None:
    control = Control.pair(Program(argv=("true",), cwd="/", environment={}))
    launcher = control.theirs.dup()
    launcher.sendall(READY)
    await control.attach((4_194_304, "of no process"))
    assert (control.pid, control.started_at) == (4_194_304, "of no process")
    launcher.sendall(line + b"\n")
    async with asyncio.timeout(20):
        ended = await control.wait()
        with pytest.raises(Unavailable):
            await control.go()
    assert ended.killed and ended.survivors == 0
    launcher.close()
