"""A real Dask cluster: a scheduler and workers, each in a separate process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

BOUND_SECONDS = 60.0
END_SECONDS = 3.0


class DaskProcesses:
    """Starts workers beside a scheduler, and ends them all."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._environment = environment
        self.scheduler_file = folder / "scheduler.json"
        self._scheduler: subprocess.Popen[bytes] | None = None
        self._workers: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def address(self) -> str:
        return str(json.loads(self.scheduler_file.read_text())["address"])

    def start_scheduler(self, port: int = 0) -> None:
        self.scheduler_file.unlink(missing_ok=True)
        arguments = ("--host", "127.0.0.1", "--port", str(port), "--scheduler-file", str(self.scheduler_file))
        self._scheduler = self._start("scheduler", *arguments, "--no-dashboard")
        self._until(self._scheduler, self._is_written)

    def start_worker(
        self, name: str, *, slots: int = 4, before: Sequence[str] = (), more: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        """`before`: a command that starts it. `more`: further arguments. It has registered when this returns."""
        arguments = ("worker", self.address, "--host", "127.0.0.1", "--name", name, "--nthreads", "1", "--no-nanny")
        resources = ("--resources", f"cabinet={slots}") if slots else ()
        directory = ("--local-directory", str(self.folder / name))
        log = self.folder / f"{name}.log"
        worker = self._start(*arguments, *resources, *directory, "--no-dashboard", *more, before=before, log=log)
        self._workers[name] = worker
        self._until(worker, lambda: b"Registered to" in log.read_bytes())
        return worker

    def pid_of(self, name: str) -> int:
        return self._workers[name].pid

    def kill_worker(self, name: str) -> None:
        worker = self._workers.pop(name)
        worker.kill()
        worker.wait()

    def end_scheduler(self) -> None:
        if self._scheduler is not None:
            _end([self._scheduler])

    def close(self) -> None:
        _end([*self._workers.values(), *([self._scheduler] if self._scheduler else [])])

    def _start(self, *arguments: str, before: Sequence[str] = (), log: Path | None = None) -> subprocess.Popen[bytes]:
        with (log or self.folder / "scheduler.log").open("wb") as file:
            return subprocess.Popen(
                [*before, sys.executable, "-m", "dask", *arguments],
                stdout=file,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **self._environment, "PYTHONWARNINGS": "ignore"},
            )

    def _is_written(self) -> bool:
        try:
            return bool(self.address)
        except (OSError, ValueError):
            return False

    def _until(self, process: subprocess.Popen[bytes], condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + BOUND_SECONDS
        while not condition():
            assert process.poll() is None and time.monotonic() < deadline, _logs(self.folder)
            time.sleep(0.02)


@contextmanager
def dask_processes(environment: Mapping[str, str] | None = None) -> Iterator[DaskProcesses]:
    """A scheduler; start its workers. `environment`: additional variables, in which Dask finds settings."""
    folder = Path(tempfile.mkdtemp(prefix="cabinet-dask-"))
    processes = DaskProcesses(folder, environment or {})
    try:
        processes.start_scheduler()
        yield processes
    finally:
        processes.close()
        shutil.rmtree(folder, ignore_errors=True)


def tls_settings(folder: Path) -> dict[str, str]:
    """Return the variables for a cluster that only speaks TLS, with a new certificate that signs itself."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=cabinet-test"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    prefix = "DASK_DISTRIBUTED__COMM__"
    roles = [f"{prefix}TLS__{role}__" for role in ("SCHEDULER", "WORKER", "CLIENT")]
    return {
        f"{prefix}REQUIRE_ENCRYPTION": "True",
        f"{prefix}DEFAULT_SCHEME": "tls",
        f"{prefix}TLS__CA_FILE": str(certificate),
        **{f"{role}CERT": str(certificate) for role in roles},
        **{f"{role}KEY": str(key) for role in roles},
    }


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _logs(folder: Path) -> str:
    return "\n".join(path.read_text(errors="replace") for path in folder.glob("*.log"))
