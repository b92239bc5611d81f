"""The egress proxy: an HTTP proxy on a Unix socket, through which a sandboxed run reaches the hosts that it may reach.

It takes `CONNECT host:port`, and `GET http://host/path` for one request on each connection. Redirects are followed by
the client, so they are new requests, and are checked again.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from .dialer import MAX_HEAD_BYTES, Connect, Connection, Dialer, EgressRefused, EgressUnreachable, Resolve, Route
from .host_rules import Egress, host_port
from .http_messages import BadMessage, ProxyRequest, error_response, parse_request
from .relay import PIECE_BYTES, Exchange, tunnel

log = logging.getLogger(__name__)

MAX_COUNTED_HOSTS = 1000  # a program inside can make up any number of them
ACCEPT_AGAIN_SECONDS = 1  # after an error
OTHER_HOSTS = "other hosts"  # what the rest is counted as

OnRefused = Callable[[str, str], None]  # receives `host:port`, or `OTHER_HOSTS`, and a sentence


class ProxyLimits(NamedTuple):
    """What one run can use of the server."""

    connections: int = 256  # at once
    head_seconds: float = 30  # until the head of a request is complete
    connect_seconds: float = 30
    idle_seconds: float = 600  # without a byte in either direction
    linger_seconds: float = 2  # after an error, until the client has read it


DEFAULT_LIMITS = ProxyLimits()


class EgressProxy:
    """Call `listen` to open it, and `close` when the run has ended.

    `on_refused` is called once for each host and port. `upstream` is the proxy that the server itself has to use, as
    `http://[user:password@]host[:port]`; another form raises `ValueError`. It resolves the names that it gets.
    """

    def __init__(
        self,
        egress: Egress,
        *,
        on_refused: OnRefused,
        resolve: Resolve | None = None,
        connect: Connect | None = None,
        upstream: str | None = None,
        limits: ProxyLimits = DEFAULT_LIMITS,
    ) -> None:
        self.counts: dict[str, int] = {}  # connections that were made, by `host:port`
        self.refused: dict[str, int] = {}  # connections that were refused, by `host:port`
        self._on_refused = on_refused
        self._limits = limits
        self._dialer = Dialer(
            egress, resolve=resolve, connect=connect, upstream=upstream, seconds=limits.connect_seconds
        )
        self._path: Path | None = None  # while it is open
        self._accepting: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()  # one for each connection

    async def listen(self, path: Path) -> None:
        """Open the socket at a path where nothing exists, and serve in the background. Only this user can connect.

        Raises `OSError`. Call it once.
        """
        door = socket.socket(socket.AF_UNIX)
        try:
            door.bind(str(path))
            path.chmod(0o600)  # before it listens
            door.setblocking(False)
            door.listen()
        except BaseException:
            door.close()
            raise
        self._path = path
        self._accepting = asyncio.create_task(self._accept_clients(door))
        self._accepting.add_done_callback(lambda _: door.close())

    async def close(self) -> None:
        """Close the socket and all connections, wait for that, and remove the socket. Calling it again is fine."""
        path, self._path = self._path, None
        if self._accepting is None or path is None:
            return
        self._accepting.cancel()
        await asyncio.wait([self._accepting])
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        path.unlink(missing_ok=True)

    async def _accept_clients(self, door: socket.socket) -> None:
        """Accept until cancelled. `asyncio.Server` would leave open what connects while it is closed (Python 3.11)."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(door)
                self._accept(*await asyncio.open_unix_connection(sock=connection, limit=MAX_HEAD_BYTES))
            except OSError:  # too many open files
                log.warning("A connection of a run could not be accepted", exc_info=True)
                await asyncio.sleep(ACCEPT_AGAIN_SECONDS)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= self._limits.connections:
            sentence = f"The run has {self._limits.connections} connections already. Close some, and try again."
            writer.write(error_response(HTTPStatus.SERVICE_UNAVAILABLE, sentence))
            writer.close()
        else:
            task = asyncio.create_task(self._serve((reader, writer)))
            self._tasks.add(task)
            task.add_done_callback(lambda task: self._forget(task, writer))

    def _forget(self, task: asyncio.Task[None], writer: asyncio.StreamWriter) -> None:
        self._tasks.discard(task)
        writer.transport.abort()  # the task may have been cancelled before it began

    async def _serve(self, client: Connection) -> None:
        writers = [client[1]]
        try:
            await self._answer(client, writers)
            async with asyncio.timeout(self._limits.idle_seconds):
                for writer in writers:
                    writer.close()
                    await writer.wait_closed()  # until it has taken what was written
        except (OSError, EOFError):  # a connection is broken, or a client does not read
            log.debug("A connection of a run ended early")
        except Exception:
            log.exception("A connection of a run could not be served")
        finally:
            for writer in writers:
                writer.transport.abort()

    async def _answer(self, client: Connection, writers: list[asyncio.StreamWriter]) -> None:
        """Serve one connection. `writers` receives the one to the server."""
        exchange: Exchange | None = None
        try:
            request = await self._request(client[0])
            if request is None:
                return
            route = await self._dial(request)
            writers.append(route.writer)
            if request.is_tunnel:
                client[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await tunnel(client, route, self._limits.idle_seconds)
            else:
                exchange = Exchange(request, client, route, self._limits.idle_seconds)
                await exchange.run()
        except (BadMessage, EgressRefused, EgressUnreachable) as error:
            if exchange is None or not exchange.has_begun:
                await self._reject(client, error.status, str(error))

    async def _request(self, reader: asyncio.StreamReader) -> ProxyRequest | None:
        """Read the head of a request; None: the client has sent nothing. Raises `BadMessage`."""
        try:
            async with asyncio.timeout(self._limits.head_seconds):
                head = await reader.readuntil(b"\r\n\r\n")
        except TimeoutError:
            raise BadMessage("The request was not complete in time.", HTTPStatus.REQUEST_TIMEOUT) from None
        except asyncio.LimitOverrunError:
            raise BadMessage(
                f"The headers have more than {MAX_HEAD_BYTES} bytes.", HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            ) from None
        except asyncio.IncompleteReadError as error:
            if not error.partial:
                return None
            raise BadMessage("The request is not complete.") from None
        return parse_request(head)

    async def _dial(self, request: ProxyRequest) -> Route:
        pair = host_port(request.host, request.port)
        try:
            route = await self._dialer.dial(request.host, request.port, tunnel=request.is_tunnel)
        except EgressRefused as refusal:
            self._note_refusal(pair, str(refusal))
            raise
        _count(self.counts, pair)
        return route

    def _note_refusal(self, pair: str, sentence: str) -> None:
        counted = _count(self.refused, pair)
        if self.refused[counted] == 1:
            more = f"More than {MAX_COUNTED_HOSTS} hosts were refused. The others are not listed."
            self._on_refused(counted, sentence if counted == pair else more)

    async def _reject(self, client: Connection, status: HTTPStatus, sentence: str) -> None:
        """Send an error, and read what the client is still sending, so that it sees the error and no broken pipe."""
        reader, writer = client
        async with asyncio.timeout(self._limits.linger_seconds):
            writer.write(error_response(status, sentence))
            writer.write_eof()
            await writer.drain()
            while await reader.read(PIECE_BYTES):
                pass


def _count(counts: dict[str, int], pair: str) -> str:
    """Count a connection, and return what it was counted as."""
    counted = pair if pair in counts or len(counts) < MAX_COUNTED_HOSTS else OTHER_HOSTS
    counts[counted] = counts.get(counted, 0) + 1
    return counted
