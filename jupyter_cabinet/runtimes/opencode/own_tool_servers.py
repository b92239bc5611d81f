"""Where opencode lists its tool servers (1.18.33): in the settings of the user, and in those of the folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..own_tool_servers import OwnToolServer, ToolServerFile, at, made, names, text, texts

OF_USER = ("config.json", "opencode.json", "opencode.jsonc")
OF_FOLDER = ("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")


def tool_server_files(environment: Mapping[str, str], root: Path) -> tuple[ToolServerFile, ...]:
    """Return the files in which opencode may list tool servers, whether or not they exist. Opens none of them.

    They are those of the user and of the folder `root`. `environment`: the server's variables.
    """
    home = Path(environment.get("HOME") or "/nonexistent")
    settings = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    paths = [settings / name for name in OF_USER]
    if chosen := environment.get("OPENCODE_CONFIG"):
        paths.append(Path(chosen))
    found = at("mcp")
    files = [ToolServerFile(path=path, servers=found, read=_read) for path in paths]
    files += [ToolServerFile(path=root / name, servers=found, read=_read, beneath=root) for name in OF_FOLDER]
    return tuple(files)


def _read(name: str, entry: Mapping[str, Any]) -> OwnToolServer:
    return made(
        name,
        command=texts(entry.get("command")),
        address=text(entry.get("url")),
        transport="http",
        variables=names(entry.get("environment")),
        headers=names(entry.get("headers")),
        is_off=entry.get("enabled") is False,
    )
