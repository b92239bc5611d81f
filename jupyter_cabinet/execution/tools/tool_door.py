"""The socket of a run directory through which an agent uses Cabinet's tools: JSON in, JSON out, with limits.

It knows no tool: the order's listener does. `jupyter_cabinet/mcp/` is the other end of the socket.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import msgspec

from ...core.errors import CabinetError
from ..model import ToolAnswer
from ..run_directory import MAX_TOOL_BYTES

log = logging.getLogger(__name__)

MOST_AT_ONCE: Final = 4  # calls of one run; the others wait
CALL_SECONDS: Final = 60.0  # of waiting and work
MAX_ANSWER_BYTES: Final = 256 * 1024  # of the text, in UTF-8
KNOWN_SECONDS: Final = 10.0  # longest wait for a CLI to connect to Cabinet's tool server; the hook that waits has 15
CUT: Final = "\n(The rest is left out.)"

CallTool = Callable[[str, dict[str, object]], Awaitable[ToolAnswer]]


class ToolRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call, as the tool server sends it. The reply is a `ToolAnswer`."""

    tool: str | None = None  # None: no call; the CLI knows the tools from now on
    arguments: dict[str, object] = {}


class ToolDoor:
    """The calls of one CLI. `seconds`: after which a call is given up; steps that it has started may still be done."""

    def __init__(self, call: CallTool, *, seconds: float = CALL_SECONDS) -> None:
        self.known = asyncio.Event()  # the CLI has received the list of tools
        self._call = call
        self._seconds = seconds
        self._places = asyncio.Semaphore(MOST_AT_ONCE)

    async def until_known(self) -> None:
        """Wait until the CLI has received the list of tools, for at most `KNOWN_SECONDS`.

        Only the first call waits in vain. It delays the hook of a session's start. Claude Code 2.1.329 may start its
        first answer before tool servers are connected, and then without their tools. It does not do so before this hook
        has returned.
        """
        if self.known.is_set():
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self.known.wait(), KNOWN_SECONDS)
        self.known.set()  # wait only once

    async def serve(self, payload: bytes, gone: asyncio.Event) -> bytes:
        """Answer one call with the JSON of a `ToolAnswer`. Never raises because of the caller's data or of the tool.

        A call that takes longer than `seconds`, with waiting for others, is given up. A long text is cut to
        `MAX_ANSWER_BYTES`.
        """
        return msgspec.json.encode(_shortened(await self._answer(payload)))

    async def _answer(self, payload: bytes) -> ToolAnswer:
        if len(payload) > MAX_TOOL_BYTES:
            return _failed(f"A call may have at most {MAX_TOOL_BYTES // 2**20} MiB. Nothing was done. Send less.")
        try:
            request = msgspec.json.decode(payload, type=ToolRequest)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return _failed("This is not a valid tool call. Nothing was done.")
        if request.tool is None:
            self.known.set()
            return ToolAnswer(text="")
        try:
            async with asyncio.timeout(self._seconds), self._places:
                return await self._call(request.tool, request.arguments)
        except TimeoutError:
            return _failed("The tool took too long. Check whether anything was done before you try again.")
        except CabinetError as error:
            return _failed(error.message)
        except Exception:
            log.exception("The tool %s failed because of a bug", request.tool[:100])
            return _failed("Cabinet failed because of a bug. The details are in the server's log.")


def _failed(text: str) -> ToolAnswer:
    return ToolAnswer(text=text, is_error=True)


def _shortened(answer: ToolAnswer) -> ToolAnswer:
    content = answer.text.encode(errors="replace")
    if len(content) <= MAX_ANSWER_BYTES:
        return msgspec.structs.replace(answer, text=content.decode())
    kept = content[: MAX_ANSWER_BYTES - len(CUT)].decode(errors="ignore")
    return msgspec.structs.replace(answer, text=kept + CUT)
