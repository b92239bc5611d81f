"""A day with agents: Ada makes one, runs it, reads what came of it, tells it things and pauses everything; Ben watches.

Once with the mouse in the light theme, once with the keyboard alone in the dark one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import RIGHTS, WORKING, LabServer, Server
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]

TABS = ("Overview", "History", "Memory", "Goals", "Tasks", "Inbox", "Plays", "Persona")
GOALS = [{"metric": "articles", "target": 8, "floor": 2, "period": "weekly"}]
CHECKLIST = """wait for the file {go}
answer: GOAL_UPDATE [articles]: +2
answer: LEARNING: Primary sources disagree on the date.
answer: TASK_COMPLETE [t-118]: done"""
MOST_STOPS = 60  # of the Tab key, between two things of one tab


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Ada administers it; Ben may run agents, but not change hers. Nothing is in it."""
    server = LabServer(tmp_path_factory.mktemp("day"), people=True)
    server.set_rights({**RIGHTS, "ada": [*WORKING, "cabinet-admin:write"]})
    (server.root / "notes.md").write_text("# Notes\n")
    server.start()
    yield server
    server.stop()


def board_of(lab: Lab) -> Locator:
    lab.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('cabinet:pause-all')")
    lab.page.keyboard.press("Alt+Shift+G")
    board = lab.page.locator(".jp-Cabinet-board")
    expect(board).to_be_visible()
    return board


def card(board: Locator, name: str) -> Locator:
    return board.get_by_role("listitem").filter(has=board.page.get_by_role("heading", name=name, exact=True))


def page_of(lab: Lab, slug: str) -> Locator:
    return lab.page.locator(f".jp-Cabinet-page[data-agent={slug}]")


def go(page: Locator, tab: str) -> Locator:
    page.get_by_role("tab", name=tab).click()
    panel = page.get_by_role("tabpanel")
    expect(panel).to_have_attribute("data-tab", tab.lower())
    return panel


