"""Turns a program into the same program inside bubblewrap, by its command line. It starts nothing itself.

The launcher starts the result like any other program, and stays outside. Bubblewrap's own arguments are the sandbox;
`view.py` says what is visible, `inside.py` is the first program inside. Facts were observed on bubblewrap 0.8.0.

Limits:

- A mount ends when somebody outside removes or replaces the file below it (observed). So a fixed file can be changed
  inside after `git config` outside; a run warns of such a change (`execution/sandbox/isolation.py`).
- A fixed or hidden file with a second name (a hard link) can be changed or read by that name. A symbolic link in a
  fixed folder may lead to a file that can be changed.
- Bubblewrap follows links when it mounts. So each mount is compared inside with what was checked before (`identity`).
- A program can connect to Unix sockets in the folders that it sees, if the view does not hide them.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from .mounts import COPIES, NO_SETTINGS_FILE, NO_TEXT_FILE, Mount, Plan
from .view import SandboxView

ETC = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "fonts", "group", "hostname", "ld.so.cache",
    "ld.so.conf", "ld.so.conf.d", "localtime", "locale.alias", "magic", "mime.types", "nsswitch.conf", "passwd",
    "pki", "profile", "protocols", "services", "shells", "ssl", "terminfo", "timezone",
)  # fmt: skip
ISOLATION = (
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup",
    "--disable-userns", "--cap-drop", "ALL", "--die-with-parent", "--hostname", "sandbox",
)  # fmt: skip
HOW_TO_INSTALL = "Install it, for example with `sudo apt install bubblewrap`."
NOT_INSTALLED = f"Bubblewrap is not installed. {HOW_TO_INSTALL}"

HOSTS_FILE = Path(__file__).with_name("hosts.txt")


def program() -> str | None:
    """Return the path of bubblewrap; None if it is not in the usual folders of programs.

    Does not check that it works.
    """
    return shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")


def command(argv: Sequence[str], view: SandboxView, made: Plan, bwrap: str) -> tuple[str, ...]:
    """Return the command line that starts a program inside, from the plan of its view. Starts nothing.

    `bwrap`: path of bubblewrap. Raises `Unavailable` if there is no filter of system calls for this machine.
    """
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
    for mount in made.mounts:
        arguments += _arguments(mount, size)
    for mount in made.mounts:
        if mount.how == "empty_folder" and mount.path != view.home and not mount.created:
            arguments += ["--remount-ro", mount.path]  # only now, because mounts in it had to be created
    for number, path in enumerate(made.copied):
        arguments += ["--ro-bind", path, f"{COPIES}/{number}"]
    arguments += ["--remount-ro", "/", "--chdir", view.folder, "--", *made.first_program({})]
    return (*arguments, *argv)


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
