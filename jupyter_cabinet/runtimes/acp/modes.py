"""Chooses an ACP agent's mode and model from what it offers. Pure; called by `client.py`.

The protocol gives modes ids but no meaning: only sets of ids that known agents use are understood.
Facts: claude-agent-acp 0.100.0, codex-acp 2.6.0, Gemini CLI 0.61.0, codex-acp of Zed 0.16.0, opencode 1.18.33.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..model import PermissionMode
from ..shared.messages.content_blocks import blocks
from ..shared.messages.json_values import string

# A set counts if the agent offers its first two modes. The third can be missing, as for Claude Code as root.
SETS: tuple[dict[PermissionMode, str], ...] = (
    {"ask": "default", "edit": "acceptEdits", "bypass": "bypassPermissions"},
    {"ask": "default", "edit": "autoEdit", "bypass": "yolo"},
    {"ask": "read-only", "edit": "workspace-write", "bypass": "agent-full-access"},
    {"ask": "read-only", "edit": "auto", "bypass": "full-access"},
)


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A choice that an agent offers.

    `option`: it is set as the option with this id. Empty: it is set by the choice's own request.
    """

    values: tuple[str, ...]
    current: str
    option: str = ""


def modes_of(session: dict[str, Any]) -> Offer | None:
    """Return the modes that the reply to `session/new` or `session/load` offers; None if it offers none."""
    return _named(session, "modes", "availableModes", "id", "currentModeId") or _option(session, "mode")


def models_of(session: dict[str, Any]) -> Offer | None:
    """Return the models that such a reply offers; None if it offers none.

    Also reads models from the request that the protocol no longer has.
    """
    return _option(session, "model") or _named(session, "models", "availableModels", "modelId", "currentModelId")


def mode_for(wanted: PermissionMode, offered: Offer | None) -> str | None:
    """Return the agent's mode that enforces the run's mode, or None if none is known to."""
    values = offered.values if offered else ()
    for known in SETS:
        if known["ask"] in values and known["edit"] in values:
            return known[wanted] if known[wanted] in values else None
    return None


def _named(session: dict[str, Any], place: str, values: str, name: str, current: str) -> Offer | None:
    found = session.get(place)
    if not isinstance(found, dict):
        return None
    ids = tuple(string(each, name) for each in blocks(found.get(values)) if string(each, name))
    return Offer(values=ids, current=string(found, current)) if ids else None


def _option(session: dict[str, Any], category: str) -> Offer | None:
    for option in blocks(session.get("configOptions")):
        if option.get("category") == category and option.get("type") == "select":
            return Offer(
                values=tuple(_values(option.get("options"))),
                current=string(option, "currentValue"),
                option=string(option, "id"),
            )
    return None


def _values(options: Any) -> list[str]:
    """Options may be grouped."""
    found: list[str] = []
    for option in blocks(options):
        found += [string(option, "value")] if string(option, "value") else _values(option.get("options"))
    return found
