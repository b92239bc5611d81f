"""Turns a program into the same program inside bubblewrap, by its command line. It starts nothing itself.

The launcher starts the result like any other program, and stays outside. Bubblewrap's own arguments are the sandbox;
`view.py` says what is visible, `inside.py` is the first program inside. Facts were observed on bubblewrap 0.8.0.

Limits:

- A mount ends when somebody outside removes or replaces the file below it (observed). So a fixed file can be changed
  inside after `git config` outside; a run warns of such a change (`execution/isolation.py`).
- A fixed or hidden file with a second name (a hard link) can be changed or read by that name. A symbolic link in a
  fixed folder may lead to a file that can be changed.
- Bubblewrap follows links when it mounts. So each mount is compared inside with what was checked before (`identity`).
- A program can connect to Unix sockets in the folders that it sees, if the view does not hide them.
"""

from __future__ import annotations

import base64
import json
import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
ETC = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "fonts", "group", "hostname", "ld.so.cache",
    "ld.so.conf", "ld.so.conf.d", "localtime", "locale.alias", "magic", "mime.types", "nsswitch.conf", "passwd",
    "pki", "profile", "protocols", "services", "shells", "ssl", "terminfo", "timezone",
)  # fmt: skip
# Work in them, or in the root, cannot be isolated.
SYSTEM_FOLDERS = frozenset(map(PurePosixPath, ("/", "/tmp", "/var", "/run", "/home")))  # noqa: S108
SYSTEM_PARTS = frozenset(
    ("/", name) for name in ("usr", "bin", "sbin", "lib", "lib64", "etc", "proc", "sys", "dev", "boot")
)
ISOLATION = (
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup",
    "--disable-userns", "--cap-drop", "ALL", "--die-with-parent", "--hostname", "sandbox",
)  # fmt: skip
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

HOW_TO_INSTALL = "Install it, for example with `sudo apt install bubblewrap`."
NOT_INSTALLED = f"Bubblewrap is not installed. {HOW_TO_INSTALL}"

HOSTS_FILE = Path(__file__).with_name("hosts.txt")
Kind = Literal["file", "folder", "link"]


class Sandboxed(NamedTuple):
    """A program inside. `created`: files and folders that exist on the disk only as places for mounts."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    created: tuple[str, ...]


class Mount(msgspec.Struct, frozen=True):
    """One mount. `created`: nothing was at this path before."""

    path: str
    how: Literal["read", "write", "empty_folder", "empty_file", "private"]
    created: bool = False


def kind_on_disk(path: str) -> Kind | None:
    """Return what is at a path, without following a symbolic link there; None: nothing."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    return "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "file"


def identity(path: str) -> str | None:
    """Return what tells a file or folder from every other one; None if nothing is there, or a link is on the way."""
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


def program() -> str | None:
    """Return the path of bubblewrap, if it is installed."""
    return shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")


def sandboxed(
    argv: Sequence[str],
    environment: Mapping[str, str],
    view: SandboxView,
    bwrap: str,
    kind: Callable[[str], Kind | None] = kind_on_disk,
) -> Sandboxed:
    """Return the command line and environment of a program inside. `kind` says what exists.

    Raises `Unavailable` if a path that must be protected is a symbolic link, because the link could be changed, or if
    the program could change the system.
    """
    for path in view.write:
        if reason := unfit(path):
            raise Unavailable(reason)
    if (count := len((*view.fixed, *view.hidden))) > MAX_PROTECTED:
        raise Unavailable(
            f"Too many files would have to be protected or hidden: {count}. Remove them, for example sockets in "
            f"{view.folder}."
        )
    needed = list(mounts(view, kind))
    arguments = [bwrap, *ISOLATION]
    for name in ETC:
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    arguments += ["--ro-bind", str(HOSTS_FILE), "/etc/hosts"]
    size = str(view.limits.temporary_bytes)
    # A writable /proc would let root change the kernel's settings, and anybody change the memory of bubblewrap itself.
    arguments += ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/var/tmp", "/run"):  # noqa: S108 - inside
        arguments += ["--size", size, "--tmpfs", folder]
    arguments += ["--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108 - inside
    for mount in needed:
        arguments += _arguments(mount, size)
    for mount in needed:
        if mount.how == "empty_folder" and mount.path != view.home and not mount.created:
            arguments += ["--remount-ro", mount.path]  # only now, because mounts in it had to be created
    identities = dict(_identities(needed, kind))
    copied = [path for path in view.copied if kind(path) == "file"]
    for number, path in enumerate(copied):
        arguments += ["--ro-bind", path, f"{COPIES}/{number}"]
    arguments += ["--remount-ro", "/"]
    arguments += ["--chdir", view.folder, "--", sys.executable, "-I", "-S", str(INSIDE)]
    arguments.append(_setup(view, copied, identities))
    return Sandboxed(
        argv=(*arguments, *argv),
        environment=_environment(environment, view),
        created=tuple(mount.path for mount in needed if mount.created),
    )


def unfit(path: str) -> str:
    """Return why a folder cannot be writable in a sandbox, as a sentence; empty if it can be."""
    if PurePosixPath(path) in SYSTEM_FOLDERS or PurePosixPath(path).parts[:2] in SYSTEM_PARTS:
        return f"{path} belongs to the system, so work in it cannot be isolated."
    if path in own_paths():
        return f"{path} is the server's own Python, so work in it cannot be isolated."
    return ""


# --- the mounts ------------------------------------------------------------------------------------


def mounts(view: SandboxView, kind: Callable[[str], Kind | None]) -> Iterator[Mount]:
    """Yield the mounts, a folder before what is in it."""
    found: dict[str, Mount] = {path: Mount(path, "read") for path in SYSTEM if kind(path)}
    found[view.home] = Mount(view.home, "empty_folder")
    found |= {path: Mount(path, "read") for path in (*own_paths(), *view.read) if kind(path)}
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


def own_paths() -> tuple[str, ...]:
    """Return what `inside.py`, the hooks and our tool server need: this Python, and this package."""
    interpreter = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parents[1])}
    return (*sorted(interpreter), str(INSIDE.parents[1]))


def _paths_and_kinds(paths: Iterable[str]) -> Iterator[tuple[str, Kind]]:
    """Yield each path without its final `/`, and what to show there if nothing exists."""
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


def _arguments(mount: Mount, size: str) -> list[str]:
    path = mount.path
    match mount.how:
        case "read":
            return ["--ro-bind", path, path]
        case "write":
            return ["--bind", path, path]
        case "empty_file":
            # not /dev/null, which cannot be read there
            return ["--ro-bind", str(NO_SETTINGS_FILE if path.endswith(".json") else NO_TEXT_FILE), path]
        case "empty_folder" if mount.created:
            return ["--tmpfs", path, "--remount-ro", path]
        case "empty_folder" | "private":
            return ["--size", size, "--tmpfs", path]


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


def _setup(view: SandboxView, copied: list[str], identities: Mapping[str, str]) -> str:
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
