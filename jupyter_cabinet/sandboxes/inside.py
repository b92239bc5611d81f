"""The first program in a sandbox: limits itself, opens the way to the egress proxy, and becomes the agent CLI.

Started by `bubblewrap.py` with `python -I -S inside.py SETUP PROGRAM ARGUMENT…`, so it can import only the standard
library. SETUP is JSON: `filter` (base64, from `seccomp.py`), `limits`, `identities` (of mounted files and folders, as
`device:inode`), `copies` (from a path to another one), `proxy` (the socket of the egress proxy) and `services` (of the
machine, which are found at the same port inside).
"""

import base64
import ctypes
import errno
import json
import os
import resource
import selectors
import signal
import socket
import stat
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
PROXY_PORT = 3128  # on the loopback of the sandbox, where nothing else listens yet
SERVICE_SECONDS = 5
PIECE_BYTES = 65536
# bwrap ignores them, so that the program can end gently. The program itself gets them as usual.
RESTORED = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ)


class SockFprog(ctypes.Structure):
    """`struct sock_fprog`: the number of instructions and their address."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def limit(limits: dict[str, int]) -> None:
    """Set the limits of this process and of all that it starts. Lower ones are kept. It cannot be undone."""
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


def check(identities: dict[str, str]) -> None:
    """Compare what was mounted with what was meant: somebody may have put a link there since. Raises `OSError`."""
    for path, identity in identities.items():
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode) or (identity and f"{found.st_dev}:{found.st_ino}" != identity):
            raise OSError(errno.ESTALE, f"{path} was replaced meanwhile")


def copy(source: str, target: str) -> None:
    """Copy a file into the home, readable only for this user. Raises `OSError`, also if the target exists."""
    os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
    with open(source, "rb") as old, open(target, "xb", opener=private) as new:  # noqa: PTH123
        while piece := old.read(PIECE_BYTES):
            new.write(piece)


def private(path: str, flags: int) -> int:
    """Open a new file that only this user can read."""
    return os.open(path, flags, 0o600)


def install(code: bytes) -> None:
    """Install the filter of system calls for this process and all that it starts. It cannot be undone.

    Raises `OSError`.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the privileges could not be limited")
    program = SockFprog(len(code) // 8, code)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls was refused")


def forward(path: str, services: list[str]) -> None:
    """Listen on the loopback, and pass each connection to the socket at `path`, in a child process. Returns at once.

    `services`: `host:port` of further services, each at the same port. Raises `OSError` if a port is taken.
    """
    doors = {socket.create_server(("127.0.0.1", PROXY_PORT), backlog=128): ""}
    for service in services:
        doors[socket.create_server(("127.0.0.1", int(service.rpartition(":")[2])), backlog=128)] = service
    if os.fork():
        for door in doors:
            door.close()
        return
    os.setsid()
    first = 3
    for number in sorted(door.fileno() for door in doors):
        os.closerange(first, number)
        first = number + 1
    os.closerange(first, 4096)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    try:
        Forwarder(doors, path).run()
    finally:
        os._exit(1)


def connect(proxy: socket.socket, service: str) -> None:
    """Have the proxy connect to a service, which is on the same machine. Raises `OSError`."""
    proxy.settimeout(SERVICE_SECONDS)
    proxy.sendall(f"CONNECT {service} HTTP/1.1\r\nHost: {service}\r\n\r\n".encode())
    reply = b""
    while not reply.endswith(b"\r\n\r\n"):
        piece = proxy.recv(1)  # not more: what follows belongs to the client
        if not piece:
            raise ConnectionError("the proxy has closed the connection")
        reply += piece
    if reply.split(None, 2)[1] != b"200":
        raise ConnectionError("the proxy has refused the connection")


class Forwarder:
    """Copies bytes between clients and the egress proxy, in one thread. A slow side slows only its own connection."""

    def __init__(self, doors: dict[socket.socket, str], path: str) -> None:
        self.doors: dict[object, str] = dict(doors.items())  # with the service of each; empty: the proxy itself
        self.path = path
        self.selector = selectors.DefaultSelector()
        self.pairs: dict[object, Pipe] = {}  # by each of its two sockets

    def run(self) -> None:
        """Copy until the process is ended with the sandbox. Never returns."""
        for door in self.doors:
            assert isinstance(door, socket.socket)
            door.setblocking(False)
            self.selector.register(door, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj in self.doors:
                    self.accept(key.fileobj)
                elif key.fileobj in self.pairs:
                    self.move(self.pairs[key.fileobj])

    def accept(self, door: object) -> None:
        """Take a client, and connect it to the proxy."""
        assert isinstance(door, socket.socket)
        try:
            client, _ = door.accept()
        except OSError:
            return
        proxy = socket.socket(socket.AF_UNIX)
        try:
            proxy.connect(self.path)
            if service := self.doors[door]:
                connect(proxy, service)
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
        check(setup["identities"])
        limit(setup["limits"])
        for source, target in setup["copies"].items():
            copy(source, target)
        install(base64.b64decode(setup["filter"]))  # also for the forwarder
        if setup["proxy"]:
            forward(setup["proxy"], setup["services"])
        for number in RESTORED:
            signal.signal(number, signal.SIG_DFL)
        stage = "exec"
        os.execvpe(program[0], program, os.environ)  # noqa: S606
    except OSError as error:
        os.write(report, f"{stage}:{error.errno}:{error.strerror}".encode())
        os._exit(126)


if __name__ == "__main__":
    main()
