"""Starts a runtime's CLI for a test, feeds its conversation and collects the events. No server, no launcher.

For tests of adapters against the real program. In the product `runs/` and `terminals/` do this.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ptyprocess.ptyprocess import PtyProcess

from ..runs import hook as hook_program
from ..runtimes.model import AnyAgentEvent, Launch, Outcome, Request
from ..runtimes.port import Exit, Located, Missing, Runtime

TICKET = b"ticket-of-a-test"


def located(runtime: Runtime, environment: Mapping[str, str]) -> Located:
    """Where the CLI is; raises `LookupError` with the reason where it is not."""
    found = runtime.locate(environment)
    if isinstance(found, Missing):
        raise LookupError(found.reason)
    return found


def run_headless(
    runtime: Runtime, request: Request, environment: Mapping[str, str], stop_after: Callable[[], None] | None = None
) -> tuple[list[AnyAgentEvent], Outcome]:
    """Run one headless request to its end. `stop_after` waits; then the CLI gets SIGTERM."""
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
    )
    if stop_after is not None:
        assert process.stdin is not None
        process.stdin.write(launch.stdin)
        process.stdin.close()
        process.stdin = None
        stop_after()
        process.terminate()
    out, err = process.communicate(None if stop_after else conversation.start() + launch.stdin, timeout=60)
    events = conversation.feed("stdout", out) + conversation.feed("stderr", err)
    code = process.returncode
    return events, conversation.finish(Exit(code=code) if code >= 0 else Exit(signal=-code))


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
        self._door = _door(Path(request.run_directory))
        launch = runtime.launch(located(runtime, environment), request)
        self._pattern = launch.transcript
        self._sizes = {path: path.stat().st_size for path in self._fitting()}
        _write(launch)
        self.conversation = runtime.conversation(request)
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
        self.process.close(force=True)

    def keys(self, data: bytes) -> None:
        self.process.write(data)

    def instruct(self, text: str) -> None:
        """A further instruction: paste, wait until the CLI has drawn it, Enter."""
        before = len(self.screen)
        self.keys(self.conversation.send(text))
        self.until(lambda: len(self.screen) > before)
        self.settle()
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

    def _hook(self) -> None:
        guest, _ = self._door.accept()
        with guest:
            data = b""
            while piece := guest.recv(65536):
                data += piece
            payload = data.removeprefix(b"hook " + TICKET + b"\n")
            self._learn(payload)
            events = self.conversation.feed("hook", payload)
            self.follow()
            self.events += events

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
