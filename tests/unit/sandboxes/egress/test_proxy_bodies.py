"""Bodies through the egress proxy: chunks, early ends and answers, and responses that are not valid."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from harness.egress import answers, local, open_proxy, server_on_loopback

MIB = 2**20


def post(pair: str, *headers: str) -> bytes:
    return "\r\n".join([f"POST http://{pair}/ HTTP/1.1", *headers, "", ""]).encode()


async def keeps(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that says nothing, until the client has ended."""
    await reader.read()


async def test_a_body_in_chunks_arrives_without_extensions_and_trailers(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        heard.append(await reader.readuntil(b"0\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\nX-Sum: 1\r\n\r\nmore")

    async with server_on_loopback(answer) as pair, open_proxy(tmp_path, local(pair)) as opened:
        reader, writer = await opened.client(post(pair, "Transfer-Encoding: chunked", "Expect: 100-continue"))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"005;a=b\r\nhello\r\n6\r\n world\r\n0\r\nHost: other\r\n\r\n" + post("evil.net"))
        assert await reader.read() == (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n4\r\nfine\r\n0\r\n\r\n"
        )
        assert b"\r\nExpect: 100-continue\r\n" in heard[0]
        assert heard[1] == b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
        writer.close()


@pytest.mark.parametrize(
    "body", [b"x\r\n", b"-1\r\n", b"2\r\nabc\r\n", b"1" * 70000, b"0\r\n" + (b"X: " + b"a" * 60000 + b"\r\n") * 2]
)
async def test_chunks_that_are_not_valid(tmp_path: Path, body: bytes) -> None:
    async with server_on_loopback(keeps) as pair, open_proxy(tmp_path, local(pair)) as opened:
        assert b" 400 " in await opened.ask(post(pair, "Transfer-Encoding: chunked") + body)


async def test_a_server_can_answer_before_it_has_read_the_body(tmp_path: Path) -> None:
    large = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"
    async with server_on_loopback(answers(large)) as pair, open_proxy(tmp_path, local(pair)) as opened:
        assert b" 413 " in await opened.ask(post(pair, f"Content-Length: {MIB}") + bytes(1000))


async def test_a_body_that_ends_too_early_ends_for_the_server_too(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n" + await reader.read())

    async with server_on_loopback(answer) as pair, open_proxy(tmp_path, local(pair)) as opened:
        reader, writer = await opened.client(post(pair, "Content-Length: 100") + b"short")
        writer.write_eof()
        assert (await reader.read()).endswith(b"\r\n\r\nshort")
        writer.close()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "closed the connection without a response"),
        (b"HTTP/1.1 200 O", "closed the connection without a response"),
        (b"SSH-2.0-server\r\n\r\n", "sent a response that is not valid HTTP/1.1"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200000, "sent a response that is not valid HTTP/1.1"),
    ],
    ids=range(4),
)
async def test_a_server_without_a_valid_response(tmp_path: Path, text: bytes, problem: str) -> None:
    async with server_on_loopback(answers(text)) as pair, open_proxy(tmp_path, local(pair)) as opened:
        answer = await opened.ask(f"GET http://{pair}/ HTTP/1.1\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 502 ") and answer.endswith(f"\r\n\r\n{pair} {problem}.\n".encode())


async def test_a_response_that_breaks_off_stays_incomplete(tmp_path: Path) -> None:
    text = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"
    async with server_on_loopback(answers(text)) as pair, open_proxy(tmp_path, local(pair)) as opened:
        assert (await opened.ask(f"GET http://{pair}/ HTTP/1.1\r\n\r\n".encode())).endswith(b"\r\n\r\nshort")


async def test_a_server_that_keeps_its_connection_does_not_keep_the_clients(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n")
        await reader.read()

    async with server_on_loopback(answer) as pair, open_proxy(tmp_path, local(pair)) as opened:
        answer_text = await opened.ask(f"GET http://{pair}/ HTTP/1.1\r\n\r\n".encode())
        assert answer_text == b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
