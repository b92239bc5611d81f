"""What tests against the real agent CLIs need: the program, a home of its own, the suite's model server."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.testing.driving import hook_command, run_directory
from jupyter_cabinet.testing.model_server import ModelServer

KEY = "dummy-key-0123456789012345678901234567890"
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def claude_path() -> Path:
    folder = Path(os.environ.get("JUPYTER_CABINET_TEST_CLIS") or REPOSITORY / ".cache" / "clis")
    path = folder / "node_modules" / ".bin" / "claude"
    if not path.exists():
        pytest.skip(f"Claude Code is not installed in {folder}: make clis, or set JUPYTER_CABINET_TEST_CLIS")
    return path.absolute()


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


class Desk:
    """A home, a folder to work in, and the environment of one run."""

    def __init__(self, base: Path, run_directory: Path, environment: dict[str, str]) -> None:
        self.home = base / "home"
        self.folder = base / "work"
        self.environment = environment
        self.run_directory = run_directory

    def seed(self) -> None:
        """As if a person had answered all first-start questions of Claude Code for this folder."""
        (self.home / ".claude").mkdir(parents=True)
        answers = {
            "hasCompletedOnboarding": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.folder): {"hasTrustDialogAccepted": True}},
        }
        (self.home / ".claude.json").write_text(json.dumps(answers))

    def request(self, prompt: str, **changes: object) -> Request:
        values: dict[str, object] = {
            "mode": "headless",
            "cwd": str(self.folder),
            "session_id": str(uuid.uuid4()),
            "run_directory": str(self.run_directory),
            "hook_command": hook_command(self.run_directory),
        }
        return Request(prompt=prompt, **(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def desk(claude_path: Path, model: ModelServer) -> Iterator[Desk]:
    """Outside the temporary directory of the tests: some CLIs behave otherwise below it."""
    base = Path(tempfile.mkdtemp(prefix="cabinet-cli-", dir="/var/tmp")).resolve()
    runs = run_directory()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(base / "home"),
        "TMPDIR": str(base / "tmp"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "JUPYTER_CABINET_CLAUDE_PATH": str(claude_path),
    }
    for name in ("home", "work", "tmp"):
        (base / name).mkdir()
    desk = Desk(base, runs, environment)
    yield desk
    shutil.rmtree(base, ignore_errors=True)
    shutil.rmtree(runs, ignore_errors=True)
