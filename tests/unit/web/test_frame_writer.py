"""The short way to many WebSockets: tornado's private stream, on real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import pytest
import tornado
from harness.waiting import holds
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application
from tornado.websocket import WebSocketClosedError, WebSocketHandler, websocket_connect

from jupyter_cabinet.web import frame_writer
from jupyter_cabinet.web.frame_writer import TORNADO_CHECKED, frame_of, stream_of, write_binary, write_text

SIZES = [0, 1, 125, 126, 65_535, 65_536, 300_000]


class Socket(WebSocketHandler):
    opened: ClassVar[list[Socket]] = []
    compressed = False

    def open(self, *arguments: str) -> None:
        self.opened.append(self)

    def get_compression_options(self) -> dict[str, Any] | None:
        return {} if self.compressed else None


@asynccontextmanager
async def connected(*, compressed: bool = False) -> AsyncIterator[tuple[Socket, Any]]:
    Socket.opened, Socket.compressed = [], compressed
    (listening,) = bind_sockets(0, "127.0.0.1")
    server = HTTPServer(Application([("/", Socket)]))
    server.add_socket(listening)
    options = {"compression_options": {}} if compressed else {}
    client = await websocket_connect(f"ws://127.0.0.1:{listening.getsockname()[1]}/", **options)
    await holds(lambda: bool(Socket.opened))
    try:
        yield Socket.opened[0], client
    finally:
        client.close()
        server.stop()
        await server.close_all_connections()


async def sent(socket: Socket, data: bytes | str) -> None:
    rest = write_text(socket, data) if isinstance(data, str) else write_binary(socket, data)
    if rest is not None:
        await rest


def test_tornado_is_a_version_that_this_was_read_with():
    first, after_last = TORNADO_CHECKED
    assert first <= tornado.version_info[:3] and tornado.version_info[:1] < after_last, "read its websocket.py again"


async def test_messages_of_every_length_arrive_between_texts_and_pings_in_order():
    async with connected() as (socket, client):
        assert stream_of(socket.ws_connection) is not None
        for size in SIZES:
            socket.write_message(f"text {size}")
            socket.ping(b"x")
            await sent(socket, b"x" * size)
            await sent(socket, "ü" * size)
        for size in SIZES:
            assert await client.read_message() == f"text {size}"
            assert await client.read_message() == b"x" * size
            assert await client.read_message() == "ü" * size


async def test_a_compressed_connection_goes_the_ordinary_way():
    async with connected(compressed=True) as (socket, client):
        assert stream_of(socket.ws_connection) is None
        for data in (b"x" * 1000, "x" * 1000):
            await sent(socket, data)
            assert await client.read_message() == data


def test_the_same_data_is_framed_once_and_little_is_kept():
    data = bytes(100_000)
    assert frame_of(data) is frame_of(data)
    for _ in range(20):
        frame_of(bytes(bytearray(10)))
    assert len(frame_writer._frames) == frame_writer.FRAMES_KEPT


@pytest.mark.parametrize("data", [bytes(1 << 20), "x" * (1 << 20)], ids=["bytes", "text"])
async def test_a_socket_that_is_full_makes_the_writer_wait_and_a_closed_one_makes_it_fail(data: bytes | str):
    async with connected() as (socket, client):
        count = 0
        client.stream.io_loop.remove_handler(client.stream.socket)  # the client reads no more
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                while count < 200:
                    await sent(socket, data)
                    count += 1
        assert count < 100
        socket.ws_connection.stream.close()
        with pytest.raises(WebSocketClosedError):
            await sent(socket, data)


async def test_what_is_left_of_a_frame_goes_before_whatever_is_written_next():
    async with connected() as (socket, client):
        rests = []
        for number in range(20):
            rests.append(write_binary(socket, bytes([number]) * (1 << 20)))
            socket.write_message(f"text {number}")
        for number in range(20):
            assert await client.read_message() == bytes([number]) * (1 << 20)
            assert await client.read_message() == f"text {number}"
        assert any(rests)
        for rest in filter(None, rests):
            await rest
