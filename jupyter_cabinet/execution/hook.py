"""Passes the data of an agent CLI's hook to the server. A stand-alone program: `python -I -S hook.py <run directory>`.

It reads the hook's JSON from stdin, sends ticket and JSON through the run directory's socket, and prints the server's
answer. Whatever goes wrong, it exits 0 silently: a hook must never break the person's CLI.

A CLI waits for each hook, so this imports `_socket`, without the module around it: that starts twice as fast.
"""

import _socket
import sys

TIMEOUT_SECONDS = 10


def main(directory: str) -> None:
    """Send stdin to the run directory and print the answer, waiting without a limit.

    Raises `OSError`, also without a server.
    """
    payload = sys.stdin.buffer.read()
    with open(directory + "/ticket", "rb") as file:  # noqa: PTH123  # pathlib would double the start-up time
        ticket = file.read().strip()
    server = _socket.socket(_socket.AF_UNIX)
    server.settimeout(TIMEOUT_SECONDS)
    server.connect(directory + "/socket")
    # with its length: our end stays open, so that the server notices when no one is waiting
    server.sendall(b"hook %b %d\n" % (ticket, len(payload)) + payload)
    server.settimeout(None)  # a question may wait for a person, and the CLI limits the time of each hook
    while answer := server.recv(65536):
        sys.stdout.buffer.write(answer)
    server.close()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (OSError, IndexError):
        sys.exit(0)
