"""PTYs by terminado and ptyprocess: the one file that touches either of them, and `waitpid`.

terminado keeps the registry and the way in (`new_terminal`, `start_reading`, `pty_read`, `on_eof`); each of
them is replaced where the original blocks the loop, decodes, or copies the server's environment.
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
from typing import Any

from ptyprocess.ptyprocess import PtyProcess
from terminado.management import TermManagerBase

from .model import SignalName, Size

READ_TURN_BYTES = 16 << 10  # per turn of the loop: larger ones make other terminals slower to echo
KERNEL_BYTES = 4 << 10  # what Linux gives at once, and a turn's worth while somebody types, in whatever terminal
TYPING_SECONDS = 0.25  # after a key
WRITE_TURN_BYTES = 16 << 10
LAST_OUTPUT_SECONDS = 2.0  # for the end of file after the last process has ended
REAP_LOOK_SECONDS = 0.02  # only where the system has no pidfd

TIOCSIG = 0x40045436  # Linux: signal the foreground process group, as the key would

PROGRAM_TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "FORCE_COLOR": "3"}
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


def terminal_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a program in one of our PTYs gets: `environment`, the terminal's type, a UTF-8 locale."""
    result = {**environment, **PROGRAM_TERMINAL}
    locale = result.get("LC_ALL") or result.get("LC_CTYPE") or result.get("LANG") or ""
    if "utf-8" not in locale.lower() and "utf8" not in locale.lower():
        result.pop("LC_ALL", None)  # it would win over what follows
        result["LC_CTYPE"] = "C.UTF-8"
        result.setdefault("LANG", "C.UTF-8")
    return result


def _prepare(descriptors: Sequence[int], cwd: str | None) -> None:
    """In the child, before exec. It must not fail: there is nobody whom it could tell."""
    for descriptor in descriptors:  # `pass_fds` of ptyprocess does not close these, but exec would
        os.set_inheritable(descriptor, True)
    for number in INHERITED_SIGNALS:  # what the server ignores would stay ignored in a shell and all it starts
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if cwd is not None:
        try:
            os.chdir(cwd)
        except OSError:  # removed meanwhile
            os.chdir("/")


class Pty:
    """One PTY and the process that leads its session. `Ptys` makes and reads it."""

    def __init__(self, process: PtyProcess, on_written: Callable[[], None]) -> None:
        self.fd: int = os.dup(process.fd)  # not inherited, as forkpty's would be
        self.pid: int = process.pid
        self.open = True
        self._on_written = on_written
        self.has_more = False  # the last turn did not read everything
        self.code: int | None = None  # how the leader ended, once it is reaped
        self.signal: int | None = None
        self.ended = asyncio.Event()  # everything was read, the descriptor is given back
        self.on_output: Callable[[bytes], None] = lambda data: None
        os.set_blocking(self.fd, False)
        # ptyprocess keeps two buffers of 8 KiB, which nobody uses, and would sleep when it closes.
        process.fileobj.close()
        process.closed, process.fd = True, -1

    def read(self, turn_bytes: int) -> bytes | None:
        """What is there, up to a turn's worth; None at the end of file."""
        parts: list[bytes] = []
        self.has_more = False
        for _ in range(turn_bytes // KERNEL_BYTES):
            try:
                data = os.read(self.fd, KERNEL_BYTES)
            except BlockingIOError:
                return b"".join(parts)
            except OSError as error:
                if error.errno != errno.EIO:  # Linux' way of saying that nobody has the other side open
                    raise
                data = b""
            if not data:
                return b"".join(parts) or None
            parts.append(data)
        self.has_more = len(parts[-1]) > KERNEL_BYTES // 4  # what a person typed comes back in less
        return b"".join(parts)

    def write(self, data: bytes | memoryview) -> int:
        """Write what the kernel takes now; return how much that was. Raises `OSError` when nobody reads."""
        self._on_written()
        try:
            return os.write(self.fd, data[:WRITE_TURN_BYTES])
        except BlockingIOError:
            return 0

    def resize(self, size: Size) -> None:
        if self.open:
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.cols, 0, 0))

    def interrupt(self, name: SignalName) -> None:
        """Signal the foreground process group."""
        if not self.open:
            return
        if sys.platform == "linux":
            fcntl.ioctl(self.fd, TIOCSIG, signal.Signals[f"SIG{name}"])
        else:
            self.write(CONTROL_CHARACTERS[name])

    def release(self) -> None:
        """Give the descriptor back. `PtyProcess.close` would sleep on the loop and wait for the process."""
        if self.open:
            self.open = False
            os.close(self.fd)
            self.ended.set()

    async def reap(self) -> None:
        """Wait for the session's leader. Everything it started is gone already."""
        try:
            await asyncio.wait_for(self.leader_ended(), LAST_OUTPUT_SECONDS)
        except TimeoutError:
            os.kill(self.pid, signal.SIGKILL)
            await self.leader_ended()
        self._wait()

    def _wait(self) -> bool:
        """Take the leader's status off the process table; False while it lives."""
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            return True
        if pid != 0:
            self.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
            self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        return pid != 0

    async def leader_ended(self) -> None:
        """Wait for the end of the session's leader, without taking it off the process table where that is possible."""
        loop = asyncio.get_running_loop()
        if not hasattr(os, "pidfd_open"):
            while not self._wait():  # noqa: ASYNC110 - there is nothing to wait on
                await asyncio.sleep(REAP_LOOK_SECONDS)
            return
        ended = asyncio.Event()
        descriptor = os.pidfd_open(self.pid)
        loop.add_reader(descriptor, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)


