"""The files of an agent of another system, from a zip file or a folder, before that system is recognized.

Strangers make such folders: no link is followed, everything has a limit, and only texts and skills are read. The client
reads folders of the person's machine in the same way, so nothing here loads what only a server has.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from ...core.errors import Invalid
from ...core.plain_text import one_line, plain
from ...storage.filesystem import untrusted_files
from ...storage.filesystem.zip_archives import LONGEST_PART, ZippedFile

MOST_ENTRIES = 5_000  # files and folders that are listed
MOST_FILES = 1_900  # that are read
MOST_BYTES = 15 * 2**20  # of all files that are read
MOST_BYTES_OF_FILE = 4 * 2**20
DEEPEST = 7  # folders around a file
MOST_NAMED = 50  # agents that an error lists

AGENTS, SKILLS, CONFIGURATION, USER = "agents", "skills", "config.json", "USER.md"
# Chats, queues, packages and what starts programs: never opened, because no agent here would use them.
TOOL_SERVERS = "mcp"
CLOSED = frozenset({"messages", "conversations", "ipc", "node_modules", TOOL_SERVERS, "logs", "browser-profile"})

NOT_USED = "It has no equivalent here."
COMMANDS = "Commands of tool servers never come along. Add the tool server here, where a person confirms it."
HIDDEN = "Hidden files are not imported."
WRONG_NAME = "Its name has characters that cannot be seen, or is too long."
A_LINK = "It is a link or a device, which is not followed."
TOO_LARGE = f"It is larger than {MOST_BYTES_OF_FILE // 2**20} MiB."
TOO_DEEP = f"It is nested more than {DEEPEST} folders deep."
INCOMPLETE = "A part of it cannot be read, so that no one could approve it."
SEVERAL = "There are several agents in it: {names}. Choose one of them."


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one agent, and what lies around them.

    `name`: of the folder; may be anything. `files`: by path. `unread`: why others were not read, by path; a folder ends
    with a slash. `agent`: its path in the folder of an orchestrator, such as `agents/ada/`; empty: the folder itself.
    """

    name: str
    files: Mapping[str, ZippedFile]
    unread: Mapping[str, str] = {}
    agent: str = ""


def from_archive(files: Mapping[str, ZippedFile], agent: str) -> Source:
    """Return the files of an archive, without the one folder around all of them.

    `agent`: which one, if it has several; may be empty. The files of other agents are left out. Raises `Invalid` (field
    `agent`) if there are several and none is chosen, or if there is no such agent.
    """
    tops = {path.partition("/")[0] for path in files}
    name = next(iter(tops)) if len(tops) == 1 else ""
    inner = {path.removeprefix(f"{name}/"): file for path, file in files.items()} if name else dict(files)
    if name in ("", AGENTS) or name in inner:
        inner = dict(files)
    names = {path.split("/")[1] for path in inner if path.startswith(f"{AGENTS}/") and path.count("/") > 1}
    if not names and not agent:
        return Source(name=name, files=inner)
    chosen = f"{AGENTS}/{_chosen(names, agent)}/"
    kept = {path: file for path, file in inner.items() if not path.startswith(f"{AGENTS}/") or path.startswith(chosen)}
    return Source(name=name, files=kept, agent=chosen)


def from_folder(beneath: Path, parts: Sequence[str], agent: str) -> Source:
    """Read a folder. `parts`: of its path below `beneath`, on which no link is followed. `agent`: as in `from_archive`.

    If it is an agent's folder in that of an orchestrator, the shared files around it are read too. Raises `Invalid` as
    `from_archive`, and for a folder that does not exist, cannot be read, is behind a link or contains too much. Single
    files that cannot be read are listed in `unread`.
    """
    walk = _Walk(beneath)
    here = tuple(parts)
    folders = walk.folders(here)
    if here[-2:-1] == (AGENTS,) and not agent and walk.is_home(here[:-2]):
        return _of_orchestrator(walk, here[:-2], here[-1])
    agents = walk.folders((*here, AGENTS)) if AGENTS in folders else set()
    if agents or agent:
        return _of_orchestrator(walk, here, _chosen(agents, agent))
    walk.read(here, "")
    return Source(name=_last(beneath, here), files=walk.files, unread=walk.unread)


def is_wanted(path: str) -> bool:
    """Return whether an agent here may use a file: a text, a part of a skill, or an orchestrator's configuration."""
    return path.lower().endswith(".md") or path == CONFIGURATION or SKILLS in path.split("/")[:-1]


def why_not_used(path: str) -> str:
    """Return why a file or a folder, with a slash at its end, is left out."""
    *folders, name = path.lower().rstrip("/").split("/")
    if not {TOOL_SERVERS, f"{TOOL_SERVERS}.json", f".{TOOL_SERVERS}.json"}.isdisjoint((*folders, name)):
        return COMMANDS
    return HIDDEN if any(part.startswith(".") for part in (*folders, name)) else NOT_USED


def not_accepted(why: str) -> Invalid:
    """Return the error for a folder that is not accepted. `why`: completes the sentence."""
    return Invalid(f"The folder was not accepted: {why}.", field="folder")


