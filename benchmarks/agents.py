"""The same CLI command twice: as the product starts it, and bare. For the measurements of runs."""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any

import httpx

from jupyter_cabinet.runtimes.model import Launch, Request, RunMode
from jupyter_cabinet.runtimes.port import Located, Runtime
from jupyter_cabinet.sandboxes.environment import build_environment

from .servers import TimedServer

REPOSITORY = Path(__file__).parents[1]
KEY = "dummy-key-0123456789012345678901234567890"
WAIT_SECONDS = 60


def claude_path() -> Path | None:
    """The real CLI, where `make test-cli` has put it."""
    folder = Path(os.environ.get("JUPYTER_CABINET_TEST_CLIS") or REPOSITORY / ".cache" / "clis")
    path = (folder / "node_modules" / ".bin" / "claude").absolute()
    return path if path.exists() else None


def claude_environment(path: Path, service: str) -> dict[str, str]:
    """What makes Claude Code speak to the suite's model service."""
    return {
        "ANTHROPIC_BASE_URL": service,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "JUPYTER_CABINET_CLAUDE_PATH": str(path),
    }


class Bare:
    """A runtime's CLI as the product would start it for an instruction, and nothing around it."""

    def __init__(self, server: TimedServer, runtime: Runtime, instruction: str, mode: RunMode) -> None:
        found = runtime.locate(server.environment())
        assert isinstance(found, Located), found
        self.launch: Launch = runtime.launch(found, _request(server, instruction, mode))
        self.folder = str(server.root)
        keep = runtime.kept_environment()
        self.environment = build_environment(server.environment(), keep=keep, add=self.launch.environment)

    def seconds(self) -> float:
        """From the start to the end."""
        start = time.perf_counter()
        subprocess.run(
            self.launch.argv,
            input=self.launch.stdin,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            check=True,
        )
        return time.perf_counter() - start


def through_the_product(client: httpx.Client, **fields: Any) -> float:
    """Seconds from asking for a run to the answer that it has succeeded."""
    start = time.perf_counter()
    reply = client.post("runs", params={"wait": WAIT_SECONDS}, json={"kind": "manual", **fields}, timeout=WAIT_SECONDS)
    seconds = time.perf_counter() - start
    assert reply.json()["state"] == "succeeded", reply.text
    return seconds


def _request(server: TimedServer, instruction: str, mode: RunMode) -> Request:
    session = str(uuid.uuid4())
    folder = server.place / "bare" / session
    folder.mkdir(parents=True)
    # no program there: the demo agent goes on without its hooks
    hook = ("/bin/true",) if mode == "terminal" else ()
    return Request(
        prompt=instruction,
        mode=mode,
        cwd=str(server.root),
        session_id=session,
        run_directory=str(folder),
        hook_command=hook,
    )