def button(page: Locator, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def latest(page: Locator) -> Locator:
    return page.get_by_role("list", name="Latest runs").get_by_role("button")


def expect_off(control: Locator, reason: str) -> None:
    """Off, and it says why, to the eye and to the ear."""
    expect(control).to_have_attribute("aria-disabled", "true")
    expect(control).to_have_attribute("title", reason)
    expect(control).to_have_attribute("aria-description", reason)


def prepare(server: Server, slug: str, go_file: str) -> None:
    """What the agent does at its heartbeat, its goal, and the play that another agent carries out after its own."""
    with server.browser_client("ada") as client:
        assert (
            client.put(f"agents/{slug}", json={"fields": {"goals": GOALS, "heartbeat_enabled": False}}).status_code
            == 200
        )
        path = f"agents/{slug}/files/HEARTBEAT.md"
        body = {"text": CHECKLIST.format(go=go_file), "etag": client.get(path).json()["etag"]}
        assert client.put(path, json=body).status_code == 200
        editor = {"name": "Editor", "emoji": "📰", "runtime": "demo", "heartbeat_enabled": False}
        body = {"slug": f"{slug}-editor", "template": "ops", "fields": editor, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
        add_play(client, f"{slug}-digest", agent=slug)
        add_play(
            client, f"{slug}-print", agent=f"{slug}-editor", triggers=[{"on_complete": {"play": f"{slug}-digest"}}]
        )


def add_play(client: Any, slug: str, *, agent: str, triggers: Any = ("manual",)) -> None:
    fields = {"name": slug, "title": slug.title(), "agent": agent, "triggers": list(triggers)}
    made = client.post("plays", json={"slug": slug, "fields": fields, "body": "reply with the single word hello"})
    assert made.status_code == 201, made.text


@pytest.mark.slow(reason="starts a server of its own and lives through a day")
@pytest.mark.long(reason="a whole day of two people")
def test_a_day_by_mouse_while_somebody_watches(server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(server, "notes.md")
    board = board_of(lab)
    templates = board.get_by_role("list", name="Templates").get_by_role("listitem")
    templates.filter(has_text="Research").get_by_role("button", name="Use template").click()
    dialog = lab.page.get_by_role("dialog", name="New agent")
    dialog.get_by_label("Name").fill("Scout")
    dialog.get_by_label("Runtime").select_option(label="Demo agent")
    dialog.get_by_text("More", exact=True).click()
    dialog.get_by_label("Visible to").select_option(label="Everyone on this server")
    dialog.get_by_role("button", name="Create agent").click()
    scout = card(board, "Scout")
    expect(scout.get_by_text("Idle", exact=True)).to_be_visible()
    prepare(server, "scout", "go")
    expect(scout.get_by_role("meter", name="articles")).to_be_visible()
    scout.get_by_role("button", name="Open").click()
    page = page_of(lab, "scout")
    expect(latest(page)).to_have_count(0)
    expect_off(button(page, "Stop"), "It has no active run.")
    button(page, "Run now").click()
    expect(page.get_by_role("heading", name="Current run")).to_be_visible()
    expect(page.locator(".jp-Cabinet-page-live .jp-Cabinet-event").first).to_be_visible()
    expect_off(button(page, "Run now"), "It is already running.")

    ben = open_lab(server, "notes.md", username="ben")
    theirs = watch(ben)
    lab.screenshot("day-running-light")
    (server.root / "go").write_text("")
    expect(latest(page).first).to_contain_text("Succeeded")
    latest(page).first.click()
    effects = page.get_by_role("list", name="Effects")
    expect(effects.locator("[data-state=refused]")).to_contain_text("Refused:")
    expect(effects).to_contain_text("Primary sources disagree")
    lab.screenshot("day-run-light")

    panel = go(page, "Memory")
    panel.get_by_role("button", name="context.md").click()
    text = panel.get_by_role("textbox", name="memory/context.md")
    expect(text).not_to_have_value("")
    text.fill(f"{text.input_value()}\nThe Q3 sources are in notes.md.\n")
    button(panel, "Save").click()
    expect(button(panel, "Save")).to_be_disabled()
    lab.screenshot("day-memory-light")
    panel = go(page, "Inbox")
    panel.get_by_role("textbox", name="Message to Scout").fill("Where are the **Q3 sources**?")
    button(panel, "Send message").click()
    unread = panel.get_by_role("list", name="Unread").get_by_role("button")
    unread.click()
    expect(panel.get_by_role("article", name="Message")).to_contain_text(
        "The agent receives it with the next heartbeat."
    )
    expect(panel).to_contain_text("Otherwise it reads")
    lab.screenshot("day-inbox-light")
    panel = go(page, "Tasks")
    panel.get_by_role("textbox", name="Title").fill("Find primary sources for the Q3 report")
    button(panel, "Add task").click()
    expect(panel.locator("[data-status=pending]")).to_contain_text("Find primary sources")

    expect(theirs.get_by_role("tab", name="Tasks 1")).to_be_visible()  # Ben sees it, and lets the agent do it
    expect(theirs.get_by_role("tab", name="Inbox 1")).to_be_visible()
    button(theirs, "Run now").click()
    expect(panel.locator("[data-status=completed]")).to_contain_text("Find primary sources")
    lab.screenshot("day-tasks-light")
    panel = go(page, "Inbox")
    expect(panel.get_by_role("list", name="Read", exact=True).get_by_role("button")).to_contain_text("Q3 sources")
    panel = go(page, "History")
    expect(panel.get_by_role("list", name="Runs").get_by_role("button").first).to_contain_text("by Ben Okoro")

    follow_the_chain(lab, page)
    pause_and_resume(server, lab, page, theirs)
    found = [*looks_of_all(lab, board, page, "day"), *looks_of_all(ben, None, theirs, "day-watched")]
    assert not found, looks.listed(found)


def watch(ben: Lab) -> Locator:
    """Ben looks at what Ada has started: what he may not do is off, and says why."""
    board = board_of(ben)
    theirs = card(board, "Scout")
    expect(theirs.get_by_text("Running", exact=True)).to_be_visible()
    only_ada = "Only Ada Lind, who started this run, can stop it."
    expect_off(theirs.get_by_role("button", name="Stop"), only_ada)
    all_agents = "Only administrators of this server can pause and resume all agents."
    expect_off(board.get_by_role("switch", name="Pause all"), all_agents)
    assert not ben.page.evaluate("() => window.jupyterapp.commands.isEnabled('cabinet:pause-all')")
    assert ben.page.evaluate("() => window.jupyterapp.commands.caption('cabinet:pause-all')") == all_agents
    theirs.get_by_role("button", name="Open").click()
    page = page_of(ben, "scout")
    expect(page.get_by_role("region", name="Current run")).to_contain_text("Heartbeat, by Ada Lind")
    expect_off(button(page, "Stop"), only_ada)
    expect_off(button(page, "Pause"), "Only its owner, Ada Lind, can do this.")
    expect_off(button(go(page, "Persona"), "Save fields"), "Only its owner, Ada Lind, can do this.")
    ben.screenshot("day-watched-light")
    go(page, "Overview")
    return page


def follow_the_chain(lab: Lab, page: Locator) -> None:
    """One play follows the other: each agent's history says so."""
    panel = go(page, "Plays")
    button(panel, "Run now").click()
    shown = page.get_by_role("article", name="Run")
    expect(shown.locator(".jp-Cabinet-page-live-state").first).to_contain_text("Succeeded")
    expect(shown.locator(".jp-Cabinet-page-live-state").first).to_contain_text("Play, by you")
    panel = go(page, "Plays")
    expect(panel.get_by_role("list", name="Runs of this play").get_by_role("button")).to_have_count(1)
    lab.screenshot("day-plays-light")
    lab.page.get_by_role("tab", name="Agents", exact=True).click()
    board = lab.page.locator(".jp-Cabinet-board")
    progress = card(board, "Scout").get_by_role("meter", name="articles")
    expect(progress).to_have_attribute("aria-valuetext", re.compile("^4 of 8, "))  # two heartbeats
    expect(progress).to_have_attribute("aria-valuenow", "50")
    card(board, "Editor").get_by_role("button", name="Open").click()
    second = page_of(lab, "scout-editor")
    expect(latest(second)).to_contain_text("after the play Scout-Digest")
    expect(latest(second)).to_contain_text("Succeeded")
    lab.page.get_by_role("tab", name="Scout", exact=True).click()


def pause_and_resume(server: Server, lab: Lab, page: Locator, theirs: Locator) -> None:
    """Nothing starts while everything is paused; what was asked for meanwhile starts afterwards."""
    lab.page.get_by_role("tab", name="Agents", exact=True).click()
    board = lab.page.locator(".jp-Cabinet-board")
    board.get_by_role("switch", name="Pause all").click()
    strip = board.locator(".jp-Cabinet-strip", has_text="All agents were paused by Ada Lind at")
    expect(strip).to_contain_text("No runs are active")
    expect_off(button(theirs, "Run now"), "All agents are paused. Resume all agents first.")
    expect(theirs.locator(".jp-Cabinet-strip")).to_contain_text("All agents were paused by Ada Lind")
    with server.browser_client("ben") as client:
        asked = client.post("agents/scout/run")
        assert asked.status_code == 201, asked.text
        assert asked.json()["state"] == "queued"
    expect(card(board, "Scout").get_by_text("Queued", exact=True)).to_be_visible()
    lab.screenshot("day-paused-light")
    button(strip, "Resume all").click()
    expect(strip).to_have_count(0)
    expect(card(board, "Scout").get_by_text("Idle", exact=True)).to_be_visible()
    lab.page.get_by_role("tab", name="Scout", exact=True).click()
    go(page, "Overview")
    expect(page.get_by_role("list", name="Latest runs").get_by_role("button").first).to_contain_text("Succeeded")


def looks_of_all(lab: Lab, board: Locator | None, page: Locator, name: str) -> list[str]:
    """What is wrong with the dashboard and every tab of the page, at three widths, in both themes."""
    found = []
    for theme, full_name in looks.THEMES.items():
        looks.change_theme(lab, full_name)
        if board is not None:
            lab.page.get_by_role("tab", name="Agents", exact=True).click()
            lab.screenshot(f"{name}-board-{theme}")
            wrong = looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-board", lab.command)
            found += [f"board, {theme}, {each}" for each in wrong]
            lab.page.get_by_role("tab", name="Scout", exact=True).click()
        for tab in TABS:
            panel = go(page, tab)
            if tab in ("History", "Memory", "Inbox"):
                panel.get_by_role("list").get_by_role("button").first.click()
            shown = {"History": "Run", "Inbox": "Message", "Plays": "Scout-Digest"}
            if tab in shown:
                expect(panel.get_by_role("article", name=shown[tab])).to_be_visible()
            lab.screenshot(f"{name}-{tab.lower()}-{theme}")
            wrong = looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-page:visible", lab.command)
            found += [f"{tab}, {theme}, {each}" for each in wrong]
    looks.change_theme(lab, looks.THEMES["light"])
    return found


def tab_to(lab: Lab, control: Locator) -> None:
    """Walk with the Tab key to a control, and no further."""
    expect(control).to_be_visible()
    for _ in range(MOST_STOPS):
        if control.evaluate("node => node === document.activeElement"):
            return
        lab.page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {control}")


@pytest.mark.slow(reason="lives through a day by key")
@pytest.mark.long(reason="a whole day of work by keyboard")
def test_a_day_by_keyboard_in_the_dark(server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(server, "notes.md", theme="dark")
    keyboard = lab.page.keyboard
    board = board_of(lab)
    tab_to(lab, button(board, "New agent"))
    keyboard.press("Enter")
    dialog = lab.page.get_by_role("dialog", name="New agent")
    tab_to(lab, dialog.get_by_label("Name"))
    keyboard.press("Control+a")
    keyboard.type("Night owl")
    tab_to(lab, dialog.get_by_label("Runtime"))
    keyboard.type("Demo")
    tab_to(lab, dialog.get_by_role("button", name="Create agent"))
    keyboard.press("Enter")
    owl = board.locator("[data-agent=night-owl]")
    expect(owl).to_be_visible()
    prepare(server, "night-owl", "go-by-night")
    tab_to(lab, board.locator("[data-agent][tabindex='0']"))  # the one stop of the list
    for _ in range(board.locator("[data-agent]").count()):
        if owl.evaluate("node => node === document.activeElement"):
            break
        keyboard.press("ArrowRight")
    expect(owl).to_be_focused()
    keyboard.press("Enter")
    page = page_of(lab, "night-owl")
    expect(page.get_by_role("tab", name="Overview")).to_be_focused()
    keyboard.press("Shift+Tab")  # the menu of further actions
    keyboard.press("Shift+Tab")
    expect(button(page, "Pause")).to_be_focused()
    keyboard.press("Shift+Tab")
    expect(button(page, "Stop")).to_be_focused()  # off, and its reason can be heard
    keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Current run")).to_be_visible()
    expect(button(page, "Run now")).to_be_focused()
    lab.screenshot("day-running-dark")
    (server.root / "go-by-night").write_text("")
    expect(latest(page)).to_contain_text("Succeeded")
    tab_to(lab, latest(page).first)
    keyboard.press("Enter")
    expect(page.get_by_role("list", name="Effects")).to_contain_text("Primary sources disagree")
    lab.screenshot("day-run-dark")

    panel = by_arrows(lab, page, "Memory")
    tab_to(lab, panel.get_by_role("button", name="context.md"))
    keyboard.press("Enter")
    text = panel.get_by_role("textbox", name="memory/context.md")
    expect(text).not_to_have_value("")
    tab_to(lab, text)
    keyboard.press("Control+End")
    keyboard.type("Written by night.")
    keyboard.press("Control+s")
    expect(button(panel, "Save")).to_be_disabled()
    expect(text).to_be_focused()
    panel = by_arrows(lab, page, "Inbox")
    tab_to(lab, panel.get_by_role("textbox", name="Message to Night owl"))
    keyboard.type("Where are the Q3 sources?")
    tab_to(lab, button(panel, "Send message"))
    keyboard.press("Enter")
    expect(panel.get_by_role("list", name="Unread").get_by_role("button")).to_contain_text("Q3 sources")
    lab.screenshot("day-inbox-dark")
    panel = by_arrows(lab, page, "Tasks")
    tab_to(lab, panel.get_by_role("textbox", name="Title"))
    keyboard.type("Tidy the list")
    keyboard.press("Enter")
    expect(panel.locator("[data-status=pending]")).to_contain_text("Tidy the list")
    panel = by_arrows(lab, page, "Plays")
    tab_to(lab, button(panel, "Run now"))
    keyboard.press("Enter")
    shown = page.get_by_role("article", name="Run")
    expect(shown.locator(".jp-Cabinet-page-live-state").first).to_contain_text("Succeeded")

    keyboard.press("Alt+Shift+G")
    switch = board.get_by_role("switch", name="Pause all")
    expect(board.get_by_role("searchbox", name="Filter agents")).to_be_focused()
    for _ in range(3):
        keyboard.press("Shift+Tab")
    expect(switch).to_be_focused()
    keyboard.press("Space")
    resume = button(board, "Resume all")
    expect(board.locator(".jp-Cabinet-strip")).to_contain_text("All agents were paused by Ada Lind")
    expect(switch).to_be_focused()
    lab.screenshot("day-paused-dark")
    tab_to(lab, resume)
    keyboard.press("Enter")
    expect(resume).to_have_count(0)


def by_arrows(lab: Lab, page: Locator, tab: str) -> Locator:
    """To another tab of the page, from wherever the focus is."""
    lab.page.keyboard.press("Escape")
    current = page.get_by_role("tab", selected=True)
    for _ in range(MOST_STOPS):
        if current.evaluate("node => node === document.activeElement"):
            break
        lab.page.keyboard.press("Shift+Tab")
    for _ in TABS:
        if (current.text_content() or "").startswith(tab):
            break
        lab.page.keyboard.press("ArrowRight")
    panel = page.get_by_role("tabpanel")
    expect(panel).to_have_attribute("data-tab", tab.lower())
    return panel
