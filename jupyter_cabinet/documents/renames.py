"""Notices when a document or a folder was renamed or moved in any of Jupyter's interfaces.

It uses the contents manager's own event, on which Jupyter's file ids are based too. A file that is moved outside of
Jupyter, as by `mv`, is not followed.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

CONTENTS_EVENTS = "https://events.jupyter.org/jupyter_server/contents_service/v1"

log = logging.getLogger(__name__)


def hear_of_moves(event_logger: Any, *listeners: Callable[[str, str], Awaitable[None]]) -> Callable[[], None]:
    """Call each listener with the old and the new path, relative to the server's root, for every file or folder.

    Returns a function that ends this. A listener that raises does not affect the others: its error is logged.
    """

    async def on_contents(logger: Any, schema_id: str, data: dict[str, Any]) -> None:
        old, new = str(data.get("source_path") or "").strip("/"), str(data.get("path") or "").strip("/")
        if data.get("action") != "rename" or not old or not new or old == new:
            return
        for moved in listeners:
            try:
                await moved(old, new)
            except Exception:
                log.exception("The move of %s to %s could not be followed", old, new)

    event_logger.add_listener(schema_id=CONTENTS_EVENTS, listener=on_contents)
    return lambda: event_logger.remove_listener(listener=on_contents)
