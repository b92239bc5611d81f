"""Says which session to go on with, for CLIs whose sessions are UUIDs but that take other words too. Pure.

A session of another CLI, or a word like `latest`, would open somebody's session or begin a new one silently.
"""

from __future__ import annotations

import uuid

NO_SESSION = "00000000-0000-4000-8000-000000000000"  # nobody has it: the CLI says that it is gone


def known_session(native_id: str) -> str:
    """The id itself where it is a UUID, else one that no CLI has."""
    try:
        return str(uuid.UUID(native_id))
    except ValueError:
        return NO_SESSION
