"""Where Claude Code lists its tool servers (2.1.329): for the user, for the user in one folder, and in the folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..own_tool_servers import ToolServerFile, at, usual
from .login import folder

SERVERS = "mcpServers"


def tool_server_files(environment: Mapping[str, str], root: Path) -> tuple[ToolServerFile, ...]:
    """Return the files in which Claude Code may list tool servers, whether or not they exist. Opens none of them.

    They are those of the user and of the folder `root`. `environment`: the server's variables.
    """
    home = Path(environment.get("HOME") or "/nonexistent")
    account = (folder(environment) if environment.get("CLAUDE_CONFIG_DIR") else home) / ".claude.json"
    return (
        ToolServerFile(path=account, servers=at(SERVERS), read=usual),
        ToolServerFile(path=account, servers=at("projects", str(root), SERVERS), read=usual),
        ToolServerFile(path=root / ".mcp.json", servers=at(SERVERS), read=usual, beneath=root, use="if_trusted"),
    )
