"""Where Codex lists its tool servers (0.169.0): in its `config.toml`, and in that of a folder that it trusts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..own_tool_servers import OwnToolServer, ToolServerFile, at, made, names, text, texts
from .login import folder

SERVERS = "mcp_servers"


def tool_server_files(environment: Mapping[str, str], root: Path) -> tuple[ToolServerFile, ...]:
    """Return the files in which Codex may list tool servers, whether or not they exist. Opens none of them.

    They are those of the user and of the folder `root`. `environment`: the server's variables.
    """
    found = at(SERVERS)
    return (
        ToolServerFile(path=folder(environment) / "config.toml", servers=found, read=_read),
        ToolServerFile(path=root / ".codex" / "config.toml", servers=found, read=_read, beneath=root, use="if_trusted"),
    )


def _read(name: str, entry: Mapping[str, Any]) -> OwnToolServer:
    bearer = ("Authorization",) if entry.get("bearer_token_env_var") else ()
    return made(
        name,
        command=(text(entry.get("command")), *texts(entry.get("args"))),
        address=text(entry.get("url")),
        transport="http",
        variables=(*names(entry.get("env")), *texts(entry.get("env_vars"))),
        headers=(*bearer, *names(entry.get("http_headers")), *names(entry.get("env_http_headers"))),
        is_off=entry.get("enabled") is False,
    )
