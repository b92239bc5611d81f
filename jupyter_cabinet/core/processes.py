"""Names a process so that a later process with the same number is not taken for it.

A name is `host|boot|pid|start`, all from the kernel; if the kernel does not report them, nothing is ever "gone".
"""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

HOST = re.compile(r"[A-Za-z0-9._-]{1,253}")
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def this_process() -> str:
    """Return the name of this process, which other servers can check with `is_gone` and `is_here`."""
    return f"{_machine()}|{os.getpid()}|{start_time(os.getpid()) or ''}"


def is_gone(name: str) -> bool:
    """Return whether the process of that name has certainly ended.

    False if that cannot be known from here: the name is invalid, or of another machine or an earlier boot of this one.
    """
    named = _of_this_machine(name)
    return named is not None and start_time(named[0]) != named[1]


def is_here(name: str) -> bool:
    """Return whether the process of that name certainly lives on this machine. False if that cannot be known."""
    named = _of_this_machine(name)
    return named is not None and start_time(named[0]) == named[1]


def shown(name: str) -> str:
    """Return the host and the number of a named process for people; empty if it is no name of a process."""
    host, _, rest = name.partition("|")
    _, _, process = rest.partition("|")
    pid = process.partition("|")[0]
    return f"{host} (process {pid})" if HOST.fullmatch(host) and pid.isdigit() and len(pid) < 11 else ""


def _of_this_machine(name: str) -> tuple[int, str] | None:
    """Return number and start of a process that has this machine in its name."""
    machine, _, process = name.rpartition("|")
    machine, _, pid = machine.rpartition("|")
    if machine != _machine() or not pid.isdigit() or not process or not BOOT_ID.exists():
        return None
    return int(pid), process


def start_time(pid: int) -> str | None:
    """Return when a process started, in clock ticks since boot.

    None if it has ended (also as a zombie), or if that is not known, because this system has no /proc.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()  # the name in parentheses may contain anything
    return None if fields[0] in (b"Z", b"X") else fields[19].decode()


def _machine() -> str:
    boot = BOOT_ID.read_text().strip() if BOOT_ID.exists() else ""
    return f"{socket.gethostname()}|{boot}"
