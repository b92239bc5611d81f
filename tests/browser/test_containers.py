"""An agent's container in the interface: chosen in its persona, and shown beside the state of its run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import containers
from harness.containers import Containers
from harness.lab import Lab
from harness.server import LabServer, until
from playwright.sync_api import Browser, expect

SCREENSHOTS = Path(__file__).parents[2] / "test-results" / "screenshots"
pytestmark = [
    pytest.mark.long(reason="starts podman, JupyterLab and containers"),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_person_lets_an_agent_work_in_a_container(
    chromium: Browser, docker_engine: Containers, tmp_path: Path, theme: str
) -> None:
    arguments = ("--CabinetApp.trust=always", f"--CabinetApp.docker_image={containers.IMAGE}")
    server = LabServer(tmp_path, arguments=arguments, environment={"DOCKER_HOST": docker_engine.address}).start()
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    try:
        (server.root / "notes.md").write_text("# Notes\n")
        with server.client("ada") as client:
            fields = {"runtime": "demo", "heartbeat_enabled": False}
            client.post("agents", json={"slug": "boxed", "template": "research", "fields": fields}).raise_for_status()
            until(lambda: client.get("health").json()["containers"]["works"], what="the containers")
        lab = Lab(context.new_page(), server, screenshots=SCREENSHOTS)
        lab.open("notes.md", theme=theme)
        lab.command("cabinet:open-agent", agent="boxed")
        page = lab.page.locator(".jp-Cabinet-page")
        page.get_by_role("tab", name="Persona").click()
        form = page.get_by_role("form", name="Fields of the persona")
        form.get_by_label("Where it runs").select_option(label="Container")
        image = form.get_by_label("Container image")
        expect(image).to_have_value("")
        expect(form).to_contain_text(f"If empty, the image of this server is used: {containers.IMAGE}")
        image.scroll_into_view_if_needed()
        lab.screenshot(f"agent-container-{theme}")
        page.get_by_role("button", name="Save fields").click()
        expect(page.get_by_role("textbox", name="persona.md")).to_have_value(re.compile("runner: docker"))
        page.get_by_role("tab", name="Overview").click()
        page.get_by_role("button", name="Run now", exact=True).click()
        where = page.get_by_text("in a container").first
        expect(where).to_have_attribute("title", f"Where: a container of the image {containers.IMAGE}")
        expect(page.get_by_text("Succeeded").first).to_be_visible()
        lab.screenshot(f"agent-in-a-container-{theme}")
        start_an_agent(lab, theme)
        assert not lab.errors
    finally:
        context.close()
        server.stop()


def start_an_agent(lab: Lab, theme: str) -> None:
    """In the container of an open terminal, chosen in the dialog."""
    lab.command("cabinet:new-terminal")
    expect(lab.page.locator(".jp-Cabinet-terminal .xterm-screen").last).to_be_visible()
    lab.page.get_by_role("button", name="Start an agent").click()
    dialog = lab.page.locator(".jp-Dialog").filter(has_text="Start an agent in")
    dialog.get_by_label("Where it runs").select_option(label="Container")
    expect(dialog.get_by_role("checkbox", name="Isolated")).to_be_checked()
    expect(dialog).to_contain_text("In a container, the run is isolated.")
    dialog.get_by_role("textbox").fill("reply: I am inside")
    lab.screenshot(f"start-an-agent-in-a-container-{theme}")
    dialog.get_by_role("button", name="Start").click()
    with lab.server.client("ada") as client:
        run = until(lambda: client.get("runs", params={"kind": "manual"}).json()["items"], what="the run")[0]
        ended = until(lambda: (now := client.get(f"runs/{run['id']}").json())["finished_at"] and now)
    assert (ended["where"]["runner"], ended["isolated"], ended["mode"]) == ("docker", True, "terminal"), ended
    assert ended["state"] == "succeeded", ended
