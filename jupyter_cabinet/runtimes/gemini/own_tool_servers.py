"""Where Gemini CLI lists its tool servers (0.61.0): in the settings of the user, and in those of a folder it trusts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..own_tool_servers import ToolServerFile, at, usual

SETTINGS, SERVERS = Path(".gemini") / "settings.json", "mcpServers"


def tool_server_files(environment: Mapping[str, str], root: Path) -> tuple[ToolServerFile, ...]:
    """Return the files in which Gemini CLI may list tool servers, whether or not they exist. Opens none of them.

    They are those of the user and of the folder `root`. `environment`: the server's variables.
    """
    home = Path(environment.get("GEMINI_CLI_HOME") or environment.get("HOME") or "/nonexistent")
    return (
        ToolServerFile(path=home / SETTINGS, servers=at(SERVERS), read=usual),
        ToolServerFile(path=root / SETTINGS, servers=at(SERVERS), read=usual, beneath=root, use="if_trusted"),
    )
