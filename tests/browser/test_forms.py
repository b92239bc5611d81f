"""Forms by keyboard: the first field has the focus, Escape closes, and a refusal moves the focus to the wrong field."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import expect

pytestmark = pytest.mark.long(reason="the same in every form; the quick tier fills in forms by mouse and keyboard")
OpenLab = Callable[..., Lab]


@pytest.fixture
def lab(lab_server: Server, open_lab: OpenLab) -> Lab:
    (lab_server.root / "forms.md").write_text("# Forms\n")
    return open_lab(lab_server, "forms.md", fresh=True)


def test_a_refusal_of_a_new_run_is_announced_and_its_field_is_focused(lab: Lab) -> None:
    lab.page.evaluate("() => void window.jupyterapp.commands.execute('cabinet:new-run')")
    form = lab.page.get_by_role("dialog", name="New run")
    expect(form.get_by_label("Instruction")).to_be_focused()
    form.get_by_label("Folder").fill("no/such/folder")
    form.get_by_label("Instruction").fill("say: hello")
    lab.page.keyboard.press("Control+Enter")
    expect(form.get_by_role("alert")).to_have_text("There is no folder no/such/folder.")
    expect(form.get_by_label("Folder")).to_be_focused()
    lab.page.keyboard.press("Escape")
    expect(form).to_have_count(0)


def test_escape_closes_the_form_of_a_new_play_and_keeps_what_was_written(lab: Lab) -> None:
    lab.command("cabinet:new-play")
    form = lab.page.get_by_role("form", name="New play")
    expect(form.get_by_label("Title")).to_be_focused()
    lab.page.keyboard.type("Digest")
    lab.page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    assert lab.page.evaluate("() => document.activeElement.closest('.jp-Cabinet-plays') !== null")
    plays = lab.page.locator(".jp-Cabinet-plays")
    plays.get_by_role("button", name="Continue new play").first.click()
    expect(form.get_by_label("Title")).to_have_value("Digest")
    form.get_by_role("button", name="Cancel").click()
    expect(plays.get_by_role("button", name="Continue new play")).to_have_count(0)


def test_a_rule_without_what_it_applies_to_says_so_in_its_field(lab: Lab) -> None:
    lab.command("cabinet:approval-rules")
    pane = lab.page.locator(".jp-Cabinet-rules:visible, .jp-Cabinet-approvals:visible").first
    pane.get_by_role("button", name="New rule").click()
    form = lab.page.get_by_role("form", name="New rule")
    expect(form.get_by_label("Effect")).to_be_focused()
    form.get_by_label("Valid for (days)").focus()
    lab.page.keyboard.press("Enter")
    expect(form.get_by_role("alert")).to_have_text("Enter what the rule applies to.")
    command = form.get_by_role("textbox", name="Command", exact=True)
    expect(command).to_be_focused()
    expect(command).to_have_attribute("aria-invalid", "true")
    expect(command).to_have_accessible_description("Enter what the rule applies to.")
    lab.page.keyboard.type("git status")
    expect(command).not_to_have_attribute("aria-invalid", "true")
    expect(form.get_by_role("alert")).to_have_count(0)
    lab.page.keyboard.press("Escape")
    expect(form).to_have_count(0)


def test_a_channel_is_added_by_keys_alone(lab: Lab) -> None:
    lab.command("cabinet:channels")
    tab, press = lab.page.locator(".jp-Cabinet-channels"), lab.page.keyboard.press
    tab.get_by_role("button", name="Add channel…").press("Enter")
    form = lab.page.get_by_role("dialog", name="Add channel")
    expect(form.get_by_label("Platform")).to_be_focused()
    lab.page.keyboard.type("Web")
    expect(form.get_by_label("Title")).to_be_visible()
    press("Tab")
    expect(form.get_by_label("Title")).to_be_focused()
    lab.page.keyboard.type("By keys")
    for name in ("Agent", "Cancel", "Add channel"):
        press("Tab")
        expect(form.get_by_label(name, exact=True).or_(form.get_by_role("button", name=name))).to_be_focused()
    press("Shift+Tab")
    expect(form.get_by_role("button", name="Cancel")).to_be_focused()
    press("Tab")
    press("Enter")
    expect(form).to_have_count(0)
    expect(tab.get_by_role("heading", name="By keys")).to_be_focused()
    with lab.server.browser_client("ada") as client:
        for channel in client.get("channels").json()["items"]:
            if channel["title"] == "By keys":
                client.delete(f"channels/{channel['id']}").raise_for_status()
