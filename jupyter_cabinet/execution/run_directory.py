"""The run directory: the only place where the hooks of a CLI and our tool server can reach the server.

0700, with a Unix socket and a 0600 ticket. It lives as long as the CLI. The ticket only gives access to this
directory's socket, and only to processes below the CLI's launcher: another run that has read the ticket is refused. A
client sends `<hook or tool> <ticket> <length>` in one line, then as many bytes of JSON, and reads the reply to its end.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
import shutil
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..sandboxes.process_table.peers import peer_pid
from ..sandboxes.process_table.processes import is_below
from ..storage.filesystem.private_folders import private_folder_for_socket

log = logging.getLogger(__name__)

HOOK_PROGRAM = Path(__file__).with_name("hook.py")
MAX_HOOK_BYTES = 8 * 2**20  # the rest is cut off
MAX_TOOL_BYTES = 2**20  # more is refused
READ_BYTES = 65536
READ_TIMEOUT_SECONDS = 10


# Takes the JSON of a client and an event that is set once nobody waits for the reply any more; returns the reply.
OnHook = Callable[[bytes, asyncio.Event], Awaitable[bytes]]


class _Door(NamedTuple):
    """The handler for the first word of a client's greeting."""

    most_bytes: int  # of its JSON; the rest is cut off
    answer: OnHook


class RunDirectory:
    """Open one with `create`, and `close` it when the CLI has ended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._launcher: int | None = None  # the pid above all processes that may connect; None: whoever has the ticket
        self._doors: dict[bytes, _Door] = {}  # by the first word of the greeting
        self._ticket = secrets.token_urlsafe(32)
        self._server: asyncio.Server | None = None

    @classmethod
    async def create(cls, base: Path) -> RunDirectory:
        """Make a new directory below `base` with a ticket; `listen` opens its socket. Raises `OSError`.

        Blocks for a moment.
        """
        directory = cls(private_folder_for_socket(base))
        ticket = directory.path / "ticket"
        ticket.touch(mode=0o600)
        ticket.write_text(directory._ticket)
        return directory

    async def listen(
        self, on_hook: OnHook | None = None, *, on_tool: OnHook | None = None, launcher: int | None = None
    ) -> None:
        """Open the socket, and answer its clients in the background. Raises `OSError`. Call it once.

        The CLI continues with the result of `on_hook`, as if the hook had printed it. `on_tool` gets at most one byte
        more than `MAX_TOOL_BYTES`. An exception of either is logged, and its client gets no answer. `launcher`: the pid
        above all processes that may connect, or that of this process, if it passes on connections from a worker of a
        cluster; None: whoever has the ticket.
        """
        self._launcher = launcher
        if on_hook is not None:
            self._doors[b"hook"] = _Door(MAX_HOOK_BYTES, on_hook)
        if on_tool is not None:
            self._doors[b"tool"] = _Door(MAX_TOOL_BYTES + 1, on_tool)
        self._server = await asyncio.start_unix_server(self._serve, self.path / "socket")

    @property
    def hook_command(self) -> tuple[str, ...]:
        """Return the argv that a CLI executes as its hook, with the JSON on stdin."""
        return (sys.executable, "-I", "-S", str(HOOK_PROGRAM), str(self.path))

    async def close(self) -> None:
        """Close the socket and remove the directory, its ticket and everything else in it.

        Never raises because of files.
        """
        if self._server is not None:
            self._server.close()
        await asyncio.to_thread(shutil.rmtree, self.path, ignore_errors=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_TIMEOUT_SECONDS):
                greeting, _, length = (await reader.readline()).strip().rpartition(b" ")
                door = self._door(greeting)
                if door is None:
                    log.warning("A client used a wrong ticket for a run directory")
                    return
                payload = await _read(reader, int(length), door.most_bytes)
            guest = peer_pid(writer)
            if not self._may_connect(guest):
                log.warning("A process of another run tried to use a run directory")
                return
            await _attend(door, payload, reader, writer)
        except (TimeoutError, OSError, ValueError):
            log.warning("A client of a run directory did not send a complete request")
        except Exception:
            log.exception("A client of a run directory could not be answered")
        finally:
            writer.close()

    def _may_connect(self, guest: int | None) -> bool:
        if self._launcher is None or guest is None:
            return True
        # All CLIs here are below this process, so it can only stand for itself.
        return guest == self._launcher or (self._launcher != os.getpid() and is_below(guest, self._launcher))

    def _door(self, greeting: bytes) -> _Door | None:
        """Return None if the ticket is wrong, or there is no such handler."""
        word, _, ticket = greeting.partition(b" ")
        return self._doors.get(word) if hmac.compare_digest(ticket, self._ticket.encode()) else None


async def _attend(door: _Door, payload: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    gone = asyncio.Event()
    watching = asyncio.create_task(_until_closed(reader, gone))
    try:
        writer.write(await door.answer(payload, gone))  # the CLI waits for us
    finally:
        watching.cancel()
    await writer.drain()


async def _read(reader: asyncio.StreamReader, size: int, most: int) -> bytes:
    """Read the whole request; a part that is too long is read and cut off."""
    payload = bytearray()
    while size > 0:
        piece = await reader.read(min(size, READ_BYTES))
        if not piece:
            raise ValueError("it ended too early")
        size -= len(piece)
        payload += piece[: most - len(payload)]
    return bytes(payload)


async def _until_closed(reader: asyncio.StreamReader, gone: asyncio.Event) -> None:
    """The client sends nothing more: the next event is its end."""
    with suppress(OSError):
        while await reader.read(READ_BYTES):
            pass
    gone.set()
