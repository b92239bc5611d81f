"""Connections through the egress proxy: halves, slow ends, large transfers, limits, and the end."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from harness.egress import OpenProxy, local, open_proxy, server_on_loopback

from jupyter_cabinet.sandboxes.egress.dialer import Connection
from jupyter_cabinet.sandboxes.egress.host_rules import Egress
from jupyter_cabinet.sandboxes.egress.proxy import EgressProxy, ProxyLimits

Until = Callable[[Callable[[], bool]], Awaitable[None]]
MIB = 2**20
SHORT = 0.05


async def send(writer: asyncio.StreamWriter, size: int) -> str:
    """Send that many bytes and the end, and return their digest."""
    digest = hashlib.sha256()
    for number in range(size // 65536):
        piece = number.to_bytes(4) * 16384
        digest.update(piece)
        writer.write(piece)
        await writer.drain()
    writer.write_eof()
    return digest.hexdigest()


async def receive(reader: asyncio.StreamReader) -> str:
    digest = hashlib.sha256()
    while piece := await reader.read(65536):
        digest.update(piece)
    return digest.hexdigest()


def post(pair: str, *headers: str) -> bytes:
    return "\r\n".join([f"POST http://{pair}/ HTTP/1.1", *headers, "", ""]).encode()


async def keeps(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that says nothing, until the client has ended."""
    await reader.read()


async def test_a_client_that_has_ended_still_gets_the_response(tmp_path: Path) -> None:
    async def upper(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read()).upper())  # after the end

    async with server_on_loopback(upper) as pair, open_proxy(tmp_path, local(pair)) as opened:
        reader, writer = await opened.tunnel(pair)
        writer.write(b"hello")
        writer.write_eof()
        assert await reader.read() == b"HELLO"
        writer.close()


async def test_a_server_that_has_ended_still_gets_what_follows(tmp_path: Path) -> None:
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.write_eof()
        heard.put_nowait(await reader.read())

    async with server_on_loopback(listen) as pair, open_proxy(tmp_path, local(pair)) as opened:
        reader, writer = await opened.tunnel(pair)
        assert await reader.read() == b"hello"
        writer.write(b"still here")
        writer.write_eof()
        assert await heard.get() == b"still here"
        writer.close()


async def test_a_plain_client_that_has_ended_still_gets_the_response(tmp_path: Path) -> None:
    request_seen, client_ended = asyncio.Event(), asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        request_seen.set()
        await client_ended.wait()
        assert not reader.at_eof()  # some servers take the end of a client as a reason to stop
        writer.write(b"HTTP/1.0 200 OK\r\n\r\nfine")

    async with server_on_loopback(answer) as pair, open_proxy(tmp_path, local(pair)) as opened:
        reader, writer = await opened.client(f"GET http://{pair}/ HTTP/1.0\r\n\r\n".encode())
        writer.write_eof()
        await request_seen.wait()
        client_ended.set()
        assert await reader.read() == b"HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nfine"
        writer.close()


async def test_large_transfers_in_both_directions_at_once(tmp_path: Path, until: Until) -> None:
    digests: list[str] = []

    async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        digests.extend(await asyncio.gather(receive(reader), send(writer, 8 * MIB)))

    async with server_on_loopback(exchange) as pair, open_proxy(tmp_path, local(pair)) as opened:
        reader, writer = await opened.tunnel(pair)
        received, sent = await asyncio.gather(receive(reader), send(writer, 16 * MIB))
        await until(lambda: len(digests) == 2)
        assert digests == [sent, received] and sent != received
        writer.close()


