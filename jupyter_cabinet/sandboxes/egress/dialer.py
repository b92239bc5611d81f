"""Connects to a host that a run may reach. The address that was checked is the address that is dialled.

A name is resolved once, so a name server that answers differently the second time changes nothing. If the server itself
has to use a proxy, only the operator's model service is dialled directly.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from .host_rules import (
    Egress,
    RefusedHost,
    address_allowed,
    address_of,
    decide,
    host_port,
    is_local,
    refused_address,
)
from .http_messages import HTTP_PORT, connect_head

MAX_HEAD_BYTES = 65536  # of a message, and the size of the buffer for reading
MAX_ADDRESSES = 8  # of a host; the others are not tried

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]  # raises `OSError` if the host is not known
Connect = Callable[[str, int], Awaitable[Connection]]  # raises `OSError`


class EgressRefused(Exception):
    """The rules do not allow the connection. The text is a sentence."""

    status = HTTPStatus.FORBIDDEN


class EgressUnreachable(Exception):
    """The connection is allowed, but could not be made or was lost. The text is a sentence."""

    status = HTTPStatus.BAD_GATEWAY


class Route(NamedTuple):
    """A connection to a server. `through_proxy`: a plain request needs the whole address and `authorization`."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    through_proxy: bool = False
    authorization: str | None = None


class _Upstream(NamedTuple):
    host: str
    port: int
    authorization: str | None


class Dialer:
    """Checks and connects. Raises `ValueError` for an `upstream` that is not `http://[user:password@]host[:port]`."""

    def __init__(
        self, egress: Egress, *, resolve: Resolve | None, connect: Connect | None, upstream: str | None, seconds: float
    ) -> None:
        self._egress = egress
        self._resolve = resolve or resolved
        self._connect = connect or connected
        self._upstream = _parsed(upstream) if upstream else None
        self._seconds = seconds

    async def dial(self, host: str, port: int, *, tunnel: bool) -> Route:
        """Connect to a normalised host, and return the connection. The caller closes it.

        `tunnel`: also through another proxy, the bytes reach the server as they are. Raises `EgressRefused` if the
        rules do not allow the host or any of its addresses, and `EgressUnreachable` if it cannot be reached within
        `seconds`.
        """
        decision = decide(self._egress, host, port)
        if isinstance(decision, RefusedHost):
            raise EgressRefused(decision.sentence)
        pair = host_port(host, port)
        try:
            async with asyncio.timeout(self._seconds):
                if self._upstream is not None and not is_local(self._egress, host, port):
                    return await self._dial_upstream(self._upstream, host, port, tunnel)
                return await self._dial_directly(host, port)
        except TimeoutError:
            raise EgressUnreachable(f"{pair} did not answer within {self._seconds:g} seconds.") from None
        except OSError as error:
            raise EgressUnreachable(f"{pair} could not be reached: {error.strerror or error}.") from None

    async def _dial_directly(self, host: str, port: int) -> Route:
        addresses = await self._addresses(host, port)
        checked = [address for address in addresses if self._allows(address, host, port)][:MAX_ADDRESSES]
        if addresses and not checked:
            raise EgressRefused(refused_address(host, port).sentence)
        failure = OSError("the name has no address")
        for address in checked:
            try:
                async with asyncio.timeout(self._seconds / len(checked)):
                    return Route(*await self._connect(address, port))
            except OSError as error:  # also a timeout
                failure = error
        raise failure

    async def _dial_upstream(self, upstream: _Upstream, host: str, port: int, tunnel: bool) -> Route:
        """Leave the name to the other proxy. What it resolves to here must be allowed, if that is known."""
        try:
            addresses = await self._addresses(host, port)
        except OSError:  # only the other proxy can resolve names
            addresses = []
        if not all(self._allows(address, host, port) for address in addresses):
            raise EgressRefused(refused_address(host, port).sentence)
        try:
            reader, writer = await self._connect(upstream.host, upstream.port)
        except OSError as error:
            reason = error.strerror or error
            raise EgressUnreachable(f"The proxy of the server could not be reached: {reason}.") from None
        if not tunnel:
            return Route(reader, writer, through_proxy=True, authorization=upstream.authorization)
        try:
            writer.write(connect_head(host, port, upstream.authorization))
            answer = await reader.readuntil(b"\r\n\r\n")
            if re.match(rb"HTTP/1\.[01] 2[0-9][0-9][ \r]", answer) is None:
                line = answer.partition(b"\r\n")[0].decode(errors="replace")
                raise EgressUnreachable(f"The proxy of the server did not connect to {host_port(host, port)}: {line}.")
        except (EOFError, asyncio.LimitOverrunError):
            writer.transport.abort()
            raise EgressUnreachable(f"The proxy of the server sent no answer for {host_port(host, port)}.") from None
        except BaseException:
            writer.transport.abort()
            raise
        return Route(reader, writer)

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        return [host] if address_of(host) is not None else await self._resolve(host, port)

    def _allows(self, address: str, host: str, port: int) -> bool:
        """Return whether the rules allow an address. This machine's public addresses count as this machine."""
        if not address_allowed(self._egress, address, host, port):
            return False
        return is_local(self._egress, host, port) or not is_on_this_machine(address)


async def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host, the best first, as the system's resolver knows them.

    Raises `OSError` if it has none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def connected(address: str, port: int) -> Connection:
    """Connect to an address; only the host of the server's own proxy is a name. Raises `OSError`. Has no time limit."""
    return await asyncio.open_connection(address, port, limit=MAX_HEAD_BYTES)


def is_on_this_machine(address: str) -> bool:
    """Return whether an interface of this machine has the address: only then can a socket be bound to it.

    Raises `ValueError` for a text that is no IP address.
    """
    family = socket.AF_INET if ipaddress.ip_address(address).version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True


def _parsed(url: str) -> _Upstream:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("the proxy must be given as http://host:port")
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return _Upstream(parts.hostname, parts.port or HTTP_PORT, authorization)
