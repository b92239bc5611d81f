"""The conformance suite of the sandbox port: the promises of every sandbox in which processes run.

Derive a test class from `SandboxConformance` and give it `make`. Use `PtyConformance` if no program of a person runs in
the sandbox, `PipesConformance` if it has no PTYs. The suite starts small Python programs with the interpreter that runs
the tests, so a sandbox without that interpreter needs `python` set to its own.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from pathlib import Path

import pytest

from ..core.errors import Unavailable
from ..sandboxes.port import PipedProcess, PipesSandbox, ProcessExit, Pty, PtySandbox, Sandbox, Size
from ..sandboxes.process_table.processes import below, table

SIZE = Size(cols=91, rows=23)
BOUND_SECONDS = 20.0
ENVIRONMENT = {"MARK": "as given", "PATH": "/usr/bin:/bin"}
TELL = "import os, sys; print(os.getcwd(), os.environ['MARK'], 'HOME' in os.environ, flush=True)"
TELL_SIZE = "import os; print('size', *os.get_terminal_size(), flush=True)"
LEAVE_A_CHILD = """
import os, time
if os.fork() == 0:
    time.sleep(600)
print('left', flush=True)
"""
# Not `print`, which must not be entered again by a signal's handler.
TELL_SIZES = """
import os, signal, time
signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b'size %d %d\\n' % os.get_terminal_size()))
signal.signal(signal.SIGINT, lambda *_: os.write(1, b'interrupted\\n'))
os.write(1, b'up\\n')
while True:
    time.sleep(0.02)
"""
COUNT = "import time; print('up', flush=True)\nwhile True: time.sleep(0.005)"
# One command before the turn; in the turn another, and a helper that it talks to over its stdin; each prints its name
# and its pid. The second command only ends by KILL; it has a child in another session and one whose parent is gone.
WORK_IN_A_TURN = """
import os, signal, time

def start(name, more=lambda: None, spoken_to=False):
    read, write = os.pipe()
    if os.fork():
        return
    os.setsid()
    os.dup2(read if spoken_to else os.open(os.devnull, os.O_RDONLY), 0)
    more()
    os.write(1, f'{name} {os.getpid()}\\n'.encode())
    time.sleep(600)

def go_on():
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    start('session')
    if os.fork() == 0:
        start('orphan')
        os._exit(0)

start('earlier')
input()
start('command', go_on)
start('helper', lambda: start('below'), spoken_to=True)
while True:
    print('still', input(), flush=True)
"""
ECHO = "import sys, tty; tty.setraw(0); print('up', flush=True); print('got', len(sys.stdin.buffer.read(200_000)))"


class Output:
    """Collects the output of a PTY's program. Returns what `Pty` needs of a screen."""

    def __init__(self, pty: Pty) -> None:
        self.data = b""
        self._news = asyncio.Event()
        pty.start(self._take)

    def _take(self, data: bytes) -> None:
        self.data += data
        self._news.set()

    async def shows(self, text: str) -> None:
        """Wait for `text`."""
        async with asyncio.timeout(BOUND_SECONDS):
            while text.encode() not in self.data:
                self._news.clear()
                await self._news.wait()

    async def number_behind(self, name: str) -> int:
        """Wait for a line with `name` and a number."""
        async with asyncio.timeout(BOUND_SECONDS):
            while not (found := re.search(rf"\b{name} (\d+)\r?\n", self.data.decode(errors="replace"))):
                self._news.clear()
                await self._news.wait()
        return int(found[1])


def outside(launcher: int, pid: int) -> int:
    """Return the pid on this machine of a process below a launcher. `pid`: as the process itself knows it."""
    for found in below(launcher, table()):
        status = Path(f"/proc/{found}/status").read_text()
        if (numbers := re.search(r"^NSpid:.*?(\d+)$", status, re.MULTILINE)) and int(numbers[1]) == pid:
            return found
    raise AssertionError(f"No process below {launcher} has the pid {pid}.")


