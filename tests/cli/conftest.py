"""What tests against the real agent CLIs need: the program, a home of its own, the suite's model server."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from harness.terminal_cli import TerminalCli, TerminalClis

from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.port import Runtime
from jupyter_cabinet.testing.model_server import ModelServer

from .quick_tests import QUICK, REASON

KEY = "dummy-key-0123456789012345678901234567890"
REPOSITORY = Path(__file__).parents[2]
ANEW = "{} no longer has this session. A new one was begun."  # told of a session that its CLI has forgotten


CLIS = Path(os.environ.get("JUPYTER_CABINET_TEST_CLIS") or REPOSITORY / ".cache" / "clis") / "node_modules"


@pytest.hookimpl(tryfirst=True)  # before the tier is chosen
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        function = item.getparent(pytest.Function)
        if Path(__file__).parent in item.path.parents and function and function.originalname not in QUICK:
            item.add_marker(pytest.mark.long(reason=REASON))


def installed(program: str) -> Path:
    """Where the CLI is; the test is skipped where it is not."""
    path = CLIS / ".bin" / program
    if not path.exists():
        pytest.skip(f"{program} is not installed in {CLIS.parent}: make test-cli, or set JUPYTER_CABINET_TEST_CLIS")
    return path.absolute()


def search_path() -> str:
    """The Node that was installed with the CLIs comes first: some need a newer one than the machine has."""
    return os.pathsep.join([str((CLIS / "node" / "bin").absolute()), os.environ["PATH"]])


@pytest.fixture(scope="session")
def claude_path() -> Path:
    return installed("claude")


@pytest.fixture(scope="session")
def codex_path() -> Path:
    return installed("codex")


@pytest.fixture(scope="session")
def gemini_path() -> Path:
    return installed("gemini")


@pytest.fixture(scope="session")
def pi_path() -> Path:
    return installed("pi")


@pytest.fixture(scope="session")
def opencode_path() -> Path:
    return installed("opencode")


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
        }
        return Request(prompt=prompt, **(values | changes))  # type: ignore[arg-type]


@contextmanager
def opening(runtime: Runtime, desk: Desk) -> Iterator[Callable[..., TerminalCli]]:
    """Opens the CLI in terminals, one after the other: `open_cli(prompt, **fields of the order)`."""
    with TerminalClis(
        root=desk.folder,
        data=desk.home.parent / "data",
        run_directories=desk.run_directory,
        environment=desk.environment,
    ) as clis:
        yield partial(clis.open, runtime.about.name)


@contextmanager
def opened_desk(**environment: str) -> Iterator[Desk]:
    """Outside the temporary directory of the tests: some CLIs behave otherwise below it."""
    base = Path(tempfile.mkdtemp(prefix="cabinet-cli-", dir="/var/tmp")).resolve()
    runs = Path(tempfile.mkdtemp(prefix="cab-"))  # a short path: a Unix socket's may have 107 bytes
    common = {
        "PATH": search_path(),
        "HOME": str(base / "home"),
        "TMPDIR": str(base / "tmp"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    for name in ("home", "work", "tmp"):
        (base / name).mkdir()
    try:
        yield Desk(base, runs, common | environment)
    finally:
        shutil.rmtree(base, ignore_errors=True)
        shutil.rmtree(runs, ignore_errors=True)


@pytest.fixture
def desk(claude_path: Path, model: ModelServer) -> Iterator[Desk]:
    """Claude Code's."""
    environment = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "JUPYTER_CABINET_CLAUDE_PATH": str(claude_path),
    }
    with opened_desk(**environment) as desk:
        yield desk


@pytest.fixture
def codex_desk(codex_path: Path, model: ModelServer) -> Iterator[Desk]:
    with opened_desk(OPENAI_API_KEY=KEY, JUPYTER_CABINET_CODEX_PATH=str(codex_path)) as desk:
        seed_codex(desk.home, model.url)
        yield desk


def seed_codex(home: Path, url: str) -> None:
    """As if a person had set up a provider of their own."""
    folder = home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(CODEX_SETTINGS.format(url=url))


CODEX_SETTINGS = """
model = "mock-model"
model_provider = "suite"
[analytics]
enabled = false
[feedback]
enabled = false
[model_providers.suite]
name = "The suite's model server"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
"""


@pytest.fixture
def gemini_desk(gemini_path: Path, model: ModelServer) -> Iterator[Desk]:
    environment = {
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_API_KEY": KEY,
        "JUPYTER_CABINET_GEMINI_PATH": str(gemini_path),
    }
    with opened_desk(**environment) as desk:
        seed_gemini(desk.home)
        yield desk


def seed_gemini(home: Path) -> None:
    """As if a person had answered the first-start questions of Gemini CLI."""
    folder = home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(GEMINI_SETTINGS))


GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "model": {"name": "gemini-2.5-pro"},
}


@pytest.fixture
def pi_desk(pi_path: Path, model: ModelServer) -> Iterator[Desk]:
    with opened_desk(JUPYTER_CABINET_PI_PATH=str(pi_path), PI_OFFLINE="1") as desk:
        seed_pi(desk.home, model.url)
        yield desk


def seed_pi(home: Path, url: str) -> None:
    """As if a person had set up a provider of their own."""
    folder = home / ".pi" / "agent"
    folder.mkdir(parents=True, exist_ok=True)
    names = ("mock-model", "other-model")
    models = [
        {"id": name, "name": name, "contextWindow": 200_000, "maxTokens": 8192, "cost": PI_PRICE} for name in names
    ]
    provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": KEY, "models": models}
    (folder / "models.json").write_text(json.dumps({"providers": {"suite": provider}}))
    (folder / "settings.json").write_text(json.dumps(PI_SETTINGS))


PI_PRICE = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}  # dollars for a million tokens
PI_SETTINGS = {"defaultProvider": "suite", "defaultModel": "mock-model", "retry": {"baseDelayMs": 50}}


@pytest.fixture
def opencode_desk(opencode_path: Path, model: ModelServer) -> Iterator[Desk]:
    environment = {"JUPYTER_CABINET_OPENCODE_PATH": str(opencode_path), "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    with opened_desk(**environment) as desk:
        seed_opencode(desk.home, model.url)
        yield desk


def seed_opencode(home: Path, url: str, **settings: object) -> None:
    """As if a person had set up a provider of their own. `settings`: what else they have chosen."""
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True, exist_ok=True)
    limit = {"context": 200_000, "output": 8192}
    about = {"tool_call": True, "limit": limit, "cost": {"input": 1, "output": 2}}  # dollars for a million tokens
    provider = {
        "npm": "@ai-sdk/openai-compatible",  # it comes with the CLI
        "name": "The suite's model server",
        "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {name: {"name": name, **about} for name in ("mock-model", "other-model")},
    }
    chosen = {"model": "suite/mock-model", "small_model": "suite/mock-model", "enabled_providers": ["suite"]}
    (folder / "opencode.json").write_text(json.dumps({**chosen, "provider": {"suite": provider}, **settings}))
