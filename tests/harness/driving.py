"""Drives a runtime's CLI for a test: without a terminal by the product's own execution, in a PTY by a small one.

For tests of adapters against real programs, without a server and its records.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil
from ptyprocess.ptyprocess import PtyProcess, PtyProcessError

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.execution import hook as hook_program
from jupyter_cabinet.execution.headless import HeadlessExecution
from jupyter_cabinet.execution.model import Begun, Deliver, Exchange, Typed
from jupyter_cabinet.execution.raw_log import RawLog
from jupyter_cabinet.execution.screen_timers import STEPS_SECONDS
from jupyter_cabinet.runtimes.model import AnyAgentEvent, Launch, Outcome, QuestionAsked, Request
from jupyter_cabinet.runtimes.port import Exit, Located, Missing, Runtime, ScreenReader
from jupyter_cabinet.sandboxes.local import LocalSandbox

TICKET = b"ticket-of-a-test"
Answers = Callable[[QuestionAsked], tuple[str, str]]  # option and note for a question


def located(runtime: Runtime, environment: Mapping[str, str]) -> Located:
    """Where the CLI is; raises `LookupError` with the reason where it is not."""
    found = runtime.locate(environment)
    if isinstance(found, Missing):
        raise LookupError(found.reason)
    return found


def run_headless(
    runtime: Runtime,
    request: Request,
    environment: Mapping[str, str],
    stop_after: Callable[[], None] | None = None,
    *,
    answer: Answers | None = None,
    seconds: float = 60,
) -> tuple[list[AnyAgentEvent], Outcome]:
    """Run one headless request to its end. `stop_after` waits; then the CLI gets SIGTERM."""
    launch = runtime.launch(located(runtime, environment), request)
    listener = _Listener(answer)

    async def work() -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            start = partial(
                LocalSandbox().start,
                launch.argv,
                cwd=request.cwd,
                environment={**environment, **launch.environment},
            )
            execution = HeadlessExecution(
                launch=launch,
                title=runtime.about.title,
                conversation=runtime.conversation(request),
                start=start,
                raw=RawLog(Path(folder) / "raw", Redactor(())),
                listener=listener,
                clock=SystemClock(),
            )
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as tasks:
                if stop_after is not None:
                    tasks.create_task(_terminate(listener, stop_after))
                return await execution.work(listener.on_process)

    return listener.events, asyncio.run(work())


async def _terminate(listener: _Listener, after: Callable[[], None]) -> None:
    """As somebody outside would: what the product itself stops is cancelled, whatever the CLI says of it."""
    try:
        await asyncio.to_thread(after)
    finally:
        for program in psutil.Process(listener.launcher).children():
            program.terminate()


class _Listener:
    """Hears one order, and answers its questions."""

    def __init__(self, answer: Answers | None) -> None:
        self.events: list[AnyAgentEvent] = []
        self.launcher = 0  # pid
        self._answer = answer
        self._answering: set[asyncio.Task[bool]] = set()

    async def on_process(self, pid: int, started_at: str) -> None:
        self.launcher = pid

    async def begun(self, begun: Begun) -> None:
        """Nothing is put on record."""

    def heard(self, events: list[AnyAgentEvent]) -> None:
        self.events += events

    def wrote(self, count: int) -> None:
        """Nobody counts."""

    def asked(self, asked: QuestionAsked, deliver: Deliver) -> bool:
        if self._answer is None:
            return False

        async def answer(given: Answers) -> bool:
            return await deliver(*given(asked))

        self._answering.add(asyncio.get_running_loop().create_task(answer(self._answer)))
        return True

    def answered(self, question_id: str, how: str) -> None:
        """It goes on."""

    def left_to_terminal(self, question_id: str) -> None:
        """There is none."""

    def waits(self, reason: str) -> None:
        """There is nobody to wait for."""

    def goes_on(self, question: str | None) -> None:
        """As it should."""

    def typed(self, typed: Typed) -> None:
        """Nobody types."""

    async def earlier(self) -> Sequence[Exchange]:
        return ()


class OpenInTerminal:
    """A CLI in a real PTY, with the product's own hook program and a door for it."""

    def __init__(
        self, runtime: Runtime, request: Request, environment: Mapping[str, str], *, rows: int = 40, columns: int = 120
    ) -> None:
        self.events: list[AnyAgentEvent] = []
        self.screen = b""
        self.exit: Exit | None = None
        self._transcript: Path | None = None
        self._folder = runtime.transcripts(Path(environment["HOME"]))
        self._read = 0
        self._waiting: dict[str, socket.socket] = {}  # hooks that wait for an answer, by question
        self._door = _door(Path(request.run_directory))
        launch = runtime.launch(located(runtime, environment), request)
        self._pattern = launch.transcript
        self._sizes = {path: path.stat().st_size for path in self._fitting()}
        _write(launch)
        self.conversation = runtime.conversation(request)
        if isinstance(self.conversation, ScreenReader):
            self.conversation.resized(columns, rows)
        self._still_since, self._steps = time.monotonic(), list(STEPS_SECONDS)
        spawn: Any = PtyProcess.spawn
        self.process: Any = spawn(
            list(launch.argv),
            cwd=request.cwd,
            env={**environment, **launch.environment},
            dimensions=(rows, columns),
            preexec_fn=_hear_interrupts,
        )

    def __enter__(self) -> OpenInTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._door.close()
        for guest in self._waiting.values():
            guest.close()
        with suppress(PtyProcessError):  # it was killed, and a slow machine has not seen it go yet
            self.process.close(force=True)

    def keys(self, data: bytes) -> None:
        """What a person types."""
        self.process.write(data)

    def instruct(self, text: str) -> None:
        """A further instruction, as the product gives it: a paste into the empty input box, Enter when it is there."""
        reader = self.conversation
        assert isinstance(reader, ScreenReader)
        self.until(lambda: reader.input() == "empty")
        self.keys(reader.send(text))
        self.until(lambda: reader.input() == "typed")
        self.settle(0.1)
        self.keys(b"\r")

    def settle(self, quiet_seconds: float = 0.3) -> None:
        """Until nothing was drawn for so long (bounded by 3 s: some CLIs animate for ever)."""
        end, last, size = time.monotonic() + 3, time.monotonic(), len(self.screen)
        while time.monotonic() < end and time.monotonic() - last < quiet_seconds:
            self._pump(0.05)
            if len(self.screen) != size:
                last, size = time.monotonic(), len(self.screen)

    def event(self, kind: type, seconds: float = 30, count: int = 1) -> Any:
        """Wait for the n-th event of a kind."""
        self.until(lambda: len(self.of(kind)) >= count, seconds)
        return self.of(kind)[count - 1]

    def of(self, kind: type) -> list[Any]:
        """The events of a kind, so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def until(self, done: Callable[[], bool], seconds: float = 30) -> None:
        """Read whatever comes until `done`. Raises `TimeoutError` with what the screen showed last."""
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end or self.exit is not None:
                raise TimeoutError(f"events {self.events!r}, screen ends {self.screen[-1500:]!r}")
            self._pump(0.05)

    def gone(self, seconds: float = 20) -> Outcome:
        """Wait for the CLI's end; the outcome of what it was doing."""
        end = time.monotonic() + seconds
        while self.exit is None and time.monotonic() < end:
            self._pump(0.05)
        if self.exit is None:
            raise TimeoutError(f"still open, screen ends {self.screen[-1500:]!r}")
        return self.conversation.finish(self.exit)

    def _pump(self, seconds: float) -> None:
        ready, _, _ = select.select([self._door, self.process.fd], [], [], seconds)
        if self._door in ready:
            self._hook()
        if self.process.fd in ready:
            self._screen()
        if ready:
            self._still_since, self._steps = time.monotonic(), list(STEPS_SECONDS)
        elif self._steps and time.monotonic() - self._still_since >= self._steps[0]:
            self._rest(self._steps.pop(0))

    def _rest(self, seconds: float) -> None:
        if isinstance(self.conversation, ScreenReader):
            self.follow()
            self.events += self.conversation.rested(seconds)

    def _hook(self) -> None:
        guest, _ = self._door.accept()
        with guest.makefile("rb") as said:
            length = said.readline().removeprefix(b"hook " + TICKET + b" ")
            payload = said.read(int(length))
        self._learn(payload)
        events = self.conversation.feed("hook", payload)
        self.follow()
        self.events += events
        asked = [event.question_id for event in events if isinstance(event, QuestionAsked) and event.options]
        for question_id in [each for each in asked if each not in self._waiting]:
            self._waiting[question_id] = guest
            return
        guest.close()

    def answer(self, question_id: str, option: str, note: str = "") -> None:
        """A person's answer, by the hook that waits for it."""
        with self._waiting.pop(question_id) as guest:
            guest.sendall(self.conversation.answer(question_id, option, note))

    def _learn(self, payload: bytes) -> None:
        path = json.loads(payload).get("transcript_path")
        if path and self._transcript is None:
            self._transcript = Path(path)
            self._read = self._transcript.stat().st_size if self._transcript.exists() else 0

    def _fitting(self) -> list[Path]:
        return sorted(self._folder.glob(self._pattern)) if self._folder and self._pattern else []

    def _find(self) -> None:
        for path in self._fitting()[-1:] if self._transcript is None else []:
            self._transcript, self._read = path, self._sizes.get(path, 0)

    def transcript_text(self) -> str:
        """All of the transcript that the hooks have named; empty before."""
        if self._transcript is None or not self._transcript.exists():
            return ""
        return self._transcript.read_text(errors="replace")

    def follow(self) -> None:
        """Read on in the transcript."""
        if self._transcript is not None and self._transcript.exists():
            data = self._transcript.read_bytes()[self._read :]
            self._read += len(data)
            self.events += self.conversation.feed("transcript", data)

    def _screen(self) -> None:
        try:
            data = os.read(self.process.fd, 65536)
        except OSError:
            data = b""
        if data:
            self.screen += data
            self._find()
            if self._pattern:
                self.follow()
            self.events += self.conversation.feed("screen", data)
            return
        self.process.wait()
        status, signal = self.process.exitstatus, self.process.signalstatus
        self.exit = Exit(code=status) if signal is None else Exit(signal=signal)


def hook_command(run_directory: Path) -> tuple[str, ...]:
    """The product's hook program for this directory."""
    return (sys.executable, "-I", "-S", str(hook_program.__file__), str(run_directory))


def run_directory() -> Path:
    """A short path: a Unix socket's may have 107 bytes."""
    return Path(tempfile.mkdtemp(prefix="cab-"))


def _door(directory: Path) -> socket.socket:
    (directory / "ticket").write_bytes(TICKET)
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(directory / "socket"))
    door.listen(16)
    return door


def _write(launch: Launch) -> None:
    for file in launch.files:
        Path(file.path).write_bytes(file.content)
        Path(file.path).chmod(0o600)


def _hear_interrupts() -> None:
    """As the launcher does: whoever runs the tests in the background has Ctrl-C ignored, and so would the CLI."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
