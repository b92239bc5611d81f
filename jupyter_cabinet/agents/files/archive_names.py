"""The names of folders in `.agents/.archive/` and `.agents/.trash/`. Pure; `agent_folders.py` moves the files.

A name has the agent's slug, the time when it was archived or deleted, and a random part.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

import msgspec

_TIME = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"(?P<slug>[a-z0-9][a-z0-9-]{0,63})-(?P<time>[0-9]{8}T[0-9]{6}Z)-[0-9a-f]{6}")


class PutAwayAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An archived or deleted agent. `name`: what `POST agents/restore` takes. `at`: when it was archived or deleted.

    `agent_name`: display name; the slug if the persona cannot be read.
    """

    name: str
    slug: str
    agent_name: str
    at: datetime


def name_for(slug: str, now: datetime) -> str:
    """Return a new name for an agent that is archived or deleted now."""
    return f"{slug}-{now.astimezone(UTC).strftime(_TIME)}-{secrets.token_hex(3)}"


def agent_named(name: str) -> PutAwayAgent | None:
    """Return the agent with this name in the archive or trash, or None if `name_for` cannot have made the name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    try:
        at = datetime.strptime(match["time"], _TIME).replace(tzinfo=UTC)
    except ValueError:  # such as the 99th month
        return None
    return PutAwayAgent(name=name, slug=match["slug"], agent_name=match["slug"], at=at)
