"""Questions of agents in the interface: asked by the demo agent, answered by people in real browsers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import Locator, expect

Browsers = Callable[[str], Lab]
OpenLab = Callable[..., Lab]


@pytest.fixture
def ada(team: Server) -> Iterator[httpx.Client]:
    with team.browser_client("ada") as client:
        yield client
        for item in client.get("approvals", params={"state": "waiting"}).json()["items"]:
            client.post(f"runs/{item['approval']['run_id']}/cancel", json={})


def ask(server: Server, client: httpx.Client, name: str, line: str = "one", **fields: Any) -> dict[str, Any]:
    """A run that asks before it edits; returns it when its question is there."""
    (server.root / f"{name}.md").write_text("# Page\n")
    asked = {"permission_mode": "ask", "mode": "headless", "wait": 0, **fields}
    run = server.run(client, f"append: {line}", kind="editor", path=f"{name}.md", **asked)
    until(lambda: client.get("approvals", params={"run_id": run["id"]}).json()["items"], what="its question")
    return run


def panel(lab: Lab) -> Locator:
    return lab.page.locator(".jp-Cabinet-approvals")


def cards(lab: Lab) -> Locator:
    return panel(lab).get_by_role("article")


def open_panel(lab: Lab) -> Locator:
    lab.page.keyboard.press("Alt+Shift+Q")
    expect(panel(lab)).to_be_visible()
    return panel(lab)


def answer(place: Locator, name: str) -> None:
    """A button takes an answer when it has stood still for a moment."""
    button = place.get_by_role("button", name=name, exact=True)
    expect(button).to_have_attribute("aria-disabled", "false")
    button.click()


def status(lab: Lab) -> Locator:
    return lab.page.locator(".jp-Cabinet-status").filter(has_text="pproval")


def test_a_question_is_told_everywhere_and_allowed_in_the_panel(
    team: Server, ada: httpx.Client, browsers: Browsers
) -> None:
    lab = browsers("ada")
    expect(status(lab)).to_have_text("No approvals")
    ask(team, ada, "told", "for the panel")
    expect(status(lab)).to_have_text("1 approval waiting")
    expect(lab.page.locator(".jp-Cabinet-badge")).to_have_attribute("data-cabinet-count", "1")
    toast = lab.page.locator(".Toastify__toast").filter(has_text="Demo agent asks to edit a file.")
    expect(toast).to_be_visible()
    expect(toast.get_by_role("button", name="Allow")).to_have_count(0)
    expect(lab.page.locator("[role=alert].jp-Cabinet-spoken")).to_have_text(
        "Demo agent asks to edit a file. 1 approval waiting."
    )
    toast.get_by_role("button", name="Show").click()
    card = cards(lab)
    expect(card).to_contain_text("told.md")
    expect(toast).to_have_count(0)
    lab.screenshot("approvals-light")
    print(looks.show(lab, "approvals"))
    expect(card).to_contain_text("None: runs as the server’s user")
    answer(card, "Allow once")
    expect(card).to_have_count(0)
    expect(panel(lab)).to_contain_text("Allowed once by you")
    lab.screenshot("approvals-2-light")
    expect(status(lab)).to_have_text("No approvals")
    until(lambda: "for the panel" in (team.root / "told.md").read_text(), what="the edit")