def _of_orchestrator(walk: _Walk, home: tuple[str, ...], agent: str) -> Source:
    inner = f"{AGENTS}/{agent}/"
    walk.read((*home, AGENTS, agent), inner)
    for name in (SKILLS, CONFIGURATION, USER, TOOL_SERVERS):
        walk.read_one(home, name)
    return Source(name=_last(walk.beneath, home), files=walk.files, unread=walk.unread, agent=inner)


def _chosen(names: set[str], wanted: str) -> str:
    """Return the name of the only agent, or the wanted one. Raises `Invalid` that lists them."""
    if wanted in names:
        return wanted
    if len(names) == 1 and not wanted:
        return names.pop()
    listed = tuple(one_line(name, most=LONGEST_PART) for name in sorted(names)[:MOST_NAMED])
    if not listed:
        raise Invalid("There are no agents to choose from in it. Leave the name of the agent empty.", field="agent")
    raise Invalid(SEVERAL.format(names=", ".join(listed)), field="agent", agents=listed)


def _last(beneath: Path, parts: tuple[str, ...]) -> str:
    return parts[-1] if parts else beneath.name


class _Walk:
    """Lists and reads folders until a limit. `files` and `unread`: as in `Source`."""

    def __init__(self, beneath: Path) -> None:
        self.beneath = beneath
        self.files: dict[str, ZippedFile] = {}
        self.unread: dict[str, str] = {}
        self._entries, self._bytes = MOST_ENTRIES, MOST_BYTES

    def folders(self, parts: tuple[str, ...]) -> set[str]:
        """Return the names of the folders in a folder that are not hidden. Raises `Invalid`."""
        return {name for name, about in self._list(parts) if stat.S_ISDIR(about.st_mode) and not name.startswith(".")}

    def is_home(self, parts: tuple[str, ...]) -> bool:
        """Return whether a folder has what an orchestrator keeps beside its folder `agents`."""
        return any(os.path.lexists(self.beneath.joinpath(*parts, name)) for name in (SKILLS, CONFIGURATION))

    def read(self, parts: tuple[str, ...], inner: str) -> None:
        """Read a folder with its folders. `inner`: its path in the source. Raises `Invalid`."""
        self._read_all([(parts, inner)])

    def read_one(self, parts: tuple[str, ...], name: str) -> None:
        """Read a file, or a folder with its contents, into `files`. Do nothing if it does not exist.

        Links, and files that are too large, unreadable or not used, go into `unread` with the reason. Raises `Invalid`
        if a folder cannot be listed, or if there are too many files or bytes in total.
        """
        try:
            about = os.lstat(self.beneath.joinpath(*parts, name))
        except OSError:
            return
        self._read_all(self._visit(parts, name, about, ""))

    def _read_all(self, waiting: list[tuple[tuple[str, ...], str]]) -> None:
        while waiting:
            folder, place = waiting.pop()
            found = self._list(folder)
            self._entries -= len(found)
            for name, about in found:
                waiting += self._visit(folder, name, about, place)

    def _visit(
        self, folder: tuple[str, ...], name: str, about: os.stat_result, place: str
    ) -> list[tuple[tuple[str, ...], str]]:
        path = f"{place}{name}"
        is_folder = stat.S_ISDIR(about.st_mode)
        if why := _refusal(path, name, about):
            self.unread[plain(f"{path}/" if is_folder else path)] = why
        elif is_folder:
            return [((*folder, name), f"{path}/")]
        else:
            self._read((*folder, name), path, about)
        return []

    def _read(self, parts: tuple[str, ...], path: str, about: os.stat_result) -> None:
        try:
            file = self.beneath.joinpath(*parts)
            content = untrusted_files.read(file, limit=MOST_BYTES_OF_FILE, beneath=self.beneath)
        except OSError as error:
            self.unread[path] = TOO_LARGE if error.errno == errno.EFBIG else "It cannot be read."
            return
        self._bytes -= len(content)
        if self._bytes < 0 or len(self.files) == MOST_FILES:
            raise not_accepted(f"it has more than {MOST_FILES:,} texts, or more than {MOST_BYTES // 2**20} MiB of them")
        self.files[path] = ZippedFile(path=path, content=content, executable=bool(about.st_mode & stat.S_IXUSR))

    def _list(self, parts: tuple[str, ...]) -> list[tuple[str, os.stat_result]]:
        folder = self.beneath.joinpath(*parts)
        try:
            found = untrusted_files.entries(folder, limit=self._entries + 1, beneath=self.beneath)
        except OSError as error:
            raise not_accepted(_why(error)) from error
        if len(found) > self._entries:
            raise not_accepted(f"it has more than {MOST_ENTRIES:,} files. Copy those of the agent to another folder")
        return found


def _refusal(path: str, name: str, about: os.stat_result) -> str:
    """Return why a file or a folder is not opened; empty if it is."""
    if not name.isprintable() or "\\" in name or len(name) > LONGEST_PART:
        return WRONG_NAME
    if name.startswith("."):
        return why_not_used(path)
    if not (stat.S_ISDIR(about.st_mode) or stat.S_ISREG(about.st_mode)):
        return A_LINK
    if path.count("/") > DEEPEST:
        return TOO_DEEP
    if stat.S_ISDIR(about.st_mode):
        return why_not_used(path) if name.lower() in CLOSED else ""
    return "" if is_wanted(path) else why_not_used(path)


def _why(error: OSError) -> str:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
        return "there is no such folder, or its path contains a link"
    return f"it, or a folder in it, cannot be read ({error.strerror})"
