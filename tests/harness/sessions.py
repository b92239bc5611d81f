"""The record of a session, changed as nothing in the product would."""

from __future__ import annotations

from typing import Any

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.sessions import store


async def change_session(backend: Backend, session_id: str, **changes: Any) -> None:
    """As a crash, another server or a person with the database may leave it."""
    await backend.database.write(lambda c: store.change_session(c, session_id, changes, newest=False))
