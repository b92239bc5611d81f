"""Follows the tool calls of an ACP agent, which arrive in pieces, and reports each once its input is complete.

Pure; called by `client.py`. An agent may mention a call for the first time in an update, or in a question.
"""

from __future__ import annotations

from typing import Any

from ..model import AnyAgentEvent, ToolCall, ToolResult
from ..shared.messages.content_blocks import RESULT_CHARACTERS, SUMMARY_CHARACTERS, blocks, call, text_of
from ..shared.messages.json_values import string
from .notices import tool_server_of

_ENDED = ("completed", "failed")


class AcpTools:
    """All calls of one answer."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}
        self._open: dict[str, None] = {}  # calls that are not reported yet, in order
        self._told: set[str] = set()
        self._ended: set[str] = set()

    def update(self, news: dict[str, Any]) -> list[AnyAgentEvent]:
        """Add a `tool_call` or `tool_call_update`, and return the events that are now complete.

        New fields replace earlier ones. A call is returned once its input is complete, and its result once.
        """
        call_id = string(news, "toolCallId")
        before = self.tell(but=call_id)  # when the agent mentions another call, the input of these is complete
        self._note(call_id, news)
        status = string(news, "status")
        if status in ("in_progress", *_ENDED):
            before += self.tell()
        if status not in _ENDED or call_id in self._ended:
            return before
        self._ended.add(call_id)
        text = _output(self._known[call_id])[:RESULT_CHARACTERS]
        return [*before, ToolResult(call_id=call_id, text=text, is_error=status == "failed")]

    def asked(self, news: Any) -> tuple[list[AnyAgentEvent], ToolCall]:
        """Take a question about this call.

        Return the calls to report now, and the call itself as it is known so far.
        """
        known = news if isinstance(news, dict) else {}
        call_id = string(known, "toolCallId")
        self._note(call_id, known)
        return self.tell(), self._call(call_id)

    def known(self, call_id: str) -> dict[str, Any]:
        """Return everything that the agent has said about a call, with its id; only the id of an unknown one."""
        return {"toolCallId": call_id, **self._known.get(call_id, {})}

    def is_of_server(self, call_id: str, names: tuple[str, ...]) -> bool:
        """Return whether the call is for a tool of one of these tool servers."""
        return tool_server_of(self.known(call_id), names) is not None

    def tell(self, but: str | None = None) -> list[AnyAgentEvent]:
        """Return the calls that are not reported yet, and mark them as reported. `but`: the id of one to hold back."""
        now = [call_id for call_id in self._open if call_id != but]
        for call_id in now:
            del self._open[call_id]
            self._told.add(call_id)
        return [self._call(call_id) for call_id in now]

    def _note(self, call_id: str, news: dict[str, Any]) -> None:
        known = self._known.setdefault(call_id, {})
        known.update({name: value for name, value in news.items() if value not in (None, "", {}, [])})
        if call_id not in self._told:
            self._open[call_id] = None

    def _call(self, call_id: str) -> ToolCall:
        known = self._known[call_id]
        found = call(call_id, _tool(known), _input(known))
        detail = found.summary or _place(known) or string(known, "title")[:SUMMARY_CHARACTERS]
        return ToolCall(call_id=call_id, tool=found.tool, summary=detail, input=found.input)


def _tool(known: dict[str, Any]) -> str:
    """Return the tool's name if the agent gives one beyond the protocol, else the kind of tool."""
    about = known.get("_meta")
    claude = about.get("claudeCode") if isinstance(about, dict) else None
    named = string(known, "name") or (string(claude, "toolName") if isinstance(claude, dict) else "")
    return named or string(known, "kind") or "a tool"


def _input(known: dict[str, Any]) -> dict[str, Any]:
    """Return the agent's title for it, else what its other fields show: a person has to know what they allow."""
    given = known.get("rawInput")
    if isinstance(given, dict):
        return given
    for change in blocks(known.get("content")):
        if change.get("type") == "diff":
            texts = {"old_string": string(change, "oldText"), "new_string": string(change, "newText")}
            return {"path": string(change, "path"), **{name: text for name, text in texts.items() if text}}
    if known.get("kind") == "execute" and string(known, "title"):
        return {"command": string(known, "title")}
    return {"path": _place(known)} if _place(known) else {}


def _place(known: dict[str, Any]) -> str:
    """Return the path of the file that it is about."""
    return next((string(place, "path") for place in blocks(known.get("locations"))), "")


def _output(known: dict[str, Any]) -> str:
    raw = known.get("rawOutput")
    if isinstance(raw, str):
        return raw
    inner = [part.get("content") for part in blocks(known.get("content")) if part.get("type") == "content"]
    texts = [text_of(part) for part in inner if isinstance(part, dict)]
    told = "\n".join(filter(None, texts))
    if told or not isinstance(raw, dict):
        return told
    return next((raw[name] for name in ("output", "formatted_output", "stdout") if isinstance(raw.get(name), str)), "")
