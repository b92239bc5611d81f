"""What tests against the real agent CLIs need: a separate home for each, and the suite's model server."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest
from harness.terminal_cli import TerminalCli, TerminalClis

from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.port import Runtime
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import search_path, seed, seed_claude, variables
from .quick_tests import QUICK, REASON

ANEW = (
    "{} no longer has this session. A new session was started."  # the notice about a session that its CLI has forgotten
)


@pytest.hookimpl(tryfirst=True)  # before the tier is chosen
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        function = item.getparent(pytest.Function)
        if Path(__file__).parent in item.path.parents and function and function.originalname not in QUICK:
            item.add_marker(pytest.mark.long(reason=REASON))


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def service() -> Iterator[ModelServer]:
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
        seed_claude(self.home, self.folder)

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


def left_below(home: Path) -> list[int]:
    """Processes that have this home, and do something."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # it has ended meanwhile
            if process.environ().get("HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


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


@contextmanager
def desk_of(name: str, url: str, *, answered: bool = False) -> Iterator[Desk]:
    """Of one CLI, as a person has set it up. `answered`: the first-start questions of Claude Code, too."""
    with opened_desk(**variables([name], url)) as desk:
        if answered or name != "claude":
            seed(name, desk.home, desk.folder, url)
        yield desk


@pytest.fixture
def desk(model: ModelServer) -> Iterator[Desk]:
    """Claude Code's."""
    with desk_of("claude", model.url) as desk:
        yield desk


@pytest.fixture
def codex_desk(model: ModelServer) -> Iterator[Desk]:
    with desk_of("codex", model.url) as desk:
        yield desk


@pytest.fixture
def gemini_desk(model: ModelServer) -> Iterator[Desk]:
    with desk_of("gemini", model.url) as desk:
        yield desk


@pytest.fixture
def opencode_desk(model: ModelServer) -> Iterator[Desk]:
    with desk_of("opencode", model.url) as desk:
        yield desk


@pytest.fixture
def pi_desk(model: ModelServer) -> Iterator[Desk]:
    with desk_of("pi", model.url) as desk:
        yield desk
