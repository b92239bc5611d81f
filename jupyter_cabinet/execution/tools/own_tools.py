"""Gives a CLI the order's own tools, through the tool server `python -m jupyter_cabinet.mcp`.

Called by `order_equipment.py`. If the tools are not available, the order runs without them, and says so.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Final

import msgspec

from ...runtimes.model import McpServer, Request
from ...runtimes.port import Located, Runtime
from ..model import Order
from ..run_directory import RunDirectory

SERVER_NAME: Final = "cabinet"
PROGRAM: Final = "jupyter_cabinet.mcp"
PACKAGE: Final = "mcp"
# Nobody misses these: a step of a plan can report in its answer too, and a notebook can be edited as a file.
OPTIONAL: Final = frozenset({"plan", "notebook"})


def missing(order: Order, runtime: Runtime, located: Located) -> str:
    """Return why an order does not get its own tools, as a sentence for a person.

    Empty: it gets them, or has none. Searches for a package on the disk: call it off the loop.
    """
    if not order.own_tools:
        return ""
    missed = [group for group in order.own_tools if group not in OPTIONAL]
    lost = f"This run has none of Cabinet's own tools ({', '.join(missed)})"
    if not runtime.capabilities(located).mcp:
        return f"{lost}: {runtime.about.title} does not support tool servers."
    if not has_package():
        return f'{lost}: install "jupyter-cabinet[mcp]" where the server runs.'
    return ""


def has_package() -> bool:
    """Return whether tool servers of ours can run here. Searches on the disk."""
    return importlib.util.find_spec(PACKAGE) is not None


def with_server(request: Request, directory: RunDirectory, groups: tuple[str, ...]) -> Request:
    """Return the request with our tool server added; unchanged if there are no groups. Starts nothing."""
    if not groups:
        return request
    return msgspec.structs.replace(request, mcp_servers=(*request.mcp_servers, server(directory.path, groups)))


def server(directory: Path, groups: tuple[str, ...]) -> McpServer:
    """Return the tool server of a run. It contains no secrets: it reads the ticket itself."""
    # -P: otherwise a file `mcp.py` in the agent's working folder would be imported
    return McpServer(name=SERVER_NAME, command=(sys.executable, "-P", "-m", PROGRAM, str(directory), ",".join(groups)))
