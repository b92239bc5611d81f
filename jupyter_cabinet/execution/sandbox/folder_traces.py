"""What an isolated run leaves behind in its working folder: rights that it took, files that could act later.

The folder is held open from before the run until after it: an agent that works in a folder above could put a link in
its place, and then the files of somebody else would be moved.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...core.errors import Unavailable
from ...core.ids import new_id
from ...core.plain_text import one_line
from ...sandboxes.launcher import is_unused
from ...sandboxes.view import SandboxView
from ...storage.filesystem.private_folders import private_folder

# Files that act later, like `isolation.PROJECT_SETTINGS`, but other programs would ask about an empty one, or fail.
# What a run creates there is moved away at its end. `.git/commondir` names another folder, from which git takes its
# settings and hooks. Git fails if it is empty. With `HEAD`, the working folder itself can be a repository: git looks
# there if `.git` is missing or damaged.
SWEPT_SETTINGS = (
    ".git/commondir", "HEAD", ".codex/", ".opencode/", "opencode.json", "opencode.jsonc", ".pi/", ".envrc",
    ".cursor/", ".devcontainer/", ".husky/", ".idea/",
)  # fmt: skip
WORKSPACE_FILES = "*.code-workspace"
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class FolderTraces:
    """Made by `begin`, before the CLI starts. Its methods block."""

    def __init__(
        self, view: SandboxView, aside: Path, git: tuple[str, ...], *, folder: int, modes: dict[int, int]
    ) -> None:
        """`folder` is a descriptor. `modes`: descriptors of folders, with their modes."""
        self._folder = Path(view.folder)
        self._aside = aside
        self._git = git
        self._descriptor = folder
        self._modes = modes
        self._kept = frozenset(self._swept())
        self._before = {path: _fingerprint(path) for path in view.fixed}

    @classmethod
    def begin(cls, view: SandboxView, aside: Path, git: tuple[str, ...] = ()) -> FolderTraces:
        """Note what is there. The caller ends it with `end` or `close`.

        `aside`: a folder, not visible inside, for what the run has created and must not stay. `git`: names in the
        folder from which git takes its hooks and settings. Raises `Unavailable` if the working folder cannot be opened,
        or has been replaced by a link.
        """
        try:
            folder = os.open(view.folder, os.O_RDONLY | _FOLDER)
        except OSError as error:
            raise Unavailable(f"{view.folder} cannot be opened: {error.strerror}.") from None
        if str(_path_of(folder).readlink()) != view.folder:
            os.close(folder)
            raise Unavailable(f"{view.folder} contains a symbolic link, so work in it cannot be isolated.")
        held = [folder]
        with suppress(OSError):
            held.append(os.open(".git", os.O_PATH | _FOLDER, dir_fd=folder))
        return cls(view, aside, git, folder=folder, modes={each: os.fstat(each).st_mode for each in held})

    def end(self) -> list[str]:
        """Return rights to their owner, move away what must not stay, and return warnings for people.

        Call `begin` again later.
        """
        try:
            for descriptor, mode in self._modes.items():
                _give_back(descriptor, mode)
            return [*self._changed_from_outside(), *self._move_away()]
        finally:
            self.close()

    def close(self) -> None:
        """Close the descriptors, without moving anything away. A second call has no effect."""
        for descriptor in self._modes:
            os.close(descriptor)
        self._modes = {}

    def _swept(self) -> list[str]:
        """Return the names of what is there of the files that a run must not leave behind."""
        base = _path_of(self._descriptor)
        names = [name for name in (*SWEPT_SETTINGS, *self._git) if not _is_below_link(base, name)]
        return [*present(base, names), *(path.name for path in base.glob(WORKSPACE_FILES))]

    def _changed_from_outside(self) -> list[str]:
        if _path_of(self._descriptor).readlink() != self._folder:
            return [f"{self._folder} was moved or removed while this isolated run worked in it."]
        return [
            f"{path} was changed from outside while this isolated run worked. After that, the run could change it too: "
            "check what it contains."
            for path, before in self._before.items()
            if _fingerprint(path) != before
        ]

    def _move_away(self) -> list[str]:
        return [self._move(name) for name in self._swept() if name not in self._kept]

    def _move(self, name: str) -> str:
        path, found = one_line(str(self._folder / name)), _path_of(self._descriptor) / name
        kept = private_folder(private_folder(self._aside) / new_id())
        with suppress(OSError):
            descriptor = os.open(found, os.O_PATH | _FOLDER)
            try:
                _give_back(descriptor, stat.S_IRWXU)
            finally:
                os.close(descriptor)
        try:
            shutil.move(found, kept)
        except OSError as error:
            return (
                f"The run created {path}, which could act later. Remove it, because it could not be moved: "
                f"{error.strerror or error}."
            )
        return f"The run created {path}, which could act later. It was moved to {kept}."


def present(folder: Path, names: Iterable[str]) -> list[str]:
    """Return those names that exist in a folder, in their order. A link counts, also if it leads nowhere."""
    return [name for name in names if os.path.lexists(folder / name)]


def _path_of(descriptor: int) -> Path:
    """Return a path of what is held open, wherever it is now."""
    return Path(f"/proc/self/fd/{descriptor}")


def _is_below_link(base: Path, name: str) -> bool:
    return any((base / parent).is_symlink() for parent in Path(name).parents if parent.name)


def _give_back(descriptor: int, mode: int) -> None:
    """Give the owner those rights of `mode` to a folder that a run may have taken: without them, nothing is moved."""
    with suppress(OSError):
        now = os.fstat(descriptor).st_mode
        if mode & stat.S_IRWXU & ~now:
            _path_of(descriptor).chmod(stat.S_IMODE(now | mode & stat.S_IRWXU))


def _fingerprint(path: str) -> tuple[int, ...] | None:
    """Return what tells whether a file was changed or replaced; None if people have nothing there."""
    plain = path.rstrip("/")
    try:
        status = Path(plain).lstat()
    except OSError:
        return None
    if is_unused(plain):
        return None
    return (status.st_ino,) if path.endswith("/") else (status.st_ino, status.st_mtime_ns, status.st_size)
