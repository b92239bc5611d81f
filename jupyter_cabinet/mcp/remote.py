"""The connection to a remote tool server: MCP over streamable HTTP, with the client of the SDK `mcp`, version 1 or 2.

Only the approved scheme, host and port are asked, whatever redirects say, and no response may be larger than a limit.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from mcp.client import streamable_http

from ..execution.tools.tool_server_file import is_on_this_machine

CONNECT_SECONDS, READ_SECONDS = 10.0, 600.0  # reading: also of a stream that waits for the end of a call
END_SECONDS = 5.0  # for the answer to the end of a session, for which everything waits
MAX_RESPONSE_BYTES = 16 << 20
ELSEWHERE = "It leads to another address ({address}), which nobody has approved."
# Version 2 has a limit for one message of a stream, which is lower than that of `mcp/relay.py` for a result.
_sdk: Any = streamable_http
_http: Any = getattr(_sdk, "httpx2", None) or _sdk.httpx  # the library in version 2 and in version 1
_OPTIONS = inspect.signature(_sdk.streamable_http_client).parameters
LIMITS: dict[str, Any] = {"max_sse_event_size": MAX_RESPONSE_BYTES} if "max_sse_event_size" in _OPTIONS else {}
TOO_LARGE = "Its answer is larger than 16 MiB."
COMPRESSED = "Its answer is compressed, although this was not asked for."
STATUS = "It answered with the status {status}. {hint}"
NOTHING_THERE = "Nothing answers at {pair}. Check the address, and that the service runs."
HINTS = {
    401: "It wants a login: add its header, such as Authorization.",
    403: "It does not accept this login.",
    404: "Check its address.",
    405: "It may not speak MCP over streamable HTTP. Check its address.",
}


class Unusable(Exception):
    """The response of a remote tool server must not be used, or says that it cannot be used."""


@asynccontextmanager
async def remote_streams(address: str, headers: Mapping[str, str]) -> AsyncIterator[tuple[Any, Any]]:
    """Connect, yield the streams to read and to write for a session of the SDK, and disconnect at the end.

    Raises `Unusable` for a response that is refused or says that it cannot be used, and if nothing answers at the
    address; also in place of an error in the body. Other errors are those of the SDK and of the body.
    """
    guard = _Guard(address)
    try:
        async with (
            guard.client(headers) as http,
            _sdk.streamable_http_client(address, http_client=http, **LIMITS) as streams,
        ):
            yield streams[0], streams[1]
    except Exception as error:
        # The SDK wraps it in groups, or reports only that the connection was closed.
        raise guard.problem or guard.status or _not_reached(address, error) or error from None


class _Guard:
    """Sees each request and each response.

    `problem`: the first one that was refused. `status`: the last answer, if it was an error.
    """

    def __init__(self, address: str) -> None:
        self._origin = _origin(address)
        self._is_local = is_on_this_machine(address)
        self.problem: Unusable | None = None
        self.status: Unusable | None = None

    def client(self, headers: Mapping[str, str]) -> Any:
        """Return a client of the HTTP library that the SDK uses."""
        return _http.AsyncClient(
            headers={**headers, "Accept-Encoding": "identity"},
            timeout=_http.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            follow_redirects=False,
            event_hooks={"request": [self._asked], "response": [self._answered]},
            mounts={"http://": None, "https://": None} if self._is_local else None,  # not through a proxy
        )

    async def _asked(self, request: Any) -> None:
        if _origin(str(request.url)) != self._origin:
            self._refuse(ELSEWHERE.format(address=_named(str(request.url))))
        if request.method == "DELETE":
            request.extensions["timeout"] = _http.Timeout(END_SECONDS).as_dict()

    async def _answered(self, response: Any) -> None:
        if response.is_redirect:
            target = str(response.request.url.join(response.headers.get("location", "")))
            if _origin(target) != self._origin:
                self._refuse(ELSEWHERE.format(address=_named(target)))
        if response.request.method == "POST":  # a GET may be refused: the server then sends nothing on its own
            status = response.status_code
            said = STATUS.format(status=status, hint=HINTS.get(status, "")).strip()
            # not refused: its body may be an error of the protocol, after which the SDK continues
            self.status = Unusable(said) if status >= 300 else None
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            self._refuse(COMPRESSED)  # a few bytes could become gigabytes
        response.stream = _limited(response.stream, self)

    def _refuse(self, what: str) -> None:
        self.problem = self.problem or Unusable(what)
        raise self.problem

    def too_large(self) -> None:
        """Raise `Unusable`."""
        self._refuse(TOO_LARGE)


def _limited(stream: Any, guard: _Guard) -> Any:
    """Return the same stream of a response, which fails beyond the limit."""
    base: Any = type(stream)

    class Limited(base):  # type: ignore[misc]  # the library checks the type of a stream
        def __init__(self) -> None:
            """The other stream has been set up already."""

        async def __aiter__(self) -> AsyncIterator[bytes]:
            count = 0
            async for piece in stream:
                count += len(piece)
                if count > MAX_RESPONSE_BYTES:
                    guard.too_large()
                yield piece

        async def aclose(self) -> None:
            await stream.aclose()

    return Limited()


def _not_reached(address: str, error: BaseException) -> Unusable | None:
    """Return what to say if no connection was made. The library says why if the name or the certificate is wrong."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    is_refused = isinstance(error, _http.ConnectError) and str(error).startswith("All connection attempts failed")
    if not is_refused and not isinstance(error, _http.ConnectTimeout):
        return None
    return Unusable(NOTHING_THERE.format(pair=_named(address).partition("://")[2]))


def _origin(address: str) -> tuple[str, str, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _named(address: str) -> str:
    """Return an address without its query, which may contain secrets."""
    scheme, host, port = _origin(address)
    return f"{scheme}://{host}:{port}"[:300]
