"""Finds the connection through which a page sent a cell to a kernel. Called only by `identity.py`."""

from __future__ import annotations

from typing import Any

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


def connection_of(session: str) -> JupyterHandler | None:
    """Return the handler of the WebSocket connection with this kernel session, or None if it is not open."""
    # Jupyter Server has no public access to this list. Without the list, a kernel acts as "Owner", like a script.
    handlers: dict[str, Any] = getattr(ZMQChannelsWebsocketConnection, "_open_sessions", {})
    found = (handler for key, handler in handlers.items() if session and key.partition(":")[2] == session)
    # Jupyter adds a handler before its connection is open, and does not remove it if it never opens.
    return next((each for each in found if isinstance(each, JupyterHandler) and _is_open(each)), None)


def _is_open(handler: JupyterHandler) -> bool:
    return getattr(handler, "ws_connection", None) is not None
