"""Reads which tool servers the CLIs themselves have, in the settings of the server's user and of this folder.

Read-only. The files are foreign: other programs write them, and those of the folder may come from strangers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..core.people import Principal
from ..core.plain_text import one_line, plain
from ..runtimes.own_tool_servers import MOST_SERVERS, OwnToolServer, ToolServerFile, entries, is_more, parsed
from ..runtimes.port import HasToolServers
from ..runtimes.registry import Runtimes
from ..storage.filesystem import untrusted_files
from .model import ToolServerOfCli

log = logging.getLogger(__name__)
MAX_FILE_BYTES = 16 << 20  # Claude Code keeps its history in the same file
MOST = 500
MAX_FOLDER_FILE_BYTES = 1 << 20  # in this folder, where strangers may have written it
ONLY_OWNER = "Only whoever administers this server can see the settings of its CLIs."
UNREADABLE = "{path} cannot be read: {why}."
DAMAGED = "{path} is damaged, or nested too deeply."
MORE = f"{{path}} lists more than {MOST_SERVERS} tool servers. Only the first {MOST_SERVERS} are shown."
LINKED = "it is too large, or it is or contains a link that leads elsewhere"
TOO_MANY = f"There are more than {MOST} tool servers. The others are not listed."


class ToolServersOfClis:
    """The tool servers that the CLIs have. `root`: this folder."""

    def __init__(self, *, runtimes: Runtimes, environment: Mapping[str, str], root: Path) -> None:
        self._runtimes = runtimes
        self._environment = environment
        self._root = root

    async def find(self, principal: Principal) -> tuple[list[ToolServerOfCli], list[str]]:
        """Return them by CLI, at most 500, and sentences about files that cannot be read.

        Only an administrator, or a person with the server's shared login, gets any; others get one sentence that says
        so.
        """
        if not (principal.shared_token or principal.administrator):
            return [], [ONLY_OWNER]  # they belong to the server's user
        return await asyncio.to_thread(self._find)

    def _find(self) -> tuple[list[ToolServerOfCli], list[str]]:
        found: list[ToolServerOfCli] = []
        problems: list[str] = []
        for name in self._runtimes.names():
            for file in self._files(name):
                servers, problem = _read(file)
                problems += [problem] if problem and problem not in problems else []
                title = self._runtimes.get(name).about.title
                found += [_view(name, title, file, server) for server in servers]
        found = list(
            {(each.runtime, each.name, each.path, each.command, each.address): each for each in found}.values()
        )
        return found[:MOST], [*problems, *([TOO_MANY] if len(found) > MOST else [])]

    def _files(self, name: str) -> Iterator[ToolServerFile]:
        runtime = self._runtimes.get(name)
        if isinstance(runtime, HasToolServers):
            try:
                yield from runtime.tool_server_files(self._environment, self._root)
            except Exception:  # code of another package: its failure must not affect the other runtimes
                log.exception("The tool servers of %s cannot be located", name)


def _read(file: ToolServerFile) -> tuple[list[OwnToolServer], str]:
    """Return what a file lists, and a sentence if it cannot be read, or lists too much."""
    path = one_line(str(file.path))
    try:
        limit = MAX_FILE_BYTES if file.beneath is None else MAX_FOLDER_FILE_BYTES
        content = untrusted_files.read(file.path, limit=limit, beneath=file.beneath)
        listed = parsed(file, content)
        return list(entries(file, listed)), MORE.format(path=path) if is_more(file, listed) else ""
    except (FileNotFoundError, NotADirectoryError):
        return [], ""
    except PermissionError:
        return [], UNREADABLE.format(path=path, why="the server is not allowed to")
    except OSError:
        return [], UNREADABLE.format(path=path, why=LINKED)
    except (ValueError, RecursionError):
        return [], DAMAGED.format(path=path)


def _view(runtime: str, title: str, file: ToolServerFile, server: OwnToolServer) -> ToolServerOfCli:
    return ToolServerOfCli(
        runtime=runtime,
        title=title,
        name=plain(server.name),
        path=plain(str(file.path)),
        transport=server.transport,
        command=tuple(map(plain, server.command)),
        address=plain(server.address),
        variables=tuple(map(plain, server.variables)),
        headers=tuple(map(plain, server.headers)),
        use="no" if server.is_off else file.use,
    )
