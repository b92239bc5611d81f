"""Starts a runtime's CLI for a test, feeds its conversation and collects the events. No server, no launcher.

For tests of adapters against the real program. In the product `runs/` and `terminals/` do this.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ptyprocess.ptyprocess import PtyProcess

from ..execution import hook as hook_program
from ..execution.stillness import STEPS_SECONDS
from ..runtimes.model import AnyAgentEvent, Launch, Outcome, PermissionAsked, Request
from ..runtimes.port import Conversation, Dialogue, Exit, Located, Missing, Runtime, ScreenReader, Source
from ..sandboxes.launcher import PIPE_BYTES

TICKET = b"ticket-of-a-test"
LEAVE_SECONDS = 10  # for a CLI to end by itself when it has nothing more to hear


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
    answer: Callable[[PermissionAsked], tuple[str, str]] | None = None,
    seconds: float = 60,
) -> tuple[list[AnyAgentEvent], Outcome]:
    """Run one headless request to its end. `stop_after` waits; then the CLI gets SIGTERM.

    `answer` gives option and note for a question of a dialogue that goes on over stdin.
    """
    launch = runtime.launch(located(runtime, environment), request)
    conversation = runtime.conversation(request)
    _write(launch)
    process = subprocess.Popen(
        launch.argv,
        cwd=request.cwd,
        env={**environment, **launch.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pipesize=PIPE_BYTES,  # as in the product
        start_new_session=True,
    )
    pipes = _Pipes(process, conversation, answer, is_dialogue=launch.keep_stdin_open)
    try:
        pipes.say(conversation.start() + launch.stdin)
        stopping = _Stopping(process, stop_after) if stop_after else None
        pipes.until_the_end(seconds)
        if stopping is not None:
            stopping.check()
    finally:
        _end_group(process)
    code = process.returncode
    return pipes.events, conversation.finish(Exit(code=code) if code >= 0 else Exit(signal=-code))


class _Pipes:
    """A process and its conversation. Reading goes on while something is written."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        conversation: Conversation,
        answer: Callable[[PermissionAsked], tuple[str, str]] | None,
        *,
        is_dialogue: bool,
    ) -> None:
        self.events: list[AnyAgentEvent] = []
        self._process = process
        self._conversation = conversation
        self._answer = answer
        self._dialogue = conversation if is_dialogue and isinstance(conversation, Dialogue) else None
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()  # None: no more comes
        self._leave_by = float("inf")
        threading.Thread(target=self._write, daemon=True).start()

    def say(self, first: bytes) -> None:
        self._outbox.put(first)
        self._ask_for_more()

    def until_the_end(self, seconds: float) -> None:
        """Raises `TimeoutError` where the process does not leave."""
        out, err = self._process.stdout, self._process.stderr
        assert out is not None and err is not None
        sources: dict[Any, Source] = {out: "stdout", err: "stderr"}
        end = time.monotonic() + seconds
        while sources:
            wait = min(end, self._leave_by) - time.monotonic()
            ready, _, _ = select.select(list(sources), [], [], max(0.0, wait))
            if not ready and self._leave_by < end:
                self._process.kill()  # its answer is complete, as in the product
                self._leave_by = end
            elif not ready:
                raise TimeoutError(f"still running, events {self.events!r}")
            for pipe in ready:
                data = os.read(pipe.fileno(), 65536)
                if not data:
                    del sources[pipe]
                self._hear(sources.get(pipe, "stdout"), data)
        self._process.wait(max(1.0, end - time.monotonic()))

    def _hear(self, source: Source, data: bytes) -> None:
        events = self._conversation.feed(source, data) if data else []
        self.events += events
        for event in events:
            if isinstance(event, PermissionAsked) and self._answer is not None:
                self._outbox.put(self._conversation.answer(event.question_id, *self._answer(event)))
        self._ask_for_more()

    def _ask_for_more(self) -> None:
        piece = self._dialogue.outgoing() if self._dialogue is not None else None
        if piece is None and self._dialogue is not None:
            self._leave_by = min(self._leave_by, time.monotonic() + LEAVE_SECONDS)
        self._outbox.put(piece)

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        with contextlib.suppress(OSError):  # it has gone
            while (piece := self._outbox.get()) is not None:
                pipe.write(piece)
                pipe.flush()
        with contextlib.suppress(OSError):
            pipe.close()


class _Stopping:
    """Terminates a process when `after` returns, beside the dialogue, which must go on until then."""

    def __init__(self, process: subprocess.Popen[bytes], after: Callable[[], None]) -> None:
        self._process = process
        self._after = after
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raises what waiting has raised; the process was terminated all the same."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            self._after()
        except Exception as error:
            self._error = error
        self._process.terminate()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Whatever is left of it: some wrappers leave before what they have started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


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
        )

    def __enter__(self) -> OpenInTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._door.close()
        for guest in self._waiting.values():
            guest.close()
        self.process.close(force=True)

    def keys(self, data: bytes) -> None:
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
        asked = [event.question_id for event in events if isinstance(event, PermissionAsked) and event.options]
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