def lives(pid: int) -> bool:
    """Return whether there is such a process, other than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


class PipesConformance:
    """The promises of `sandboxes/port.py` about programs with pipes. Every `test_…` is one."""

    python = sys.executable

    def make(self) -> PipesSandbox:
        """A fresh adapter."""
        raise NotImplementedError

    def _argv(self, source: str) -> tuple[str, ...]:
        return (self.python, "-S", "-c", source)

    async def test_a_program_with_pipes_starts_with_go_in_its_folder_and_environment(self, tmp_path: Path) -> None:
        process = await self.make().start(self._argv(TELL), cwd=str(tmp_path), environment=ENVIRONMENT)
        assert process.pid > 0 and process.started_at
        await process.go()
        assert await _output(process) == f"{tmp_path} as given False\n".encode()
        assert await process.wait() == ProcessExit(code=0)

    async def test_what_is_written_to_its_pipe_arrives_and_so_does_the_end(self) -> None:
        source = "import sys; print(len(sys.stdin.read()))"
        process = await self.make().start(self._argv(source), cwd="/", environment=ENVIRONMENT)
        await process.go()
        await process.write(b"x" * 100_000)
        process.close_stdin()
        assert await _output(process) == b"100000\n"
        assert (await process.wait()).code == 0

    async def test_a_stopped_program_with_pipes_leaves_nothing(self) -> None:
        process = await self.make().start(self._argv(COUNT), cwd="/", environment=ENVIRONMENT)
        await process.go()
        assert (await process.stop()).code != 0
        assert await process.stop() == await process.wait()

    async def test_what_there_is_not_is_told_with_pipes(self) -> None:
        process = await self.make().start(("/no/such/program",), cwd="/", environment=ENVIRONMENT)
        with pytest.raises(Unavailable, match="not found"):
            await process.go()
        await process.wait()


class PtyConformance(PipesConformance):
    """These promises, and those about programs on PTYs. Every `test_…` is one."""

    counts_survivors = True  # False: everything in it ends with the program

    def make(self) -> PtySandbox:
        """A fresh adapter."""
        raise NotImplementedError

    async def test_a_program_on_a_pty_starts_with_go_in_its_folder_and_environment(self, tmp_path: Path) -> None:
        process = await self.make().start_on_pty(
            self._argv(TELL), cwd=str(tmp_path), environment=ENVIRONMENT, size=SIZE
        )
        output = Output(process.pty)
        await asyncio.sleep(0)
        assert output.data == b"" and process.pid > 0 and process.started_at
        await process.go()
        await output.shows("as given False")
        assert (await process.wait()).code == 0
        await process.pty.finish()
        assert str(tmp_path).encode() in output.data and not process.pty.open

    async def test_a_pty_has_the_size_that_was_asked_for_from_the_beginning(self) -> None:
        process = await self.make().start_on_pty(self._argv(TELL_SIZE), cwd="/", environment=ENVIRONMENT, size=SIZE)
        output = Output(process.pty)
        await process.go()
        await output.shows(f"size {SIZE.cols} {SIZE.rows}")
        await process.wait()
        await process.pty.finish()

    async def test_what_a_program_leaves_behind_is_ended_and_counted_and_its_own_end_told_before(self) -> None:
        process = await self.make().start_on_pty(self._argv(LEAVE_A_CHILD), cwd="/", environment=ENVIRONMENT, size=SIZE)
        output, told = Output(process.pty), []
        process.on_exited(lambda: told.append(True))
        await process.go()
        ended = await process.wait()
        await process.pty.finish()
        assert (ended.code, ended.survivors, ended.killed, told) == (0, int(self.counts_survivors), False, [True])
        assert b"left" in output.data

    async def test_a_held_program_does_not_move_and_goes_on(self) -> None:
        process = await self.make().start_on_pty(self._argv(COUNT), cwd="/", environment=ENVIRONMENT, size=SIZE)
        output = Output(process.pty)
        await process.go()
        await output.shows("up")
        await process.signal("STOP")
        async with asyncio.timeout(BOUND_SECONDS):
            while await process.moving():  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        await process.signal("CONT")
        assert (await process.stop()).survivors == 0
        await process.pty.finish()

    async def test_the_work_of_a_turn_is_ended_and_the_program_and_its_helpers_and_what_was_there_before_stay(
        self,
    ) -> None:
        argv = self._argv(WORK_IN_A_TURN)
        process = await self.make().start_on_pty(argv, cwd="/", environment=ENVIRONMENT, size=SIZE)
        output = Output(process.pty)
        await process.go()
        earlier = outside(process.pid, await output.number_behind("earlier"))
        assert await process.end_turn()  # none has started
        await _next_tick()  # what starts in the same tick as a turn belongs to the turn
        process.begin_turn()
        process.pty.write(b"go\n")
        names = ("command", "session", "orphan", "helper", "below")
        *work, helper, below_helper = [outside(process.pid, await output.number_behind(name)) for name in names]
        helpers = (helper, below_helper)
        assert await process.end_turn()
        assert not any(map(lives, work)) and all(map(lives, (earlier, *helpers)))
        process.pty.write(b"here\n")
        await output.shows("still here")
        assert await process.end_turn()
        await process.stop()
        await process.pty.finish()
        assert not any(map(lives, (earlier, *helpers)))

    async def test_what_cannot_be_executed_on_a_pty_is_told(self) -> None:
        process = await self.make().start_on_pty(("/no/such/program",), cwd="/", environment=ENVIRONMENT, size=SIZE)
        output = Output(process.pty)
        with pytest.raises(Unavailable, match="not found"):
            await process.go()
        await process.wait()
        await process.pty.finish()
        assert output.data == b""

    async def test_nothing_of_a_program_that_was_let_go_stays(self) -> None:
        process = await self.make().start_on_pty(self._argv(COUNT), cwd="/", environment=ENVIRONMENT, size=SIZE)
        output = Output(process.pty)
        await process.go()
        await output.shows("up")
        process.close()
        await process.pty.finish()
        assert not process.pty.open


class SandboxConformance(PtyConformance):
    """All promises of `sandboxes/port.py`. Every `test_…` is one."""

    def make(self) -> Sandbox:
        """A fresh adapter."""
        raise NotImplementedError

    async def test_a_session_starts_at_once_and_ends_with_everything_in_it(self, tmp_path: Path) -> None:
        session = self.make().start_session(
            self._argv(f"{TELL}{LEAVE_A_CHILD}"), cwd=str(tmp_path), environment=ENVIRONMENT, size=SIZE
        )
        output = Output(session.pty)
        await output.shows("left")
        await session.wait()
        assert await session.end()
        assert await session.pty.finish() == ProcessExit(code=0)
        assert f"{tmp_path} as given False".encode() in output.data

    async def test_a_session_is_ended_while_its_program_runs(self) -> None:
        session = self.make().start_session(self._argv(COUNT), cwd="/", environment=ENVIRONMENT, size=SIZE)
        await Output(session.pty).shows("up")
        assert await session.end()
        await session.wait()
        assert (await session.pty.finish()).signal is not None

    async def test_a_folder_that_is_gone_is_no_error(self, tmp_path: Path) -> None:
        session = self.make().start_session(
            self._argv(TELL), cwd=str(tmp_path / "gone"), environment=ENVIRONMENT, size=SIZE
        )
        await Output(session.pty).shows("/ as given")
        await session.wait()
        assert await session.end()
        await session.pty.finish()

    def test_a_session_of_what_there_is_not_is_an_error(self) -> None:
        async def start() -> None:
            self.make().start_session(("/no/such/program",), cwd="/", environment=ENVIRONMENT, size=SIZE)

        with pytest.raises(FileNotFoundError):
            asyncio.run(start())

    # --- the PTY itself --------------------------------------------------------------------------

    async def test_the_program_hears_of_a_new_size_and_of_an_interrupt(self) -> None:
        session = self.make().start_session(self._argv(TELL_SIZES), cwd="/", environment=ENVIRONMENT, size=SIZE)
        output = Output(session.pty)
        await output.shows("up")
        session.pty.resize(Size(cols=40, rows=10))
        await output.shows("size 40 10")
        session.pty.interrupt("INT")
        await output.shows("interrupted")
        assert await session.end()
        await session.pty.finish()
        session.pty.resize(SIZE)
        session.pty.interrupt("INT")  # after the end: no effect

    async def test_writing_never_waits_and_says_when_there_is_room_again(self) -> None:
        session = self.make().start_session(self._argv(ECHO), cwd="/", environment=ENVIRONMENT, size=SIZE)
        output = Output(session.pty)
        await output.shows("up")
        rest = memoryview(b"x" * 200_000)
        while rest:
            taken = session.pty.write(rest)
            rest = rest[taken:]
            if not taken:
                await _writable(session.pty)
        await output.shows("got 200000")
        assert await session.end()
        await session.pty.finish()

    async def test_a_pty_that_is_not_read_slows_its_program_and_loses_nothing(self) -> None:
        source = "import sys, tty; tty.setraw(1); sys.stdout.write('x' * 500_000); print('end', flush=True)"
        session = self.make().start_session(self._argv(source), cwd="/", environment=ENVIRONMENT, size=SIZE)
        output = Output(session.pty)
        session.pty.read(False)
        await asyncio.sleep(0.2)
        assert len(output.data) < 400_000
        session.pty.read(True)
        await output.shows("end")
        assert output.data.count(b"x") == 500_000
        assert await session.end()
        await session.pty.finish()


async def _output(process: PipedProcess) -> bytes:
    async with asyncio.timeout(BOUND_SECONDS):
        return b"".join([data async for name, data in process.output() if name == "stdout"])


async def _next_tick() -> None:
    """Wait for the next tick of the clock with which the kernel notes when processes start, at most 10 ms."""

    def tick() -> int:
        return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))

    now = tick()
    while tick() == now:  # noqa: ASYNC110  # a clock has no event
        await asyncio.sleep(0)


async def _writable(pty: Pty) -> None:
    ready = asyncio.Event()
    pty.on_writable(ready.set)
    async with asyncio.timeout(BOUND_SECONDS):
        await ready.wait()
    pty.on_writable(None)
