"""Requests to one server, in a blocking and an async form. The only way from this package to a server.

The commands use `Api`; `cabinet.py` and its objects use its `fetch` and `send`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar
from urllib.parse import quote

import msgspec

from .connection.http import Http
from .connection.portal import Portal
from .connection.server_address import ServerAddress
from .errors import Unreachable

T = TypeVar("T")
REASON_CHARACTERS = 300


class Api:
    """One server, as a context manager.

    Every method raises `RequestRefused` with the server's message, or `Unreachable`.
    """

    def __init__(self, server: ServerAddress) -> None:
        self.server = server
        self.portal = Portal()
        self.http = Http(server)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop its work, and close its connections and its thread."""
        self.portal.close(self.http.close())

    # --- for blocking callers ----------------------------------------------------------------

    def get(self, path: str, /, *, wait: float = 0, **query: str | float) -> Any:
        """Return a route's reply, as JSON. `wait`: seconds that the server may wait; 0: it replies at once."""
        return self.portal.wait(self.fetch(path, object, query, wait=wait))

    def post(self, path: str, body: Any = None) -> Any:
        """Return a route's reply to this body, as JSON; None for an empty reply."""
        return self.portal.wait(self.send("POST", path, object, body))

    def put(self, path: str, body: Any) -> Any:
        """Return a route's reply to this body, as JSON."""
        return self.portal.wait(self.send("PUT", path, object, body))

    def save(self, path: str, query: Mapping[str, str], file: BinaryIO) -> None:
        """Write a route's reply into a file, of any length. If it fails in the middle, the file has a part of it."""
        self.portal.wait(self.download(path, query, file))

    # --- on the portal's loop ----------------------------------------------------------------

    async def fetch(
        self, path: str, gives: type[T], query: Mapping[str, str | float | None] | None = None, *, wait: float = 0
    ) -> T:
        """Return a route's reply as a value; `object`: as JSON. A parameter that is None is left out.

        `wait`: seconds that the server may wait. Raises `Unreachable` also if the reply has another shape than `gives`.
        """
        asked = {**(query or {}), **({"wait": wait} if wait else {})}
        named = {name: str(value) for name, value in asked.items() if value is not None}
        return self._value(await self.http.request("GET", path, query=named, wait=wait), gives)

    async def fetch_items(
        self, path: str, of: type[T], query: Mapping[str, str | float | None] | None = None, *, name: str = "items"
    ) -> tuple[T, ...]:
        """Return the values of a list. `name`: its key in the reply."""
        reply = await self.fetch(path, dict[str, object], query)
        return converted(reply.get(name), tuple[of, ...])  # type: ignore[valid-type]

    async def send(self, method: str, path: str, gives: type[T], body: Any = None) -> T:
        """Return a route's reply to this body, as a value. `object`: as JSON, None for an empty reply."""
        return self._value(await self.http.request(method, path, body=body), gives)

    async def download(self, path: str, query: Mapping[str, str], file: BinaryIO) -> None:
        """Write a route's reply into a file, of any length. If it fails in the middle, the file has a part of it."""
        async with self.http.stream(path, query) as pieces:
            async for piece in pieces:
                file.write(piece)

    def _value(self, content: bytes, gives: type[T]) -> T:
        try:
            value = msgspec.json.decode(content) if content else None
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise self.http.no_cabinet() from None
        return value if gives is object else converted(value, gives)  # type: ignore[return-value]


def converted(value: Any, type_: type[T]) -> T:
    """Return the server's reply as a value; unknown fields are ignored.

    Raises `Unreachable` if it has another shape.
    """
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise Unreachable(
            f"The server's answer could not be read: {str(error)[:REASON_CHARACTERS]}.",
            "Server and client are of different versions: use those of one installation.",
            kind="unreadable",
        ) from error


def part(name: str) -> str:
    """Return a name as a part of an address."""
    return quote(name, safe="")