class Ptys(TermManagerBase):
    """Spawns and reads, on the current asyncio loop.

    Its `Pty` takes the place of terminado's `PtyWithClients`, which knows viewers; hence the ignored types.
    """

    ptys_by_fd: dict[int, Pty]  # type: ignore[assignment]

    def __init__(self) -> None:
        # An executor handed in keeps the base class from making a thread: nothing here blocks.
        super().__init__(shell_command="", blocking_io_executor=self)
        self._keys_until = 0.0  # the loop's time: somebody is at a keyboard

    def spawn(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        size: Size,
        pass_fds: Sequence[int] = (),
        cwd: str | None = None,
    ) -> Pty:
        """Start `argv` as the leader of a session on a new PTY. `start_reading` must follow.

        Raises `OSError` for what cannot be executed.
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
        return Pty(process, on_written=self._written)

    def new_terminal(self, **options: Any) -> Pty:  # type: ignore[override]
        return self.spawn(**options)

    def start_reading(self, pty: Pty) -> None:  # type: ignore[override]
        self.ptys_by_fd[pty.fd] = pty
        self.resume(pty)

    def resume(self, pty: Pty) -> None:
        if pty.open:
            asyncio.get_running_loop().add_reader(pty.fd, self.pty_read, pty.fd)

    def pause(self, pty: Pty) -> None:
        """Leave the output in the kernel: the program is slowed."""
        if pty.open:
            asyncio.get_running_loop().remove_reader(pty.fd)

    def _written(self) -> None:
        self._keys_until = asyncio.get_running_loop().time() + TYPING_SECONDS

    def pty_read(self, fd: int, events: Any = None) -> None:
        pty = self.ptys_by_fd[fd]
        somebody_types = asyncio.get_running_loop().time() < self._keys_until
        data = pty.read(KERNEL_BYTES if somebody_types else READ_TURN_BYTES)
        if data is None:
            self.on_eof(pty)
        elif data:
            pty.on_output(data)

    def on_eof(self, pty: Pty) -> None:  # type: ignore[override]
        if self.ptys_by_fd.pop(pty.fd, None) is not None:
            loop = asyncio.get_running_loop()
            loop.remove_reader(pty.fd)
            loop.remove_writer(pty.fd)
            pty.release()

    async def finish(self, pty: Pty) -> None:
        """Take the last output of a PTY whose processes have ended, then let go of it."""
        self.resume(pty)
        with suppress(TimeoutError):
            await asyncio.wait_for(pty.ended.wait(), LAST_OUTPUT_SECONDS)
        self.on_eof(pty)
        await pty.reap()
