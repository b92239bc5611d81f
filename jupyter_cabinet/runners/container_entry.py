"""The first program in a container: gets the ends of a launcher's channels from the server, and becomes the launcher.

Started by `docker_runner.py` with `python -I -S container_entry.py SOCKET`, so it can import only the standard library.
The server sends one message: the launcher's command line as JSON, with the descriptors of its stdin, stdout, stderr and
control channel. So the launcher is the same as on the server's machine, and the container ends with it. If stdin is a
PTY, it becomes the controlling terminal.
"""

import contextlib
import fcntl
import json
import os
import socket
import sys
import termios

SECONDS = 10
MESSAGE_BYTES = 1 << 16


def main() -> None:
    """Connect to the socket that the command line names, take the descriptors, and become the launcher.

    Raises `OSError`.
    """
    server = socket.socket(socket.AF_UNIX)
    server.settimeout(SECONDS)
    server.connect(sys.argv[1])
    message, descriptors, _, _ = socket.recv_fds(server, MESSAGE_BYTES, 4)
    *standard, control = descriptors
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
        os.close(descriptor)
    if os.isatty(0):
        with contextlib.suppress(PermissionError):  # the first program of a container usually leads a session already
            os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.set_inheritable(control, True)
    argv = [*json.loads(message), str(control)]
    os.execv(argv[0], argv)  # noqa: S606


if __name__ == "__main__":
    main()
