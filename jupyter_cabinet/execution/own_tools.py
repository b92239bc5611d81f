"""Gives a CLI the tools of our own that its order has: by the tool server `python -m jupyter_cabinet.mcp`.

Called by `executor.py`. Where there can be none the order is carried out without, and says so before it starts.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Final

import msgspec

from ..runtimes.model import McpServer, Request
from ..runtimes.port import Located, Runtime
from .model import Order
from .run_directory import RunDirectory

SERVER_NAME: Final = "cabinet"
PROGRAM: Final = "jupyter_cabinet.mcp"
PACKAGE: Final = "mcp"


def missing(order: Order, runtime: Runtime, located: Located) -> str:
    """Why an order does not get the tools of ours that it has, in a sentence for a person; empty: it gets them, or has
    none. Looks for a package on the disk: call it off the loop."""
    if not order.own_tools:
        return ""
    lost = f"This run has none of Cabinet's own tools ({', '.join(order.own_tools)})"
    if not runtime.capabilities(located).mcp:
        return f"{lost}: {runtime.about.title} takes no tool servers."
    if importlib.util.find_spec(PACKAGE) is None:
        return f'{lost}: install "jupyter-cabinet[mcp]" where the server runs.'
    return ""


def with_server(request: Request, directory: RunDirectory, groups: tuple[str, ...]) -> Request:
    """The request with our tool server beside its others; unchanged where there are no groups."""
    if not groups:
        return request
    return msgspec.structs.replace(request, mcp_servers=(*request.mcp_servers, server(directory.path, groups)))


def server(directory: Path, groups: tuple[str, ...]) -> McpServer:
    """The tool server of a run. Nothing secret is in it: it reads the ticket itself."""
    # -P: else a file `mcp.py` in the folder that the agent works in would be imported
    return McpServer(name=SERVER_NAME, command=(sys.executable, "-P", "-m", PROGRAM, str(directory), ",".join(groups)))
