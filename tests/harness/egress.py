"""An egress proxy on a real Unix socket, servers on the loopback, and clients that send bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from jupyter_cabinet.sandboxes.egress.dialer import Connection
from jupyter_cabinet.sandboxes.egress.host_rules import Egress
from jupyter_cabinet.sandboxes.egress.proxy import EgressProxy

from .waiting import BOUND_SECONDS

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class OpenProxy(NamedTuple):
    """A proxy that listens, and what it has reported."""

    proxy: EgressProxy
    path: Path
    reports: list[tuple[str, str]]

    async def client(self, text: bytes = b"") -> Connection:
        """Connect and send."""
        reader, writer = await asyncio.open_unix_connection(str(self.path))
        writer.write(text)
        return reader, writer

    async def ask(self, text: bytes) -> bytes:
        """Send, and read to the end."""
        reader, writer = await self.client(text)
        async with asyncio.timeout(BOUND_SECONDS):
            answer = await reader.read()
        writer.close()
        return answer

    async def tunnel(self, pair: str) -> Connection:
        """Open a tunnel."""
        reader, writer = await self.client(f"CONNECT {pair} HTTP/1.1\r\n\r\n".encode())
        async with asyncio.timeout(BOUND_SECONDS):
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
        return reader, writer


@asynccontextmanager
async def open_proxy(folder: Path, egress: Egress, **options: Any) -> AsyncIterator[OpenProxy]:
    """Open a proxy with these rules, and close it at the end."""
    reports: list[tuple[str, str]] = []
    proxy = EgressProxy(egress, on_refused=lambda pair, sentence: reports.append((pair, sentence)), **options)
    await proxy.listen(folder / "proxy")
    try:
        async with asyncio.timeout(2 * BOUND_SECONDS):
            yield OpenProxy(proxy, folder / "proxy", reports)
    finally:
        await proxy.close()


@asynccontextmanager
async def server_on_loopback(handle: Handler) -> AsyncIterator[str]:
    """Serve connections, and yield `host:port`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            await handle(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def answers(*texts: bytes, heard: list[bytes] | None = None) -> Handler:
    """Answer one request of each connection with the next text. `heard` receives the heads."""
    rest = list(texts)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if heard is not None:
            heard.append(head)
        writer.write(rest.pop(0) if len(rest) > 1 else rest[0])
        await writer.drain()

    return handle


class Names:
    """A name server with fixed answers. A list of lists is used up, one answer for each question."""

    def __init__(self, **addresses: Sequence[Any]) -> None:
        self.asked: list[str] = []
        self._addresses = {name.replace("_", "."): list(answers) for name, answers in addresses.items()}

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Answer, or raise `OSError`."""
        self.asked.append(host)
        if host not in self._addresses:
            raise OSError(0, "Name or service not known")
        found = self._addresses[host]
        return found.pop(0) if found and isinstance(found[0], list) else found


class Dialled:
    """Records what would be dialled. Every connection fails."""

    def __init__(self) -> None:
        self.addresses: list[tuple[str, int]] = []

    async def connect(self, address: str, port: int) -> Connection:
        """Record, and raise `OSError`."""
        self.addresses.append((address, port))
        raise ConnectionRefusedError(111, "Connection refused")


def local(*pairs: str) -> Egress:
    """Return rules that allow only these, on this machine."""
    return Egress(mode="hosts", local=pairs)
