"""Starts a launcher in a container, with its pipes or its PTY, and its control channel, at this server.

The first program in the container (`container_entry.py`) connects to a socket of ours, and gets the other ends as file
descriptors. So nothing is copied on the way: the program writes into a pipe or a PTY that this server reads. Used by
`docker_runner.py`.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from contextlib import ExitStack, suppress
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Final, Literal, Protocol

from ..core.errors import Unavailable
from ..sandboxes.control import LAUNCHER, Control, Program
from ..sandboxes.launcher import start_time
from ..sandboxes.local_pipes import CHUNK_BYTES, LocalPipedProcess, Pipes
from ..sandboxes.local_pty import LocalPtyProcess
from ..sandboxes.port import Size
from ..sandboxes.process_table.peers import pid_at_the_other_end
from ..sandboxes.pty import Ptys

CHECK_SECONDS: Final = 0.5  # between two checks whether the container still runs
ENTRY_CHECKS: Final = 40  # at most, until its first program has connected
NOT_SEEN: Final = "The processes of containers cannot be seen from this server. It must not be in a container itself."
NO_ENTRY: Final = (
    "The container did not start Cabinet's launcher. Its image must be able to run the Python of this server:"
    f" {sys.executable}."
)


class StartedContainer(Protocol):
    """A container whose first program is `container_entry.py`, with the socket as its argument."""

    @property
    def entry(self) -> Path:
        """Return where to open the socket."""

    async def start(self) -> None:
        """Start it. Raises `Unavailable`."""

    async def is_running(self) -> bool:
        """Return whether its first program has not ended. Raises `Unavailable`."""


async def start_with_pipes(program: Program, container: StartedContainer) -> LocalPipedProcess:
    """Start a container and a launcher in it; the program waits for `go`. Raises `Unavailable` and `OSError`.

    If it raises, the caller removes the container.
    """
    control = Control.pair(program)
    try:
        with ExitStack() as theirs, ExitStack() as ours:
            (their_stdin, stdin), (stdout, their_stdout), (stderr, their_stderr) = os.pipe(), os.pipe(), os.pipe()
            for each in (their_stdin, their_stdout, their_stderr):
                theirs.callback(os.close, each)
            for each in (stdin, stdout, stderr):
                ours.callback(os.close, each)
            descriptors = [their_stdin, their_stdout, their_stderr, control.theirs.fileno()]
            pid = await _hand_over(container, "pipes", descriptors)
            await control.attach((pid, start_time(pid)))
            ours.pop_all()  # the streams close them
        return LocalPipedProcess(control, await _pipes(stdin, stdout, stderr))
    except BaseException:
        control.close()
        raise


async def start_on_pty(ptys: Ptys, program: Program, container: StartedContainer, size: Size) -> LocalPtyProcess:
    """Start a container and a launcher on a new PTY in it; the program waits for `go`.

    Raises `Unavailable` and `OSError`. If it raises, the caller removes the container.
    """
    control = Control.pair(program)
    try:
        with ExitStack() as theirs, ExitStack() as ours:
            end, their_end = ptys.pair(size)
            theirs.callback(os.close, their_end)
            ours.callback(os.close, end)
            terminal = os.ttyname(their_end)
            pid = await _hand_over(container, "terminal", [their_end] * 3 + [control.theirs.fileno()])
            await control.attach((pid, start_time(pid)))
            ours.pop_all()  # the PTY closes it
        return LocalPtyProcess(control, ptys.adopt(end, pid), terminal)
    except BaseException:
        control.close()
        raise


async def _hand_over(container: StartedContainer, mode: Literal["pipes", "terminal"], descriptors: list[int]) -> int:
    """Return the pid of the launcher, as this machine numbers it."""
    launch = [sys.executable, "-I", "-S", str(LAUNCHER), mode]
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(container.entry))
        listening.listen(1)
        listening.setblocking(False)
        await container.start()
        with await _connection(listening, container) as connection:
            pid = pid_at_the_other_end(connection)
            if not pid:
                raise Unavailable(NOT_SEEN)
            socket.send_fds(connection, [json.dumps(launch).encode()], descriptors)
    return pid


async def _connection(listening: socket.socket, container: StartedContainer) -> socket.socket:
    for _ in range(ENTRY_CHECKS):
        with suppress(TimeoutError):
            async with asyncio.timeout(CHECK_SECONDS):
                return (await asyncio.get_running_loop().sock_accept(listening))[0]
        if not await container.is_running():
            break
    raise Unavailable(NO_ENTRY)


async def _pipes(stdin: int, stdout: int, stderr: int) -> Pipes:
    """Return streams over our ends of the pipes."""
    loop = asyncio.get_running_loop()
    writing, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, FileIO(stdin, "wb"))
    output, errors = asyncio.StreamReader(limit=CHUNK_BYTES), asyncio.StreamReader(limit=CHUNK_BYTES)
    transports: list[asyncio.BaseTransport] = [writing]
    for reader, descriptor in ((output, stdout), (errors, stderr)):
        protocol = partial(asyncio.StreamReaderProtocol, reader)
        transports.append((await loop.connect_read_pipe(protocol, FileIO(descriptor, "rb")))[0])

    def close() -> None:
        for each in transports:
            each.close()

    exited = asyncio.Event()
    exited.set()  # the launcher ends with its container, which Docker removes
    return Pipes(asyncio.StreamWriter(writing, flow, None, loop), output, errors, exited, close)