@pytest.mark.parametrize("plain", [False, True])
async def test_a_client_that_does_not_read_holds_up_the_server(tmp_path: Path, plain: bool, until: Until) -> None:
    held = asyncio.Event()
    size = 64 * MIB

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if plain:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(size // 65536):
            writer.write(bytes(65536))
            try:
                await asyncio.wait_for(asyncio.shield(draining := asyncio.ensure_future(writer.drain())), 0.3)
            except TimeoutError:
                held.set()
                await draining

    async with server_on_loopback(flood) as pair, open_proxy(tmp_path, local(pair)) as opened:
        if plain:
            reader, writer = await opened.client(f"GET http://{pair}/ HTTP/1.1\r\n\r\n".encode())
            assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        else:
            reader, writer = await opened.tunnel(pair)
        await held.wait()
        received = 0
        while piece := await reader.read(MIB):
            received += len(piece)
        assert received == size
        writer.close()


async def test_a_client_that_is_too_slow_with_its_request(tmp_path: Path) -> None:
    async with open_proxy(tmp_path, local(), limits=ProxyLimits(head_seconds=SHORT)) as opened:
        assert b" 408 " in await opened.ask(b"GET http://example.com/ HTTP/1.1\r\n")


async def test_a_client_that_does_not_stop_sending_after_an_error(tmp_path: Path) -> None:
    async with open_proxy(tmp_path, local(), limits=ProxyLimits(linger_seconds=SHORT)) as opened:
        reader, writer = await opened.client(post("evil.net", "Content-Length: 1000000000"))
        reading = asyncio.create_task(reader.readuntil(b"\r\n\r\n"))
        with suppress(ConnectionError):
            while True:
                writer.write(bytes(65536))
                await writer.drain()
        assert b" 403 " in await reading
        writer.close()


async def test_a_server_that_cannot_be_reached_in_time(tmp_path: Path) -> None:
    async def connect(address: str, port: int) -> Connection:
        await asyncio.Event().wait()
        raise AssertionError

    limits = ProxyLimits(connect_seconds=SHORT)
    async with open_proxy(tmp_path, Egress(mode="open"), connect=connect, limits=limits) as opened:
        answer = await opened.ask(b"CONNECT 8.8.8.8:443 HTTP/1.1\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 502 ") and b"8.8.8.8:443 did not answer within 0.05 seconds." in answer


async def test_connections_without_a_byte_end(tmp_path: Path) -> None:
    limits = ProxyLimits(idle_seconds=SHORT)
    async with server_on_loopback(keeps) as pair, open_proxy(tmp_path, local(pair), limits=limits) as opened:
        reader, writer = await opened.tunnel(pair)
        assert await reader.read() == b""
        writer.close()
        answer = await opened.ask(f"GET http://{pair}/ HTTP/1.1\r\n\r\n".encode())
        assert b" 502 " in answer and b"sent nothing for 0.05 seconds" in answer


async def test_a_connection_with_bytes_does_not_end(tmp_path: Path) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(100):
            writer.write(piece)

    limits = ProxyLimits(idle_seconds=0.5)
    loop = asyncio.get_running_loop()
    async with server_on_loopback(echo) as pair, open_proxy(tmp_path, local(pair), limits=limits) as opened:
        reader, writer = await opened.tunnel(pair)
        began = loop.time()
        while loop.time() < began + 1:
            writer.write(b"x")
            assert await reader.readexactly(1) == b"x"
        writer.close()


async def test_too_many_connections_at_once(tmp_path: Path, until: Until) -> None:
    limits = ProxyLimits(connections=2)
    async with server_on_loopback(keeps) as pair, open_proxy(tmp_path, local(pair), limits=limits) as opened:
        first, second = await opened.tunnel(pair), await opened.tunnel(pair)
        reader, writer = await opened.client()
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 503 ") and b"The run has 2 connections already." in answer
        writer.close()
        first[1].close()
        await until(lambda: len(opened.proxy._tasks) < 2)
        third = await opened.tunnel(pair)
        for _, each in (second, third):
            each.close()


async def test_close_ends_every_connection(tmp_path: Path) -> None:
    ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.read()
        finally:
            ended.set()

    async def never(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        raise AssertionError

    async with server_on_loopback(serve) as pair:
        before = asyncio.all_tasks()
        proxy = EgressProxy(Egress(mode="open", local=(pair,)), on_refused=lambda *_: None, resolve=never)
        await proxy.listen(tmp_path / "proxy")
        opened = OpenProxy(proxy, tmp_path / "proxy", [])
        clients = [
            await opened.tunnel(pair),  # in a tunnel
            await opened.client(b"GET http://example.com/ HTTP/1.1\r\n\r\n"),  # being resolved
            await opened.client(b"GET http://"),  # in its head
            await opened.client(post(pair, "Content-Length: 5")),  # in its body
            await opened.client(),  # perhaps not even accepted
        ]
        await proxy.close()
        for reader, writer in clients:
            with suppress(ConnectionError):
                assert await asyncio.wait_for(reader.read(), 10) == b""
            writer.close()
        await asyncio.wait_for(ended.wait(), 10)
        assert proxy._tasks == set()
        assert not opened.path.exists()
        # the handlers of the server on the loopback are not the proxy's
        assert not [task for task in asyncio.all_tasks() - before if "egress" in repr(task.get_coro())]
        with pytest.raises(OSError):
            await opened.client()
        await proxy.close()  # again


async def test_a_path_where_something_exists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "proxy").touch()
    proxy = EgressProxy(local(), on_refused=lambda *_: None)
    with pytest.raises(OSError):
        await proxy.listen(tmp_path / "proxy")
    await proxy.close()
    assert (tmp_path / "proxy").exists()
