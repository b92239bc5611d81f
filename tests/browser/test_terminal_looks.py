"""How every state of a shared terminal looks, in both themes: pictures for people, and what can be measured.

The pictures are in `test-results/screenshots/terminal-<state>-<theme>.png`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server
from harness.terminal_tab import TerminalTab
from harness.wire import Wire
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.long(reason="shows every state of a terminal in a real browser, in both themes")

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "test-results" / "screenshots"
BAR = ".jp-Cabinet-terminal-bar"


@pytest.fixture
def ada(browsers: Callable[[str], Lab]) -> TerminalTab:
    tab = TerminalTab.new(browsers("ada"))
    tab.controlled_by("You control")
    tab.type("printf '\\033[33m9f2c1aa\\033[0m Resume training from a checkpoint\\n'")
    tab.shows("9f2c1aa Resume")
    return tab


@pytest.fixture
def ben(browsers: Callable[[str], Lab], ada: TerminalTab) -> TerminalTab:
    tab = TerminalTab.open(browsers("ben"), ada.id)
    tab.shows("9f2c1aa Resume")
    return tab


def show(tab: TerminalTab, state: str) -> list[str]:
    return looks.show(tab.lab, f"terminal-{state}")


def narrow(tab: TerminalTab, state: str) -> list[str]:
    """A tab of about 360 px: the toolbar folds, everything is in its menu."""
    # whatever a test before has opened in this tab
    tab.page.evaluate("() => { const { shell } = jupyterapp; shell.collapseLeft(); shell.collapseRight(); }")
    tab.page.set_viewport_size({"width": 430, "height": 800})
    try:
        visible = "[...document.querySelectorAll('.jp-Cabinet-terminal-bar')].find(each => each.offsetParent)"
        tab.page.wait_for_function(f"() => Math.abs({visible}.offsetWidth - 350) < 30")
        tab.lab.screenshot(f"terminal-{state}-narrow")
        return [f"{state}, narrow: {each}" for each in looks.wrong(tab.page, "overflow", "targets")]
    finally:
        tab.page.set_viewport_size({"width": 1440, "height": 900})
        tab.page.evaluate("() => jupyterapp.shell.expandLeft()")


def test_turns(ada: TerminalTab, ben: TerminalTab) -> None:
    found = show(ben, "viewer")
    ben.button("Request").click()
    expect(ben.button("Requested, 1st in line")).to_be_visible()
    ada.says("asks for control")
    found += show(ada, "asked")
    found += looks.wrong_by_tab(ada.page, BAR, f"{BAR} button")
    ada.lab.command("cabinet:terminal-deny")
    ben.type("x")
    ben.says("Not sent")
    ada.button("Release").click()
    ben.controlled_by("Nobody controls")
    found += show(ben, "nobody")
    found += narrow(ben, "nobody")
    assert not found, looks.listed(found)


def test_an_agent(team: Server, ada: TerminalTab) -> None:
    ada.start_agent("sleep 600")
    ada.says("Demo agent is working.")
    found = show(ada, "locked")
    found += narrow(ada, "locked")
    ada.button("Pause").click()
    ada.says("Demo agent is paused, and this is your shell.")
    found += show(ada, "paused")
    ada.button("Stop").click()
    ada.says("The terminal stays open.")
    found += show(ada, "stopped")
    ada.button("Play recording").click()
    expect(ada.page.get_by_role("toolbar", name="Player controls")).to_be_visible()
    found += show(ada, "player")
    ada.lab.command("cabinet:recordings")
    expect(ada.page.get_by_text("Recordings").first).to_be_visible()
    found += show(ada, "recordings")
    assert not found, looks.listed(found)


def test_a_question(team: Server, ada: TerminalTab) -> None:
    ada.start_agent("ask a question")
    ada.says("Type your answer in the terminal.")
    found = show(ada, "question")
    ada.page.set_viewport_size({"width": 1024, "height": 800})
    expect(ada.button("Type answer")).to_be_in_viewport(ratio=1)  # the words give way, not the button
    ada.page.set_viewport_size({"width": 1440, "height": 900})
    ada.button("Stop").click()
    ada.says("The terminal stays open.")
    assert not found, looks.listed(found)


def test_a_lost_connection_and_the_end(team: Server, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    wire = Wire(page)
    lab = Lab(page, team, screenshots=SCREENSHOTS)
    lab.open("notes.md", username="ada")
    ada = TerminalTab.new(lab)
    ada.controlled_by("You control")
    wire.cut()
    ada.says("Connection lost. Trying again")
    found = show(ada, "lost")
    wire.mend(ada.button("Try now"))
    ada.takes_control_back()
    ada.type("exit")
    ada.says("The shell ended")
    found += show(ada, "exited")
    context.close()
    assert not found, looks.listed(found)


@pytest.mark.skipif("CABINET_WRITE_IMAGES" not in os.environ, reason="writes the pictures of the how-to")
def test_the_pictures_of_the_how_to(ada: TerminalTab, ben: TerminalTab) -> None:
    ada.start_agent("sleep 600")
    ada.says("Demo agent is working.")
    ben.button("Request").click()
    ada.says("asks for control")
    for theme, name in looks.THEMES.items():
        looks.change_theme(ada.lab, name)
        ada.page.set_viewport_size({"width": 1440, "height": 560})
        ada.page.screenshot(path=ROOT / "docs" / "images" / f"terminal-{theme}.png")
    ada.button("Stop").click()
