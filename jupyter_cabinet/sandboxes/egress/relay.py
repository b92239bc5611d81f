"""Copies bytes between a client in a sandbox and a server: a tunnel in both directions, or one request and response.

No more than a buffer of each direction is in memory: reading waits until the other side has taken what was read.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from .dialer import Connection, EgressUnreachable, Route
from .host_rules import host_port
from .http_messages import BadMessage, BodyEnd, ProxyRequest, ProxyResponse, chunk_size, parse_response, request_head

PIECE_BYTES = 65536
MAX_TRAILER_BYTES = 65536


class _Idle:
    """Ends what is inside, with `TimeoutError`, once no byte has been copied for a time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.limit = asyncio.timeout(seconds)

    def moved(self) -> None:
        """Start the time again."""
        if not self.limit.expired():
            self.limit.reschedule(asyncio.get_running_loop().time() + self._seconds)


async def tunnel(client: Connection, server: Route, idle_seconds: float) -> None:
    """Copy in both directions until both have ended, one is broken, or none has moved for `idle_seconds`.

    Never raises `OSError`. The connections are left open.
    """
    idle = _Idle(idle_seconds)
    try:
        async with idle.limit, asyncio.TaskGroup() as directions:
            directions.create_task(_copy_with_end(client[0], server.writer, idle))
            directions.create_task(_copy_with_end(server.reader, client[1], idle))
    except* OSError:  # also the timeout
        pass


class Exchange:
    """One plain request and its response. Anything that the client sends after the request is ignored."""

    def __init__(self, request: ProxyRequest, client: Connection, server: Route, idle_seconds: float) -> None:
        self.has_begun = False  # the client has received a part of the response
        self._request = request
        self._client = client
        self._server = server
        self._idle_seconds = idle_seconds
        self._idle = _Idle(idle_seconds)

    async def run(self) -> None:
        """Send the request, and pass the response on until its end. The connections are left open.

        Raises `BadMessage` for the request's body, `EgressUnreachable` for the server, also after `idle_seconds`
        without a byte, and `OSError` for the client.
        """
        try:
            async with self._idle.limit, asyncio.TaskGroup() as directions:
                upload = directions.create_task(self._send_request())
                await self._pass_response()
                upload.cancel()
        except TimeoutError:
            raise self._lost(f"sent nothing for {self._idle_seconds:g} seconds") from None
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _send_request(self) -> None:
        writer = self._server.writer
        head = request_head(
            self._request, to_proxy=self._server.through_proxy, authorization=self._server.authorization
        )
        with suppress(OSError):  # the server may have answered before it has read everything
            writer.write(head)
            await writer.drain()
            try:
                await _copy_body(self._client[0], writer, self._request.body, self._idle)
            except EOFError:  # the client has ended too early: the server decides what that means
                writer.write_eof()

    async def _pass_response(self) -> None:
        writer = self._client[1]
        while (response := await self._response()).is_interim:
            if self._request.version == b"HTTP/1.1":
                writer.write(response.head)
                await writer.drain()
        self.has_begun = True
        writer.write(response.head)
        await writer.drain()
        try:
            await _copy_body(self._server.reader, writer, response.body, self._idle)
        except EOFError:
            raise self._lost("ended its response too early") from None

    async def _response(self) -> ProxyResponse:
        try:
            head = await self._server.reader.readuntil(b"\r\n\r\n")
            self._idle.moved()
            return parse_response(head, self._request.method)
        except (OSError, EOFError):
            raise self._lost("closed the connection without a response") from None
        except (BadMessage, asyncio.LimitOverrunError):
            raise self._lost("sent a response that is not valid HTTP/1.1") from None

    def _lost(self, what: str) -> EgressUnreachable:
        return EgressUnreachable(f"{host_port(self._request.host, self._request.port)} {what}.")


async def _copy_with_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, idle: _Idle) -> None:
    """Copy everything, and then the end of this direction. The other direction continues."""
    await _copy_rest(reader, writer, idle)
    writer.write_eof()


async def _copy_rest(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, idle: _Idle) -> None:
    while piece := await reader.read(PIECE_BYTES):
        idle.moved()
        writer.write(piece)
        await writer.drain()
        idle.moved()


async def _copy_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, end: BodyEnd, idle: _Idle) -> None:
    """Copy a body. Raises `EOFError` if it is not complete, and `BadMessage` if its chunks are not valid."""
    if end == "connection":
        await _copy_rest(reader, writer, idle)
    elif end == "chunked":
        await _copy_chunks(reader, writer, idle)
    else:
        await _copy_exactly(reader, writer, end, idle)


async def _copy_exactly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int, idle: _Idle) -> None:
    while size > 0:
        piece = await reader.read(min(size, PIECE_BYTES))
        if not piece:
            raise EOFError
        size -= len(piece)
        idle.moved()
        writer.write(piece)
        await writer.drain()
        idle.moved()


async def _copy_chunks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, idle: _Idle) -> None:
    """Copy chunks, without their extensions and without the headers after the last one."""
    while (size := chunk_size(await _line(reader))) > 0:
        writer.write(b"%x\r\n" % size)
        await _copy_exactly(reader, writer, size, idle)
        if await reader.readexactly(2) != b"\r\n":
            raise BadMessage("The body has a chunk that is longer than its size.")
        writer.write(b"\r\n")
        await asyncio.sleep(0)  # many small chunks must not keep others waiting
    trailers = 0
    while (line := await _line(reader)) != b"\r\n":
        trailers += len(line)
        if trailers > MAX_TRAILER_BYTES:
            raise BadMessage("The headers after the body are too long.")
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n")
    except asyncio.LimitOverrunError:
        raise BadMessage("The body has a chunk without a valid size.") from None
