"""Gives a CLI the tool servers of its agent, each through a relay that offers only the approved tools.

Called by `order_equipment.py`. A CLI that accepts no tool servers gets none, and the run says so before it starts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from ...runtimes.model import McpServer, Request
from ...runtimes.port import Located, Runtime
from ...sandboxes.mounts import PROXIES, inside_proxies
from .own_tools import has_package
from .tool_server_file import GivenServer, place_of

PROGRAM: Final = "jupyter_cabinet.mcp.relay"
# Proxies and certificates.
WAY_OUT = (*PROXIES, "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR")
LOST = "The agent did not get the tool servers of its list ({names}): {why}"


def missing(servers: Sequence[GivenServer], runtime: Runtime, located: Located) -> str:
    """Return why a run does not get its tool servers, as a sentence for a person; empty: it gets them, or has none.

    Searches for a package on the disk: call it off the loop.
    """
    names = ", ".join(server.name for server in servers)
    if not servers:
        return ""
    if not runtime.capabilities(located).mcp:
        return LOST.format(names=names, why=f"{runtime.about.title} does not support tool servers.")
    if not has_package():
        return LOST.format(names=names, why='install "jupyter-cabinet[mcp]" where the server runs.')
    return ""


def way_out(request: Request, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with which a relay reaches a remote tool server. Codex passes it none of its run."""
    if request.isolated:
        return inside_proxies()
    return {name: environment[name] for name in WAY_OUT if name in environment}


def with_tool_servers(
    request: Request, directory: Path, servers: Sequence[GivenServer], environment: Mapping[str, str]
) -> Request:
    """Write the descriptions of tool servers into a run directory, and return the request that has them. Starts none.

    `environment`: the server's own. Raises `OSError`, also if a file exists. Blocks: call it off the loop.
    """
    added = []
    way = way_out(request, environment)
    proxies = {**inside_proxies(), "NODE_USE_ENV_PROXY": "1"} if request.isolated else {}
    for server in servers:
        path = directory / f"tool-server-{server.name}.json"
        place_of(path).mkdir(mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(msgspec.json.encode(msgspec.structs.replace(server, proxies=proxies)))
        # -P: otherwise a file `mcp.py` in the agent's working folder would be imported
        command = (sys.executable, "-P", "-m", PROGRAM, str(path))
        added.append(McpServer(name=server.name, command=command, environment=way if server.address else {}))
    return msgspec.structs.replace(request, mcp_servers=(*request.mcp_servers, *added)) if added else request
