"""The first program in a sandbox: limits itself, opens the way to the egress proxy, and becomes the agent CLI.

Started by `bubblewrap.py` with `python -I -S inside.py SETUP PROGRAM ARGUMENT…`, so it can import only the standard
library. SETUP is JSON: `filter` (base64, from `seccomp.py`), `limits`, and `proxy` (the socket of the egress proxy).
"""

import base64
import ctypes
import json
import os
import resource
import selectors
import signal
import socket
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
PROXY_PORT = 3128  # on the loopback of the sandbox, where nothing else listens yet
PIECE_BYTES = 65536
# bwrap ignores them, so that the program can end gently. The program itself gets them as usual.
RESTORED = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ)


class SockFprog(ctypes.Structure):
    """`struct sock_fprog`: the number of instructions and their address."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def limit(limits: dict[str, int]) -> None:
    """Set the limits of this process and of all that it starts. Lower ones are kept."""
    wanted = {
        resource.RLIMIT_NPROC: limits["processes"],
        resource.RLIMIT_FSIZE: limits["file_bytes"],
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_CORE: 0,
    }
    for name, value in wanted.items():
        _, hard = resource.getrlimit(name)
        lower = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (lower, lower))


def install(code: bytes) -> None:
    """Install the filter of system calls. Raises `OSError`."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the privileges could not be limited")
    program = SockFprog(len(code) // 8, code)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls was refused")


def forward(path: str) -> None:
    """Listen on the loopback, and pass each connection to the socket at `path`, in a child process."""
    door = socket.create_server(("127.0.0.1", PROXY_PORT), backlog=128)
    if os.fork():
        door.close()
        return
    os.setsid()
    os.closerange(3, door.fileno())
    os.closerange(door.fileno() + 1, 4096)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    try:
        Forwarder(door, path).run()
    finally:
        os._exit(1)


class Forwarder:
    """Copies bytes between clients and the egress proxy, in one thread. A slow side slows only its own connection."""

    def __init__(self, door: socket.socket, path: str) -> None:
        self.door = door
        self.path = path
        self.selector = selectors.DefaultSelector()
        self.pairs: dict[object, Pipe] = {}  # by each of its two sockets

    def run(self) -> None:
        """Never returns: the process is ended with the sandbox."""
        self.door.setblocking(False)
        self.selector.register(self.door, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.door:
                    self.accept()
                elif key.fileobj in self.pairs:
                    self.move(self.pairs[key.fileobj])

    def accept(self) -> None:
        """Take a client, and connect it to the proxy."""
        try:
            client, _ = self.door.accept()
        except OSError:
            return
        proxy = socket.socket(socket.AF_UNIX)
        try:
            proxy.connect(self.path)
        except OSError:
            client.close()
            proxy.close()
            return
        pipe = Pipe(client, proxy)
        for end in (client, proxy):
            end.setblocking(False)
            self.pairs[end] = pipe
        self.watch(pipe)

    def move(self, pipe: "Pipe") -> None:
        """Copy what can be copied now, then wait for the rest."""
        try:
            for way in pipe.ways:
                way.move()
        except OSError:
            self.drop(pipe)
            return
        if all(way.over for way in pipe.ways):
            self.drop(pipe)
        else:
            self.watch(pipe)

    def watch(self, pipe: "Pipe") -> None:
        """Wait for exactly those events that allow another copy."""
        for end in pipe.ends:
            wanted = 0
            for way in pipe.ways:
                if way.source is end and not way.ended and not way.rest:
                    wanted |= selectors.EVENT_READ
                if way.target is end and way.rest:
                    wanted |= selectors.EVENT_WRITE
            known = end.fileno() in self.selector.get_map()
            if wanted and known:
                self.selector.modify(end, wanted)
            elif wanted:
                self.selector.register(end, wanted)
            elif known:
                self.selector.unregister(end)

    def drop(self, pipe: "Pipe") -> None:
        """Close both ends."""
        for end in pipe.ends:
            self.pairs.pop(end, None)
            if end.fileno() in self.selector.get_map():
                self.selector.unregister(end)
            end.close()


class Pipe:
    """One connection: two ends, two ways."""

    def __init__(self, client: socket.socket, proxy: socket.socket) -> None:
        self.ends = (client, proxy)
        self.ways = (Way(client, proxy), Way(proxy, client))


class Way:
    """One direction. `rest`: bytes that were read and are not written yet."""

    def __init__(self, source: socket.socket, target: socket.socket) -> None:
        self.source = source
        self.target = target
        self.rest = b""
        self.ended = False  # the source sends nothing more
        self.over = False  # and the target knows it

    def move(self) -> None:
        """Read once if nothing waits, and write what waits. Raises `OSError` if an end is gone."""
        if not self.rest and not self.ended:
            try:
                self.rest = self.source.recv(PIECE_BYTES)
                self.ended = not self.rest
            except BlockingIOError:
                pass
        if self.rest:
            try:
                self.rest = self.rest[self.target.send(self.rest) :]
            except BlockingIOError:
                pass
        if self.ended and not self.rest and not self.over:
            self.over = True
            self.target.shutdown(socket.SHUT_WR)


def main() -> None:
    """Set up the sandbox from within, then become the program, or report to the launcher why not."""
    setup = json.loads(sys.argv[1])
    program = sys.argv[2:]
    report = int(os.environ.pop("JUPYTER_CABINET_STARTED"))
    os.set_inheritable(report, False)
    os.write(report, b"inside\n")
    stage = "sandbox"
    try:
        limit(setup["limits"])
        install(base64.b64decode(setup["filter"]))  # also for the forwarder
        if setup["proxy"]:
            forward(setup["proxy"])
        for number in RESTORED:
            signal.signal(number, signal.SIG_DFL)
        stage = "exec"
        os.execvpe(program[0], program, os.environ)  # noqa: S606
    except OSError as error:
        os.write(report, f"{stage}:{error.errno}:{error.strerror}".encode())
        os._exit(126)


if __name__ == "__main__":
    main()
