"""PTYs of this machine: terminado starts them; only this file reads, writes and calls `waitpid`.

The only file that knows terminado. It uses just the process class, as a plain object: its managers read in one way for
all, decode, sleep on the loop when they close, and copy the server's environment. The port is `Pty`.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import signal
import struct
import sys
import termios
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from terminado.management import PtyProcessUnicode as PtyProcess  # type: ignore[attr-defined]

from .port import ProcessExit, SignalName, Size

READ_TURN_BYTES = 16 << 10  # per turn of the loop: larger ones make other terminals slower to echo
KERNEL_BYTES = 4 << 10  # what Linux returns at once, and the limit per turn while somebody types, in any terminal
TYPING_SECONDS = 0.25  # after a key
WRITE_TURN_BYTES = 16 << 10
LAST_OUTPUT_SECONDS = 2.0  # for the end of file after the last process has ended
REAP_LOOK_SECONDS = 0.02  # only if the system has no pidfd

TIOCSIG = 0x40045436  # Linux: signal the foreground process group, as the key would

INHERITED_SIGNALS = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGPIPE,
    signal.SIGXFSZ,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
)
CONTROL_CHARACTERS: dict[SignalName, bytes] = {"INT": b"\x03", "QUIT": b"\x1c", "TSTP": b"\x1a"}


def _prepare(descriptors: Sequence[int], cwd: str | None) -> None:
    """In the child, before exec. It must not fail: it could not report an error to anybody."""
    for descriptor in descriptors:  # `pass_fds` of ptyprocess does not close these, but exec would
        os.set_inheritable(descriptor, True)
    # signals that the server ignores would stay ignored in a shell and everything it starts
    for number in INHERITED_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if cwd is not None:
        try:
            os.chdir(cwd)
        except OSError:  # removed meanwhile
            os.chdir("/")


class Typing:
    """Remembers whether somebody types, at any PTY: others are then read in smaller pieces."""

    def __init__(self) -> None:
        self._until = 0.0  # the loop's time

    def note(self) -> None:
        """Record that a key was written, which counts for `TYPING_SECONDS`."""
        self._until = asyncio.get_running_loop().time() + TYPING_SECONDS

    def goes_on(self, now: float) -> bool:
        """Return whether a key was written recently. `now`: the loop's time in seconds."""
        return now < self._until


