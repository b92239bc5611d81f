"""What grants an agent power or steers it, in canonical form. A person confirms it by its hash. Pure.

Rule 8 of ARCHITECTURE.md. Values count, not how they are written: other comments, another order or another spelling of
the same change nothing.
Called by `service.py`, with the play files of the agent where the caller gives them among the texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from .persona import Persona

VERSION = 1  # of the canonical form: a change requires every confirmation again
TEXT_LIMIT = 4000  # characters of a text in a difference
UNNAMED_TURNS = 25  # in confirmations; it does not change, so that none of them is required again
SAME_SHOWN = 200  # of them that are the same, before the first that is not

# Fields that later versions will read: their content counts as a power already.
POWERFUL_UNKNOWN = ("hooks", "mcp_servers", "mcpServers", "tool_servers", "toolServers")
POWERS = {
    "role": "Role",  # it is sent to the agent, and shown to others
    "runtime": "Runtime",
    "permission_mode": "Permission mode",
    "tools": "Tools",
    "own_tools": "Cabinet's own tools",
    "allow_unenforced": "May run where its limits cannot be kept",
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
    "timezone": "Time zone",
    "active_hours": "Active hours",
    "channels": "Channels",
    "skills": "Skills",
    "plays": "Plays",
}
BODY = "body"
OWNER = "owner"  # of the agent that carries a play out
ALL_TOOLS = "all"
STEERING_TEXTS = ("SOUL.md", "TOOLS.md", "HEARTBEAT.md")


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One power that is not what it was. Empty `before` or `after`: it was not there, or no longer is."""

    what: str
    before: str
    after: str


def powers(persona: Persona, texts: Mapping[str, str]) -> dict[str, Any]:
    """The canonical form. `texts`: the steering texts by their file's name (`STEERING_TEXTS`), and what else the caller
    lets a person confirm with them; the persona's body is added. An empty text counts as none."""
    fields = {name: _canonical(_value(persona, name)) for name in POWERS}
    unknown = {name: persona.unknown[name] for name in POWERFUL_UNKNOWN if name in persona.unknown}
    steering = {name: text for name, text in {**texts, BODY: persona.body}.items() if text.strip()}
    return {"version": VERSION, "kind": "agent", "fields": fields, "unknown": unknown, "texts": steering}


def powers_hash(persona: Persona, texts: Mapping[str, str]) -> str:
    """SHA-256 of the canonical form, as 64 hexadecimal digits. It does not depend on the agent's slug."""
    return hash_of(powers(persona, texts))


def play_powers(fields: Mapping[str, Any], body: str, *, owner: str) -> dict[str, Any]:
    """The canonical form of a play: all of its fields, as `front_matter.read` gives them, its text, and who owns the
    agent that carries it out (empty: none does): what was confirmed for one person counts for no other."""
    return {"version": VERSION, "kind": "play", "fields": dict(fields), "texts": {BODY: body}, OWNER: owner}


def hash_of(form: Mapping[str, Any]) -> str:
    """SHA-256 of a canonical form. What is kept of a confirmed one can be hashed again."""
    return hashlib.sha256(msgspec.json.encode(form, order="deterministic")).hexdigest()


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """What changed from one canonical form (as `powers` gives it; an empty mapping for an agent that nobody has
    confirmed) to another, in words for a person. Empty where the hashes are the same."""
    old, new = _flat(before), _flat(after)
    names = [*new, *(name for name in old if name not in new)]
    return [
        Difference(what=name, before=before, after=after)
        for name in names
        if _encoded(old.get(name)) != _encoded(new.get(name))
        for before, after in [_both_cut(_shown(old.get(name)), _shown(new.get(name)))]
    ]


def _value(persona: Persona, name: str) -> Any:
    if name == "tools":
        tools = persona.tools()
        return ALL_TOOLS if tools is None else tools
    if name == "max_turns":
        return persona.max_turns or UNNAMED_TURNS
    return sorted(persona.own_tools()) if name == "own_tools" else getattr(persona, name)


def _canonical(value: Any) -> Any:
    """1 and 1.0 are the same power."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return list(value) if isinstance(value, tuple) else value


def _flat(form: Mapping[str, Any]) -> dict[str, Any]:
    fields = form.get("fields", {})
    if fields and form.get("kind") != "play":
        fields = {title: fields.get(name) for name, title in POWERS.items()}
    texts = {("Instructions" if name == BODY else name): text for name, text in form.get("texts", {}).items()}
    owner = {"Carried out for": form[OWNER]} if form.get(OWNER) else {}
    return {**fields, **owner, **form.get("unknown", {}), **texts}


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else _encoded(value).decode()


def _both_cut(before: str, after: str) -> tuple[str, str]:
    """Long texts begin a little before what is different, so that it is seen."""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))
    start = max(0, same - SAME_SHOWN) if max(len(before), len(after)) > TEXT_LIMIT else 0
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    shown = f"{'… ' if 0 < start < len(text) else ''}{text[start : start + TEXT_LIMIT]}"
    return f"{shown} … ({len(text)} characters)" if start + TEXT_LIMIT < len(text) else shown


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
