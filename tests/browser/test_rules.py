"""Approval rules in a real browser: made, tried, at work, removed; and one that an answer makes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]


def open_rules(lab: Lab) -> Locator:
    lab.command("cabinet:approval-rules")
    rules = lab.page.locator(".jp-Cabinet-rules")
    expect(rules).to_be_visible()
    return rules


def add(rules: Locator, effect: str, command: str) -> None:
    rules.get_by_role("button", name="New rule").click()
    form = rules.get_by_role("form", name="New rule")
    form.get_by_label("Effect").select_option(label=effect)
    form.get_by_label("Command", exact=True).fill(command)
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    expect(rules.locator(".jp-Cabinet-ruled", has_text=command)).to_be_visible()


@looks.in_both_themes
@pytest.mark.long(reason="an answer makes a rule in the quick tier; rules are tried on the server")
def test_a_rule_is_made_tried_at_work_and_removed(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    page = lab_server.root / f"ruled-{theme}.md"
    page.write_text("# Ruled\n")
    lab = open_lab(lab_server, page.name, theme=theme)
    rules = open_rules(lab)
    add(rules, "Allow", f"touch made-{theme}.txt")
    add(rules, "Deny", "rm -rf")
    trial = rules.get_by_label("What would happen to this command?")
    decision = rules.get_by_role("status")
    for command, words in [
        (f"touch made-{theme}.txt", "Allow"),
        (f"touch made-{theme}.txt && rm -fr build", "Deny"),
        ("touch $(cat names)", "Ask"),
    ]:
        trial.fill(command)
        trial.press("Enter")
        expect(decision.locator("strong")).to_have_text(words)
    lab.screenshot(f"rules-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-rules", lab.command) == []
    lab.command("docmanager:open", path=page.name)
    lab.open_editor()
    lab.choose_mode("Ask first")
    lab.run(f"run touch made-{theme}.txt")
    lab.expect_state("Succeeded")  # nobody was asked
    assert (lab_server.root / f"made-{theme}.txt").exists()
    rules = open_rules(lab)
    for command in (f"touch made-{theme}.txt", "rm -rf"):
        rules.get_by_role("button", name=f"Remove {command}").click()
        expect(rules.locator(".jp-Cabinet-ruled", has_text=command)).to_have_count(0)
    rules.get_by_role("button", name="Undo").click()
    expect(rules.locator(".jp-Cabinet-ruled", has_text="rm -rf")).to_be_visible()
    expect(rules).to_be_focused()  # the button that had the focus is gone
    rules.get_by_role("button", name="Remove rm -rf").click()
    expect(rules).to_contain_text("There are no rules yet")


def test_an_answer_makes_a_rule_for_exactly_this(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "always.md"
    page.write_text("# Always\n")
    lab = open_lab(lab_server, page.name)
    lab.open_editor()
    lab.choose_mode("Ask first")
    lab.run("run touch always.txt")
    lab.expect_state("Waiting for you")
    lab.page.keyboard.press("Alt+Shift+Q")
    card = lab.page.locator(".jp-Cabinet-approvals").get_by_role("article")
    expect(card).to_contain_text("no rule")
    card.get_by_role("button", name="Allow from now on").click()
    announced = card.locator(".jp-Cabinet-always-rules")
    expect(announced).to_contain_text("touch always.txt")
    scope = "demo without a named agent, everywhere in this workspace"
    expect(announced).to_contain_text(scope)
    lab.screenshot("allow-from-now-on-light")
    card.get_by_label("For how long").select_option(label="30 days")
    allow = card.locator(".jp-Cabinet-always").get_by_role("button", name="Allow", exact=True)
    expect(allow).not_to_have_attribute("aria-disabled", "true")
    allow.click()
    expect(card).to_have_count(0)
    closed = lab.page.locator(".jp-Cabinet-approvals .jp-Cabinet-row", has_text="touch always.txt").first
    expect(closed).to_contain_text("Allowed by a new rule for 30 days, made by you")
    lab.screenshot("allowed-by-a-new-rule-light")
    lab.command("cabinet:open-editor")
    lab.expect_state("Succeeded")
    lab.run("then run touch always.txt")
    expect(lab.panel.locator(".jp-Cabinet-run-instruction")).to_contain_text("then run")
    lab.expect_state("Succeeded")
    rules = open_rules(lab)
    rule = rules.locator(".jp-Cabinet-ruled", has_text="touch always.txt")
    expect(rule).to_contain_text(f"{scope} · until")
    expect(rule).to_contain_text("by ")
    rules.get_by_role("button", name="Remove touch always.txt").click()
    expect(rule).to_have_count(0)


@pytest.mark.long(reason="a width")
def test_rules_that_are_opened_from_a_sidebar_are_not_covered_by_it_in_a_narrow_window(
    lab_server: Server, open_lab: OpenLab
) -> None:
    (lab_server.root / "narrow.md").write_text("# Narrow\n")
    lab = open_lab(lab_server, "narrow.md")
    lab.page.set_viewport_size({"width": 390, "height": 844})
    lab.command("cabinet:approvals")
    link = lab.page.locator(".jp-Cabinet-approvals").get_by_role("button", name="Approval rules")
    expect(link).to_be_visible()
    rules = lab.page.locator(".jp-Cabinet-rules")
    link.click()
    rules.get_by_role("button", name="New rule").click()
    form = rules.get_by_role("form", name="New rule")
    form.get_by_role("button", name="Cancel").click()
    box = rules.bounding_box()
    assert box is not None
    assert box["width"] > 200
