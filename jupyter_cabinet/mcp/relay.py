"""`python -m jupyter_cabinet.mcp.relay <file>`: gives an agent the approved tools of a person's own tool server.

Started by the agent's CLI. It starts the tool server, whose description is in the file, and passes calls on. The agent
sees the tools as a person has approved them: the descriptions come from the approval, and a tool whose server describes
it differently now is not called.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSession, types

from ..core.plain_text import one_line
from ..execution.tools.tool_server_file import (
    GivenServer,
    header_redactor,
    is_same,
    place_of,
    read,
    redacted,
    tells_secret,
)
from .connection import connected, tools_of
from .stdio_tools import serve_tools, text_result

PING_SECONDS = 5.0
CALL_SECONDS = 600.0  # most CLIs give up before
MAX_RESULT_BYTES = 2 << 20
NO_TOOL = "There is no tool {name} that a person has approved."
CHANGED = "The tool {name} is not the one that a person has approved: its server describes it differently now."
TOO_LARGE = "The result of this tool is larger than 2 MiB. Ask for less."
WITHHELD = "It failed."  # its message has a part of a secret value
FAILED = "The tool server could not be used. {reason}"


class Relay:
    """The tool server of one run, started at the first call and again when it has ended."""

    def __init__(self, server: GivenServer, folder: Path) -> None:
        """`folder`: where it starts; its parent goes with the run."""
        self._server = server
        self._folder = folder
        self._approved = {tool.name: tool for tool in server.tools}
        self._live: asyncio.Future[tuple[ClientSession, frozenset[str]]] | None = None  # and the unchanged tools
        self._ended = asyncio.Event()
        self._kept: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()

    def offered(self) -> types.ListToolsResult:
        """Return the approved tools, without asking the tool server.

        A description that repeats a header is given without it.
        """
        redactor = header_redactor(self._server.headers)
        tools = [
            {
                "name": tool.name,
                "description": redactor.redact(tool.description),
                "inputSchema": redacted(tool.schema, redactor) or {"type": "object"},
            }
            for tool in self._server.tools
        ]
        return types.ListToolsResult.model_validate({"tools": tools})

    async def call(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool, and wait for its result for at most `CALL_SECONDS`. Starts the tool server if it does not run.

        Never raises: an error is a result that says so. So is a tool that is not approved, one that its server
        describes differently now, and a result of more than `MAX_RESULT_BYTES`.
        """
        if name not in self._approved:
            return text_result(NO_TOOL.format(name=name[:200]), is_error=True)
        try:
            session, unchanged = await self._connection()
            if name not in unchanged:
                return text_result(CHANGED.format(name=name), is_error=True)
            async with asyncio.timeout(CALL_SECONDS):
                result = await session.call_tool(name, arguments)
        except Exception as error:  # whatever the SDK or the tool server raises is the result
            await self._check()
            return text_result(FAILED.format(reason=reason_for(self._server, error)), is_error=True)
        if len(result.model_dump_json()) > MAX_RESULT_BYTES:
            return text_result(TOO_LARGE, is_error=True)
        return result

    async def close(self) -> None:
        """End the tool server and wait for that. A later call would start it again."""
        self._ended.set()
        if self._kept is not None:
            await asyncio.gather(self._kept, return_exceptions=True)
        self._live, self._kept = None, None

    async def _connection(self) -> tuple[ClientSession, frozenset[str]]:
        async with self._one_at_a_time:
            if self._live is None:
                self._ended = asyncio.Event()
                self._live = asyncio.get_running_loop().create_future()
                self._kept = asyncio.create_task(self._keep(self._live, self._ended))
        return await asyncio.shield(self._live)

    async def _keep(self, live: asyncio.Future[tuple[ClientSession, frozenset[str]]], ended: asyncio.Event) -> None:
        """Hold the connection: the SDK wants it to be opened and closed in one task."""
        try:
            async with connected(self._server, self._folder) as session:
                current = {tool.name: tool for tool in await tools_of(session)}
                unchanged = frozenset(
                    name for name, tool in self._approved.items() if name in current and is_same(current[name], tool)
                )
                live.set_result((session, unchanged))
                await ended.wait()
        except Exception as error:  # whoever waits for the connection gets it
            if not live.done():
                live.set_exception(error)

    async def _check(self) -> None:
        """Forget a tool server that no longer answers. The next call starts it again."""
        live = self._live
        if live is None:
            return
        with contextlib.suppress(Exception):  # whatever the SDK raises, the tool server does not answer
            async with asyncio.timeout(PING_SECONDS):
                session, _ = await asyncio.shield(live)
                await session.send_ping()
                return
        if self._live is live:
            await self.close()


def reason(error: BaseException) -> str:
    """Return a sentence about an error; of a group of errors, about the first one. It quotes at most 500 characters."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "It did not answer in time."
    if isinstance(error, FileNotFoundError):
        return "Its program was not found."
    text = one_line(str(error), most=500)
    return f"{text.rstrip('.')}." if text else f"It failed ({type(error).__name__})."


def reason_for(server: GivenServer, error: BaseException) -> str:
    """Return `reason(error)`, or only that it failed if the text has a part of a secret of the tool server."""
    said = reason(error)
    return WITHHELD if tells_secret(said, server.secrets) else said


async def _serve(server: GivenServer, folder: Path) -> None:
    relay = Relay(server, folder)

    async def offer(session: Any) -> types.ListToolsResult:
        return relay.offered()

    try:
        await serve_tools(server.name, offer, relay.call)
    finally:
        await relay.close()


def main() -> None:
    """Serve until stdin ends, then end the tool server. Exits with an error without exactly one argument."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m jupyter_cabinet.mcp.relay <file>")
    path = Path(sys.argv[1])
    asyncio.run(_serve(read(path), place_of(path)))


if __name__ == "__main__":
    main()
