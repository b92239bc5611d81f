"""The tab of skills in a real browser: a person reads what somebody brings, approves it, and gives it to an agent."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]
NUMBERS = itertools.count(1)
TEXT = "---\nname: {name}\ndescription: Writes the weekly report.\nallowed-tools: Bash\n---\n\nCollect the notes.\n"


def bring(server: Server, name: str) -> None:
    """Put a skill into the server's folder."""
    folder = server.root / ".playbooks" / "skills" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(TEXT.format(name=name))
    (folder / "notes.md").write_text("Short\u200b sentences.\n")


@pytest.fixture
def skill(team: Server) -> Iterator[str]:
    """A skill that lies in the folder, and that nobody has looked at. Each test has another name."""
    name = f"weekly-{next(NUMBERS)}"
    bring(team, name)
    yield name
    with team.browser_client("ada") as client:
        client.delete(f"skills/{name}")


def opened(lab: Lab, name: str) -> tuple[Locator, Locator]:
    """The tab, and the page of a skill in it."""
    lab.command("cabinet:skills")
    tab = lab.page.locator(".jp-Cabinet-library")
    expect(tab).to_be_visible()
    tab.get_by_role("button", name=name).click()
    page = tab.get_by_role("region", name="Skill", exact=True)
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    return tab, page


@looks.in_both_themes
def test_a_skill_is_looked_at_approved_and_looked_at_again(
    asking_server: Server, open_lab: OpenLab, theme: str
) -> None:
    name = f"weekly-{theme}"
    bring(asking_server, name)
    lab = open_lab(asking_server, "notes.md", theme=theme)
    _tab, page = opened(lab, name)
    expect(page).to_contain_text("Not approved")
    expect(page).to_contain_text("The files contain 1 invisible character")
    expect(page).to_contain_text("allowed-tools")
    expect(page.get_by_label("Text of notes.md")).to_contain_text("Short\\u{200b} sentences.")
    expect(page.get_by_role("button", name="Edit…")).not_to_have_attribute("aria-disabled", "true")  # of SKILL.md
    lab.screenshot(f"skill-{theme}")
    assert looks.wrong(lab.page, "text", "names", "targets") == []
    page.get_by_role("button", name="Approve").click()
    expect(page).to_contain_text("No agent has it yet.")

    (asking_server.root / ".playbooks" / "skills" / name / "notes.md").write_text("Long sentences.\n")
    page.get_by_role("button", name="Reload").click()
    expect(page).to_contain_text("Changed since it was approved")
    notes = page.get_by_role("group", name="Text of notes.md")
    expect(notes.locator(".jp-mod-removed")).to_contain_text("Short")
    expect(notes.locator(".jp-mod-added")).to_contain_text("Long sentences.")
    lab.screenshot(f"skill-changed-{theme}")
    assert looks.wrong(lab.page, "text", "names", "targets") == []
    page.get_by_role("button", name="Reject").click()
    expect(page).to_contain_text("Rejected")


def test_a_skill_is_written_and_chosen_for_an_agent(team: Server, open_lab: OpenLab, skill: str) -> None:
    agent, mine = f"reporter-{skill}", f"own-{skill}"
    fields = {"name": "Reporter", "runtime": "demo", "heartbeat_enabled": False}
    with team.browser_client("ada") as client:
        client.post("agents", json={"slug": agent, "template": "research", "fields": fields}).raise_for_status()
    (team.root / "skills.md").write_text("# Skills\n")
    lab = open_lab(team, "skills.md")
    tab, _page = opened(lab, skill)
    tab.get_by_role("button", name="New skill…").click()
    form = lab.page.get_by_role("dialog", name="New skill")
    expect(form.get_by_label("Name")).to_be_focused()
    form.get_by_label("Name").fill("Weekly report")
    form.get_by_label("Description").fill("Greets people.")
    form.get_by_label("Instructions").fill("Say hello.")
    form.get_by_role("button", name="Add skill").click()
    expect(form).to_contain_text("lowercase letters, digits and single hyphens")
    form.get_by_label("Name").fill(mine)
    form.get_by_label("Name").press("Control+Enter")
    expect(form).to_have_count(0)
    expect(tab.get_by_role("region", name="Skill", exact=True)).to_contain_text("Approved")
    expect(tab.get_by_role("heading", name=mine, level=2)).to_be_focused()

    lab.command("cabinet:open-agent", agent=agent)
    page = lab.page.locator(f".jp-Cabinet-page[data-agent={agent}]")
    page.get_by_role("tab", name="Persona").click()
    choice = page.get_by_role("list", name="Skills")
    choice.get_by_label(mine).check()
    lab.screenshot("agent-skills")
    page.get_by_role("button", name="Save fields").click()
    expect(page.get_by_role("textbox", name="persona.md")).to_have_value(re.compile(mine))
    lab.command("cabinet:skills")
    expect(tab.get_by_role("region", name="Skill", exact=True)).to_contain_text("1 agent has it.")


@pytest.mark.long(reason="the focus goes to a skill that was written in the quick tier")
def test_the_focus_goes_to_a_skill_that_was_added_from_files(team: Server, open_lab: OpenLab, skill: str) -> None:
    brought = f"brought-{skill}"
    folder = team.root / "made" / brought
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {brought}\ndescription: Greets people.\n---\nSay hello.\n")
    (team.root / "skills.md").write_text("# Skills\n")
    lab = open_lab(team, "skills.md")
    tab, _page = opened(lab, skill)
    tab.get_by_role("button", name="Add from files…").click()
    form = lab.page.get_by_role("dialog", name="Add a skill from files")
    form.get_by_label("Folder on the server").fill(f"made/{brought}")
    form.get_by_role("button", name="Add skill").press("Enter")
    expect(form).to_have_count(0)
    expect(tab.get_by_role("heading", name=brought, level=2)).to_be_focused()
