"""One Chromium and few servers; tests share their pages, and each has a separate document."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from harness.lab import Lab
from harness.lab_pool import LabPool
from harness.server import LabServer, Server
from playwright.sync_api import Browser, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    # Megabytes for new objects: the start of JupyterLab collects garbage less often.
    "--js-flags=--min-semi-space-size=32",
]
UNFINISHED = ("queued", "starting", "running", "waiting")
SHARED_SERVERS: set[Server] = set()  # whose runs are cancelled after each test
PASSED = pytest.StashKey[bool]()
SCREENSHOTS = Path(__file__).parents[2] / "test-results" / "screenshots"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "Chromium is missing: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Without real-time collaboration, at an address with a blank in it."""
    server = LabServer(tmp_path_factory.mktemp("lab"), base_url="/lab%20here/").start()
    SHARED_SERVERS.add(server)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def rtc_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With real-time collaboration."""
    server = LabServer(tmp_path_factory.mktemp("rtc"), collaboration=True).start()
    SHARED_SERVERS.add(server)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def asking_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Nobody has confirmed its folder, and nothing in it counts as confirmed or approved. A run may be silent for 6 s,
    and one run works at a time. `test_failures.py` confirms the folder; no other test needs it either way."""
    arguments = ("--CabinetApp.silence_limit_seconds=6", "--CabinetApp.max_concurrent_runs=1")
    server = LabServer(tmp_path_factory.mktemp("asking"), arguments=arguments)
    (server.root / "notes.md").write_text("# Notes\n")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Named users, with their own rights; a shell with a plain prompt."""
    shell = [f"--CabinetApp.terminal_shell={part}" for part in ("/bin/bash", "--norc", "--noprofile")]
    arguments = ("--CabinetApp.trust=always", *shell)
    server = LabServer(tmp_path_factory.mktemp("team"), people=True, arguments=arguments, environment={"PS1": "$ "})
    (server.root / "notes.md").write_text("# Notes\n")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def open_browsers() -> Iterator[dict[str, Lab]]:
    """Those of `browsers`, by user."""
    labs: dict[str, Lab] = {}
    yield labs
    for lab in labs.values():
        lab.page.context.close()


@pytest.fixture
def browsers(
    team: Server, chromium: Browser, open_browsers: dict[str, Lab], request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Lab]]:
    """Everybody's browser. It stays open until a test fails, which may leave anything in it, such as a dialog."""

    def browser_of(username: str) -> Lab:
        if username not in open_browsers:
            context = chromium.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
            context.set_default_timeout(15_000)
            open_browsers[username] = Lab(context.new_page(), team, screenshots=SCREENSHOTS)
            open_browsers[username].open("notes.md", username=username)
        lab = open_browsers[username]
        if lab not in Lab.opened:
            Lab.opened.append(lab)
        return lab

    yield browser_of
    if not request.node.stash.get(PASSED, False):
        for lab in open_browsers.values():
            lab.page.context.close()
        open_browsers.clear()


@pytest.fixture(scope="session")
def lab_pool(chromium: Browser) -> Iterator[LabPool]:
    pool = LabPool(chromium, SCREENSHOTS)
    yield pool
    pool.close()


@pytest.fixture
def open_lab(lab_pool: LabPool, request: pytest.FixtureRequest) -> Iterator[Callable[..., Lab]]:
    """Open a document in a page that nothing else of this test uses. `fresh`: in a browser that was never here, for
    what is about starting, reloading, or what a page knows from before."""
    opened: list[tuple[Lab, str, bool]] = []

    def open_document(
        server: Server, path: str, *, username: str = "ada", theme: str = "light", fresh: bool = False
    ) -> Lab:
        lab = (lab_pool.fresh if fresh else lab_pool.take)(server, path, username=username, theme=theme)
        opened.append((lab, username, fresh))
        return lab

    yield open_document
    for server in {lab.server for lab, _, _ in opened} & SHARED_SERVERS:
        cancel_runs(server)
    passed = request.node.stash.get(PASSED, False)
    for lab, username, fresh in opened:
        lab_pool.give_back(lab, username, reusable=passed and not fresh)


def cancel_runs(server: Server) -> None:
    """Cancel what a test has left unfinished, so that the next one sees neither the runs nor their questions."""
    with server.client("root") as client:
        for state in UNFINISHED:
            for run in client.get("runs", params={"state": state}).json()["items"]:
                client.post(f"runs/{run['id']}/cancel", json={})


@pytest.fixture(autouse=True)
def no_uncaught_errors(request: pytest.FixtureRequest) -> Iterator[None]:
    """What the page throws fails the test that made it."""
    yield
    errors = [error for lab in Lab.opened for error in lab.errors]
    Lab.opened.clear()
    assert not errors, errors


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep a picture of what was on the screen when a test failed."""
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    if report.when == "call" and report.failed:
        for number, lab in enumerate(each for each in Lab.opened if not each.page.is_closed()):
            lab.screenshot(f"failed-{item.name}-{number}")
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
