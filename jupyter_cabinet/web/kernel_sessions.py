"""The connection over which a page sent a kernel the cell that it is executing. Called by `identity.py` only."""

from __future__ import annotations

from typing import Any

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


def connection_of(session: str) -> JupyterHandler | None:
    """The handler of the WebSocket connection that has this kernel session; None if none is open."""
    # Jupyter Server offers this list to nobody. Without it a kernel acts as "Owner", as a script does.
    handlers: dict[str, Any] = getattr(ZMQChannelsWebsocketConnection, "_open_sessions", {})
    found = (handler for key, handler in handlers.items() if session and key.partition(":")[2] == session)
    return next((handler for handler in found if isinstance(handler, JupyterHandler)), None)
