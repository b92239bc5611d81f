"""What a person sees when a CLI is missing, crashes, hangs or floods; and an unconfirmed folder."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from harness.lab import Lab
from harness.server import Server, processes_below, until
from playwright.sync_api import expect

OpenLab = Callable[..., Lab]


@pytest.fixture(scope="module")
def strict_server(asking_server: Server) -> Server:
    for name in ("trust", "crash", "hang", "flood", "queue", "queue2"):
        (asking_server.root / f"{name}.md").write_text(f"# {name}\n")
    return asking_server


def test_the_first_run_asks_once_whether_the_folder_is_trusted(strict_server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(strict_server, "trust.md")
    lab.open_editor()
    lab.run("append: after trust")
    expect(lab.panel).to_contain_text(str(strict_server.root))
    lab.screenshot("trust-light")
    lab.button("Trust this folder").click()
    lab.expect_state("Succeeded")
    lab.expect_document("after trust")


def confirm(server: Server) -> None:
    with server.browser_client("ada") as client:
        client.post("trust", json={"hash": client.get("trust").json()["hash"]})


def test_a_crash_says_so_and_offers_the_output_and_another_try(strict_server: Server, open_lab: OpenLab) -> None:
    confirm(strict_server)
    lab = open_lab(strict_server, "crash.md")
    lab.open_editor()
    lab.run("crash")
    lab.expect_state("Failed")
    expect(lab.panel).to_contain_text("Demo agent")
    expect(lab.button("Run again")).to_be_visible()
    expect(lab.button("Output")).to_be_visible()
    expect(lab.composer).to_be_visible()


@pytest.mark.long(reason="waits until a CLI counts as hanging")
def test_a_cli_that_hangs_is_stopped_and_says_why(strict_server: Server, open_lab: OpenLab) -> None:
    confirm(strict_server)
    before = set(processes_below(strict_server.pid))  # CLIs that earlier tests left open
    lab = open_lab(strict_server, "hang.md")
    lab.open_editor()
    lab.run("hang")
    lab.expect_state("Timed out", seconds=40)
    expect(lab.panel).to_contain_text("It wrote nothing for 6 s and was stopped")
    until(lambda: set(processes_below(strict_server.pid)) <= before, what="its processes to end")


@pytest.mark.long(reason="50 MiB go through a terminal")
def test_a_flood_of_50_mib_neither_stops_the_panel_nor_the_run(strict_server: Server, open_lab: OpenLab) -> None:
    confirm(strict_server)
    lab = open_lab(strict_server, "flood.md")
    lab.open_editor()
    lab.run("flood 50 MiB\nappend: after the flood")
    lab.expect_state("Succeeded", seconds=60)
    lab.expect_document("after the flood", seconds=30)
    lab.page.get_by_role("tab", name="Events").click()
    expect(lab.panel.locator(".jp-Cabinet-event").first).to_be_visible()


@pytest.mark.long(reason="the queue is tested in test_queue.py")
@pytest.mark.slow(reason="a run waits for another")
def test_a_run_without_a_place_shows_where_it_stands_and_can_be_cancelled(
    strict_server: Server, open_lab: OpenLab
) -> None:
    confirm(strict_server)
    with strict_server.client("ada") as client:
        first = strict_server.run(client, "ask a question", kind="editor", path="queue.md", mode="terminal", wait=0)
        lab = open_lab(strict_server, "queue2.md")
        lab.open_editor()
        lab.button("Start here").click()
        lab.run("append: second")
        lab.expect_state("Queued")
        expect(lab.panel).to_contain_text("next in line")
        lab.screenshot("queued-light")
        lab.button("Cancel").click()
        lab.expect_state("Cancelled")
        client.post(f"runs/{first['id']}/cancel", json={})


def test_a_cli_that_is_missing_is_named_with_the_way_to_get_it(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "missing.md").write_text("# Missing\n")
    with lab_server.client("ada") as client:
        run = lab_server.run(client, "hello", kind="editor", path="missing.md", runtime="claude", mode="terminal")
        assert run["failure"]["kind"] == "cli_missing"
    lab = open_lab(lab_server, "missing.md")
    lab.open_editor()
    lab.panel.locator(".jp-Cabinet-row").first.click()
    lab.expect_state("Failed")
    expect(lab.panel).to_contain_text("Claude Code was not found")


@pytest.mark.long(reason="the store decides it and is tested with jest")
def test_a_page_that_was_logged_out_says_so_and_leads_to_the_login(team: Server, open_lab: OpenLab) -> None:
    (team.root / "logged-out.md").write_text("# Logged out\n")
    lab = open_lab(team, "logged-out.md", fresh=True)
    lab.open_editor()
    lab.write("still here")
    expect(lab.button("Run")).to_be_enabled()
    lab.page.context.clear_cookies()
    lab.button("Run").click()  # the event stream is still open
    strip = lab.panel.get_by_text("You are logged out. Log in again to continue.")
    expect(strip).to_be_visible()
    lab.screenshot("logged-out-light")
    asked: list[str] = []
    lab.page.on("websocket", lambda socket: asked.append(socket.url))
    link = lab.panel.get_by_role("link", name="Log in")
    expect(link).to_have_attribute("href", re.compile(r"/lab/.*tree/logged-out\.md"))
    with lab.page.expect_navigation(url=re.compile(r"/login\?next=.*logged-out\.md")):
        link.click()
    assert not [url for url in asked if "/cabinet/api/" in url]
