"""The test suite's server for measurements: with the extension or without it, timed from its process's start."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from harness.server import START_SECONDS, LabServer
from harness.sockets import connect

__all__ = ["FRONTEND", "TimedServer", "connect", "serving"]

ENABLED = ("--CabinetApp.trust=always",)
DISABLED = ("--ServerApp.jpserver_extensions={'jupyter_cabinet': False}",)
LOOK_AGAIN_SECONDS = 0.005
FRONTEND = Path(__file__).parents[1] / "jupyter_cabinet" / "labextension"


class TimedServer(LabServer):
    """`answered`: seconds from the process's start to Jupyter's first answer; `open`: to our rooms' first."""

    answered = 0.0
    open = 0.0

    def __init__(self, place: Path, *, enabled: bool, **settings: Any) -> None:
        super().__init__(place, **settings)
        self._enabled = enabled

    def start(self) -> TimedServer:
        self._started = time.perf_counter()
        super().start()
        return self

    def _is_up(self, ready: str) -> bool:
        self.answered = self._until("api/status")
        if self._enabled:
            self.open = self._until(ready)
        return True

    def _until(self, path: str) -> float:
        """Seconds since the start at which the path answered with 200."""
        headers = {"Authorization": f"token {self.token('ada')}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=10) as client:
            while (passed := time.perf_counter() - self._started) < START_SECONDS:
                try:
                    if client.get(path).status_code == 200:
                        return time.perf_counter() - self._started
                except httpx.TransportError:
                    pass
                time.sleep(LOOK_AGAIN_SECONDS)
        raise RuntimeError(f"{path} did not answer within {passed:.0f} s:\n{self.log[-4000:]}")


@contextmanager
def serving(*, enabled: bool = True, environment: dict[str, str] | None = None) -> Iterator[TimedServer]:
    """A started server in a folder of its own; both are gone afterwards."""
    # not below the usual temporary folder: some CLIs behave otherwise there
    with tempfile.TemporaryDirectory(prefix="cabinet-benchmark-", dir="/var/tmp") as folder:
        # this checkout's frontend, whatever the environment is linked to
        frontends = Path(folder) / "frontends"
        frontends.mkdir()
        (frontends / "jupyter-cabinet").symlink_to(FRONTEND)
        server = TimedServer(
            Path(folder),
            enabled=enabled,
            arguments=(*(ENABLED if enabled else DISABLED), f"--LabApp.extra_labextensions_path={frontends}"),
            environment=environment,
        )
        server.start()
        try:
            yield server
        finally:
            server.stop()
