"""What agents post, and what of them waits for a person, is shown in JupyterLab."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import expect

Browsers = Callable[[str], Lab]


@pytest.mark.long(reason="test_untrusted tries hostile text in the quick tier")
def test_a_post_of_an_agent_is_shown_as_text(team: Server, browsers: Browsers) -> None:
    lab = browsers("ada")
    with team.browser_client("ada") as client:
        fields = {"runtime": "demo", "heartbeat_enabled": False, "name": "The Herald"}
        body = {"slug": "herald", "template": "research", "fields": fields, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
        path = "agents/herald/files/HEARTBEAT.md"
        etag = client.get(path).json()["etag"]
        text = "answer: SLACK [ops]: all is <b>well</b> <img src=x onerror=alert(1)>"
        assert client.put(path, json={"text": text, "etag": etag}).status_code == 200
        assert client.post("agents/herald/run").status_code == 201
        toast = lab.page.locator(".Toastify__toast", has_text="The Herald was only kept")
        expect(toast).to_be_visible()
        expect(toast).to_contain_text("No chat named ops is connected")
        expect(toast).to_contain_text("all is <b>well</b>")
        assert toast.locator("img[src=x]").count() == 0
        lab.screenshot("agent-news")
        assert client.delete("agents/herald").status_code in (200, 409)
