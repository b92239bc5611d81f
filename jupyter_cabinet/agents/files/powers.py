"""The powers of an agent in canonical form: all that grants it permissions or steers it. Pure.

A person confirms the powers by their hash (rule 8 of ARCHITECTURE.md). Only values count: comments, order and spelling
do not change the hash. Called by `service.py`, with the play files of the agent if the caller passes them among the
texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from ...runs.rules.enforcement import MODES
from .persona import Persona

VERSION = 1  # version of the canonical form; a change invalidates every confirmation
UNNAMED_TURNS = 25  # stands for an unset field; a change would invalidate confirmations

# Fields that later versions will read. Their content already counts as a power.
POWERFUL_UNKNOWN = ("hooks", "mcp_servers", "mcpServers")
POWERS = {
    "role": "Role",  # the agent receives it, and others see it
    "runtime": "Runtime",
    "permission_mode": "Permission mode",
    "tools": "Tools",
    "own_tools": "Cabinet's own tools",
    "starts_agents": "May start other agents",
    "browser_actions": "May ask of your browser",
    "proposes_tool_servers": "May propose tool servers",
    "allow_unenforced": "May run where its limits cannot be kept",
    "runner": "Where its runs start",
    "docker_image": "Container image",
    "isolate": "Works only isolated",
    "network": "Network of isolated runs",
    "workdir": "Directory",
    "max_turns": "Turns in a run",
    "max_parallel": "Runs at the same time",
    "retries": "Attempts after a failure",
    "timeout_seconds": "Time limit of a run",
    "budget": "Heartbeats in a month",
    "daily_cost_usd": "Cost in a day (USD)",
    "active": "Active",
    "heartbeat": "Heartbeat",
    "heartbeat_enabled": "Heartbeat enabled",
    "heartbeat_mode": "Heartbeat calls the model",
    "heartbeat_session": "Heartbeat's session",
    "reflection": "Reflects by itself",
    "timezone": "Time zone",
    "active_hours": "Active hours",
    "channels": "Chats it may post to",
    "post_to": "Chats that get its heartbeats' answers",
    "skills": "Skills",
    "tool_servers": "Tool servers",
    "plays": "Plays",
}
ADDED = (
    "runner",
    "docker_image",
    "isolate",
    "network",
    "post_to",
    "tool_servers",
    "starts_agents",
    "browser_actions",
    "proposes_tool_servers",
    "reflection",
)  # not in the form while they are unset, so that earlier confirmations stay valid
BODY = "body"
OWNER = "owner"  # owner of the agent that runs a play
ALL_TOOLS = "all"
STEERING_TEXTS = ("SOUL.md", "TOOLS.md", "HEARTBEAT.md")


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One power that has changed. `before` or `after` is empty if the power was added or removed."""

    what: str
    before: str
    after: str


def powers(persona: Persona, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the canonical form of an agent's powers.

    `texts`: the steering texts by file name (`STEERING_TEXTS`), and other texts that are confirmed with them. The
    persona's body is added. An empty text counts as absent.
    """
    fields = {name: value for name in POWERS if (value := _canonical(_value(persona, name))) or name not in ADDED}
    unknown = {name: persona.unknown[name] for name in POWERFUL_UNKNOWN if name in persona.unknown}
    steering = {name: text for name, text in {**texts, BODY: persona.body}.items() if text.strip()}
    return {"version": VERSION, "kind": "agent", "fields": fields, "unknown": unknown, "texts": steering}


def powers_hash(persona: Persona, texts: Mapping[str, str]) -> str:
    """Return the SHA-256 of the canonical form, as 64 hexadecimal digits.

    It does not depend on the agent's slug or name.
    """
    return hash_of(powers(persona, texts))


def play_powers(fields: Mapping[str, Any], body: str, *, owner: str) -> dict[str, Any]:
    """Return the canonical form of a play: all its fields, its text, and the owner of the agent that runs it.

    Because of the owner, a confirmation for one person is not valid for another. `owner`: empty if no agent runs the
    play.
    """
    return {"version": VERSION, "kind": "play", "fields": dict(fields), "texts": {BODY: body}, OWNER: owner}


def hash_of(form: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a canonical form. A stored confirmed form can be hashed again."""
    return hashlib.sha256(msgspec.json.encode(form, order="deterministic")).hexdigest()


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Return what changed from one canonical form to another, in words for people; empty if the hashes are equal.

    `before`: as `powers` returns it; empty for an agent that was never confirmed. Texts are whole, so that no one
    confirms a change without seeing it. The limits of the files bound their size.
    """
    old, new = _flat(before), _flat(after)
    names = [*new, *(name for name in old if name not in new)]
    return [
        Difference(what=name, before=_shown(old.get(name)), after=_shown(new.get(name)))
        for name in names
        if _encoded(old.get(name)) != _encoded(new.get(name))
    ]


def _value(persona: Persona, name: str) -> Any:
    if name == "tools":
        tools = persona.tools()
        return ALL_TOOLS if tools is None else tools
    if name == "reflection":
        return "" if persona.reflection == "off" else persona.reflection
    if name == "max_turns":
        return persona.max_turns or UNNAMED_TURNS
    return sorted(persona.own_tools()) if name == "own_tools" else getattr(persona, name)


def _canonical(value: Any) -> Any:
    """Return a value in canonical form: 1 and 1.0 are the same power, and a tuple is a list."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return list(value) if isinstance(value, tuple) else value


def _flat(form: Mapping[str, Any]) -> dict[str, Any]:
    fields = form.get("fields", {})
    if fields and form.get("kind") != "play":
        fields = {title: _named(name, fields.get(name)) for name, title in POWERS.items()}
    texts = {("Instructions" if name == BODY else name): text for name, text in form.get("texts", {}).items()}
    owner = {"Carried out for": form[OWNER]} if form.get(OWNER) else {}
    return {**fields, **owner, **form.get("unknown", {}), **texts}


def _named(name: str, value: Any) -> Any:
    """Return a permission mode with its label in the interface, and any other value as it is."""
    return f"{MODES[value]} ({value})" if name == "permission_mode" and value in MODES else value


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else _encoded(value).decode()


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
