"""Path rules: which paths below the root are acceptable, and opening them without following links out.

`check` is pure; `open_walking` goes from folder to folder by descriptor with `O_NOFOLLOW`, so that no one can replace
one by a link between the check and the opening. `storage/filesystem/untrusted_files.py` uses it for files at known
paths.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from .errors import Invalid, NotFound, OutsideRoot

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
HIDDEN_STATE = ".cabinet"  # the server's own records (rule 9 of ARCHITECTURE.md): never served

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def check(path: str, *, field: str = "path") -> tuple[str, ...]:
    """Return the parts of a relative path, without empty parts and `.`. `field`: its name in the request.

    Does not read the disk. Raises `Invalid` for an empty or overlong path or one with a NUL, and `OutsideRoot` for an
    absolute path, a `..` part, a path into `.cabinet`, and `.`, which names the root.
    """
    if not path or "\0" in path or len(os.fsencode(path)) > MAX_PATH_BYTES:
        raise Invalid("The path is empty, too long or contains a NUL character.", field=field)
    if path.startswith("/"):
        raise OutsideRoot(field=field)
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if any(len(os.fsencode(part)) > MAX_NAME_BYTES for part in parts):
        raise Invalid("A name in the path is too long.", field=field)
    if not parts or ".." in parts or parts[0] == HIDDEN_STATE:
        raise OutsideRoot(field=field)
    return parts


def moved(path: str, old: str, new: str) -> str | None:
    """Return a file's path after `old`, the file or a folder above it, has become `new`; None if it is unaffected."""
    if path == old:
        return new
    return f"{new}/{path[len(old) + 1 :]}" if old and path.startswith(f"{old}/") else None


def places_of_page(name: str) -> tuple[str, ...]:
    """Return where a page of this name may be, in the order of the search."""
    return f"{name}/index.md", f"{name}.md", name


def resolve_below(root: Path, path: str, *, field: str = "path") -> Path:
    """Return the real path of an existing or new file below `root`; every link on the way must stay below it.

    Raises `OutsideRoot` if one does not or leads into `.cabinet`, `NotFound` for links that form a loop, and what
    `check` raises: `path` cannot name the root itself.
    """
    real_root = root.resolve()
    try:
        real = real_root.joinpath(*check(path, field=field)).resolve()
    except (OSError, RuntimeError):  # Python 3.11 raises RuntimeError for a loop
        raise NotFound(f"{path} could not be resolved. Check whether its links form a loop.", field=field) from None
    if not real.is_relative_to(real_root) or real.relative_to(real_root).parts[:1] == (HIDDEN_STATE,):
        raise OutsideRoot(field=field)
    return real


def is_file_below(root: Path, path: str) -> bool:
    """Return whether a regular file exists at a path below `root`; links that stay below it are followed.

    A path that cannot be read counts as missing. Raises like `resolve_below`.
    """
    real = resolve_below(root, path)
    try:
        return real.is_file()
    except OSError:
        return False


def is_folder_below(root: Path, path: str) -> bool:
    """Return whether a folder exists at a path below `root`; links that stay below it are followed.

    A path that cannot be read counts as missing. Raises like `resolve_below`, also for "." and an empty path.
    """
    return _is_folder(resolve_below(root, path))


def folder_below(root: Path, cwd: str | None) -> Path:
    """Return the real path of the folder that a request wants to work in; the root for None, "" and ".".

    Raises like `resolve_below`, and `Invalid` if the folder does not exist or is a file. The `field` of the error is
    `cwd`.
    """
    if cwd in (None, "", "."):
        return root.resolve()
    real = resolve_below(root, cwd or "", field="cwd")
    if not _is_folder(real):
        raise Invalid(f"There is no folder {cwd}.", field="cwd")
    return real


def _is_folder(real: Path) -> bool:
    """An unreadable path counts as missing."""
    try:
        return real.is_dir()
    except OSError:
        return False


def open_below(root: Path, path: str) -> int:
    """Open a regular file below `root` for reading and return its descriptor. The caller closes it.

    The path may contain links that stay below the root: it is resolved first, then walked again by descriptor without
    following any link. Raises like `resolve_below`, and `NotFound` if there is no regular file or it cannot be read.
    """
    real_root = root.resolve()
    parts = resolve_below(root, path).relative_to(real_root).parts
    try:
        return open_walking(real_root, parts)
    except OSError as error:
        irregular = error.errno == errno.ENOTSUP
        message = f"{path} is not a regular file." if irregular else f"There is no file {path}."
        raise NotFound(message, field="path") from None


def open_walking(folder: Path, parts: Sequence[str]) -> int:
    """Open a regular file in or below a folder for reading and return its descriptor. The caller closes it.

    No link on the way is followed; `folder` itself may be one. Raises `OSError`, also for a link, another kind of file,
    an empty `parts` or an invalid part.
    """
    if not parts:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    place = open_folder_walking(folder, parts[:-1])
    try:
        if not _is_name(parts[-1]):
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        return open_regular(parts[-1], dir_fd=place)
    finally:
        os.close(place)


def open_folder_walking(folder: Path, parts: Sequence[str]) -> int:
    """Open a folder, or the one below it that `parts` name, and return its descriptor. The caller closes it.

    No link on the way is followed; `folder` itself may be one. Raises `OSError`, also for a link or an invalid part.
    """
    if not all(map(_is_name, parts)):
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    place = os.open(folder, _FOLDER)
    try:
        for part in parts:
            inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = inner
    except OSError:
        os.close(place)
        raise
    return place


def open_regular(path: str | Path, *, dir_fd: int | None = None, follow: bool = False) -> int:
    """Open a regular file for reading, without blocking, and return its descriptor. The caller closes it.

    `follow`: whether a link at the end of the path is followed; links above are always followed. Raises `OSError`, also
    for any other kind of file, a link if `follow` is false, and a path with a NUL.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    _must_be_regular(os.stat(path, dir_fd=dir_fd, follow_symlinks=follow), path)  # opening some devices has an effect
    # for files replaced since: O_NONBLOCK, a named pipe must not hang; O_NOCTTY, a terminal must not become the
    # server's
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW)
    file = os.open(path, flags, dir_fd=dir_fd)
    try:
        _must_be_regular(os.fstat(file), path)
    except OSError:
        os.close(file)
        raise
    return file


def _must_be_regular(found: os.stat_result, path: str | Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.ENOTSUP, "Not a regular file", str(path))


def _is_name(part: str) -> bool:
    return part not in ("", ".", "..") and "/" not in part and "\0" not in part
