"""The tool server of `toy_tools.py` over streamable HTTP on the loopback, in a thread: `with serving(file) as toy:`.

It answers only requests with the header `Authorization: Bearer <token>`, if there is a token.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import uvicorn
from mcp import types
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount

from jupyter_cabinet.mcp.stdio_tools import CallTool, OfferTools, text_result, tools_server

from . import toy_tools

SECONDS = 20


def tools_of(file: Path) -> tuple[OfferTools, CallTool]:
    async def offer(_: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": toy_tools.tools(file)})

    async def call(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        return text_result(toy_tools.call(file, name, arguments), is_error=False)

    return offer, call


class ToyHttpTools:
    """A tool server that answers. `asked`: method, path and headers of each request."""

    def __init__(self, file: Path, port: int, token: str) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}/mcp"
        self.token = token
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.stays = False  # it never answers the end of a session
        self.large = False  # its answers are huge
        self.redirect = ""  # where it redirects every request to
        self._manager = StreamableHTTPSessionManager(app=tools_server("toy", *tools_of(file)))

    def app(self) -> Any:
        @contextlib.asynccontextmanager
        async def life(_: Any) -> AsyncIterator[None]:
            async with self._manager.run():
                yield

        return Starlette(routes=[Mount("/", app=self._answer)], lifespan=life)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.asked.append((scope["method"], scope["path"], headers))
        if self.stays and scope["method"] == "DELETE":
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        if self.redirect:
            await _send(send, 307, [(b"location", self.redirect.encode())])
        elif self.token and headers.get("authorization") != f"Bearer {self.token}":
            await _send(send, 401, [])
        elif self.large:
            await _send(send, 200, [(b"content-type", b"application/json")], b" " * (1 << 20), 40)
        else:
            await self._manager.handle_request(scope, receive, send)


async def _send(send: Any, status: int, headers: list[tuple[bytes, bytes]], piece: bytes = b"", times: int = 0) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    for _ in range(times):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@contextlib.contextmanager
def serving(file: Path, *, token: str = "") -> Iterator[ToyHttpTools]:
    """Serve until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        toy = ToyHttpTools(file, listening.getsockname()[1], token)
        server = uvicorn.Server(uvicorn.Config(toy.app(), log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
        thread.start()
        try:
            yield toy
        finally:
            server.should_exit = True
            thread.join(SECONDS)
