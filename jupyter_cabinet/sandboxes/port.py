"""Where a process runs: with pipes, on a PTY, or as a person's own program on a PTY. An adapter is a place.

Everything but a person's program starts under the launcher (`launcher.py`). Callers: `runs/` (pipes) and `terminals/`
(PTYs). What an adapter must keep is tested by `testing/sandboxes.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

LaunchSignal = Literal["INT", "TERM", "KILL", "STOP", "CONT", "HUP", "QUIT", "TSTP"]
SignalName = Literal["INT", "QUIT", "TSTP"]  # those that a terminal has keys for


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """Of the PTY, in characters."""

    cols: int
    rows: int


class ProcessExit(msgspec.Struct, frozen=True, kw_only=True):
    """How the program ended (one of both is set) and how many descendants had to be ended after it.

    `killed` tells that the launcher itself died; the program's own end is then unknown.
    """

    code: int | None = None
    signal: int | None = None
    survivors: int = 0
    killed: bool = False


class Pty(Protocol):
    """The server's end of a PTY. What is not read yet waits in the kernel, and slows the program."""

    pid: int  # of the process that leads its session
    open: bool  # until the end of its output
    has_more: bool  # there was more to read than it has handed out last

    def start(self, on_output: Callable[[bytes], None]) -> None:
        """Hand the output to `on_output` from now on, on the loop, some KiB at a time. To be called once."""

    def read(self, on: bool) -> None:
        """Whether to go on reading."""

    def write(self, data: bytes | memoryview) -> int:
        """Write what is taken without waiting; return how much that was. Raises `OSError` when nobody reads now."""

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        """Call back on the loop, again and again, while `write` would take something; None ends that."""

    def resize(self, size: Size) -> None:
        """Set the size, which the program is told by a signal. After the end: without effect."""

    def interrupt(self, name: SignalName) -> None:
        """Signal the foreground process group, as the key would. After the end: without effect."""

    async def finish(self) -> ProcessExit:
        """Hand out the last output after every process has ended, and give everything back.

        Returns how the leader of the session ended.
        """


class Launched(Protocol):
    """A program under its launcher. It does nothing before `go`."""

    pid: int  # of the launcher, which is the leader of the program's session
    started_at: str  # of the launcher, from the process table: with `pid` it names one process for ever

    async def go(self) -> None:
        """Let the program start: its pid is on record now.

        Raises `Unavailable` if it cannot be executed; nothing of it is left then.
        """

    async def signal(self, name: LaunchSignal) -> None:
        """Send a signal to every descendant."""

    async def stop(self) -> ProcessExit:
        """Three INT 0.5 s apart, TERM, after 1 s KILL, to every descendant; returns when none is left."""

    async def wait(self) -> ProcessExit:
        """Wait until the program has ended and every descendant is gone."""


class PipedProcess(Launched, Protocol):
    """A program with pipes."""

    def output(self) -> AsyncIterator[tuple[Literal["stdout", "stderr"], bytes]]:
        """What the program writes, as it comes, until both pipes end. Reading slowly slows the program."""

    async def write(self, data: bytes) -> None:
        """Write to the program's stdin; a closed pipe is no error."""

    def close_stdin(self) -> None:
        """End of input."""


class PtyProcess(Launched, Protocol):
    """A program on a PTY of its own. `wait` does not wait for its output: `pty.finish` takes the rest of that."""

    @property
    def pty(self) -> Pty:
        """Its PTY."""

    def on_exited(self, callback: Callable[[], None]) -> None:
        """Call back when the program itself has ended, while its descendants are being ended."""

    async def moving(self) -> bool:
        """Whether any process of it runs: none does some time after the signal STOP."""

    def begin_turn(self) -> None:
        """What the program starts from now on is the work of a turn."""

    async def end_turn(self) -> bool:
        """TERM, after 1 s KILL, to what was started since then: commands, also those in a session of their own. The
        program goes on, and so do the helpers that it talks to over their stdin. False for what cannot be ended."""

    def close(self) -> None:
        """Let go of the launcher. One that still has descendants ends them at once."""


class PtySession(Protocol):
    """A person's own program on a PTY of its own, without a launcher: the leader of a session."""

    pid: int

    @property
    def pty(self) -> Pty:
        """Its PTY."""

    async def wait(self) -> None:
        """Wait until the program itself has ended. What it has started may still live."""

    async def end(self) -> bool:
        """HUP, TERM, then KILL to everything of the session until nothing is left; False for what cannot be ended."""


class Sandbox(Protocol):
    """A place where processes run. In each method `environment` is the whole environment of the program."""

    async def start(self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str]) -> PipedProcess:
        """Prepare a program with pipes; it starts with `go`. Raises `Unavailable`."""

    async def start_on_pty(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], size: Size
    ) -> PtyProcess:
        """Prepare a program on a PTY; it starts with `go`. Raises `Unavailable`."""

    def start_session(self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], size: Size) -> PtySession:
        """Start a person's own program on a PTY. In the root folder, where `cwd` is gone.

        Raises `OSError` for what cannot be executed, `FileNotFoundError` for what there is not.
        """
