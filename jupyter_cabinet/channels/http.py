"""Calls and WebSockets of the platforms that are reached with aiohttp.

A reply has a greatest length, no redirect is followed, no connection is kept for the next call, and failures are those
of the port: a call that certainly had no effect is `NotSent`, and one that may have had one is `InDoubt`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import socket
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import DefaultResolver

from .port import InDoubt, NotSent, Rejected

T = TypeVar("T")

CALL_SECONDS = 30.0
CONNECT_SECONDS = 10.0
GOODBYE_SECONDS = 2.0
LONGEST_DELIVERY_BYTES = 4 << 20
LONGEST_REPLY_BYTES = 1 << 20  # also when it is decompressed
LONGEST_WAIT_SECONDS = 600.0  # that a platform can ask for
REFUSED_SECONDS = 60.0  # until the next attempt to connect, if nobody knows how long a refusal lasts

CheckAddress = Callable[[str], None]  # raises `Rejected` for an address to which nothing may be sent


class _Redirected(aiohttp.ClientError):
    """A reply leads to another address."""


class HttpReply(msgspec.Struct, frozen=True):
    """The reply to a call. `content` is empty or cut off if it was too long or damaged."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class HttpClient:
    """The HTTP client of one adapter."""

    def __init__(self, title: str, url: str, *, check_address: CheckAddress | None = None) -> None:
        """`title`: of the platform. `url`: what the paths of all calls are added to. `check_address`: called with each
        address to which a connection is about to be made, unless there is a proxy.
        """
        self.url = url
        self.unreachable = f"{title} cannot be reached."
        self.broken = f"The connection to {title} broke."
        self.trouble = f"{title} had an internal error."
        self.too_often = f"{title} asks to write less often."
        self._redirects = f"{title} redirects to another address, which is not followed."
        self._check_address = check_address
        self._unsafe = f"{title} has given an address without encryption."
        self._is_local = url.startswith("http://")  # without TLS it is on this machine
        self._http: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """End all connections."""
        if self._http is not None:
            await self._http.close()

    async def call(
        self,
        method: str,
        path: str,
        *,
        repeatable: bool,
        headers: Mapping[str, str],
        json: Any = None,
        data: Any = None,
    ) -> HttpReply:
        """Make a call, and return the reply, whatever its status, except 429.

        `repeatable`: whether the call may be repeated if nobody knows whether it has happened. Raises `NotSent` if it
        surely has not happened, or is repeatable, or for the status 429; otherwise `InDoubt`. Raises what
        `check_address` raises. A reply has at most 30 seconds; content of more than 1 MiB is dropped or cut off.
        """
        doubt = doubt_of(repeatable)
        self._check_literal()
        try:
            async with self._session.request(
                method,
                self.url + path,
                json=json,
                data=data,
                headers={**headers, "Accept-Encoding": "gzip"},
                proxy=self._proxy(self.url),
            ) as response:
                content = await _content(response)
        except (
            aiohttp.ClientConnectorError,
            aiohttp.ClientHttpProxyError,
            aiohttp.ConnectionTimeoutError,
            aiohttp.InvalidURL,
        ):
            raise NotSent(self.unreachable) from None
        except _Redirected:
            raise doubt(self._redirects) from None
        except (aiohttp.ClientError, TimeoutError, OSError):
            raise doubt(self.broken) from None
        except ValueError:  # such as a proxy of a kind that aiohttp does not know
            raise doubt(self.unreachable) from None
        if response.status == 429:
            raise NotSent(self.too_often, seconds_of(response.headers.get("Retry-After")))
        return HttpReply(response.status, response.headers, content)

    def read(self, reply: HttpReply, kind: type[T], *, repeatable: bool) -> T:
        """Return the content of a reply. Raises `NotSent` or `InDoubt` if it is not what the platform would reply."""
        try:
            return msgspec.json.decode(reply.content, type=kind)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise doubt_of(repeatable)(self.trouble) from None

    async def open_websocket(self, url: str, *, ping_seconds: float | None = None) -> aiohttp.ClientWebSocketResponse:
        """Open a WebSocket at an address that the platform has given. The caller closes it.

        Raises `Rejected` for an address without encryption, and `NotSent` if it cannot be opened within 10 seconds.
        """
        if not url.startswith("wss://") and not (self._is_local and url.startswith("ws://")):
            raise Rejected(self._unsafe)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await self._session.ws_connect(
                    url, heartbeat=ping_seconds, max_msg_size=LONGEST_DELIVERY_BYTES, proxy=self._proxy(url)
                )
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            raise NotSent(self.unreachable) from None

    async def check(self) -> None:
        """Resolve the host, and check its addresses. Raises `Rejected` for an address to which nothing may be sent.

        Raises `NotSent` if it cannot be resolved. Does nothing without a `check_address`, or if a proxy is used.
        """
        self._check_literal()
        parts = urlsplit(self.url)
        if self._check_address is None or self._proxy(self.url) is not None:
            return
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                found = await loop.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError, TimeoutError):
            raise NotSent(self.unreachable) from None
        for *_, address in found:
            self._check_address(str(address[0]))

    def _check_literal(self) -> None:
        """Check the host if it is an address, which nothing resolves."""
        host = urlsplit(self.url).hostname or ""
        if self._check_address is not None and is_address(host):
            self._check_address(host)

    def _proxy(self, url: str) -> str | None:
        return None if self._is_local or proxy_bypass(urlsplit(url).hostname or "") else getproxies().get("https")

    @property
    def _session(self) -> aiohttp.ClientSession:
        """What makes the calls. It keeps no connection for the next one: one that was closed meanwhile causes doubt."""
        if self._http is None:
            timeout = aiohttp.ClientTimeout(total=CALL_SECONDS, sock_connect=CONNECT_SECONDS)
            tracing = aiohttp.TraceConfig()
            tracing.on_request_redirect.append(_refuse_redirect)
            self._http = aiohttp.ClientSession(
                timeout=timeout,
                connector=aiohttp.TCPConnector(force_close=True, resolver=self._resolver()),
                auto_decompress=False,
                trace_configs=[tracing],
            )
        return self._http

    def _resolver(self) -> AbstractResolver | None:
        host = urlsplit(self.url).hostname or ""
        return None if self._check_address is None else _CheckedResolver(host, self._check_address)


