"""Identifies the Jupyter client whose message a kernel is executing, such as the page where a person runs a cell.

Called by `http.py` for each request of a kernel, so that the server knows whose page it was.
"""

from __future__ import annotations

import sys

HEADER = "X-Cabinet-Kernel-Session"


def executing_session() -> str:
    """Return the id of that client's session; empty outside a kernel. Must run in the context of the cell."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    parent = getattr(getattr(shell, "kernel", None), "get_parent", None)
    message = parent() if parent is not None else None
    header = message.get("header") if isinstance(message, dict) else None
    session = header.get("session") if isinstance(header, dict) else None
    return session if isinstance(session, str) and session.isascii() and session.isprintable() else ""
