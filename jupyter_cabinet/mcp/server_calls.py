"""Sends tool calls to the server, through the socket of the run directory. `execution/tools/tool_door.py` answers.

It knows no MCP. It imports none of the server's rooms, so that the program starts fast.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

MAX_REQUEST_BYTES = 2**20
MAX_REPLY_BYTES = 2**21
SECONDS = 90  # the server gives up before
GONE = "Cabinet does not answer: this run has ended, or its server was stopped. The tools can no longer be used."


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a tool. `is_error`: `text` says what went wrong."""

    text: str
    is_error: bool = False


class ServerCalls:
    """Calls of one run. `directory`: its run directory, with the ticket and the socket."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """Call a tool, and wait for its result for at most `SECONDS`.

        Never raises: an error is a `Reply` with `is_error`. If the server is gone or does not answer in time, the text
        says so. Arguments of more than `MAX_REQUEST_BYTES` are not sent.
        """
        return await self._say({"tool": tool, "arguments": arguments})

    async def tell_known(self) -> None:
        """Report that the CLI knows the tools: its first answer may wait for that.

        Never raises, also if the server is gone.
        """
        await self._say({})

    async def _say(self, said: Mapping[str, Any]) -> Reply:
        payload = msgspec.json.encode(said)
        if len(payload) > MAX_REQUEST_BYTES:
            return Reply(text="The arguments are larger than 1 MiB. Nothing was done. Send less.", is_error=True)
        try:
            async with asyncio.timeout(SECONDS):
                return msgspec.json.decode(await self._exchange(payload), type=Reply)
        except (OSError, TimeoutError, msgspec.DecodeError):
            return Reply(text=GONE, is_error=True)

    async def _exchange(self, payload: bytes) -> bytes:
        ticket = (self._directory / "ticket").read_bytes().strip()
        reader, writer = await asyncio.open_unix_connection(self._directory / "socket")
        try:
            writer.write(b"tool %b %d\n" % (ticket, len(payload)) + payload)
            await writer.drain()
            return await _whole(reader)
        finally:
            writer.close()


async def _whole(reader: asyncio.StreamReader) -> bytes:
    """Read until the server closes. Raises `OSError` for more than our server ever sends."""
    received = bytearray()
    while piece := await reader.read(65536):
        received += piece
        if len(received) > MAX_REPLY_BYTES:
            raise OSError("too long")
    return bytes(received)