class _CheckedResolver(AbstractResolver):
    """Checks each address of one host at the moment when it is used. Other hosts, such as a proxy, are not checked."""

    def __init__(self, host: str, check_address: CheckAddress) -> None:
        self._host = host
        self._check_address = check_address
        self._resolver = DefaultResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Resolve a name. Raises `Rejected`."""
        found = await self._resolver.resolve(host, port, family)
        for each in found if host.lower() == self._host else ():
            self._check_address(each["host"])
        return found

    async def close(self) -> None:
        """End what is being resolved."""
        await self._resolver.close()


def is_address(host: str) -> bool:
    """Return whether a host is an address and no name."""
    with suppress(ValueError):
        ipaddress.ip_address(host.partition("%")[0])
        return True
    return False


async def close_websocket(websocket: aiohttp.ClientWebSocketResponse, code: int = 1000) -> None:
    """Close a WebSocket, without waiting long for the other side."""
    with suppress(TimeoutError):
        async with asyncio.timeout(GOODBYE_SECONDS):
            await websocket.close(code=code)


def doubt_of(repeatable: bool) -> type[NotSent | InDoubt]:
    """Return the error for a call of which nobody knows whether it has happened: `NotSent` if repeatable, else
    `InDoubt`.
    """
    return NotSent if repeatable else InDoubt


def seconds_of(header: str | None) -> float:
    """Return how long a platform asks to wait, at most 600 seconds; 1 if it does not say it."""
    try:
        seconds = float(header or 1.0)
    except ValueError:
        return 1.0
    return min(max(0.0, seconds), LONGEST_WAIT_SECONDS) if math.isfinite(seconds) else 1.0


async def _refuse_redirect(
    session: aiohttp.ClientSession, context: SimpleNamespace, redirect: aiohttp.TraceRequestRedirectParams
) -> None:
    """End a call, or the opening of a WebSocket, that leads to another address: it was not checked."""
    redirect.response.close()
    raise _Redirected


async def _content(response: aiohttp.ClientResponse) -> bytes:
    """Return the content of a reply, decompressed; empty or cut off if it is too long or damaged."""
    content = bytearray()
    async for part in response.content.iter_any():
        content += part
        if len(content) > LONGEST_REPLY_BYTES:
            return b""
    if response.headers.get("Content-Encoding", "").lower() != "gzip":
        return bytes(content)
    try:
        return zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(content, LONGEST_REPLY_BYTES)
    except zlib.error:
        return b""
