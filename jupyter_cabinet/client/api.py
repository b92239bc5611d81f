"""What is asked of one server, in both forms: waited for, and awaited. The one way from this package to a server.

`Api` is what the commands use; `cabinet.py` and what it hands out use its `fetch` and `send`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar
from urllib.parse import quote

import msgspec

from .errors import Unreachable
from .http import Http
from .portal import Portal
from .server_address import ServerAddress

T = TypeVar("T")
REASON_CHARACTERS = 300


class Api:
    """One server, as a context manager. Every method raises `RequestRefused` with the server's own words, or
    `Unreachable`."""

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
        """End what it does, and let go of its connections and its thread."""
        self.portal.close(self.http.close())

    # --- for callers that wait ---------------------------------------------------------------

    def get(self, path: str, /, *, wait: float = 0, **query: str | float) -> Any:
        """What a route answers, as JSON. `wait`: seconds that the server is asked to wait; 0: at once."""
        return self.portal.wait(self.fetch(path, object, query, wait=wait))

    def post(self, path: str, body: Any = None) -> Any:
        """What a route answers to this body, as JSON; None where it answers nothing."""
        return self.portal.wait(self.send("POST", path, object, body))

    def save(self, path: str, query: Mapping[str, str], file: BinaryIO) -> None:
        """Write what a route answers into a file, however long it is."""
        self.portal.wait(self._save(path, query, file))

    # --- on the portal's loop ----------------------------------------------------------------

    async def fetch(
        self, path: str, gives: type[T], query: Mapping[str, str | float | None] | None = None, *, wait: float = 0
    ) -> T:
        """What a route answers, as a value; `object`: as JSON is. A parameter that is None is left out."""
        asked = {**(query or {}), **({"wait": wait} if wait else {})}
        named = {name: str(value) for name, value in asked.items() if value is not None}
        return self._value(await self.http.request("GET", path, query=named, wait=wait), gives)

    async def fetch_items(
        self, path: str, of: type[T], query: Mapping[str, str | float | None] | None = None, *, name: str = "items"
    ) -> tuple[T, ...]:
        """The values of a list. `name`: where the answer has it."""
        reply = await self.fetch(path, dict[str, object], query)
        return converted(reply.get(name), tuple[of, ...])  # type: ignore[valid-type]

    async def send(self, method: str, path: str, gives: type[T], body: Any = None) -> T:
        """What a route answers to this body, as a value."""
        return self._value(await self.http.request(method, path, body=body), gives)

    async def _save(self, path: str, query: Mapping[str, str], file: BinaryIO) -> None:
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
    """What the server has answered, as a value of ours; fields that are not known are left out. Raises `Unreachable`
    where it has another shape."""
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise Unreachable(
            f"The server's answer could not be read: {str(error)[:REASON_CHARACTERS]}.",
            "Server and client are of different versions: use those of one installation.",
            kind="unreadable",
        ) from error


def part(name: str) -> str:
    """A name as a part of an address."""
    return quote(name, safe="")
