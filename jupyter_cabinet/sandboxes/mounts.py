"""What a sandbox mounts for a view, and what the first program inside (`inside.py`) gets. It starts nothing itself.

Used by `bubblewrap.py`, and by runners whose containers keep the same promises.
"""

from __future__ import annotations

import base64
import json
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

import msgspec

from ..core.errors import Unavailable
from .inside import PROXY_PORT
from .seccomp import AARCH64, X86_64, filter_bytes
from .view import SandboxView

INSIDE = Path(__file__).with_name("inside.py")
# In place of files that do not exist, or are hidden.
NO_SETTINGS_FILE, NO_TEXT_FILE = (Path(__file__).with_name(name) for name in ("empty.json", "empty.txt"))
ARCHITECTURES = {"x86_64": X86_64, "aarch64": AARCH64}

SYSTEM = ("/usr", "/opt", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
# Work in them, or in the root, cannot be isolated.
SYSTEM_FOLDERS = frozenset(map(PurePosixPath, ("/", "/tmp", "/var", "/run", "/home")))  # noqa: S108
SYSTEM_PARTS = frozenset(
    ("/", name) for name in ("usr", "bin", "sbin", "lib", "lib64", "etc", "proc", "sys", "dev", "boot")
)
SHARED_MEMORY = PurePosixPath("/dev/shm")  # noqa: S108 - people keep fast temporary files below it
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
# Addresses of what is not inside, such as the session bus and the agent of SSH keys.
NOT_INSIDE = (
    "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK",
    *PROXIES, "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
)  # fmt: skip

# They would act on bubblewrap itself, outside, and load libraries from the working folder.
LOADER_VARIABLES = ("LD_", "GCONV_PATH", "LOCPATH", "GLIBC_TUNABLES")

MAX_PROTECTED = 2000  # paths; bwrap takes at most 9000 arguments, and a mount is at least three

COPIES = "/run/copies"  # where files are inside before they are copied

Kind = Literal["file", "folder", "link"]


class Mount(msgspec.Struct, frozen=True):
    """One mount. `created`: nothing was at this path before."""

    path: str
    how: Literal["read", "write", "empty_folder", "empty_file", "private"]
    created: bool = False


def kind_on_disk(path: str) -> Kind | None:
    """Return what is at a path, without following a symbolic link there; None: nothing, or it cannot be seen.

    Sockets and devices count as files.
    """
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    return "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "file"


def identity(path: str) -> str | None:
    """Return `device:inode` of a file or folder; None if nothing is there, or a link is at the path or on the way."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        is_there = not stat.S_ISLNK(found.st_mode) and os.readlink(f"/proc/self/fd/{descriptor}") == path  # noqa: PTH115
        return f"{found.st_dev}:{found.st_ino}" if is_there else None
    finally:
        os.close(descriptor)


class Plan(NamedTuple):
    """What is inside for a view. `created`: files and folders that exist on the disk only as places for mounts.

    `identities`: of mounted files and folders. `copied`: files to be mounted below `COPIES`, each at its position.
    """

    view: SandboxView
    mounts: tuple[Mount, ...]
    identities: dict[str, str]
    copied: tuple[str, ...]
    environment: dict[str, str]
    created: tuple[str, ...]

    def first_program(self, identities: Mapping[str, str]) -> tuple[str, ...]:
        """Return the command line before that of the program itself. `identities`: of further mounts.

        Raises `Unavailable` if there is no filter of system calls for this machine.
        """
        setup = _setup(self.view, self.copied, {**self.identities, **identities})
        return (sys.executable, "-I", "-S", str(INSIDE), setup)


def plan(view: SandboxView, environment: Mapping[str, str], kind: Callable[[str], Kind | None] = kind_on_disk) -> Plan:
    """Return the plan of the inside of a sandbox. Reads the disk and changes nothing. `kind` says what exists.

    Raises `Unavailable` if a path that must be protected is a symbolic link, because the link could be changed; if the
    program could change the system; and if more than `MAX_PROTECTED` paths would have to be protected.
    """
    for path in view.write:
        if reason := unfit(path):
            raise Unavailable(reason)
    if (count := len((*view.fixed, *view.hidden))) > MAX_PROTECTED:
        raise Unavailable(
            f"Too many files would have to be protected or hidden: {count}. Remove them, for example sockets in "
            f"{view.folder}."
        )
    needed = tuple(mounts(view, kind))
    copied = tuple(path for path in view.copied if kind(path) == "file")
    return Plan(
        view=view,
        mounts=needed,
        identities=dict(_identities(needed, kind)),
        copied=copied,
        environment=_environment(environment, view),
        created=tuple(mount.path for mount in needed if mount.created),
    )


def unfit(path: str) -> str:
    """Return why a folder cannot be writable in a sandbox, as a sentence; empty if it can be."""
    folder = PurePosixPath(path)
    is_system = folder in SYSTEM_FOLDERS or folder.parts[:2] in SYSTEM_PARTS
    if is_system and SHARED_MEMORY not in folder.parents:
        return f"{path} belongs to the system, so work in it cannot be isolated."
    if path in own_paths():
        return f"{path} is the server's own Python, so work in it cannot be isolated."
    return ""


# --- the mounts ------------------------------------------------------------------------------------


def mounts(view: SandboxView, kind: Callable[[str], Kind | None]) -> Iterator[Mount]:
    """Yield the mounts, a folder before what is in it.

    Raises `Unavailable` for a link on the way to a protected path.
    """
    always = always_read(view)
    found: dict[str, Mount] = {path: Mount(path, "read") for path in SYSTEM if path in always and kind(path)}
    found[view.home] = Mount(view.home, "empty_folder")
    found |= {path: Mount(path, "read") for path in (*always, *view.read) if kind(path)}
    found |= {path: Mount(path, "write") for path in view.write if kind(path)}
    for path in sorted(found):
        _pin(path, found, kind)
    for path, missing in _paths_and_kinds(view.fixed):
        tree = _deepest_above(path, found)
        if tree is not None and found[tree].how == "write":
            _protect(path, tree, found, kind, missing, hide=False)
    for path in view.private:
        tree = _deepest_above(path, found)
        if tree is not None and found[tree].how == "write":
            _protect(path, tree, found, kind, "folder", hide=True)
            if path in found and found[path].how == "empty_folder":
                found[path] = Mount(path, "private", created=found[path].created)
    for path, missing in _paths_and_kinds(view.hidden):
        tree = _deepest_above(path, found)
        if tree is not None and found[tree].how == "write":
            _protect(path, tree, found, kind, missing, hide=True)
        elif tree is not None and found[tree].how == "read" and (there := kind(path)) is not None:
            found[path] = _empty(path, there)
    yield from sorted(found.values(), key=lambda mount: (mount.path.count("/"), mount.path))


def always_read(view: SandboxView) -> tuple[str, ...]:
    """Return what each program inside can read: the programs of the machine, and `own_paths`.

    In a container, the image's own folders stay visible: if this Python is in one of them, the image has to have it.
    """
    if view.image is None:
        return (*SYSTEM, *own_paths())
    return tuple(path for path in own_paths() if path not in (*SYSTEM, "/usr/local"))


def own_paths() -> tuple[str, ...]:
    """Return what `inside.py`, the hooks and our tool server need: this Python, and this package."""
    interpreter = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parents[1])}
    return (*sorted(interpreter), str(INSIDE.parents[1]))


def _paths_and_kinds(paths: Iterable[str]) -> Iterator[tuple[str, Kind]]:
    """Yield the paths in order, each with the kind to show if nothing is there: a folder if it ended in `/`."""
    for path in sorted(paths):
        yield path.rstrip("/"), "folder" if path.endswith("/") else "file"


def _protect(
    path: str,
    tree: str,
    found: dict[str, Mount],
    kind: Callable[[str], Kind | None],
    missing: Kind,
    *,
    hide: bool,
) -> None:
    """Add a mount at `path` and at each folder between it and `tree`, or at what is in the way."""
    for step in _between(tree, path):
        there = _kind_of_step(step, kind)
        if there != "folder":
            found[step] = Mount(step, "read") if there else _empty(step, "folder", created=True)
            return
    _pin(path, found, kind)
    at_path = _kind_of_step(path, kind)
    if at_path is None:
        found[path] = _empty(path, missing, created=True)
    else:
        found[path] = _empty(path, at_path) if hide else Mount(path, "read")


def _pin(path: str, found: dict[str, Mount], kind: Callable[[str], Kind | None]) -> None:
    """Make each folder between `path` and the first writable one a mount, which cannot be renamed or replaced."""
    above = [tree for tree, mount in found.items() if mount.how == "write" and _is_below(path, tree)]
    if above:
        for step in _between(min(above, key=len), path):
            _kind_of_step(step, kind)
            found.setdefault(step, Mount(step, "write"))


def _kind_of_step(step: str, kind: Callable[[str], Kind | None]) -> Kind | None:
    there = kind(step)
    if there == "link":
        raise Unavailable(f"{step} is a symbolic link, so it cannot be protected in a sandbox. Remove the link.")
    return there


def _is_below(path: str, tree: str) -> bool:
    return path != tree and path.startswith(f"{tree.rstrip('/')}/")


def _empty(path: str, kind: Kind, *, created: bool = False) -> Mount:
    return Mount(path, "empty_folder" if kind == "folder" else "empty_file", created=created)


def _between(tree: str, path: str) -> Iterator[str]:
    parts = PurePosixPath(path).relative_to(tree).parts[:-1]
    for count in range(1, len(parts) + 1):
        yield str(PurePosixPath(tree).joinpath(*parts[:count]))


def _deepest_above(path: str, trees: Iterable[str]) -> str | None:
    """Return the deepest of the `trees` that contains `path`; None if there is none."""
    return max((tree for tree in trees if _is_below(path, tree)), key=len, default=None)


# --- the program -----------------------------------------------------------------------------------


def _identities(needed: Iterable[Mount], kind: Callable[[str], Kind | None]) -> Iterator[tuple[str, str]]:
    """Yield each mounted file and folder that a run could have replaced, with what identifies it.

    Raises `Unavailable` if a link leads to a folder that could be changed.
    """
    for mount in needed:
        if mount.how not in ("read", "write") or mount.path in SYSTEM or kind(mount.path) is None:
            continue
        found = identity(mount.path)
        if found is not None:
            yield mount.path, found
        elif mount.how == "write" and os.path.lexists(mount.path):
            raise Unavailable(f"{mount.path} is or contains a symbolic link, so work in it cannot be isolated.")


def _setup(view: SandboxView, copied: Iterable[str], identities: Mapping[str, str]) -> str:
    architecture = ARCHITECTURES.get(platform.machine())
    if architecture is None:
        raise Unavailable(f"There is no filter of system calls for {platform.machine()}.")
    return json.dumps(
        {
            "filter": base64.b64encode(filter_bytes(architecture)).decode(),
            "limits": msgspec.to_builtins(view.limits),
            "identities": identities,
            "copies": {f"{COPIES}/{number}": path for number, path in enumerate(copied)},
            "proxy": view.proxy_socket,
            "services": view.local_services,
        }
    )


def inside_proxies() -> dict[str, str]:
    """Return the variables that lead programs inside to the egress proxy, but not to what runs inside."""
    proxies = dict.fromkeys(PROXIES, f"http://127.0.0.1:{PROXY_PORT}")
    return {**proxies, **dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,127.0.0.1,::1")}


def _environment(environment: Mapping[str, str], view: SandboxView) -> dict[str, str]:
    kept = {
        name: value
        for name, value in environment.items()
        if name not in NOT_INSIDE and not name.startswith(LOADER_VARIABLES)
    }
    kept["TMPDIR"] = "/tmp"  # noqa: S108 - inside
    if view.proxy_socket is not None:
        kept |= inside_proxies()
        kept["NODE_USE_ENV_PROXY"] = "1"  # Node itself reads no other variable
    return kept
