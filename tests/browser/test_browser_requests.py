"""What an agent asks of a person's browser: nothing happens before the person chooses it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import WebSocketRoute, expect

COMMAND = "ls -l\n<b>rm</b> -rf build"


@pytest.mark.long(reason="tests/unit/agents and jest test the requests in the quick tier")
def test_a_person_opens_and_copies_what_an_agent_offers(lab_server: Server, open_lab: Callable[..., Lab]) -> None:
    (lab_server.root / "found.md").write_text("# Found\n")
    (lab_server.root / "asked.md").write_text("# Asked\n")
    lab = open_lab(lab_server, "asked.md")
    sockets: list[WebSocketRoute] = []

    def keep(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    lab.page.route_web_socket(re.compile("/cabinet/api/v?[0-9]*/?events"), keep)
    lab.page.reload(wait_until="domcontentloaded")
    lab.wait_ready()
    lab.wait_started()

    def ask(action: str, text: str) -> None:
        """An event in place of the server: the demo agent has no tools."""
        event = {"type": "browser_asked", "agent": "nobody", "run_id": "r", "action": action, "text": text}
        frame = {"type": "event", "seq": 1_000_000 + len(asked), "time": "2026-11-28T06:00:00Z", "event": event}
        asked.append(action)
        sockets[-1].send(json.dumps(frame))

    asked: list[str] = []
    toasts = lab.page.locator(".Toastify__toast")
    ask("notify", "All is <b>well</b>.")
    expect(toasts.filter(has_text="nobody: All is <b>well</b>.")).to_be_visible()

    ask("open", "found.md")
    offer = toasts.filter(has_text="nobody suggests that you open found.md")
    tab = lab.page.get_by_role("tab", name="found.md")
    expect(offer).to_be_visible()
    expect(tab).to_be_hidden()
    offer.get_by_role("button", name="Open").click()
    expect(tab).to_be_visible()

    ask("clipboard", COMMAND)
    copy = toasts.filter(has_text="nobody has a text for your clipboard")
    expect(copy).not_to_contain_text("build")
    copy.get_by_role("button", name="Show").click()
    dialog = lab.page.get_by_role("dialog").filter(has_text="Text from an agent")
    expect(dialog.locator(".jp-Cabinet-text-to-copy")).to_have_text(COMMAND)
    lab.screenshot("text-to-copy")
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog.get_by_role("button", name="Copy").click()
    expect(dialog).to_be_hidden()
    assert lab.page.evaluate("navigator.clipboard.readText()") == COMMAND
