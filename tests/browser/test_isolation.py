"""Isolation in the interface: the shield of the composer, the dialogs that start agents, and what a run could see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import looks
from harness.bubblewrap import NEEDS_BUBBLEWRAP
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import expect

pytestmark = [NEEDS_BUBBLEWRAP, pytest.mark.slow(reason="runs of the demo agent in a real browser")]
OpenLab = Callable[..., Lab]


def choose(lab: Lab, label: str) -> None:
    """Press the shield until it says this."""
    shield = lab.panel.locator(".jp-Cabinet-isolation")
    expect(shield).to_be_enabled()
    if shield.inner_text().strip() != label:
        shield.click()
    expect(shield).to_have_text(label)


@looks.in_both_themes
def test_a_person_isolates_a_run_and_reads_what_it_could_see(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    name = f"isolated-{theme}.md"
    (lab_server.root / name).write_text("# Page\n")
    lab = open_lab(lab_server, name, theme=theme)
    lab.open_editor()
    choose(lab, "Isolated")
    lab.run("append: from a sandbox")
    lab.expect_document("from a sandbox")
    lab.expect_state("Succeeded")
    lab.screenshot(f"isolated-run-{theme}")
    lab.panel.get_by_role("button", name="isolated", exact=True).click()
    dialog = lab.page.locator(".jp-Dialog").filter(has_text="What the run could see")
    changed = dialog.locator("details").filter(has_text="Could be changed")
    expect(changed.locator("li").last).to_have_text(str(lab_server.root))
    expect(dialog).to_contain_text("Largest file: 16.0 GB")
    dialog.locator("details").filter(has_text="Could be read").locator("summary").click()
    lab.screenshot(f"what-it-could-see-{theme}")
    found = [*looks.wrong(lab.page, "text", "names", "targets", "overflow"), *looks.wrong_by_axe(lab.page)]
    assert not found, looks.listed(found)
    dialog.get_by_role("button", name="Close").click()
    choose(lab, "Not isolated")
    lab.run("append: without one")
    lab.expect_document("without one")
    lab.expect_state("Succeeded")
    expect(lab.panel.get_by_role("button", name="isolated", exact=True)).to_have_count(0)


@pytest.mark.long(reason="one store serves all of them")
def test_the_choice_is_the_same_in_the_dialogs_that_start_an_agent(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "dialogs.md").write_text("# Page\n")
    lab = open_lab(lab_server, "dialogs.md")
    lab.open_editor()
    choose(lab, "Not isolated")
    lab.command("cabinet:new-terminal")
    expect(lab.page.locator(".jp-Cabinet-terminal .xterm-screen").last).to_be_visible()
    lab.page.get_by_role("button", name="Start an agent").click()
    dialog = lab.page.locator(".jp-Dialog").filter(has_text="Start an agent in")
    box = dialog.get_by_role("checkbox", name="Isolated")
    expect(box).not_to_be_checked()
    expect(dialog).to_contain_text("Almost everything else on this machine is out of its reach.")
    box.check()
    lab.screenshot("start-an-agent-isolated")
    dialog.get_by_role("button", name="Start").click()
    # a terminal with an agent is a run that says so
    lab.command("cabinet:activity")
    row = lab.page.locator(".jp-Cabinet-activity-row").filter(has_text="Opened by").first
    row.locator(".jp-Cabinet-activity-head").click()
    row.get_by_role("button", name="What it could see").click()
    shown = lab.page.locator(".jp-Dialog").filter(has_text="What the run could see")
    expect(shown).to_contain_text("Could be changed")
    shown.get_by_role("button", name="Close").click()
    lab.command("cabinet:new-run")
    expect(lab.page.get_by_role("dialog", name="New run").get_by_role("checkbox", name="Isolated")).to_be_checked()
    lab.screenshot("new-run-isolated")
    lab.page.get_by_role("dialog", name="New run").get_by_role("button", name="Cancel").click()
    lab.open_editor()
    choose(lab, "Not isolated")
