"""Whole plans in a real browser: carried through with what goes wrong on the way, and used further afterwards."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import looks
from harness.lab import Lab
from harness.plan_tab import PlanTab, StepText
from harness.server import RIGHTS, WORKING, LabServer, Server, until
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]
PAUSED = re.compile(r"Paused by [^.]+\.")
ABOUT_RELEASE = "after Collect: insert Check the names"
CHECK = ("python3", "-c", "import os; assert os.path.exists('data.csv')")

WATCH_EDGES = """() => {
  window.edgesGone = 0;
  const graph = document.querySelector('.jp-Cabinet-plan-canvas');
  const look = () => { if (!graph.querySelector('.react-flow__edge')) window.edgesGone += 1; };
  new MutationObserver(look).observe(graph, { childList: true, subtree: true });
}"""


def open_plans(server: Server, open_lab: OpenLab, name: str, theme: str = "light", **options: bool) -> PlanTab:
    page = server.root / f"{name}.md"
    page.write_text("# Plans\n")
    return PlanTab(open_lab(server, page.name, theme=theme, **options))


def release_steps(folder: str) -> list[StepText]:
    """Eight steps: a chain, two that work side by side in folders, one that fails until a file is there."""
    return [
        StepText("Collect", "reply with the single word collected"),
        StepText("Write the text", "wait for the file go", after=["Collect"], folder=f"{folder}/text"),
        StepText("Draw the tables", "wait for the file go", after=["Collect"], folder=f"{folder}/tables"),
        StepText("Build", command=["ls", "data.csv"], after=["Write the text", "Draw the tables"], folder=folder),
        StepText("Describe", "reply with the single word described", after=["Build"], verify=CHECK, folder=folder),
        StepText("Review", "reply with the single word reviewed", after=["Describe"]),
        StepText("Announce", "reply with the single word announced", after=["Review"]),
        StepText("Tidy up", "reply with the single word tidy"),
    ]


@pytest.mark.long(reason="the quick tier carries a plan of two steps through")
@pytest.mark.slow(reason="a plan of eight steps, written and carried through in a real browser")
def test_a_plan_of_eight_steps_is_carried_through_by_mouse(lab_server: Server, open_lab: OpenLab) -> None:
    folder = lab_server.root / "release"
    for name in ("text", "tables"):
        (folder / name).mkdir(parents=True)
    plans = open_plans(lab_server, open_lab, "journey-mouse")
    plans.create("Release", description=ABOUT_RELEASE, evaluation="Propose new steps")
    plans.add(*release_steps("release"))
    expect(plans.steps).to_have_count(8)
    plans.graph_agrees("pending")
    plans.lab.screenshot("journey-draft")
    plans.button("Run").click()
    plans.proposals.get_by_role("button", name="Apply").click()
    expect(plans.steps).to_have_count(9)
    settings = plans.settings()
    settings.get_by_label("Evaluation").select_option(label="Off")
    settings.get_by_role("button", name="Save").click()
    plans.step_is("Check the names", "done")
    plans.step_is("Write the text", "running")
    plans.step_is("Draw the tables", "running")
    plans.says(re.compile(r"\d of 9 done, 2 running"))
    plans.lab.screenshot("journey-parallel")
    for name in ("text", "tables"):
        (folder / name / "go").touch()
    plans.step_is("Build", "failed")
    plans.says("“Build” failed")
    plans.lab.screenshot("journey-failed")
    (folder / "data.csv").touch()
    plans.show("Build")
    heading = plans.lab.page.get_by_role("heading", name="Output")
    output = plans.step.locator("section").filter(has=heading)
    expect(output).to_contain_text("ls: cannot access 'data.csv'")
    plans.step_button("Run again").click()
    plans.says("9 of 9 done")
    expect(plans.row("Release")).to_contain_text("Done")
    for step in plans.steps.all():
        expect(step).to_have_attribute("data-state", "done")
    expect(plans.graph.locator("[data-state=done]").first).to_be_visible()
    plans.graph_agrees("done")
    expect(plans.page.locator("header")).to_contain_text("cost unknown")
    plans.lab.screenshot("journey-done")
    plans.show("Describe")
    runs = plans.step.get_by_role("list", name="Runs").get_by_role("listitem")
    expect(runs).to_contain_text(["Verify command", "Work"])
    plans.lab.screenshot("journey-verified")
    assert looks.wrong_in_a_tab(plans.lab.page, ".jp-Cabinet-plans", plans.lab.command) == []


@pytest.mark.long(reason="pausing is tested on the server")
def test_a_plan_is_paused_while_a_step_works_and_continues(lab_server: Server, open_lab: OpenLab) -> None:
    plans = open_plans(lab_server, open_lab, "journey-pause")
    plans.create("Paused")
    plans.add(
        StepText("Wait", "wait for the file pause-go"),
        StepText("Then", "reply with the single word then", after=["Wait"]),
    )
    plans.button("Run").click()
    expect(plans.button("Pause")).to_be_focused()
    plans.step_is("Wait", "running")
    plans.lab.page.evaluate(WATCH_EDGES)
    plans.button("Pause").click()
    plans.says(PAUSED)
    plans.step_is("Then", "queued")
    expect(plans.step_row("Then")).to_contain_text("The plan is paused.")
    plans.lab.screenshot("journey-paused")
    (lab_server.root / "pause-go").touch()
    plans.step_is("Wait", "done")
    plans.says(PAUSED)
    expect(plans.button("Run")).to_be_visible()
    plans.button("Run").click()
    plans.says("2 of 2 done")
    assert plans.lab.page.evaluate("window.edgesGone") == 0  # the graph does not flicker
    # and used further
    plans.add(StepText("Later", "reply with the single word later", after=["Then"]))
    plans.says("One step has not been started.")
    plans.button("Run").click()
    plans.says("3 of 3 done")
    settings = plans.settings()
    settings.get_by_label("Title").fill("Paused and continued")
    settings.get_by_role("button", name="Save").click()
    expect(plans.row("Paused and continued")).to_be_visible()
    assert "title: Paused and continued" in plans.export()
    plans.button("Archive").click()
    expect(plans.row("Paused and continued")).to_have_count(0)
    expect(plans.button("Unarchive")).to_be_focused()
    plans.button("Delete…").click()
    plans.confirm("Delete")
    expect(plans.page.get_by_role("heading", name="Paused and continued")).to_have_count(0)
    expect(plans.tab.locator(":focus")).to_have_count(1)  # somewhere in the tab, although its button is gone


@pytest.mark.long(reason="a proposal is applied in test_plans.py, and all of it is tested without a browser")
def test_proposals_are_refused_applied_and_undone(lab_server: Server, open_lab: OpenLab) -> None:
    plans = open_plans(lab_server, open_lab, "journey-proposals")
    about = "after One: insert Check one\nafter Two: insert Check two\nafter Two: add Beside two"
    plans.create("Proposals", description=about, evaluation="Propose new steps")
    plans.add(
        StepText("One", "reply with the single word one"),
        StepText("Two", "reply with the single word two", after=["One"]),
        StepText("Three", "wait for the file proposals-go", after=["Two"], folder=""),
    )
    plans.button("Run").click()
    plans.proposals.get_by_role("button", name="Reject").click()
    expect(plans.proposals).to_contain_text("New steps proposed after “Two”")
    plans.button("Pause").click()
    plans.says(PAUSED)
    plans.lab.screenshot("journey-proposal-open")
    plans.proposals.get_by_role("button", name="Apply").click()
    expect(plans.steps).to_have_count(5)
    plans.proposals.get_by_text("2 earlier proposals").click()
    plans.proposals.get_by_role("button", name="Undo").click()
    expect(plans.steps).to_have_count(3)
    plans.lab.screenshot("journey-proposal-undone")
    expect(plans.proposals).to_contain_text("Undone")
    expect(plans.proposals).to_contain_text("Rejected")
    expect(plans.proposals.get_by_role("button")).to_have_count(0)
    expect(plans.page).to_be_focused()  # the button is gone
    (lab_server.root / "proposals-go").touch()
    plans.button("Run").click()
    plans.says("3 of 3 done")


@pytest.mark.long(reason="failed breakdowns are tested without a browser")
def test_a_breakdown_that_fails_twice_keeps_what_was_written(lab_server: Server, open_lab: OpenLab) -> None:
    plans = open_plans(lab_server, open_lab, "journey-breakdown")
    plans.create("Broken down")
    work = plans.page.get_by_label("Work", exact=True)
    work.fill("Write everything at once.")
    plans.page.get_by_role("button", name="Break down").click()
    plans.says("No steps were added.")
    plans.says("The answer has no steps.")
    plans.says("Describe the work in other words, or add the steps yourself.")
    plans.lab.screenshot("journey-breakdown-failed")
    expect(work).to_have_value("Write everything at once.")
    work.fill("- write one thing\n- write another")
    plans.page.get_by_role("button", name="Break down").click()
    expect(plans.steps).to_have_count(2)
    expect(work).to_have_value("")
    plans.button("Run").click()
    plans.says("2 of 2 done")


@pytest.mark.long(reason="the reason of a step is tested without a browser")
def test_a_step_that_cannot_be_isolated_says_why(lab_server: Server, open_lab: OpenLab) -> None:
    plans = open_plans(lab_server, open_lab, "journey-isolated")
    plans.create("Isolated")
    plans.add(
        StepText("Program", command=["true"]),
        StepText("After it", "reply with the single word after", after=["Program"]),
    )
    settings = plans.settings()
    plans.lab.screenshot("journey-isolate-form")
    settings.get_by_text("More", exact=True).click()
    settings.get_by_label("Isolated").check()
    settings.get_by_role("button", name="Save").click()
    plans.button("Run").click()
    plans.step_is("Program", "failed")
    plans.show("Program")
    plans.lab.screenshot("journey-isolated")
    expect(plans.step).to_contain_text("This step may only work isolated, and programs, verify commands")
    settings = plans.settings()
    settings.get_by_label("Isolated").uncheck()
    settings.get_by_role("button", name="Save").click()
    plans.step_button("Run again").click()
    plans.says("2 of 2 done")
    plans.step_button("Remove…").click()
    plans.confirm("Remove")
    expect(plans.steps).to_have_count(1)
    expect(plans.steps.first.get_by_role("button").first).to_be_focused()


@pytest.mark.long(reason="starts JupyterLab for one more person")
@pytest.mark.slow(reason="opens JupyterLab for a person who may only read")
def test_a_reader_sees_plans_and_why_no_button_acts(team: Server, browsers: Callable[[str], Lab]) -> None:
    of_ada = planned(team, "ada", "Shared")
    with sqlite3.connect(team.root / ".cabinet" / "cabinet.db") as records:  # as if made with the server's shared token
        shared = "update plans set visibility = 'server', body = json_set(body, '$.visibility', 'server') where id = ?"
        records.execute(shared, (of_ada,))
    team.set_rights({**RIGHTS, "rea": WORKING})
    planned(team, "rea", "From before")
    team.set_rights(RIGHTS)
    plans = PlanTab(browsers("rea"))
    create = plans.tab.get_by_role("button", name="New plan").first
    blocked(create, "You can view plans on this server, but not change them.")
    create.click(force=True)
    expect(plans.form("New plan")).to_have_count(0)
    plans.row("Shared").click()
    plans.says("View only. This plan belongs to Ada Lind.")
    expect(plans.proposals).to_contain_text("Check one")
    plans.show("One")
    expect(plans.step).to_contain_text("reply with the single word one")
    for part in (plans.page, plans.step):
        for name in ("Run", "Apply", "Reject", "Run again", "Add a step", "Delete…", "Edit…", "Skip"):
            expect(part.get_by_role("button", name=name, exact=True)).to_have_count(0)
    plans.lab.screenshot("journey-reader")
    plans.row("From before").click()
    for name in ("Settings…", "Archive", "Delete…"):
        blocked(plans.button(name), "You can view plans on this server, but not change them.")
    decide = plans.proposals.get_by_role("button", name="Apply")
    blocked(decide, "You can view plans on this server, but not run them.")
    plans.show("One")
    for name in ("Run again", "Edit…", "Remove…"):
        blocked(plans.step_button(name), "You can view plans on this server, but not run them.")
    assert "title: From before" in plans.export()
    plans.lab.screenshot("journey-reader-own")
    plans.row("Shared").click()
    with team.client("ada") as client:
        client.delete(f"plans/{of_ada}")
    expect(plans.row("Shared")).to_have_count(0)
    expect(plans.page.get_by_role("heading", name="Shared")).to_have_count(0)


def planned(server: Server, username: str, title: str) -> str:
    """The id of a plan of this person whose proposal waits for a decision."""
    steps = [
        {"key": "one", "title": "One", "prompt": "reply with the single word one"},
        {"title": "Two", "prompt": "reply with the single word two", "depends_on": ["one"]},
    ]
    about = "after One: insert Check one"
    with server.client(username) as client:
        body = {"title": title, "description": about, "runtime": "demo", "evaluation": "propose", "steps": steps}
        plan = client.post("plans", json=body).json()["id"]
        client.post(f"plans/{plan}/run")
        until(lambda: client.get(f"plans/{plan}").json()["proposals"], what="a proposal")
    return str(plan)


def blocked(button: Locator, why: str) -> None:
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).to_have_attribute("title", why)


@pytest.mark.long(reason="cuts the connection, and waits until it is back")
def test_without_a_connection_nothing_is_lost_and_the_page_goes_on_by_itself(
    lab_server: Server, open_lab: OpenLab
) -> None:
    plans = open_plans(lab_server, open_lab, "journey-offline")
    plans.create("Offline")
    plans.add(
        StepText("Wait", "wait for the file offline-go"),
        StepText("Then", "reply with the single word then", after=["Wait"]),
    )
    plans.button("Run").click()
    plans.step_is("Wait", "running")
    form = plans.form("New step")
    with plans.lab.offline():
        expect(plans.tab).to_contain_text("Not connected. Showing the state as of")
        for name in ("Pause", "Settings…", "Export"):
            blocked(plans.button(name), "The server cannot be reached.")
        plans.show("Wait")
        plans.lab.screenshot("journey-offline")
        (lab_server.root / "offline-go").touch()
    expect(plans.tab).not_to_contain_text("Not connected.")
    plans.says("2 of 2 done")
    expect(plans.step).to_contain_text("I waited for offline-go.")
    plans.page.get_by_role("button", name="Add a step").click()
    form.get_by_label("Title").fill("Written offline")
    form.get_by_label("Instruction").fill("reply with the single word later")
    with plans.lab.offline():
        send = form.get_by_role("button", name="Add step")
        blocked(send, "The server cannot be reached.")
        plans.press("Control+Enter")
        plans.lab.screenshot("journey-offline-form")
    expect(send).not_to_have_attribute("aria-disabled", "true")
    send.click()
    plans.says("One step has not been started.")
    plans.button("Run").click()
    plans.says("3 of 3 done")
    plans.lab.screenshot("journey-online-again")


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    server = LabServer(tmp_path)
    server.start()
    yield server
    if server.is_running:
        server.stop()


@pytest.mark.long(reason="starts a server twice, and JupyterLab twice")
def test_a_server_that_comes_back_and_a_reload_show_the_open_plan_again(
    own_server: Server, open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = open_plans(own_server, open_lab, "journey-restart", fresh=True)
    plans.create("Restarted")
    plans.add(
        StepText("Wait", "wait for the file restart-go"),
        StepText("Then", "reply with the single word then", after=["Wait"]),
    )
    plans.button("Run").click()
    plans.step_is("Wait", "running")
    plans.show("Wait")
    lost = plans.lab.page.locator(".jp-Dialog", has_text="Server Connection Error")
    plans.lab.page.add_locator_handler(lost, lambda dialog: dialog.get_by_role("button").last.click())
    own_server.stop()
    expect(plans.tab).to_contain_text("Not connected. Showing the state as of")
    plans.lab.screenshot("journey-server-away")
    port = own_server.port
    monkeypatch.setattr("harness.server.free_port", lambda: port)
    own_server.start()
    expect(plans.tab).not_to_contain_text("Not connected.", timeout=40_000)
    plans.step_is("Wait", "failed")
    expect(plans.step).to_contain_text("The server was stopped while this run was working.")
    plans.lab.screenshot("journey-server-back")
    (own_server.root / "restart-go").touch()
    plans.step_button("Run again").click()
    plans.says("2 of 2 done")
    plans.lab.reload("cabinet-plans:cabinet-plans", "restart")
    plans = PlanTab(plans.lab)
    expect(plans.page.get_by_role("heading", name="Restarted")).to_be_visible()
    plans.says("2 of 2 done")
    plans.add(StepText("Later", "reply with the single word later"))
    plans.button("Run").click()
    plans.says("3 of 3 done")
    plans.lab.screenshot("journey-reloaded")


@pytest.mark.long(reason="writes and carries through the plan of eight steps once more, by keyboard")
def test_a_plan_of_eight_steps_is_carried_through_by_keyboard(lab_server: Server, open_lab: OpenLab) -> None:
    folder = lab_server.root / "typed"
    for name in ("text", "tables"):
        (folder / name).mkdir(parents=True)
    plans = open_plans(lab_server, open_lab, "journey-keys", theme="dark")
    type_plan(plans, "Typed", ABOUT_RELEASE)
    for step in release_steps("typed"):
        type_step(plans, step)
    plans.lab.screenshot("journey-keys-draft")
    plans.tab_to(plans.button("Run"), key="Shift+Tab")
    plans.press("Enter")
    expect(plans.button("Pause")).to_be_focused()
    apply = plans.proposals.get_by_role("button", name="Apply")
    expect(apply).to_be_visible()
    plans.tab_to(apply)
    plans.press("Enter")
    expect(plans.steps).to_have_count(9)
    expect(plans.page).to_be_focused()
    plans.step_is("Write the text", "running")
    plans.step_is("Draw the tables", "running")
    plans.lab.screenshot("journey-keys-parallel")
    for name in ("text", "tables"):
        (folder / name / "go").touch()
    plans.step_is("Build", "failed")
    (folder / "data.csv").touch()
    build = plans.step_row("Build").get_by_role("button")
    plans.tab_to(plans.steps.locator(".jp-Cabinet-plan-step-main[tabindex='0']"))
    plans.press("Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")
    expect(build.first).to_be_focused()
    plans.press("Enter")
    expect(plans.step.get_by_role("heading", name="Build")).to_be_visible()
    plans.press("Tab")
    expect(plans.step_row("Build").get_by_role("button", name="Run again")).to_be_focused()
    plans.press("Enter")
    plans.says("9 of 9 done")
    expect(plans.tab.locator(":focus")).to_have_count(1)
    expect(plans.row("Typed")).to_contain_text("Done")
    expect(plans.graph.locator("[data-state=done]").first).to_be_visible()
    plans.graph_agrees("done")
    plans.lab.screenshot("journey-keys-done")
    assert looks.wrong_in_a_tab(plans.lab.page, ".jp-Cabinet-plans", plans.lab.command) == []


def type_plan(plans: PlanTab, title: str, description: str) -> None:
    """Create a plan for the demo agent whose evaluations propose steps."""
    keyboard = plans.lab.page.keyboard
    plans.tab.focus()
    plans.tab_to(plans.tab.get_by_role("button", name="New plan").first)
    plans.press("Enter")
    form = plans.form("New plan")
    expect(form.get_by_label("Title")).to_be_focused()
    keyboard.type(title)
    plans.press("Tab")
    keyboard.type(description)
    for label, choice in (("Agent or runtime", "Demo"), ("Evaluation", "Propose")):
        plans.tab_to(form.get_by_label(label))
        keyboard.type(choice)
    plans.press("Control+Enter")
    expect(form).to_have_count(0)
    expect(plans.page.get_by_role("heading", name=title)).to_be_visible()
    plans.says("may propose steps")


def type_step(plans: PlanTab, step: StepText) -> None:
    """Add a step by its form."""
    keyboard = plans.lab.page.keyboard
    before = plans.steps.count()
    plans.tab_to(plans.page.get_by_role("button", name="Add a step"))
    plans.press("Enter")
    form = plans.form("New step")
    expect(form.get_by_label("Title")).to_be_focused()
    keyboard.type(step.title)
    plans.press("Tab")
    keyboard.type(step.instruction)
    for title in step.after:
        plans.tab_to(form.get_by_role("checkbox", name=title, exact=True))
        plans.press("Space")
    plans.tab_to(form.get_by_label("Verify command"))
    keyboard.type("\n".join(step.verify))
    plans.tab_to(form.get_by_text("More", exact=True))
    plans.press("Enter")
    plans.tab_to(form.get_by_label("Command", exact=True))
    keyboard.type("\n".join(step.command))
    plans.tab_to(form.get_by_label("Folder"))
    keyboard.type(step.folder)
    plans.tab_to(form.get_by_label("Retries"))
    keyboard.type(str(step.retries))
    plans.press("Control+Enter")
    expect(form).to_have_count(0)
    expect(plans.steps).to_have_count(before + 1)
    expect(plans.page.get_by_role("button", name="Add a step")).to_be_focused()
