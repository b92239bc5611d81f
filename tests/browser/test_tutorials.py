"""The tutorials of the documentation, followed step by step with the labels that they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from harness.lab import Lab
from harness.server import LabServer, Server
from playwright.sync_api import Page, expect

OpenLab = Callable[..., Lab]
TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"

pytestmark = pytest.mark.long(reason="each tutorial is a flow of many steps")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """One that nobody has used before."""
    server = LabServer(tmp_path).start()
    (server.root / "data").mkdir()
    (server.root / "welcome.md").write_text("# Welcome\n")
    yield server
    server.stop()


def block(page: str, number: int) -> str:
    """The text of a code block of a tutorial, without its indentation. `number` counts from 0."""
    found = re.findall(r"```text\n(.*?)```", (TUTORIALS / page).read_text(), re.DOTALL)
    return "\n".join(line.strip() for line in found[number].strip().splitlines())


def test_an_agent_and_a_play_are_made_as_the_tutorials_say(server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(server, "welcome.md")
    make_ada(lab)
    work_through_a_checklist(lab.page)
    make_a_play(lab)
    start_it_with_a_file(lab.page, server.root / "data" / "churn.csv")
    runs = lab.page.get_by_role("list", name="Runs of this play").get_by_role("button")
    expect(runs).to_have_count(2)
    expect(runs.first).to_contain_text("Succeeded")
    learnings = (server.root / ".agents" / "ada" / "memory" / "learnings.md").read_text()
    for learned in ("Customers on the solo plan", "checked for the monthly report", "checked for (not given)"):
        assert learned in learnings


def make_ada(lab: Lab) -> None:
    page = lab.page
    lab.command("cabinet:agents")
    expect(page.get_by_text("No agents in this workspace")).to_be_visible()
    page.get_by_role("listitem").filter(has_text="Researcher").get_by_role("button", name="Use template").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("Ada")
    dialog.get_by_label("Runtime").select_option(label="Demo agent")
    dialog.get_by_role("button", name="Create agent").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_text("Nothing to report")).to_be_visible()
    page.locator(".jp-Cabinet-agent-open").click()


def work_through_a_checklist(page: Page) -> None:
    tab = page.locator(".jp-Cabinet-page[data-agent=ada]")
    tab.get_by_role("tab", name="Files").click()
    tab.get_by_role("button", name="HEARTBEAT.md").click()
    text = tab.get_by_role("textbox", name="HEARTBEAT.md")
    text.fill(f"{text.input_value()}\n{block('first-agent.md', 0)}\n")
    tab.get_by_role("button", name="Save", exact=True).click()
    tab.get_by_role("button", name="Run now").click()
    tab.get_by_role("tab", name="History").click()
    tab.get_by_role("button").filter(has_text="I worked through my checklist").click()
    run = tab.get_by_role("article", name="Run")
    expect(run.get_by_role("list", name="Effects").get_by_role("listitem")).to_contain_text(["Applied", "Applied"])
    expect(run.get_by_text("Prompt as sent")).to_be_visible()
    tab.get_by_role("tab", name="Memory").click()
    tab.get_by_role("button", name="learnings.md").click()
    expect(tab.get_by_role("textbox")).to_have_value(re.compile("Customers on the solo plan leave first."))


def make_a_play(lab: Lab) -> None:
    lab.command("cabinet:plays")
    plays = lab.page.get_by_role("region", name="Plays", exact=True)
    expect(plays.get_by_text("No plays yet")).to_be_visible()
    plays.get_by_role("button", name="New play").last.click()
    form = plays.get_by_role("form", name="New play")
    form.get_by_role("textbox", name="Title").fill("Check the data")
    form.get_by_role("combobox", name="Agent").select_option(label="Ada (ada)")
    form.get_by_role("textbox", name="Instruction").fill(block("first-play.md", 0))
    form.get_by_role("button", name="Create play").click()
    expect(plays.get_by_text("By hand").first).to_be_visible()
    plays.get_by_role("textbox", name="reason").fill("the monthly report")
    plays.get_by_role("button", name="Run now").click()
    expect(plays.get_by_role("list", name="Runs of this play")).to_contain_text("Succeeded")


def start_it_with_a_file(page: Page, file: Path) -> None:
    plays = page.get_by_role("region", name="Plays", exact=True)
    plays.get_by_role("button", name="Edit", exact=True).click()
    plays.get_by_role("combobox", name="Add a trigger").select_option(label="A file changes")
    plays.get_by_role("textbox", name="Path").fill("data/*.csv")
    plays.get_by_role("button", name="Save fields").click()
    plays.get_by_role("button", name="Done").click()
    expect(plays.get_by_text("When data/*.csv changes").first).to_be_visible()
    runs = plays.get_by_role("list", name="Runs of this play").get_by_role("button")
    for months in range(10):  # within seconds after the play's own end a change counts as its own
        file.write_text(f"plan,months\nsolo,{months}\n")
        with suppress(AssertionError):
            expect(runs).to_have_count(2, timeout=3_000)
            return
    raise AssertionError("No change of the file has started the play.")


def test_a_document_is_edited_as_the_tutorial_says(server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(server, "welcome.md")
    lab.open_editor()
    expect(lab.button("Try the demo agent")).to_be_visible()
    lab.choose_mode("Edit files")
    lab.run("append: Hello from my first agent")
    lab.expect_document("Hello from my first agent")
    lab.expect_state("Succeeded")
    lab.button("Review").click()
    expect(lab.button("Accept all")).to_be_visible()
    expect(lab.button("Undo this run")).to_be_visible()
    lab.choose_mode("Ask first")
    lab.run("append: A second line")
    lab.expect_state("Waiting for you")
    lab.page.get_by_role("button", name="Allow once").first.click()
    lab.expect_document("A second line")
    lab.expect_state("Succeeded")
    lab.run("remember the meeting is on Friday")
    lab.expect_screen("I have noted: the meeting is on Friday")
    lab.expect_state("Succeeded")
    lab.run("what did I tell you")
    lab.expect_screen("You told me: the meeting is on Friday")
