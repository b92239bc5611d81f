"""Sends HTTP requests to one server, on the portal's loop. It does not know their meaning. Called by `api.py`.

The token goes only to this address: no redirect is followed, and no proxy is used for a server on this machine.
Whatever a server answers ends in bytes of a limited size, or in an error message, in a limited time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import CabinetError, RequestRefused, Unreachable
from .kernel_session import HEADER, executing_session
from .server_address import TOKEN_VARIABLE, VARIABLE, ServerAddress

if TYPE_CHECKING:
    import httpx

PREFIX = "cabinet/api/"
CONNECT_SECONDS = 10
ANSWER_SECONDS = 60  # more than the time that the server was allowed to wait
EXPORTED = ("json", "text/markdown", "application/zip")  # parts of the content types of files
SILENCE_SECONDS = 45  # of a stream: the server sends an empty line every 15
MAX_ANSWER_BYTES = 64 << 20
MAX_REFUSAL_BYTES = 1 << 20
MAX_WORDS = 2000  # characters of a server's own message


class Http:
    """One server. `close` ends it. Every method raises `RequestRefused` with the server's message, or `Unreachable`."""

    def __init__(self, server: ServerAddress) -> None:
        self.server = server
        self._client: httpx.AsyncClient | None = None

    def _session(self) -> dict[str, str]:
        session = executing_session() if self.server.runs_kernel else ""
        return {HEADER: session} if session else {}

    async def request(
        self, method: str, path: str, *, query: Mapping[str, str] | None = None, body: Any = None, wait: float = 0
    ) -> bytes:
        """Return the body of a route's reply. Raises `RequestRefused`, and `Unreachable` without a usable one in time.

        `body`: any value, sent as JSON; None: none. `wait`: extra seconds, because the server may wait.
        """
        content = None if body is None else msgspec.json.encode(body)
        headers = {**self._session(), **({} if body is None else {"Content-Type": "application/json"})}
        seconds = ANSWER_SECONDS + wait
        with self._in_words():
            async with asyncio.timeout(seconds):  # httpx counts from piece to piece: a slow reply would never end
                sent = self._opened().stream(
                    method, path, params=query, content=content, headers=headers, timeout=_timeout(seconds)
                )
                async with sent as reply:
                    if not reply.is_success:
                        raise self._refusal(reply, await _start_of(reply, MAX_REFUSAL_BYTES))
                    return await self._whole(reply)

    @asynccontextmanager
    async def stream(self, path: str, query: Mapping[str, str]) -> AsyncIterator[AsyncIterator[bytes]]:
        """Yield the pieces of a long answer, as they arrive. Raises `RequestRefused` and `Unreachable`.

        It is `Unreachable` also if the server sends nothing for 45 seconds.
        """
        with self._in_words():
            opened = self._opened()
            sent = opened.stream("GET", path, params=query, headers=self._session(), timeout=_timeout(SILENCE_SECONDS))
            async with sent as reply:
                if not reply.is_success:
                    async with asyncio.timeout(ANSWER_SECONDS):
                        raise self._refusal(reply, await _start_of(reply, MAX_REFUSAL_BYTES))
                if not any(kind in reply.headers.get("Content-Type", "") for kind in EXPORTED):
                    raise self.no_cabinet()
                yield reply.aiter_raw()

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    def no_cabinet(self) -> CabinetError:
        """Return, without raising it, the error that something else answers at this address."""
        return Unreachable(
            f"The server at {self.server.url} has no Jupyter Cabinet.",
            "Run `jupyter server extension list` in that server's environment to see why.",
            kind="no_cabinet",
        )

    def _opened(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
            # our own transport uses no proxy of the environment
            own = httpx.AsyncHTTPTransport(uds=self.server.socket or None, limits=limits)
            self._client = httpx.AsyncClient(
                base_url=f"{self.server.url}{PREFIX}",
                headers={"Accept-Encoding": "identity", **self._authorization()},
                transport=own if self.server.socket or self.server.nearby else None,
                trust_env=not self.server.nearby,
                limits=limits,
                follow_redirects=False,
            )
        return self._client

    def _authorization(self) -> dict[str, str]:
        token = self.server.token.strip()
        if not (token.isascii() and token.isprintable()):  # below, the error message would contain it
            raise self._not_logged_in()
        return {"Authorization": f"token {token}"} if token else {}

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        import httpx

        try:
            yield
        except (httpx.TimeoutException, TimeoutError) as error:
            raise Unreachable(f"The server at {self.server.url} did not answer in time.") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            reason = str(error) or type(error).__name__
            raise Unreachable(f"The server at {self.server.url} cannot be reached: {reason}") from error

    async def _whole(self, reply: httpx.Response) -> bytes:
        content = await _start_of(reply, MAX_ANSWER_BYTES + 1)
        if len(content) > MAX_ANSWER_BYTES:
            raise Unreachable(
                f"The server at {self.server.url} answered with more than {MAX_ANSWER_BYTES >> 20} MiB.",
                kind="too_large",
            )
        return content

    def _refusal(self, reply: httpx.Response, content: bytes) -> CabinetError:
        """Return the server's message, and what a person can do."""
        if reply.is_redirect:  # to a page for logging in
            return self._not_logged_in()
        try:
            error = msgspec.json.decode(content)["error"]
            kind, message = str(error["kind"]), str(error["message"])
        except (msgspec.MsgspecError, UnicodeError, RecursionError, KeyError, TypeError, IndexError):
            return self._not_logged_in() if reply.status_code in (401, 403) else self.no_cabinet()
        if kind == "not_logged_in":
            return self._not_logged_in()
        hint = f"Open {self.server.browser_url} in the browser and confirm the folder." if kind == "not_trusted" else ""
        return RequestRefused(message[:MAX_WORDS], hint, kind=kind[:100])

    def _not_logged_in(self) -> CabinetError:
        what = "did not accept the token" if self.server.token else "wants a token"
        variable = TOKEN_VARIABLE if self.server.runs_kernel else VARIABLE
        return RequestRefused(
            f"The server at {self.server.url} {what}.",
            f"Put a valid one into the environment variable {variable}.",
            kind="not_logged_in",
        )


async def _start_of(reply: httpx.Response, most: int) -> bytes:
    content = bytearray()
    async for piece in reply.aiter_raw():  # as it is sent: a few bytes may unpack to many
        content += piece
        if len(content) >= most:
            break
    return bytes(content[:most])


def _timeout(seconds: float) -> httpx.Timeout:
    import httpx

    return httpx.Timeout(seconds, connect=CONNECT_SECONDS)
