"""Recognizes notices that known agents send as if the model had written them. Pure.

Called by `answer.py`. Facts: claude-agent-acp 0.100.0, codex-acp 2.6.0, Gemini CLI 0.61.0, pi-acp 0.0.34.
"""

from __future__ import annotations

import re
from typing import Any

from ..model import AnyAgentEvent, Retrying, Warned
from ..shared.messages.json_values import string

CODEX, PI = "@agentclientprotocol/codex-acp", "pi-acp"
# Sent for a model that Codex has no table for, which is every custom provider's. It has no consequences.
_NO_NEWS = "Warning: Model metadata for"
_MODE = re.compile(r"\[MODE_UPDATE\] \w+")
_RETRYING = re.compile(r"Retrying \(attempt (\d{1,6})/(\d{1,6}), waiting (\d{1,6})s\)\.\.\.")
_RETRIED = "Retry finished, resuming."
_STARTUP = "mcp_startup."


def greeting(session: dict[str, Any]) -> str:
    """Return what pi-acp sends before its first answer, from the reply to `session/new`; empty for other agents."""
    about = session.get("_meta")
    own = about.get("piAcp") if isinstance(about, dict) else None
    return string(own, "startupInfo") if isinstance(own, dict) else ""


def notice(agent: str, update: dict[str, Any], text: str) -> list[AnyAgentEvent] | None:
    """Return the meaning of a piece of text that is not part of the answer, or None if it is part of it.

    An empty list: it is a notice that says nothing of interest.
    """
    about = update.get("_meta")
    claude = about.get("claudeCode") if isinstance(about, dict) else None
    if isinstance(claude, dict) and string(claude, "kind"):
        return [Warned(message=text.strip())]
    if _MODE.fullmatch(text):
        return []
    if agent == CODEX and not string(update, "messageId"):
        return [] if text.startswith(_NO_NEWS) else [Warned(message=text.strip())]
    if agent == PI:
        found = _RETRYING.fullmatch(text.strip())
        if found:
            return [Retrying(attempt=int(found[1]), max_attempts=int(found[2]), delay_seconds=float(found[3]))]
        return [] if text.strip() == _RETRIED else None
    return None


def failed_tool_server(update: dict[str, Any], title: str) -> Warned | None:
    """Return a warning if the update says that a tool server did not start; else None. Codex reports it like a tool."""
    if not string(update, "toolCallId").startswith(_STARTUP) or update.get("status") != "failed":
        return None
    name = string(update, "toolCallId").split(".")[1]
    return Warned(message=f"A tool server could not be started by {title}: {name}.")


def tool_server_of(call: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """Return which of these tool servers a call is for, by the agent's own fields; None for any other call."""
    about, raw = call.get("_meta"), call.get("rawInput")
    for name in names:
        if string(call, "name").startswith(f"mcp__{name}__"):  # Claude Code
            return name
        if call.get("kind") == "other" and string(call, "toolCallId").startswith(f"mcp_{name}_"):  # Gemini CLI
            return name
        is_codex = isinstance(about, dict) and about.get("is_mcp_tool_call") is True
        if is_codex and isinstance(raw, dict) and raw.get("server") == name:
            return name
    return None
