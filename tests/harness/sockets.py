"""WebSockets of the tests, from synchronous code."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from .server import Server

BOUND_SECONDS = 30


async def connect(server: Server, path: str, *, username: str = "ada", **headers: str) -> WebSocketClientConnection:
    url = f"ws://127.0.0.1:{server.port}{server.base_url}cabinet/api/{path}"
    named = {"Authorization": f"token {server.token(username)}"}
    return await websocket_connect(HTTPRequest(url, headers={**named, **headers}))


def frames(server: Server, path: str, *, until_type: str, username: str = "ada") -> list[dict[str, Any]]:
    """Every text frame up to the first of that type."""

    async def read() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        async with asyncio.timeout(BOUND_SECONDS):
            socket = await connect(server, path, username=username)
            while not found or found[-1]["type"] != until_type:
                message = await socket.read_message()
                assert message is not None, f"closed after {found}"
                found.append(json.loads(message))
            socket.close()
        return found

    return asyncio.run(read())
