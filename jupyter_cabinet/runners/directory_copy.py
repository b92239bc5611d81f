"""A copy of a run directory on a worker that does not see the server's: its files, at the same path, and its socket."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from ..core.errors import Unavailable
from ..sandboxes.launcher import start_time
from ..sandboxes.process_table.peers import peer_pid
from ..sandboxes.process_table.processes import is_below, is_same
from ..storage.filesystem import untrusted_files
from .shared_folder import machine
from .socket_relay import SocketRelay

log = logging.getLogger(__name__)

MOST_BYTES: Final = 32 * 2**20  # of all files
SOCKET: Final = "socket"
OWNER_MARK: Final = ".cabinet-worker"  # a file that names the process which has made the copy, and its machine
MARK_BYTES: Final = 200


class CopiedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file or a folder. `path`: relative to the run directory. `content`: None for a folder."""

    path: str
    mode: int
    content: bytes | None = None


def files_of(directory: Path) -> list[CopiedFile]:
    """Return the files and folders of a run directory, each folder before what is in it. Blocks.

    Links, sockets and other kinds are left out. Raises `Unavailable` if they have more than `MOST_BYTES`.
    """
    found: list[CopiedFile] = []
    left = MOST_BYTES
    for place, folders, names in os.walk(directory):
        for name in sorted(folders):
            path = Path(place) / name
            found.append(CopiedFile(path=str(path.relative_to(directory)), mode=stat.S_IMODE(path.stat().st_mode)))
        for name in sorted(names):
            path = Path(place) / name
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode):
                continue
            content = untrusted_files.read_start(path, limit=left + 1, beneath=directory)
            left -= len(content)
            if left < 0:
                raise Unavailable("The skills and tool servers of this run are too large to be sent to a worker.")
            relative = str(path.relative_to(directory))
            found.append(CopiedFile(path=relative, mode=stat.S_IMODE(status.st_mode), content=content))
    return found


class DirectoryCopy:
    """The copy. Make it with `write`, open its socket with `listen`, and `close` it at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._server: asyncio.Server | None = None

    @classmethod
    def write(cls, path: str, files: list[CopiedFile]) -> DirectoryCopy:
        """Create the directory, which must not exist, and its files, only for this user. Blocks.

        Removes abandoned copies in the same parent folder first. Raises `Unavailable` if it cannot be created, or if
        the path of a file leads out of it; nothing of it is left then.
        """
        directory = Path(path)
        _remove_abandoned(directory.parent)
        try:
            directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            directory.mkdir(mode=0o700)
        except OSError as error:
            raise Unavailable(
                f"The worker cannot create the run directory {path}: {error.strerror}."
                " Set XDG_RUNTIME_DIR of the server to a folder that can be created on each worker."
            ) from None
        copy = cls(directory)
        mark = f"{os.getpid()}\n{start_time(os.getpid())}\n{machine()}".encode()
        try:
            for file in (CopiedFile(path=OWNER_MARK, mode=0o600, content=mark), *files):
                copy._write(file)
        except (OSError, ValueError) as error:
            copy._remove()
            raise Unavailable(f"The worker cannot write the run directory {path}: {error}") from None
        return copy

    async def listen(self, relay: SocketRelay, launcher: int) -> None:
        """Open the socket, and pass connections to the relay. Only processes below the launcher may connect.

        Raises `OSError`.
        """

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            guest = peer_pid(writer)
            if guest is not None and not is_below(guest, launcher):
                log.warning("A process of another run tried to use a run directory")
                writer.close()
                return
            await relay.accept(reader, writer)

        self._server = await asyncio.start_unix_server(accept, self._path / SOCKET)

    async def close(self) -> None:
        """Close the socket and remove everything. Never raises because of files."""
        if self._server is not None:
            self._server.close()
        await asyncio.to_thread(self._remove)

    def _write(self, file: CopiedFile) -> None:
        parts = Path(file.path).parts
        if not parts or ".." in parts or Path(file.path).is_absolute():
            raise ValueError(f"{file.path} is not below it")
        path = self._path.joinpath(*parts)
        if file.content is None:
            path.mkdir(mode=0o700)
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, file.mode & 0o700), "wb") as opened:
            opened.write(file.content)

    def _remove(self) -> None:
        shutil.rmtree(self._path, ignore_errors=True)


def _remove_abandoned(folder: Path) -> None:
    """Remove the copies of workers that were killed: they contain the secrets of their runs."""
    for mark in folder.glob(f"*/{OWNER_MARK}"):
        with suppress(OSError, ValueError):
            if mark.parent.lstat().st_uid != os.geteuid():
                continue
            content = untrusted_files.read_start(mark, limit=MARK_BYTES, beneath=folder).decode()
            pid, started, where = content.split("\n")
            if where == machine() and not is_same(int(pid), started):
                shutil.rmtree(mark.parent, ignore_errors=True)
