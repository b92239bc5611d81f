"""The port for running processes: with pipes, on a PTY, or as a person's own program on a PTY.

An adapter is a sandbox. Everything but a person's program starts under the launcher (`launcher.py`). Callers: `runs/`
(pipes) and `terminals/` (PTYs). `testing/sandboxes.py` tests the promises of an adapter.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

import msgspec

from .view import SandboxView

LaunchSignal = Literal["INT", "TERM", "KILL", "STOP", "CONT", "HUP", "QUIT", "TSTP"]
SignalName = Literal["INT", "QUIT", "TSTP"]  # those that a terminal has keys for


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """Of the PTY, in characters."""

    cols: int
    rows: int


class ProcessExit(msgspec.Struct, frozen=True, kw_only=True):
    """How the program ended (one of the two is set) and how many descendants had to be ended after it.

    `killed`: the launcher itself died; the program's own end is then unknown. `lost_worker`: the launcher was on this
    worker, which died or can no longer be reached.
    """

    code: int | None = None
    signal: int | None = None
    survivors: int = 0
    killed: bool = False
    lost_worker: str = ""


class Pty(Protocol):
    """The server's end of a PTY. Unread output waits in the kernel, and slows the program."""

    pid: int  # of the process that leads its session
    open: bool  # until the end of its output
    has_more: bool  # there was more to read than in the last piece

    def start(self, on_output: Callable[[bytes], None]) -> None:
        """Pass the output to `on_output` from now on, on the loop, some KiB at a time. Call it once."""

    def read(self, on: bool) -> None:
        """Set whether to continue reading. Without effect after the end of the output."""

    def write(self, data: bytes | memoryview) -> int:
        """Write as much as possible without waiting; return how many bytes, possibly 0.

        Raises `OSError` when nobody reads now.
        """

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        """Call back on the loop, repeatedly, while `write` would accept something; None ends that.

        After the end: no effect.
        """

    def resize(self, size: Size) -> None:
        """Set the size, which the program learns by a signal. After the end: no effect."""

    def interrupt(self, name: SignalName) -> None:
        """Signal the foreground process group, as the key would. After the end: no effect."""

    async def finish(self) -> ProcessExit:
        """Pass on the last output, release everything, and return how the session's leader ended.

        Call it after every process has ended. Waits a few seconds at most. The exit is empty if the leader is no
        process of this server.
        """


class Launched(Protocol):
    """A program under its launcher. It does nothing before `go`."""

    pid: int  # of the launcher, which is the leader of the program's session
    started_at: str  # of the launcher, from the process table: with `pid` it names one process forever

    async def go(self) -> None:
        """Release the program: its pid is recorded now.

        Raises `Unavailable` if it cannot be executed; nothing of it is left then.
        """

    async def signal(self, name: LaunchSignal) -> None:
        """Send a signal to every descendant. Does not wait for its effect. No effect after the end."""

    async def stop(self) -> ProcessExit:
        """End every descendant, and return the exit of the program when none is left.

        Calling it again, or after the end, is fine. Sends SIGINT three times, 0.5 s apart, then SIGTERM, and SIGKILL
        after 1 s.
        """

    async def wait(self) -> ProcessExit:
        """Wait until the program has ended and every descendant is gone, or its worker is lost.

        A lost worker is `ProcessExit.lost_worker`. Output of pipes that nobody is reading by then is dropped.
        """


class PipedProcess(Launched, Protocol):
    """A program with pipes."""

    def output(self) -> AsyncIterator[tuple[Literal["stdout", "stderr"], bytes]]:
        """Yield the program's output, as it comes, until both pipes end. Reading slowly slows the program.

        Read it once.
        """

    async def write(self, data: bytes) -> None:
        """Write to the program's stdin, and wait while the program is slow to read; a closed pipe is no error."""

    def close_stdin(self) -> None:
        """Close stdin, after what was written. Calling it again is fine."""


class PtyProcess(Launched, Protocol):
    """A program on its own PTY. `wait` does not wait for its output: `pty.finish` takes the rest of that."""

    @property
    def pty(self) -> Pty:
        """Return its PTY."""

    def on_exited(self, callback: Callable[[], None]) -> None:
        """Register a callback for when the program has ended, while its descendants are still being ended."""

    async def moving(self) -> bool:
        """Return whether any process of it runs. After the signal STOP none does, but only some time later."""

    def begin_turn(self) -> None:
        """Mark that the processes which the program starts from now on belong to a turn."""

    async def end_turn(self) -> bool:
        """Send TERM, after 1 s KILL, to commands started since `begin_turn`, including those in another session.

        The program continues, and so do the helpers that it talks to over their stdin. Return False if some cannot be
        ended. Before `begin_turn` nothing is ended, and the result is True.
        """

    def close(self) -> None:
        """Release the launcher. One that still has descendants ends them at once."""


class PtySession(Protocol):
    """A person's own program on its own PTY, without a launcher: the leader of a session."""

    pid: int

    @property
    def pty(self) -> Pty:
        """Return its PTY."""

    async def wait(self) -> None:
        """Wait until the program itself has ended. Its child processes may still live."""

    async def end(self) -> bool:
        """Send HUP, TERM, then KILL to the session until nothing is left; return False if some cannot be ended.

        Gives up after a few seconds.
        """


class PipesSandbox(Protocol):
    """An environment where programs with pipes run. `environment` is the whole environment of the program.

    `view`: what the program can read, change and reach; None: everything that the server's user can.
    """

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> PipedProcess:
        """Prepare a program with pipes; it starts with `go`. May wait for a place where it can start.

        Raises `Unavailable`, also if it cannot be isolated as `view` says. `cwd` is absolute.
        """


@runtime_checkable
class PtySandbox(PipesSandbox, Protocol):
    """An environment where programs of ours on PTYs run, too."""

    async def start_on_pty(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        size: Size,
        view: SandboxView | None = None,
    ) -> PtyProcess:
        """Prepare a program on a new PTY; `go` starts it.

        `view`: None: it can read and change everything that the server's user can. `cwd` is absolute. Raises
        `Unavailable`, also if it cannot be isolated as `view` says, and `OSError` if there is no PTY.
        """


class Sandbox(PtySandbox, Protocol):
    """An environment where a person's own programs run, too."""

    def start_session(self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], size: Size) -> PtySession:
        """Start a person's own program on a PTY. In the root folder, if `cwd` does not exist.

        Raises `OSError` for a program that cannot be executed, `FileNotFoundError` for one that does not exist.
        """
