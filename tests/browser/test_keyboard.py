"""Every panel and dialog by the keyboard alone: no mouse is touched here."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server
from harness.terminal_tab import TerminalTab
from playwright.sync_api import expect

OpenLab = Callable[..., Lab]
pytestmark = pytest.mark.slow(reason="walks through every panel with the Tab key")

FOCUSED = """() => {
  const element = document.activeElement;
  const words = element.labels?.[0]?.firstChild?.textContent;
  return element.getAttribute('aria-label') || words || element.textContent.trim();
}"""
MOST_STEPS = 60


def walk(lab: Lab, name: str, *, key: str = "Tab") -> None:
    """Press the key until the control of this name has the focus. Esc Esc leaves a terminal that lies on the way."""
    passed = []
    for _ in range(MOST_STEPS):
        lab.page.keyboard.press(key)
        passed.append(focused(lab)[:60])
        if passed[-1] == name:
            return
        if passed[-1] == "Terminal input":
            press(lab, "Escape", "Escape")
    raise AssertionError(f"{name!r} is not reached: {passed}")


def press(lab: Lab, *keys: str) -> None:
    for key in keys:
        lab.page.keyboard.press(key)


def focused(lab: Lab) -> str:
    name: str = lab.page.evaluate(FOCUSED)
    return name


def by_palette(lab: Lab, words: str) -> None:
    press(lab, "Control+Shift+C")
    field = lab.page.locator(".lm-CommandPalette-input")
    expect(field).to_be_focused()
    field.press("Control+a")
    lab.page.keyboard.type(words)
    expect(lab.page.locator(".lm-CommandPalette-item").first).to_contain_text(words.rsplit(maxsplit=1)[-1])
    press(lab, "Enter")


# What names a thing in its arguments has no place in the palette.
WITH_ARGUMENTS = {
    "ask-about-file",
    "open-agent",
    "open-plan",
    "show-run",
    "show-sandbox",
    "instruct",
    "open-terminal",
    "play-recording",
    "terminal-text",
}


@pytest.fixture
def lab(team: Server, open_lab: OpenLab) -> Lab:
    (team.root / "notes.md").write_text("# Notes\n")
    return open_lab(team, "notes.md")


@pytest.mark.long(reason="looks up every command")
def test_every_command_is_found_in_the_palette_by_what_people_call_agents(lab: Lab) -> None:
    names: list[str] = lab.page.evaluate(
        "() => { const { commands } = jupyterapp;"
        " return commands.listCommands().filter(name => name.startsWith('cabinet:') && commands.isEnabled(name)); }"
    )
    ours = {name for name in names if name.removeprefix("cabinet:") not in WITH_ARGUMENTS}
    press(lab, "Control+Shift+C")
    field = lab.page.locator(".lm-CommandPalette-input")
    listed = lab.page.locator(".lm-CommandPalette-item:visible")
    for words in ("ask", "agent", "AI", "Claude", "Codex", "Gemini", "opencode", "OpenClaw", "Demo agent"):
        field.fill(words)
        expect(listed.filter(has_text="Cabinet: Ask an agent")).to_be_visible()
        found = listed.evaluate_all("items => items.map(each => each.dataset.command)")
        missing = sorted(ours - set(found))
        assert not missing, f"{words} does not find {missing}"
    for item in listed.filter(has=lab.page.locator("xpath=self::*[starts-with(@data-command, 'cabinet:')]")).all():
        expect(item).to_contain_text(re.compile("^Cabinet: "))
    lab.screenshot("palette")
    press(lab, "Escape")
    button = lab.page.locator(".jp-Toolbar").get_by_role("button", name="Ask an agent")
    expect(button).to_be_visible()
    lab.page.get_by_role("menuitem", name="Cabinet", exact=True).click()
    expect(lab.page.get_by_role("menuitem", name="Ask an agent")).to_be_visible()
    press(lab, "Escape")


def test_an_instruction_its_question_its_end_and_its_output(lab: Lab) -> None:
    lab.open_editor()
    walk(lab, "Permission mode")
    lab.page.keyboard.type("Ask")
    lab.mode_changed = True
    walk(lab, "Instruction", key="Shift+Tab")
    lab.page.keyboard.type("append: by hand")
    press(lab, "Shift+Enter")
    card = lab.panel.get_by_role("article")
    expect(card).to_contain_text("Demo agent asks to edit a file")
    assert focused(lab) == "Instruction"  # nothing takes the focus away
    press(lab, "Alt+Shift+Q")
    asked = lab.page.locator(".jp-Cabinet-approvals").get_by_role("article")
    expect(asked.get_by_role("button", name="Deny", exact=True)).to_have_attribute("aria-disabled", "false")
    walk(lab, "Deny")
    walk(lab, "Allow once")
    press(lab, "Enter")
    expect(asked).to_have_count(0)
    press(lab, "Alt+Shift+E")
    expect(lab.composer).to_be_focused()
    lab.expect_state("Succeeded")
    walk(lab, "Terminal", key="Shift+Tab")
    press(lab, "ArrowRight")
    expect(lab.panel.get_by_role("tab", name="Events")).to_be_focused()
    expect(lab.panel.get_by_role("tab", name="Events")).to_have_attribute("aria-selected", "true")
    walk(lab, "Instruction")
    lab.page.keyboard.type("fail")
    press(lab, "Shift+Enter")
    lab.expect_state("Failed")
    found = looks.wrong_by_tab(lab.page)
    lab.composer.focus()
    walk(lab, "Output", key="Shift+Tab")
    press(lab, "Enter")
    dialog = lab.page.get_by_role("dialog")
    expect(dialog.locator(":focus")).to_have_count(1)
    expect(dialog).to_contain_text("Output")
    found += looks.wrong_by_axe(lab.page)
    press(lab, "Escape")
    expect(dialog).to_have_count(0)
    assert focused(lab) == "Output"
    assert not found, looks.listed(found)


@pytest.mark.long(reason="starts JupyterLab for itself, which would remember the model")
def test_a_model_by_its_name_and_an_earlier_session(team: Server, open_lab: OpenLab) -> None:
    (team.root / "notes.md").write_text("# Notes\n")
    lab = open_lab(team, "notes.md", fresh=True)
    lab.open_editor()
    lab.page.keyboard.type("summarise")
    press(lab, "Shift+Enter")
    lab.expect_state("Succeeded")
    walk(lab, "Model")
    press(lab, "O")  # Other…
    dialog = lab.page.get_by_role("dialog")
    expect(dialog.get_by_role("textbox")).to_be_focused()
    lab.page.keyboard.type("a-model")
    press(lab, "Enter")
    expect(dialog).to_have_count(0)
    expect(lab.panel.get_by_role("combobox", name="Model")).to_have_value("a-model")
    assert focused(lab) == "Model"
    walk(lab, "Show history", key="Shift+Tab")
    press(lab, "Enter")
    row = lab.panel.locator(".jp-Cabinet-row")
    expect(row.first).to_be_visible()
    walk(lab, "Search sessions")
    press(lab, "Tab")
    expect(row.first).to_be_focused()  # one stop for all rows
    press(lab, "End", "Home", "Enter")
    lab.expect_state("Succeeded")


@pytest.mark.long(reason="test_terminals records an agent by mouse in the quick tier")
def test_a_terminal_an_agent_in_it_and_its_recording(lab: Lab) -> None:
    by_palette(lab, "Shared Terminal")
    tab = TerminalTab(lab).ready()
    tab.controlled_by("You control")
    lab.page.keyboard.type("echo from-$((40+2))")
    press(lab, "Enter")
    tab.shows("from-42")
    press(lab, "Escape", "Escape")
    expect(tab.tab.locator(".xterm-viewport")).to_be_focused()
    walk(lab, "More", key="Shift+Tab")
    press(lab, "Enter")
    menu = lab.page.get_by_role("menu").last
    expect(menu).to_contain_text("Start an agent")
    lab.page.keyboard.type("Sta")
    press(lab, "Enter")
    dialog = lab.page.get_by_role("dialog")
    expect(dialog.get_by_label("Instruction")).to_be_focused()
    lab.page.keyboard.type("summarise")
    found = looks.wrong_by_axe(lab.page)
    walk(lab, "Agent", key="Shift+Tab")
    walk(lab, "Instruction")
    walk(lab, "Start")
    press(lab, "Enter")
    expect(dialog).to_have_count(0)
    tab.says("Demo agent has answered. You can type.")
    press(lab, "Escape", "Escape")
    walk(lab, "Stop", key="Shift+Tab")
    press(lab, "Enter")
    tab.says("The terminal stays open.")
    walk(lab, "Play recording")
    press(lab, "Enter")
    player = lab.page.get_by_role("toolbar", name="Player controls")
    expect(player).to_be_visible()
    expect(lab.page.locator(".jp-Cabinet-player:focus")).to_have_count(1)  # where its keys work
    found += looks.wrong_by_tab(lab.page, ".jp-Cabinet-player", ".jp-Cabinet-player button")
    by_palette(lab, "Recordings of terminals")
    listed = lab.page.locator(".jp-Cabinet-recordings")
    expect(listed).to_be_visible()
    walk(lab, "Play")
    press(lab, "Enter")
    expect(player).to_be_visible()
    assert not found, looks.listed(found)


@pytest.mark.long(reason="the settings are visited by mouse in the quick tier")
def test_the_runtimes_in_the_settings(lab: Lab) -> None:
    by_palette(lab, "Agent runtimes")
    section = lab.page.locator(".jp-Cabinet-runtimes")
    expect(section).to_contain_text("Demo agent")
    walk(lab, "Check again")
    walk(lab, "Send a test prompt")
    press(lab, "Enter")
    expect(section).to_contain_text(re.compile("Answered: "))
    assert focused(lab) == "Send a test prompt"


@pytest.mark.long(reason="the sentences are tested in kept.spec.ts")
def test_the_settings_say_how_much_is_kept_of_changes_and_for_how_long(lab: Lab) -> None:
    by_palette(lab, "Agent runtimes")
    section = lab.page.get_by_role("region", name="Changes of runs")
    expect(section).to_contain_text(re.compile(r"kB of 2 GB, for \d+ run"))
    expect(section).to_contain_text("revert the changes of a run for 30 days")
    expect(section.get_by_role("meter")).to_have_attribute("aria-valuetext", re.compile("of 2 GB"))
