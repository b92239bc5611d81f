"""Passes connections to the socket of a run directory from a worker to the server. Both ends of the link have one.

Each piece of data is confirmed before the next one is sent, so a slow reader slows the writer. The messages, both ways:

    socket_open {id} (from the worker) · socket_data {id, data} · socket_taken {id} · socket_end {id}
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final

from .link import Link, Message

PIECE_BYTES: Final = 1 << 16
MOST_CONNECTIONS: Final = 64  # of one run at once; further ones are closed


class _Connection:
    def __init__(self) -> None:
        self.inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.taken = asyncio.Event()


class SocketRelay:
    """The connections of one run. `socket`: of the run directory, on the server only."""

    def __init__(self, link: Link, socket: Path | None = None) -> None:
        self._link = link
        self._socket = socket
        self._open: dict[int, _Connection] = {}
        self._last_id = 0

    def hear(self, message: Message) -> None:
        """Take a message whose name begins with `socket_`. Does not wait.

        Messages of connections that have ended are ignored.
        """
        id = message["id"]
        if message["do"] == "socket_open":
            if self._socket is None or len(self._open) >= MOST_CONNECTIONS:
                self._link.say("socket_end", id=id)
            elif id not in self._open:
                self._open[id] = _Connection()
                self._link.spawn(self._connect(id, self._socket))
            return
        connection = self._open.get(id)
        if connection is None:
            return  # it has ended at this end
        match message["do"]:
            case "socket_data":
                connection.inbox.put_nowait(bytes(message["data"]))
            case "socket_taken":
                connection.taken.set()
            case "socket_end":
                connection.inbox.put_nowait(None)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on a connection that a process of the run has made on the worker, until it ends. Closes it at the end.

        Beyond `MOST_CONNECTIONS`, it is closed at once.
        """
        if len(self._open) >= MOST_CONNECTIONS:
            writer.close()
            return
        self._last_id += 1
        id, connection = self._last_id, _Connection()
        self._open[id] = connection
        self._link.say("socket_open", id=id)
        sending = asyncio.create_task(self._send(id, connection, reader))
        try:
            await self._receive(id, connection, writer)
        finally:
            sending.cancel()
            self._close(id, writer)

    async def _connect(self, id: int, socket: Path) -> None:
        connection = self._open[id]
        try:
            reader, writer = await asyncio.open_unix_connection(socket)
        except OSError:
            self._link.say("socket_end", id=id)
            del self._open[id]
            return
        receiving = asyncio.create_task(self._receive(id, connection, writer))
        try:
            await self._send(id, connection, reader)
        finally:
            receiving.cancel()
            self._close(id, writer)

    async def _send(self, id: int, connection: _Connection, reader: asyncio.StreamReader) -> None:
        with suppress(OSError):
            while data := await reader.read(PIECE_BYTES):
                connection.taken.clear()
                self._link.say("socket_data", id=id, data=data)
                await connection.taken.wait()
        self._link.say("socket_end", id=id)

    async def _receive(self, id: int, connection: _Connection, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while (data := await connection.inbox.get()) is not None:
                writer.write(data)
                await writer.drain()
                self._link.say("socket_taken", id=id)
            writer.write_eof()

    def _close(self, id: int, writer: asyncio.StreamWriter) -> None:
        self._open.pop(id, None)
        writer.close()