class LocalPty:
    """One PTY, and the process that leads its session. Nothing is read before `start`."""

    def __init__(self, descriptor: int, pid: int, typing: Typing, *, is_child: bool = True) -> None:
        """`descriptor`: our end, which is closed at the end. `is_child`: whether the process is one of this server."""
        self._fd = descriptor
        self._is_child = is_child
        self.pid = pid
        self.open = True
        self.has_more = False
        self._typing = typing
        self._loop = asyncio.get_running_loop()
        self._on_output: Callable[[bytes], None] | None = None
        self._exit = ProcessExit()  # of the leader, once it is reaped
        self._ended = asyncio.Event()  # everything was read, the descriptor is released
        os.set_blocking(self._fd, False)

    # --- reading -------------------------------------------------------------------------------

    def start(self, on_output: Callable[[bytes], None]) -> None:
        self._on_output = on_output
        self.read(True)

    def read(self, on: bool) -> None:
        if self.open and on:
            self._loop.add_reader(self._fd, self._read_turn)
        elif self.open:
            self._loop.remove_reader(self._fd)

    def _read_turn(self) -> None:
        typing = self._typing.goes_on(self._loop.time())
        data = self._take(KERNEL_BYTES if typing else READ_TURN_BYTES)
        if data is None:
            self._release()
        elif data and self._on_output is not None:
            self._on_output(data)

    def _take(self, turn_bytes: int) -> bytes | None:
        """Return the available output, up to the limit per turn; None at the end of file."""
        parts: list[bytes] = []
        self.has_more = False
        for _ in range(turn_bytes // KERNEL_BYTES):
            try:
                data = os.read(self._fd, KERNEL_BYTES)
            except BlockingIOError:
                return b"".join(parts)
            except OSError as error:
                if error.errno != errno.EIO:  # Linux reports in this way that nobody has the other end open
                    raise
                data = b""
            if not data:
                return b"".join(parts) or None
            parts.append(data)
        self.has_more = len(parts[-1]) > KERNEL_BYTES // 4  # the echo of a person's typing is shorter
        return b"".join(parts)

    # --- writing -------------------------------------------------------------------------------

    def write(self, data: bytes | memoryview) -> int:
        self._typing.note()
        try:
            return os.write(self._fd, data[:WRITE_TURN_BYTES])
        except BlockingIOError:
            return 0

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        if not self.open:
            return
        if callback is not None:
            self._loop.add_writer(self._fd, callback)
        else:
            self._loop.remove_writer(self._fd)

    def resize(self, size: Size) -> None:
        if self.open:
            _set_size(self._fd, size)

    def interrupt(self, name: SignalName) -> None:
        if not self.open:
            return
        if sys.platform == "linux":
            fcntl.ioctl(self._fd, TIOCSIG, signal.Signals[f"SIG{name}"])
        else:
            self.write(CONTROL_CHARACTERS[name])

    # --- the end -------------------------------------------------------------------------------

    async def finish(self) -> ProcessExit:
        self.read(True)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), LAST_OUTPUT_SECONDS)
        self._release()
        await self._reap()
        return self._exit

    async def leader_ended(self) -> None:
        """Wait without a limit for the end of the session's leader. It stays in the process table if possible."""
        if not hasattr(os, "pidfd_open"):
            while not self._wait():  # noqa: ASYNC110 - there is nothing to wait on
                await asyncio.sleep(REAP_LOOK_SECONDS)
            return
        ended = asyncio.Event()
        descriptor = os.pidfd_open(self.pid)
        self._loop.add_reader(descriptor, ended.set)
        try:
            await ended.wait()
        finally:
            self._loop.remove_reader(descriptor)
            os.close(descriptor)

    def _release(self) -> None:
        """Release the descriptor. `PtyProcess.close` would sleep on the loop and wait for the process."""
        if self.open:
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
            self.open = False
            os.close(self._fd)
            self._ended.set()

    async def _reap(self) -> None:
        """Wait for the session's leader. Everything it started is gone already.

        Nothing keeps the pid of a process that is no child: it may be another process by now.
        """
        if not self._is_child:
            return
        try:
            await asyncio.wait_for(self.leader_ended(), LAST_OUTPUT_SECONDS)
        except TimeoutError:
            os.kill(self.pid, signal.SIGKILL)
            await self.leader_ended()
        self._wait()

    def _wait(self) -> bool:
        """Remove the leader's status from the process table; return False while it lives."""
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            return True
        if pid != 0:
            self._exit = ProcessExit(
                code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            )
        return pid != 0


class Ptys:
    """Starts the PTYs of one server, on the current asyncio loop."""

    def __init__(self) -> None:
        self._typing = Typing()

    def spawn(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        size: Size,
        pass_fds: Sequence[int] = (),
        cwd: str | None = None,
    ) -> LocalPty:
        """Start `argv` as the leader of a session on a new PTY, in `cwd`, or in `/` if that does not exist.

        None: the server's. Raises `OSError` if it cannot be executed, `FileNotFoundError` if it does not exist. Needs a
        running loop.
        """
        with warnings.catch_warnings():
            # Python 3.12 warns of forks in a process with threads; the child only executes.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = PtyProcess.spawn(  # type: ignore[no-untyped-call]
                list(argv),
                env=dict(environment),
                dimensions=(size.rows, size.cols),
                pass_fds=tuple(pass_fds),
                preexec_fn=lambda: _prepare(pass_fds, cwd),
            )
        pty = LocalPty(os.dup(process.fd), process.pid, self._typing)  # not inherited, as forkpty's would be
        # ptyprocess keeps two unused buffers of 8 KiB, and would sleep when it closes.
        process.fileobj.close()
        process.closed, process.fd = True, -1
        return pty

    def pair(self, size: Size) -> tuple[int, int]:
        """Return the descriptors of a new PTY: our end, and that of a program. The caller closes them."""
        ours, theirs = os.openpty()
        _set_size(ours, size)
        return ours, theirs

    def adopt(self, descriptor: int, pid: int) -> LocalPty:
        """Return the PTY with this end, which it closes at its end.

        `pid`: of its session's leader, which is no child of ours.
        """
        return LocalPty(descriptor, pid, self._typing, is_child=False)


def _set_size(descriptor: int, size: Size) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.cols, 0, 0))
