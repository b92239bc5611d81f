"""How every state of the sidebar looks, in both themes: pictures for people, and what can be measured.

The pictures are in `test-results/screenshots/<state>-<theme>.png`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from harness import looks
from harness.lab import Lab
from harness.server import LabServer, Server, until
from harness.wire import Wire
from playwright.sync_api import Browser, Route, expect

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "test-results" / "screenshots"
DOCUMENT = "analysis.ipynb"
pytestmark = pytest.mark.long(reason="shows every state of the sidebar in a real browser, in both themes")


def copy_workspace(server: Server) -> None:
    shutil.copytree(ROOT / "notebooks", server.root, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    arguments = ("--CabinetApp.trust=always", "--CabinetApp.max_concurrent_runs=1")
    server = LabServer(tmp_path_factory.mktemp("looks"), people=True, arguments=arguments)
    copy_workspace(server)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def open_page(chromium: Browser) -> Iterator[Callable[..., Lab]]:
    contexts = []

    def open_page(server: Server, username: str = "ada", path: str = DOCUMENT) -> Lab:
        context = chromium.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(15_000)
        contexts.append(context)
        lab = Lab(context.new_page(), server, screenshots=SCREENSHOTS)
        lab.wire = Wire(lab.page)  # type: ignore[attr-defined]
        lab.open(path, username=username)
        lab.open_editor() if username != "rea" else lab.command("cabinet:open-editor")
        return lab

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def lab(server: Server, open_page: Callable[..., Lab]) -> Lab:
    return open_page(server)


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client("ada") as client:
        yield client


def open_document(lab: Lab, path: str) -> None:
    lab.command("docmanager:open", path=path)
    expect(lab.panel.locator(".jp-Cabinet-header-document")).to_have_text(path.rsplit("/", 1)[-1])


def save(lab: Lab) -> None:
    """What the kernel says of itself goes into the notebook, and is an unsaved change: wait for it, then save."""
    notebook = "window.jupyterapp.shell.currentWidget"
    lab.page.wait_for_function(f"() => {notebook}.sessionContext.session?.kernel?.status === 'idle'")
    lab.page.wait_for_function(f"() => {notebook}.context.model.metadata.language_info")
    saved = f"async () => {{ await {notebook}.context.save(); return !{notebook}.context.model.dirty; }}"
    until(lambda: lab.page.evaluate(saved), what="the notebook to be saved")


def start(lab: Lab, instruction: str) -> None:
    lab.command("cabinet:new-session")
    lab.run(instruction)


def test_no_agent_found_and_empty(lab: Lab) -> None:
    expect(lab.panel).to_contain_text("No agent CLI was found")
    found = looks.show(lab, "no-cli")
    lab.command("docmanager:open", path="features.py")  # said once, not on every document
    expect(lab.panel).to_contain_text("Ask an agent about this file")
    open_document(lab, DOCUMENT)
    lab.button("Install help").click()
    found += looks.show(lab, "no-cli-help")
    found += looks.wrong_by_tab(lab.page)
    lab.button("Try the demo agent").click()
    expect(lab.panel).to_contain_text("Ask an agent about this notebook")
    found += looks.show(lab, "empty")
    found += looks.wrong_by_tab(lab.page)
    assert not found, looks.listed(found)


def test_composing(lab: Lab) -> None:
    lab.page.locator(".jp-CodeCell").nth(1).click()
    lab.panel.get_by_role("button", name=re.compile("^Add Cell .* to the prompt")).click()
    lab.write("Compare churn by plan and explain the drop in September with @not")
    expect(lab.page.locator(".jp-Cabinet-completion")).to_contain_text("churn-notes.md")
    found = looks.show(lab, "composing")
    lab.page.keyboard.press("Escape")
    lab.composer.fill("")
    lab.panel.get_by_role("button", name=re.compile("^Remove Cell")).click()
    assert not found, looks.listed(found)


def test_unsaved_changes(lab: Lab) -> None:
    lab.page.locator(".jp-CodeCell .cm-content").last.click()
    lab.page.keyboard.type("# mine")
    start(lab, "sleep 600")
    expect(lab.page.locator(".jp-Dialog-content")).to_contain_text("has unsaved changes")
    found = looks.show(lab, "unsaved")
    lab.page.get_by_role("button", name="Save and run").click()
    lab.expect_state("Running")
    assert not found, looks.listed(found)


def test_running_and_cancelled(lab: Lab) -> None:
    lab.expect_screen("sleep 600")
    expect(lab.page.locator(".jp-Cabinet-document-strip:visible")).to_contain_text("is editing this notebook")
    found = looks.show(lab, "running")
    assert looks.wrong(lab.page, "motion")  # the ring
    lab.page.emulate_media(reduced_motion="reduce")
    found += looks.wrong(lab.page, "motion")
    lab.page.emulate_media(reduced_motion="no-preference")
    found += _at_other_widths(lab, "running")
    open_document(lab, "features.py")
    lab.command("cabinet:show-history")
    expect(lab.panel).to_contain_text(f"A session is running on {DOCUMENT}")
    found += looks.show(lab, "elsewhere")
    lab.button("Show it").click()
    lab.expect_state("Running")
    lab.button("Stop").click()
    lab.expect_state("Cancelled")
    found += looks.show(lab, "cancelled")
    assert not found, looks.listed(found)


def test_waiting_and_succeeded(lab: Lab) -> None:
    start(lab, "ask a question")
    lab.expect_state("Waiting for you")
    lab.expect_screen("(y/n)")
    found = looks.show(lab, "waiting")
    lab.panel.locator(".jp-Cabinet-terminal-screen").click()
    lab.page.keyboard.press("y")
    lab.expect_state("Succeeded")
    lab.run("add a cell that prints The solo plan loses most")
    expect(lab.panel).to_contain_text("2 of 2")
    lab.expect_state("Succeeded")
    lab.expect_screen("I changed")
    found += looks.show(lab, "succeeded")
    lab.panel.get_by_role("tab", name="Events").click()
    lab.panel.locator(".jp-Cabinet-fold-head").first.click()
    expect(lab.panel.locator(".jp-Cabinet-fold-body")).to_be_visible()
    found += looks.show(lab, "events")
    found += looks.wrong_by_tab(lab.page)
    found += _at_other_widths(lab, "events")
    assert not found, looks.listed(found)


def test_failed(lab: Lab) -> None:
    start(lab, "fail")
    lab.expect_state("Failed")
    found = looks.show(lab, "failed")
    found += _at_other_widths(lab, "failed")
    lab.button("Output").click()
    expect(lab.page.locator(".jp-Cabinet-output")).to_be_visible()
    found += looks.show(lab, "output")
    lab.page.keyboard.press("Escape")
    assert not found, looks.listed(found)


def test_queued(lab: Lab, server: Server, client: httpx.Client) -> None:
    first = server.run(client, "sleep 600", wait=0)
    start(lab, "summarise")
    lab.expect_state("Queued")
    found = looks.show(lab, "queued")
    client.post(f"runs/{first['id']}/cancel")
    lab.expect_state("Succeeded")
    assert not found, looks.listed(found)


def test_history_and_no_results(lab: Lab) -> None:
    lab.command("cabinet:show-history")
    expect(lab.panel.locator(".jp-Cabinet-row").first).to_be_visible()
    lab.page.keyboard.press("Tab")
    found = looks.show(lab, "history")
    found += looks.wrong_by_tab(lab.page)
    found += _at_other_widths(lab, "history")
    lab.panel.get_by_role("searchbox").fill("churn report q5")
    expect(lab.panel).to_contain_text("No session matches")
    found += looks.show(lab, "no-results")
    lab.button("Clear search").first.click()
    assert not found, looks.listed(found)


def test_loading(lab: Lab) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    lab.page.route("**/cabinet/api/editor/sessions?**", hold)
    lab.command("docmanager:open", path="welcome.md")
    expect(lab.panel).to_contain_text("Loading sessions")
    found = looks.show(lab, "loading")
    lab.page.unroute("**/cabinet/api/editor/sessions?**")
    for route in held:
        route.continue_()
    expect(lab.panel.locator(".jp-Cabinet-card")).to_be_visible()
    assert not found, looks.listed(found)


def test_offline(lab: Lab) -> None:
    open_document(lab, DOCUMENT)
    expect(lab.panel.locator(".jp-Cabinet-row").first).to_be_visible()
    wire: Wire = lab.wire  # type: ignore[attr-defined]
    wire.cut()
    expect(lab.panel).to_contain_text("Not connected. Showing the state as of")
    found = looks.show(lab, "offline")
    wire.mend(lab.button("Try now"))
    expect(lab.panel).not_to_contain_text("Not connected")
    assert not found, looks.listed(found)


def test_view_only(server: Server, open_page: Callable[..., Lab]) -> None:
    lab = open_page(server, "rea")
    expect(lab.panel).to_contain_text("You do not have permission to run agents")
    found = looks.show(lab, "view-only")
    found += looks.wrong_by_tab(lab.page)
    assert not found, looks.listed(found)


def test_trust(tmp_path_factory: pytest.TempPathFactory, open_page: Callable[..., Lab]) -> None:
    server = LabServer(tmp_path_factory.mktemp("trust"), arguments=())
    copy_workspace(server)
    server.start()
    try:
        lab = open_page(server)
        lab.button("Try the demo agent").click()
        save(lab)
        lab.run("summarise")
        expect(lab.panel).to_contain_text("Trust this folder?")
        found = looks.show(lab, "trust")
        found += _at_other_widths(lab, "trust")
        found += looks.wrong_by_tab(lab.page)
    finally:
        server.stop()
    assert not found, looks.listed(found)


def _at_other_widths(lab: Lab, state: str) -> list[str]:
    """Narrow, wide, and at 200 % zoom, where a page has half as many pixels."""
    found = []
    for width in (360, 440):
        looks.drag_to_width(lab, width)
        found += [f"{state}, {width} px: {each}" for each in looks.wrong(lab.page, "overflow", "targets")]
    _resize(lab, 720, 450)
    found += [f"{state}, 200 %: {each}" for each in looks.wrong(lab.page, "overflow", "targets")]
    lab.screenshot(f"{state}-zoomed")
    _resize(lab, 1440, 900)
    looks.drag_to_width(lab, 440)
    return found


def _resize(lab: Lab, width: int, height: int) -> None:
    """JupyterLab lays itself out a moment later: then the panel is at the right edge again."""
    lab.page.set_viewport_size({"width": width, "height": height})
    lab.page.wait_for_function(
        "width => { const { right } = document.querySelector('.jp-Cabinet-editor').getBoundingClientRect();"
        " return right <= width && right > width - 60; }",
        arg=width,
    )
