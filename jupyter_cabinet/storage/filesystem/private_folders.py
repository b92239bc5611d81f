"""Checks where state may be stored: private folders, no network file system, enough space.

Pure, except for asking the system.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from ...core.errors import NoRoom, Unavailable
from ...core.ids import new_id

NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs", "lustre"}
)
LEAST_FREE_BYTES = 512 * 2**20
LEAST_FREE_DESCRIPTORS = 64
MAX_SOCKET_PATH = 100  # the kernel takes 107 bytes
MOUNTS = Path("/proc/mounts")


def private_folder(path: Path) -> Path:
    """Make a folder that only the server's user can enter, with its parents, and return it.

    The permissions of an existing one are corrected. Raises `Unavailable` if it is a link, belongs to another user, or
    cannot be created.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.is_symlink() or path.stat().st_uid != os.geteuid():
            raise Unavailable(f"{path} is a link or belongs to another user. Move it away, or choose another folder.")
        if stat.S_IMODE(path.stat().st_mode) != 0o700:
            path.chmod(0o700)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be created or written: {error.strerror}. Check the permissions of its folder."
        ) from error
    return path


def private_folder_for_socket(base: Path) -> Path:
    """Make a new private folder in which the path of a socket, with a name of six letters, is short enough.

    It is in `base`, which is created, or in the folder for temporary files if that path would have more than 100
    characters. Raises `Unavailable` like `private_folder`. The caller removes it.
    """
    place = base / new_id()[:18]
    if len(str(place / "socket")) <= MAX_SOCKET_PATH:
        private_folder(base)
        return private_folder(place)
    return Path(tempfile.mkdtemp(prefix="cabinet-"))  # mkdtemp makes it 0700


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder, without following links.

    0 if it does not exist or cannot be read.
    """
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # gone meanwhile
                total += (Path(place) / name).lstat().st_size
    return total


def refuse_network_file_system(path: Path) -> None:
    """Raise `Unavailable` where a SQLite file could be damaged by the file system's locks."""
    kind = file_system_of(path.resolve())
    if kind in NETWORK_FILE_SYSTEMS:
        raise Unavailable(
            f"{path} is on a network file system ({kind}), where a SQLite database can be damaged. "
            "Set CabinetApp.db_url to a PostgreSQL database or to a file on a local disk."
        )


def file_system_of(path: Path, mounts: str | None = None) -> str:
    """Return the type of the file system that contains `path`, from the kernel's table; "" if unknown."""
    if mounts is None:
        mounts = os.fsdecode(MOUNTS.read_bytes()) if MOUNTS.exists() else ""
    best, kind = "", ""
    for line in mounts.rstrip("\n").split("\n") if mounts else ():
        _device, point, this_kind, *_rest = line.split(" ")
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), point)
        if len(point) >= len(best) and path.is_relative_to(point):
            best, kind = point, this_kind
    return kind


def check_room(path: Path) -> None:
    """Raise `NoRoom` if less than 512 MiB of disk space at `path`, or fewer than 64 file descriptors are left.

    Raises `OSError` if `path` does not exist.
    """
    if shutil.disk_usage(path).free < LEAST_FREE_BYTES:
        raise NoRoom("Less than 512 MiB of disk space is left. Free some, then try again.")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    used = sum(1 for _ in Path("/dev/fd").iterdir())
    if limit - used < LEAST_FREE_DESCRIPTORS:
        raise NoRoom("Too few file descriptors are left. Close some terminals or kernels, then try again.")
