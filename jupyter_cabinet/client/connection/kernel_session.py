"""Identifies the Jupyter client whose message a kernel is executing, such as the page where a person runs a cell.

Called by `http.py` for each request of a kernel, so that the server knows whose page it was.
"""

from __future__ import annotations

import re
import sys
from contextvars import ContextVar

HEADER = "X-Cabinet-Kernel-Session"
_SESSION = re.compile(r"[\w.:-]{1,200}", re.ASCII)  # any other id would make an invalid header


def executing_session() -> str:
    """Return the id of that client's session; empty outside a kernel. Must run in the context of the cell."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    kernel = getattr(shell, "kernel", None)
    # `get_parent` would name the last cell to a thread that another cell has started.
    parent = getattr(kernel, "_shell_parent", None)
    message = parent.get(None) if isinstance(parent, ContextVar) else None
    header = message.get("header") if isinstance(message, dict) else None
    session = header.get("session") if isinstance(header, dict) else None
    return session if isinstance(session, str) and _SESSION.fullmatch(session) else ""
