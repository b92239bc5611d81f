"""Shared terminals: two and three named people in real browsers, one JupyterLab, real shells, the demo agent."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import httpx
import pytest
from harness.lab import Lab
from harness.server import Server, until
from harness.terminal_tab import TerminalTab
from playwright.sync_api import expect

from jupyter_cabinet.terminals.vt.grid import Grid

OpenLab = Callable[..., Lab]
Browsers = Callable[[str], Lab]

GRACE_SECONDS = 10
LOCKED = "Demo agent is working. Nobody can type until it has answered."


@pytest.fixture
def ada(browsers: Browsers) -> TerminalTab:
    """Ada, with a new terminal that she controls."""
    tab = TerminalTab.new(browsers("ada"))
    tab.controlled_by("You control")
    tab.type("echo from-$((40+2))")
    tab.shows("from-42")
    return tab


@pytest.fixture
def ben(browsers: Browsers, ada: TerminalTab) -> TerminalTab:
    """Ben, who looks at it too."""
    tab = TerminalTab.open(browsers("ben"), ada.id)
    tab.controlled_by("Ada Lind controls")
    tab.shows("from-42")
    return tab


@pytest.mark.slow(reason="two browsers ask for control, refuse, give and take it back")
def test_two_people_watch_one_terminal_and_hand_control_over(ada: TerminalTab, ben: TerminalTab) -> None:
    expect(ada.bar.get_by_role("group", name="1 watching")).to_be_visible()
    ben.says("Ada has control.")
    ben.type("echo sneaked")
    ben.says("Not sent: Ada has control")
    ada.type("echo later-$((40+3))")
    ben.shows("later-43")
    assert "sneaked" not in ada.text
    # Ben asks with one key, Ada does not want to now
    ben.focus()
    ben.page.keyboard.press("Alt+r")
    expect(ben.button("Requested, 1st in line")).to_be_visible()
    ada.says("Ben Okoro asks for control")
    ada.button("Not now").click()
    ada.says_not("asks for control")
    ada.page.keyboard.type("echo typed-on-$((40+1))\n")  # the terminal has the focus again
    ada.shows("typed-on-41")
    ben.says("Ada keeps control for now.")
    expect(ben.button("Request")).to_be_visible()
    # he asks again by the button; she answers with one key, first no and then yes
    ben.button("Request").click()
    ada.says("Ben Okoro asks for control")
    ada.focus()
    ada.page.keyboard.press("Alt+n")
    ada.says_not("asks for control")
    ben.button("Request").click()
    ada.says("Ben Okoro asks for control")
    ada.page.keyboard.press("Alt+g")
    ben.controlled_by("You control")
    ada.controlled_by("Ben Okoro controls")
    ben.type("echo mine-$((40+4))")
    ada.shows("mine-44")
    # he lets go; nobody is promoted; she takes it
    ben.button("Release").click()
    ada.controlled_by("Nobody controls")
    ben.controlled_by("Nobody controls")
    ada.button("Take control").first.click()
    ada.controlled_by("You control")
    ada.button("Give control").click()
    ada.page.get_by_role("menuitem", name="Ben Okoro").click()
    ben.controlled_by("You control")
    expect(ada.button("Request").first).to_be_focused()


@pytest.mark.slow(reason="two browsers, one of which is sent away and comes back")
def test_a_terminal_is_made_private_and_shared_again_while_a_second_person_watches(
    ada: TerminalTab, ben: TerminalTab
) -> None:
    def choose(name: str) -> None:
        ada.button("More").click()
        ada.page.get_by_role("menuitem", name=name, exact=True).click()

    ben.button("More").click()
    expect(ben.page.get_by_role("menuitem", name="Copy link")).to_be_visible()
    expect(ben.page.get_by_role("menuitem", name="Make private")).to_have_count(0)
    ben.page.keyboard.press("Escape")
    ada.button("Give control").click()
    ada.page.get_by_role("menuitem", name="Ben Okoro").click()
    ben.controlled_by("You control")
    choose("Make private")
    ben.says("Ada Lind made this terminal private.")
    expect(ben.spoken).to_have_text("Ada Lind made this terminal private.")
    ben.controlled_by("Private")
    ben.lab.screenshot("terminal-made-private")
    expect(ada.bar.get_by_text("Private", exact=True)).to_be_visible()
    expect(ada.button("Copy link")).to_have_count(0)
    ada.type("echo secret-$((40+5))")  # control has returned to her
    ada.shows("secret-45")
    ada.lab.screenshot("terminal-private")
    ben.page.get_by_role("tab", name="Running Terminals and Kernels").click()
    expect(ben.page.locator(".jp-Cabinet-running-terminal", has_text="Ada controls")).to_have_count(0)
    # she shares it again, after she has read what that shows
    ada.button("Share").click()
    dialog = ada.page.get_by_role("dialog")
    expect(dialog).to_contain_text("its screen and its earlier output")
    dialog.get_by_role("button", name="Cancel").click()
    expect(ada.bar.get_by_text("Private", exact=True)).to_be_visible()
    ada.button("Share").click()
    dialog.get_by_role("button", name="Share").click()
    expect(ada.button("Copy link")).to_be_visible()
    ben.controlled_by("Ada Lind controls")  # his tab needs no click
    ben.shows("secret-45")
    expect(ben.page.locator(".jp-Cabinet-running-terminal", has_text="Ada controls")).to_be_visible()
    ben.page.get_by_role("tab", name="File Browser").click()


@pytest.mark.long(reason="many keys, one after the other")
@pytest.mark.slow(reason="presses every shortcut, and the keys of a shell")
def test_shortcuts_work_in_a_terminal_and_the_shell_gets_its_own_keys(ada: TerminalTab) -> None:
    keyboard, commands = ada.page.keyboard, "window.jupyterapp.commands"
    board, record = ada.page.locator(".jp-Cabinet-board"), ada.page.locator("#cabinet-activity")
    for keys, shown in (
        ("Alt+Shift+E", ada.lab.panel),
        ("Alt+Shift+Q", ada.page.locator(".jp-Cabinet-approvals")),
        ("Alt+Shift+G", board),
    ):
        ada.focus()
        keyboard.press(keys)
        expect(shown).to_be_visible()
        expect(ada.page.locator(".xterm-helper-textarea:focus")).to_have_count(0)
        ada.lab.command("cabinet:open-terminal", id=ada.id)
    own = "{command: 'cabinet:activity', keys: ['Ctrl K', 'A'], selector: 'body'}"
    ada.page.evaluate(f"() => {{ window.ownKeys = {commands}.addKeyBinding({own}); }}")
    ada.focus()
    keyboard.press("Control+k")
    keyboard.press("a")
    expect(record).to_be_visible()
    ada.page.evaluate("() => { window.ownKeys.dispose(); jupyterapp.shell.collapseRight(); }")
    ada.lab.command("cabinet:open-terminal", id=ada.id)
    # bash loses an interrupt that comes while it starts a command, and the terminal what is typed in this moment
    ada.type("echo ready-$((40+3)); cat")
    ada.shows("ready-43")
    keyboard.type("it runs\n")
    ada.shows("it runs\nit runs")
    keyboard.press("Control+c")
    ada.shows("^C\n$")
    ada.type("echo one-$((40+1)) two")
    ada.shows("one-41 two\n$")  # the next keys are for the shell itself, not typed ahead of its prompt
    keyboard.type("echo three-$((40+2)) four")
    keyboard.press("Control+w")
    keyboard.press("Enter")
    ada.shows("three-42\n")
    keyboard.press("Control+r")
    ada.shows("reverse-i-search")
    keyboard.press("Control+c")


@pytest.mark.long(reason="a table of characters")
@pytest.mark.slow(reason="a browser says in which column its cursor is")
def test_what_follows_an_emoji_is_in_the_column_where_shells_and_the_server_expect_it(ada: TerminalTab) -> None:
    grid = Grid(80, 2)
    grid.feed("🌍|".encode())
    ada.type("printf '\\r🌍|\\033[6n'; read -rsd R place; echo \" column ${place#*;}\"")
    ada.shows(f"🌍| column {grid.x + 1}\n")


@pytest.mark.long(reason="sizes are tested with jest")
@pytest.mark.slow(reason="a watcher with a smaller window beside the controller's")
def test_a_watcher_sees_the_screen_made_to_fit_or_as_large_as_it_is(ada: TerminalTab, ben: TerminalTab) -> None:
    letter = "() => document.querySelector('.jp-MainAreaWidget:not(.lm-mod-hidden) .xterm-screen').offsetWidth"
    whole = ada.page.evaluate(letter)
    ben.page.set_viewport_size({"width": 1250, "height": 900})
    try:
        ben.button("Actual size").click()
        ben.page.wait_for_function(f"whole => Math.abs(({letter})() - whole) <= 2", arg=whole)
        ben.button("Fit").click()
        ben.page.wait_for_function(f"whole => ({letter})() < whole - 20", arg=whole)
        # with control, the terminal gets the size of a window that was made smaller while he only watched
        ben.button("Request").click()
        ada.says("Ben Okoro asks for control")
        ada.button("Give control").last.click()
        ben.controlled_by("You control")
        expect(ben.button("Actual size")).to_have_count(0)
        ada.page.wait_for_function(f"whole => ({letter})() < whole - 20", arg=whole)
        ada.button("Request").click()
        ben.button("Give control").last.click()
        ada.controlled_by("You control")
        expect(ada.button("Actual size")).to_have_count(0)  # her own keeps its letters
        assert ada.page.evaluate(letter) == whole
    finally:
        ben.page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.slow(reason="a request is answered from another tab's notification")
@pytest.mark.long(reason="control is handed over in the quick tier")
def test_a_request_finds_the_controller_in_another_tab(ada: TerminalTab, ben: TerminalTab) -> None:
    ada.lab.command("docmanager:open", path="notes.md")
    ben.button("Request").click()
    notice = ada.page.get_by_role("alert").filter(has_text="Ben Okoro asks for control of")
    expect(notice).to_be_visible()
    notice.get_by_role("button", name="Give control").click()
    ben.controlled_by("You control")
    expect(notice).to_have_count(0)


@pytest.mark.slow(reason="an agent works for seconds; it is paused, resumed and stopped")
def test_an_agent_cannot_be_typed_over_and_is_paused_resumed_and_stopped(
    team: Server, ada: TerminalTab, ben: TerminalTab
) -> None:
    places = [tab.tab.locator(".jp-Cabinet-terminal-screen").bounding_box() for tab in (ada, ben)]
    ada.start_agent("sleep 60\nappend: never")
    for tab, place in zip((ada, ben), places, strict=True):
        tab.says(LOCKED)
        assert tab.tab.locator(".jp-Cabinet-terminal-screen").bounding_box() == place, "the strip has moved the screen"
    for tab in (ada, ben):
        tab.says(LOCKED)
        tab.type("x")
        tab.says("Not sent: an agent is running")
    expect(ben.button("Pause")).to_have_count(0), "Ben neither controls nor has started anything"
    ada.button("Pause").click()
    ada.says("Demo agent is paused, and this is your shell. Resume the agent when you are done.")
    ada.shows("from-42")
    ada.type("echo looking-$((40+5))")
    ben.shows("looking-45")
    ada.button("Resume").click()
    ada.says(LOCKED)
    ben.says(LOCKED)
    assert "looking-45" not in ada.text
    ada.button("Stop").click()
    ada.says(re.compile("Demo agent was stopped at .* by Ada Lind. The terminal stays open."))
    ada.shows("looking-45")
    ada.type("echo after-$((40+6))")
    ben.shows("after-46")
    with team.client("ada") as client:
        runs = client.get("runs").json()["items"]
    assert runs[0]["state"] == "cancelled" and "Ada Lind" in runs[0]["reason"]


@pytest.mark.slow(reason="an agent answers, then takes what is typed")
def test_after_its_answer_the_agent_takes_what_the_controller_types(
    team: Server, ada: TerminalTab, ben: TerminalTab
) -> None:
    ada.start_agent("append: first")
    ada.says("Demo agent has answered. You can type.")
    ben.type("append: not Ben")
    ben.says("Not sent: Ada has control")
    ada.type("append: second")
    until(lambda: "second" in (team.root / "notes.md").read_text() or "second" in ada.text, what="the second answer")
    ada.says("Demo agent has answered. You can type.")
    assert "not Ben" not in ada.text


@pytest.mark.long(reason="waits ten seconds without a connection")
def test_a_link_opens_a_reload_keeps_and_ten_seconds_without_a_connection_free(
    team: Server, ben: TerminalTab, ada: TerminalTab, open_lab: OpenLab
) -> None:
    ada.button("Give control").click()
    ada.page.get_by_role("menuitem", name="Ben Okoro").click()
    second = open_lab(team, "notes.md", username="ben")
    workspace = f"{team.url}lab/workspaces/second"  # a separate one: people share the default
    second.page.goto(f"{workspace}?cabinet-terminal={ada.id}&token={team.token('ben')}")
    tab = TerminalTab(second).ready()
    tab.controlled_by("You control")
    ben.tab_close()
    ada.controlled_by("Ben Okoro controls")  # one of two tabs changes nothing
    kept = team.place / "workspaces"
    until(lambda: any(ada.id in file.read_text() for file in kept.glob("*second*")), what="the layout to be kept")
    left = time.monotonic()
    second.page.goto(workspace, wait_until="domcontentloaded")
    back = TerminalTab(second).ready()
    if time.monotonic() < left + GRACE_SECONDS:
        back.controlled_by("You control")
    back.takes_control_back()
    back.shows("from-42")
    second.page.close()
    ada.says(re.compile("Ben is not connected. Control is kept for .* more seconds?."))
    ada.says("Nobody controls this terminal.", seconds=30)
    ada.button("Take control").first.click()
    ada.controlled_by("You control")


@pytest.mark.slow(reason="a third browser, without the right to execute")
@pytest.mark.long(reason="a third person's page; the server's refusals are tested in the quick tier")
def test_who_may_only_read_watches_and_has_no_buttons(browsers: Browsers, ada: TerminalTab, ben: TerminalTab) -> None:
    rea = TerminalTab.open(browsers("rea"), ada.id)
    rea.shows("from-42")
    expect(ada.bar.get_by_role("group", name="2 watching")).to_be_visible()
    rea.says("View only")
    rea.type("echo no")
    rea.says("Not sent: view only")
    for name in ("Request", "Take control", "Pause", "Recording", "Start an agent"):
        expect(rea.button(name)).to_have_count(0)


def test_a_terminal_is_listed_as_running_and_closed_there(team: Server, ada: TerminalTab) -> None:
    ada.lab.command("running:show-panel")
    with team.client("ada") as client:
        name = client.get(f"terminals/{ada.id}").json()["name"]
    row = ada.page.locator(".jp-Cabinet-running-terminal").filter(has=ada.page.get_by_text(name, exact=True))
    expect(row).to_be_visible()
    row.hover()
    row.locator(".jp-RunningSessions-itemShutdown").click()
    ada.says("This terminal was closed. Closed by Ada Lind.")
    expect(ada.spoken).to_have_text("This terminal was closed. Closed by Ada Lind.")
    with team.client("ada") as client:
        assert client.get(f"terminals/{ada.id}").status_code == httpx.codes.NOT_FOUND


@pytest.mark.long(reason="one sentence")
def test_a_link_to_no_terminal_says_so(browsers: Browsers) -> None:
    tab = TerminalTab(browsers("ada"))
    tab.lab.command("cabinet:open-terminal", id="01nosuchterminal")
    tab.says("Terminal not found.")
    expect(tab.spoken).to_have_text("Terminal not found. It was closed, or the link is wrong.")


@pytest.mark.long(reason="recordings are tested without a browser")
@pytest.mark.slow(reason="records an agent, then plays it")
def test_an_agents_terminal_is_recorded_and_played(team: Server, ada: TerminalTab) -> None:
    ada.start_agent("append: on tape")
    ada.says("Demo agent has answered. You can type.")
    ada.button("Stop").click()
    ada.says("The terminal stays open.")
    ada.button("Play recording").click()
    player = ada.page.get_by_role("toolbar", name="Player controls")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()  # it plays at once
    expect(player.get_by_role("combobox", name="Jump to a run")).to_contain_text("append: on tape")
    player.get_by_role("slider", name="Position").press("End")
    ada.shows("on tape")


@pytest.mark.long(reason="starts JupyterLab for two people who share it")
def test_with_collaboration_one_sees_who_looks_at_the_terminal(rtc_server: Server, open_lab: OpenLab) -> None:
    (rtc_server.root / "notes.md").write_text("# Notes\n")
    mine, hers = (open_lab(rtc_server, "notes.md") for _ in range(2))
    tab = TerminalTab.new(mine)
    other = TerminalTab.open(hers, tab.id)
    looking = tab.bar.locator(".jp-Cabinet-face.jp-mod-looking")
    expect(looking).to_have_count(1)
    colour = hers.page.evaluate("() => window.jupyterapp.serviceManager.user.identity.color")
    assert colour in (looking.get_attribute("style") or "")
    other.lab.command("docmanager:open", path="notes.md")
    expect(looking).to_have_count(0)


@pytest.mark.long(reason="a width")
def test_the_list_of_what_runs_shows_names_whole_beside_what_can_be_done(team: Server, ada: TerminalTab) -> None:
    with team.client("ada") as client:
        for name in ("A terminal with a very long name for the nightly training", "Short"):
            assert client.post("terminals", json={"name": name}).status_code == 201
    page = ada.page
    page.evaluate("() => window.jupyterapp.shell.activateById('jp-running-sessions')")  # a click may close it
    for name in ("A terminal with", "Short"):
        row = page.locator(".jp-Cabinet-running-terminal").filter(has_text=name)
        row.scroll_into_view_if_needed()
        row.hover()
        words, label, close = (
            row.locator(part).bounding_box()
            for part in (
                ".jp-Cabinet-running-label > span:first-child",
                ".jp-RunningSessions-itemLabel",
                ".jp-RunningSessions-itemShutdown",
            )
        )
        panel = page.locator("#jp-running-sessions").bounding_box()
        drawn = row.evaluate(
            "item => item.shadowRoot.querySelector('.positioning-region').getBoundingClientRect().height"
        )
        assert words and label and close and panel
        assert words["height"] <= drawn  # nothing is cut above and below
        assert words["x"] + words["width"] <= close["x"]
        assert close["x"] + close["width"] <= panel["x"] + panel["width"]
    ada.lab.screenshot("running-terminals")
    page.get_by_role("tab", name="File Browser").click()


@pytest.mark.long(reason="a page of its own that is reloaded; which terminals are gone is tested in the store")
def test_a_private_terminal_is_opened_and_its_tab_is_gone_with_it(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "gone.md").write_text("# Gone\n")
    lab = open_lab(lab_server, "gone.md", fresh=True)
    lab.command("cabinet:new-private-terminal")
    tab = TerminalTab(lab).ready()
    expect(lab.page.get_by_role("toolbar", name="Terminal controls").get_by_text("Private")).to_be_visible()
    expect(tab.button("Copy link")).to_have_count(0)
    with lab_server.client("owner") as client:
        assert client.get(f"terminals/{tab.id}").json()["visibility"] == "private"
        until(lambda: any(tab.id in file.read_text() for file in (lab_server.place / "workspaces").glob("*")))
        client.delete(f"terminals/{tab.id}").raise_for_status()
    lab.reload()
    expect(lab.page.locator(f"#cabinet-terminal-{tab.id}")).to_have_count(0)
