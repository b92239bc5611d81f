"""What a run in a sandbox can read, change and reach: the values from which `mounts.py` plans its inside.

A view is a value, so a test can read it, and a page can show it to people. `execution/sandbox/isolation.py` makes them.
"""

from __future__ import annotations

import msgspec

GIB = 2**30

# The names in a working folder that may exist for a while only because a sandbox protects them, empty or as `{}`.
PLACE_NAMES = frozenset({".agents", ".claude", ".gemini", ".gitmodules", ".mcp.json", ".playbooks", ".vscode"})
PLACE_BYTES = 2  # the largest of these files


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits for each process of the run, and for the folders that exist only inside."""

    # Also threads, of which numerical libraries start one for each core. The kernel does not apply it to root.
    processes: int = 2048
    file_bytes: int = 16 * GIB
    open_files: int = 4096
    temporary_bytes: int = 2 * GIB  # of /tmp, and of the empty home


class SandboxView(msgspec.Struct, frozen=True, kw_only=True):
    """All paths are absolute and contain no symbolic link. Paths that do not exist are allowed everywhere.

    A deeper path counts more than a path above it: a folder in `write` can contain one in `read`. At the same path,
    `hidden` counts most, then `private`, `fixed`, `write` and `read`. If a path in `fixed` or `hidden` does not
    exist, it is shown as an empty file (`{}` if it ends with `.json`), or as an empty folder if it ends with `/`.
    """

    folder: str  # where the program starts; it must be visible
    home: str  # empty inside, but for what is listed here
    image: str | None = None  # of a container, with the programs that are visible; None: those of this machine
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()  # in a folder of `write`: cannot be changed, and cannot be created if it does not exist
    private: tuple[str, ...] = ()  # folders in a folder of `write`: empty at first, and what is written there is lost
    hidden: tuple[str, ...] = ()  # in a folder of `write` or `read`: empty inside
    copied: tuple[str, ...] = ()  # files in the home: the program gets a copy of each, and its changes are lost
    # Services of this machine that the program finds at the same port inside, through the proxy: `host:port`.
    local_services: tuple[str, ...] = ()
    proxy_socket: str | None = None  # of the egress proxy, the only way out; None: no network
    limits: Limits = Limits()
