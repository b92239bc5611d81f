"""Chooses the session to continue, for CLIs whose sessions are UUIDs but that also accept other words. Pure.

A session of another CLI, or a word like `latest`, would open another session or silently start a new one.
"""

from __future__ import annotations

import uuid

# an id that does not exist: the CLI reports that the session is gone
NO_SESSION = "00000000-0000-4000-8000-000000000000"


def known_session(native_id: str) -> str:
    """Return the id in its usual form if it is a UUID, else `NO_SESSION`, which no CLI has."""
    try:
        return str(uuid.UUID(native_id))
    except ValueError:
        return NO_SESSION
