"""Which process is at the other end of a Unix socket."""

from __future__ import annotations

import asyncio
import socket
import struct


def peer_pid(writer: asyncio.StreamWriter) -> int | None:
    """Return the pid of the process that has opened the other end of a Unix socket.

    0 for one that this process cannot see, None if the system does not report it.
    """
    return pid_at_the_other_end(writer.get_extra_info("socket"))


def pid_at_the_other_end(connection: socket.socket) -> int | None:
    """Return the pid of the process that has opened the other end of a Unix socket; 0 and None as for `peer_pid`."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    form = struct.Struct("3i")  # pid, uid, gid: unix(7)
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, form.size)
    pid: int = form.unpack(told)[0]
    return pid
