"""The egress proxy of a server that has to use a proxy itself."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
from harness.egress import Dialled, Names, answers, local, open_proxy, server_on_loopback

from jupyter_cabinet.sandboxes.egress.host_rules import Egress
from jupyter_cabinet.sandboxes.egress.proxy import EgressProxy, ProxyLimits

OPEN = Egress(mode="open")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
NAMES = {
    "example_com": ["93.184.216.34"],
    "private_net": ["10.0.0.1"],
    "both_net": ["93.184.216.34", "10.0.0.1"],
}
BASIC = b"Basic " + base64.b64encode(b"user@home:pass:word")


async def accept_tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A proxy that is itself the server behind it, and sends back the head it has received."""
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.0 200 Fine\r\nX: y\r\n\r\n" + head)
    writer.write(await reader.readexactly(5))


async def test_a_tunnel_goes_through_the_other_proxy_by_name(tmp_path: Path) -> None:
    names = Names(**NAMES)
    async with server_on_loopback(accept_tunnel) as pair:
        upstream = f"http://user%40home:pass%3Aword@{pair}"
        async with open_proxy(tmp_path, OPEN, resolve=names.resolve, upstream=upstream) as opened:
            for host in ("example.com", "only-known.there"):
                reader, writer = await opened.tunnel(f"{host}:443")
                writer.write(b"hello")
                head = b"CONNECT %s:443 HTTP/1.1\r\nHost: %s:443\r\nProxy-Authorization: %s\r\n\r\n"
                assert await reader.read() == head % (host.encode(), host.encode(), BASIC) + b"hello"
                writer.close()
            assert opened.proxy.counts == {"example.com:443": 1, "only-known.there:443": 1}


async def test_a_plain_request_goes_through_the_other_proxy_with_its_whole_address(tmp_path: Path) -> None:
    heard: list[bytes] = []
    async with server_on_loopback(answers(OK, heard=heard)) as pair:
        options = {"resolve": Names(**NAMES).resolve, "upstream": pair}
        async with open_proxy(tmp_path, OPEN, **options) as opened:
            assert (await opened.ask(b"GET http://Example.com:80/a HTTP/1.1\r\n\r\n")).endswith(b"ok")
    assert heard == [b"GET http://example.com/a HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n"]


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "169.254.169.254", "private.net", "both.net"])
async def test_the_other_proxy_is_not_asked_for_private_addresses(tmp_path: Path, host: str) -> None:
    heard: list[bytes] = []
    async with (
        server_on_loopback(answers(OK, heard=heard)) as pair,
        open_proxy(tmp_path, OPEN, resolve=Names(**NAMES).resolve, upstream=f"http://{pair}") as opened,
    ):
        assert b" 403 " in await opened.ask(f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode())
        assert b" 403 " in await opened.ask(f"GET http://{host}/ HTTP/1.1\r\n\r\n".encode())
    assert heard == []


async def test_the_configured_model_service_is_reached_directly(tmp_path: Path) -> None:
    async with (
        server_on_loopback(answers(OK)) as pair,
        server_on_loopback(accept_tunnel) as proxy,
        open_proxy(tmp_path, local(pair), upstream=f"http://{proxy}") as opened,
    ):
        assert (await opened.ask(f"GET http://{pair}/ HTTP/1.1\r\n\r\n".encode())).endswith(b"ok")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            b"The proxy of the server did not connect to 8.8.8.8:443: HTTP/1.1 407 Proxy Authentication Required.",
        ),
        (b"HTTP/1.1 2", b"The proxy of the server sent no answer for 8.8.8.8:443."),
        (b"a" * 200000, b"The proxy of the server sent no answer for 8.8.8.8:443."),
    ],
    ids=range(3),
)
async def test_the_other_proxy_refuses(tmp_path: Path, text: bytes, problem: bytes) -> None:
    async with server_on_loopback(answers(text)) as pair, open_proxy(tmp_path, OPEN, upstream=pair) as opened:
        answer = await opened.ask(b"CONNECT 8.8.8.8:443 HTTP/1.1\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 502 ") and answer.endswith(b"\r\n\r\n" + problem + b"\n")
        assert (opened.proxy.counts, opened.reports) == ({}, [])


async def test_the_other_proxy_says_nothing(tmp_path: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    limits = ProxyLimits(connect_seconds=0.05)
    async with (
        server_on_loopback(silent) as pair,
        open_proxy(tmp_path, OPEN, upstream=pair, limits=limits) as opened,
    ):
        assert b"8.8.8.8:443 did not answer within" in await opened.ask(b"CONNECT 8.8.8.8:443 HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize("upstream", ["https://proxy:3128", "socks5://proxy", "http://", "http://proxy:port"])
def test_a_proxy_of_another_kind_is_refused(upstream: str) -> None:
    with pytest.raises(ValueError):
        EgressProxy(OPEN, on_refused=lambda *_: None, upstream=upstream)


async def test_the_other_proxy_is_not_there(tmp_path: Path) -> None:
    dialled = Dialled()
    async with open_proxy(tmp_path, OPEN, connect=dialled.connect, upstream="http://proxy.lan") as opened:
        answer = await opened.ask(b"CONNECT 8.8.8.8:443 HTTP/1.1\r\n\r\n")
        assert answer.endswith(b"The proxy of the server could not be reached: Connection refused.\n")
        assert dialled.addresses == [("proxy.lan", 80)]
