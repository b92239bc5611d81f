"""Stores tool servers outside the root, in `<jupyter data>/cabinet/tool-servers/`, one file for each.

Whoever can write there can give agents tools, so neither a sandboxed agent nor a clone of the folder contains it. All
methods block: call them off the event loop.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from ..core.errors import Malformed, Refused
from ..storage.filesystem import files, untrusted_files
from ..storage.filesystem.private_folders import private_folder
from .model import ToolServer

MAX_FILE_BYTES = 16 << 20
MOST = 100
TOO_LARGE = "What this tool server offers is too large to be kept."


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `environment`, `headers`: the values of its variables and of its headers, which are secrets."""

    server: ToolServer
    environment: dict[str, str] = {}
    headers: dict[str, str] = {}


class ToolServerStore:
    """The tool servers of one root."""

    def __init__(self, data: Path, root: Path) -> None:
        """Use a subfolder of `data`, a folder outside the root."""
        self._folder = data / "tool-servers" / hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:32]

    def names(self) -> list[str]:
        """Return the names of all tool servers, sorted."""
        try:
            return sorted(path.stem for path in self._folder.iterdir() if path.suffix == ".json")
        except FileNotFoundError:
            return []

    def load(self, name: str) -> Stored | None:
        """Return one; None if there is none. The name is not checked.

        Raises `Malformed` for a file that is damaged or cannot be read. It is not overwritten.
        """
        path = self._path(name)
        try:
            return msgspec.json.decode(
                untrusted_files.read(path, limit=MAX_FILE_BYTES, beneath=self._folder), type=Stored
            )
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Malformed(f"{path} cannot be read: {error.strerror}. Check its permissions.") from None
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise Malformed(f"{path} is damaged. Repair it, or remove the tool server.") from None

    def save(self, stored: Stored) -> None:
        """Write or replace one.

        Raises `Refused` if it is too large to be read again, `Unavailable` if its folder cannot be used, and `OSError`
        if the file cannot be written.
        """
        content = msgspec.json.encode(stored)
        if len(content) > MAX_FILE_BYTES:
            raise Refused(TOO_LARGE)
        private_folder(self._folder.parent)
        private_folder(self._folder)
        files.replace(self._path(stored.server.name), content)

    def remove(self, name: str) -> None:
        """Delete one, with its secrets; nothing happens if it does not exist. Raises `OSError`."""
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"
