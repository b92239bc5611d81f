"""Restores a file of the workspace to an earlier state. The only code in this room that writes people's files.

Each step names the expected content: a file that differs by then is left unchanged. No link is followed on the way, and
a crash leaves the old or the new content. It blocks: call it off the loop.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ...core.errors import OutsideRoot
from ...core.paths import check, open_regular
from ..model import EMPTY_FOLDER, FILE_MODE, LARGEST_FILE, LINK_MODE, PROGRAM_MODE, FileState
from ..snapshots import ignored
from ..snapshots.exclusions import NOTHING_EXCLUDED, FolderExclusions
from ..snapshots.objects import Objects

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_NONE = NOTHING_EXCLUDED.of("")


class FileRestore(msgspec.Struct, frozen=True, kw_only=True):
    """A step: one file or empty folder from one state to another. None: it does not exist.

    `file`: path of the changed file that it belongs to, if that is another: a renamed file has two steps, and the
    second is done only after the first. `keep`: the innermost folder above it that stays, even if nothing is left in
    it.
    """

    path: str  # relative to the server's root
    old: FileState | None
    new: FileState | None
    file: str | None = None
    keep: str = ""

    @property
    def about(self) -> str:
        """Path of the changed file."""
        return self.file or self.path

    def may_follow(self, present: FileState | None) -> bool:
        """Return whether it may be done while the file is `present`.

        Between a file and a folder there is nothing for a moment, in which a server may have died.
        """
        has_gap = EMPTY_FOLDER in (self.old, self.new) and self.new is not None
        return present == self.old or (present is None and has_gap)


def state_of(root: Path, path: str, objects: Objects, excluded: FolderExclusions = _NONE) -> FileState | None:
    """Return the current state of a path; None for nothing. The content of a file is stored in `objects`.

    Raises `OSError` for a path that cannot be read, is not a file or is larger than 20 MiB; a folder with files is an
    `IsADirectoryError`. Raises `OutsideRoot` for a path that is excluded or never restored.
    """
    *folders, name = _parts(path, excluded)
    try:
        place = enter(root, folders)
    except FileNotFoundError:
        return None
    try:
        return _state(place, name, objects)
    finally:
        os.close(place)


def take(root: Path, step: FileRestore, objects: Objects, excluded: FolderExclusions = _NONE) -> bool:
    """Do a step. Return True if it is done or was already done, False if the present content is another.

    Missing folders above the file are created, and folders that become empty are removed up to `step.keep`. Raises
    `OSError`, `Lost` if the content to be written is gone, and `OutsideRoot` for a path that is excluded or never
    restored, such as one in `.git`.
    """
    *folders, name = _parts(step.path, excluded)
    _remove_leftover(root, folders, step)
    present = state_of(root, step.path, objects, excluded)
    if present == step.new or not step.may_follow(present):
        return present == step.new
    place = enter(root, folders, make=step.new is not None)
    try:
        present = _state(place, name, objects)
        if not step.may_follow(present):  # somebody else was first
            return False
        if present == EMPTY_FOLDER:
            os.rmdir(name, dir_fd=place)  # an `OSError` if somebody has created a file in it
        elif present is not None and step.new in (None, EMPTY_FOLDER):
            os.unlink(name, dir_fd=place)
        if step.new == EMPTY_FOLDER:
            os.mkdir(name, dir_fd=place)
        elif step.new is not None:
            _put(place, name, step, objects)
        os.fsync(place)
    finally:
        os.close(place)
    if step.new is None:
        _remove_empty(root, folders, len(Path(step.keep).parts))
    return True


def _parts(path: str, excluded: FolderExclusions) -> tuple[str, ...]:
    """Refuse the records of version control, ours, and excluded paths: none of them is ever compared."""
    parts = check(path)
    plain = "/".join(parts)
    if ignored.is_in_hidden(plain) or excluded.why_at_or_above(plain):
        raise OutsideRoot
    return parts


def enter(root: Path, folders: Sequence[str], *, make: bool = False) -> int:
    """Open a folder below the root without following links, and return its descriptor, which the caller closes.

    `make`: create missing folders. Raises `OSError` if one of them does not exist, is a link or is no folder.
    """
    place = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for folder in folders:
        try:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=place)
            inner = os.open(folder, _FOLDER, dir_fd=place)
        finally:
            os.close(place)
        place = inner
    return place


def _state(place: int, name: str, objects: Objects) -> FileState | None:
    try:
        about = os.stat(name, dir_fd=place, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(about.st_mode):
        return FileState(mode=LINK_MODE, blob=objects.put_content(os.fsencode(os.readlink(name, dir_fd=place))))
    if stat.S_ISDIR(about.st_mode):
        return _folder_state(place, name)
    with os.fdopen(open_regular(name, dir_fd=place), "rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
    mode = PROGRAM_MODE if about.st_mode & stat.S_IXUSR else FILE_MODE
    return FileState(mode=mode, blob=objects.put_content(content))


def _folder_state(place: int, name: str) -> FileState:
    inner = os.open(name, _FOLDER, dir_fd=place)
    try:
        with os.scandir(inner) as entries:
            if any(True for _ in entries):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    finally:
        os.close(inner)
    return EMPTY_FOLDER


def _temporary(step: FileRestore) -> str:
    """Return the same name for the same step, so that a repeated step removes what a crash has left."""
    return f".cabinet.{hashlib.sha256(msgspec.json.encode(step)).hexdigest()[:12]}"


def _remove_leftover(root: Path, folders: Sequence[str], step: FileRestore) -> None:
    with suppress(OSError):  # usually there is none
        place = enter(root, folders)
        try:
            os.unlink(_temporary(step), dir_fd=place)
        finally:
            os.close(place)


def _put(place: int, name: str, step: FileRestore, objects: Objects) -> None:
    state, temporary = step.new, _temporary(step)
    assert state is not None
    content = objects.content(state.blob)
    try:
        if state.mode == LINK_MODE:
            os.symlink(os.fsdecode(content), temporary, dir_fd=place)
        else:
            _write(place, temporary, content, _permissions(place, name, state))
        os.rename(temporary, name, src_dir_fd=place, dst_dir_fd=place)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=place)
        raise


def _write(place: int, name: str, content: bytes, permissions: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=place), "wb") as file:
        file.write(content)
        file.flush()
        os.fchmod(file.fileno(), permissions)
        os.fsync(file.fileno())


def _permissions(place: int, name: str, state: FileState) -> int:
    """Return the permissions of the existing file, with or without execution; by default those of the umask."""
    try:
        present = os.stat(name, dir_fd=place, follow_symlinks=False).st_mode
    except OSError:
        present = 0
    if not stat.S_ISREG(present):  # nobody has chosen the permissions of a link
        present = 0o666 & ~_mask()
    readable = (present & 0o444) >> 2
    return (present | readable if state.mode == PROGRAM_MODE else present & ~0o111) & 0o777


def _mask() -> int:
    """Return the process's own mask without setting it: other threads create files too."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    return 0o022


def _remove_empty(root: Path, folders: Sequence[str], kept: int) -> None:
    """Remove folders that were created for a file which is gone, if they are empty; the first `kept` of them stay."""
    for length in range(len(folders), kept, -1):
        try:
            place = enter(root, folders[: length - 1])
        except OSError:
            return
        try:
            os.rmdir(folders[length - 1], dir_fd=place)
        except OSError:
            return
        finally:
            os.close(place)
