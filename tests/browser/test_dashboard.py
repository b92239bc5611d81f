"""The dashboard of agents in a real browser: from nothing to an agent at work, everything paused and resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import Locator, Page, expect

OpenLab = Callable[..., Lab]


@pytest.fixture
def empty_server(tmp_path: Path) -> Iterator[Server]:
    """A folder without agents."""
    server = Server(tmp_path)
    (server.root / "notes.md").write_text("# Notes\n")
    server.start()
    yield server
    server.stop()


def board_of(lab: Lab) -> Locator:
    lab.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('cabinet:agents')")
    lab.page.keyboard.press("Alt+Shift+G")
    board = lab.page.locator(".jp-Cabinet-board")
    expect(board).to_be_visible()
    return board


def card(board: Locator, name: str) -> Locator:
    return board.get_by_role("listitem").filter(has=board.page.get_by_role("heading", name=name, exact=True))


def write_checklist(server: Server, slug: str, text: str) -> None:
    """What the demo agent does at its heartbeat."""
    with server.client("root") as client:
        path = f"agents/{slug}/files/HEARTBEAT.md"
        etag = client.get(path).json()["etag"]
        assert client.put(path, json={"text": text, "etag": etag}).status_code == 200
        detail = client.get(f"agents/{slug}").json()
    confirm(server, slug, detail["hash"])


def confirm(server: Server, slug: str, digest: str) -> None:
    """As its owner does at a browser."""
    with server.browser_client("ada") as client:
        assert client.post(f"agents/{slug}/confirm", json={"hash": digest}).status_code == 200


@pytest.mark.slow(reason="starts a server of its own, in which there is no agent")
def test_from_no_agent_to_one_at_work(empty_server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(empty_server, "notes.md")
    page = lab.page
    board = board_of(lab)
    expect(board.get_by_role("heading", name="No agents in this workspace")).to_be_visible()
    templates = board.get_by_role("list", name="Templates").get_by_role("listitem")
    expect(templates).to_have_count(5)
    found = looks.show(lab, "agents-empty")
    templates.filter(has_text="Research").get_by_role("button", name="Use template").click()
    dialog = make(page)
    found += looks.show(lab, "agents-new")
    dialog.get_by_role("button", name="Create agent").click()
    expect(dialog).to_have_count(0)
    made = card(board, "Data steward")
    expect(made.get_by_text("Idle", exact=True)).to_be_visible()
    write_checklist(empty_server, "data-steward", "wait for the file go")
    made.get_by_role("button", name="Run now").click()
    expect(made.get_by_text("Running", exact=True)).to_be_visible()
    expect(page.locator(".jp-Cabinet-status", has_text="1 running")).to_be_visible()
    board.get_by_role("switch", name="Pause all").click()
    strip = board.locator(".jp-Cabinet-strip", has_text="Everything is paused")
    expect(strip).to_contain_text("1 run goes on")
    expect(page.locator(".Toastify__toast").get_by_role("button", name="Also stop 1 run")).to_be_visible()
    (empty_server.root / "go").write_text("")
    expect(made.get_by_text("Idle", exact=True)).to_be_visible()
    expect(strip).to_contain_text("No run is working")
    blocked = made.get_by_role("button", name="Run now")
    expect(blocked).to_have_attribute("aria-disabled", "true")
    expect(blocked).to_have_attribute("title", "Everything is paused. Resume all first.")
    found += looks.show(lab, "agents-paused")
    strip.get_by_role("button", name="Resume all").click()
    expect(strip).to_have_count(0)
    expect(blocked).not_to_have_attribute("aria-disabled", "true")
    assert not found, looks.listed(found)


def make(page: Page) -> Locator:
    """Fill in the form, with a mistake that is told at its field."""
    dialog = page.get_by_role("dialog", name="New agent")
    name = dialog.get_by_label("Name")
    expect(name).to_have_value("Researcher")
    name.fill("Data steward")
    expect(dialog.get_by_label("Folder")).to_have_value("data-steward")
    heartbeat = dialog.get_by_label("Heartbeat", exact=True)
    heartbeat.fill("every day")
    expect(heartbeat).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_role("button", name="Create agent")).to_be_disabled()
    heartbeat.fill("0 0 31 2 *")  # that there is no such day only the server says
    dialog.get_by_role("button", name="Create agent").click()
    expect(dialog.get_by_text("was not understood")).to_be_visible()
    expect(name).to_have_value("Data steward")
    heartbeat.fill("every 4h")
    dialog.get_by_label("Runtime").select_option(label="Demo agent")
    return dialog
