"""An agent proposes a soul, and its owner decides about it on the agent's page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from harness.lab import Lab
from harness.looks import wrong_by_axe_in
from harness.server import Server
from playwright.sync_api import Locator, expect

LEARNT = "The demo agent has thought about its work here."


def shown_soul(lab: Lab) -> tuple[Locator, Locator]:
    """The page of the agent, and the tab that shows its soul."""
    lab.command("cabinet:open-agent", agent="sage")
    page = lab.page.locator(".jp-Cabinet-page[data-agent=sage]")
    page.get_by_role("tab", name="Files").click()
    panel = page.get_by_role("tabpanel")
    panel.get_by_role("list", name="Files that steer the agent").get_by_role("button", name="SOUL.md").click()
    return page, panel


@pytest.mark.long(reason="tests/unit/agents/reflection decides, and test_skills compares texts in the quick tier")
def test_a_proposal_is_compared_refused_edited_and_accepted(team: Server, browsers: Callable[[str], Lab]) -> None:
    with team.browser_client("ada") as client:
        fields = {"name": "Sage", "runtime": "demo", "heartbeat_enabled": False}
        body = {"slug": "sage", "template": "research", "fields": fields, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
    lab = browsers("ada")
    page, panel = shown_soul(lab)
    proposed = panel.get_by_role("region", name="Proposed text")
    panel.get_by_role("button", name="Reflect", exact=True).click()
    expect(proposed.get_by_role("button", name="Accept", exact=True)).to_be_enabled()
    expect(page.get_by_role("tab", name="Files 1")).to_be_visible()
    expect(proposed).to_contain_text(LEARNT)
    lab.screenshot("agent-proposed-soul")
    assert wrong_by_axe_in(panel) == []
    proposed.get_by_role("button", name="Reject", exact=True).click()
    expect(proposed).to_be_hidden()
    expect(panel.get_by_role("button", name=re.compile(r"^SOUL\.md"))).to_be_focused()

    panel.get_by_role("button", name="Reflect", exact=True).click()
    proposed.get_by_role("button", name="Edit", exact=True).click()
    text = proposed.get_by_role("textbox", name="Proposed text")
    text.fill(text.input_value().replace(LEARNT, "Tables are liked here."))
    proposed.get_by_role("button", name="Save as SOUL.md").click()
    expect(proposed).to_be_hidden()
    editor = panel.get_by_role("textbox", name="SOUL.md", exact=True)
    expect(editor).to_have_value(re.compile(re.escape("Tables are liked here.")))

    panel.get_by_role("button", name="Reflect", exact=True).click()
    accept = proposed.get_by_role("button", name="Accept", exact=True)
    expect(accept).to_be_enabled()
    with team.browser_client("ada") as client:  # meanwhile the soul changes
        file = client.get("agents/sage/files/SOUL.md").json()
        saved = {"text": f"{file['text']}\nNever late.\n", "etag": file["etag"]}
        assert client.put("agents/sage/files/SOUL.md", json=saved).status_code == 200
    again = proposed.get_by_role("button", name="Compare again", exact=True)
    again.click()
    expect(proposed).to_contain_text("Never late.")
    accept.click()
    expect(proposed).to_be_hidden()
    expect(editor).to_have_value(re.compile(re.escape(LEARNT)))
    panel.get_by_text("Earlier versions").click()
    expect(panel.get_by_role("list", name="Earlier versions")).to_contain_text("proposed by run")
    expect(page.get_by_role("button", name="Confirm…")).to_be_hidden()
