"""The names of folders in `.agents/.archive/` and `.agents/.trash/`: the agent's slug, when it was put there, and a
random part. Pure; `agent_folders.py` moves the files."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

import msgspec

_TIME = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"(?P<slug>[a-z0-9][a-z0-9-]{0,63})-(?P<time>[0-9]{8}T[0-9]{6}Z)-[0-9a-f]{6}")


class PutAwayAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that was archived or deleted. `name`: what `POST agents/restore` takes. `agent_name`: as people know
    it; its slug if its persona cannot be read. `at`: when it was put away."""

    name: str
    slug: str
    agent_name: str
    at: datetime


def name_for(slug: str, now: datetime) -> str:
    """A new name for an agent that is put away now."""
    return f"{slug}-{now.astimezone(UTC).strftime(_TIME)}-{secrets.token_hex(3)}"


def agent_named(name: str) -> PutAwayAgent | None:
    """The agent that was put away under this name; None for a name that `name_for` never gives."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    try:
        at = datetime.strptime(match["time"], _TIME).replace(tzinfo=UTC)
    except ValueError:  # such as the 99th month
        return None
    return PutAwayAgent(name=name, slug=match["slug"], agent_name=match["slug"], at=at)
