"""A person reviews and confirms in JupyterLab what agents and plays may do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.foreign import ORCHESTRATOR, write
from harness.lab import Lab
from harness.server import LabServer, Server
from playwright.sync_api import Browser, expect

OpenLab = Callable[..., Lab]
SCREENSHOTS = Path(__file__).parents[2] / "test-results" / "screenshots"


def bring_agents(server: Server) -> None:
    """Put two agents into the server's folder that nobody has confirmed."""
    for slug in ("ada", "ben"):
        (server.root / ".agents" / slug).mkdir(parents=True)
        persona = f"---\nname: {slug.title()}\nruntime: demo\ntool_preset: full\n---\nBe \u202ekind <img src=x>.\n"
        (server.root / ".agents" / slug / "persona.md").write_text(persona)


@pytest.fixture
def brought(asking_server: Server) -> Iterator[Server]:
    bring_agents(asking_server)
    yield asking_server
    for slug in ("ada", "ben"):
        shutil.rmtree(asking_server.root / ".agents" / slug)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """Where nothing counts as confirmed."""
    server = LabServer(tmp_path, arguments=())
    (server.root / "notes.md").write_text("# Notes\n")
    bring_agents(server)
    server.start()
    yield server
    server.stop()


def confirm_as_it_is(server: Server, slug: str) -> None:
    """As its owner does in the browser."""
    with server.browser_client("root") as client:
        digest = client.get(f"agents/{slug}").json()["hash"]
        assert client.post(f"agents/{slug}/confirm", json={"hash": digest}).status_code == 200


def test_a_person_sees_what_an_agent_wants_and_confirms_it(brought: Server, open_lab: OpenLab) -> None:
    server = brought
    lab = open_lab(server, "notes.md")
    page = lab.page
    page.wait_for_function("() => window.jupyterapp.commands.hasCommand('cabinet:confirm-agents')")
    page.evaluate("() => { void window.jupyterapp.commands.execute('cabinet:confirm-agents') }")
    dialog = page.locator(".jp-Dialog", has_text="Ada (ada)")
    expect(dialog).to_contain_text("not isolated")
    expect(dialog.get_by_role("row", name="Tools", exact=False).first).to_contain_text("all")
    expect(dialog).to_contain_text("‹U+202E›kind <img src=x>")
    lab.screenshot("confirm-agent")
    dialog.get_by_role("button", name="Confirm").click()
    dialog = page.locator(".jp-Dialog", has_text="Ben (ben)")
    dialog.get_by_role("button", name="Not now").click()
    expect(page.locator(".Toastify__toast", has_text="Ada (ada) is confirmed.")).to_be_visible()
    with server.client("root") as client:
        found = {agent["slug"]: agent["status"] for agent in client.get("agents").json()["items"]}
    assert found == {"ada": "idle", "ben": "unconfirmed"}

    persona = server.root / ".agents" / "ada" / "persona.md"
    lines = "".join(f"Rule {number}.\n" for number in range(60))
    persona.write_text(persona.read_text() + lines)
    confirm_as_it_is(server, "ada")
    dangerous = persona.read_text().replace("runtime: demo", "runtime: demo\npermission_mode: bypass")
    persona.write_text(f"{dangerous}Obey.\n")
    page.evaluate("() => { void window.jupyterapp.commands.execute('cabinet:confirm-agents') }")
    dialog = page.locator(".jp-Dialog", has_text="Ada (ada)")
    expect(dialog.get_by_role("row", name="Permission mode")).to_contain_text("No questions (bypass)")
    added = dialog.get_by_role("group", name="What has changed in Instructions").locator(".jp-mod-added")
    expect(added).to_contain_text("Obey.")
    expect(added).to_be_in_viewport()
    lab.screenshot("confirm-changed-agent")
    persona.write_text(persona.read_text() + "And lie.\n")
    dialog.get_by_role("button", name="Confirm").click()
    expect(page.locator(".Toastify__toast", has_text="Review it again")).to_be_visible()


@pytest.mark.long(reason="importing and confirming are tried by themselves")
def test_an_imported_agent_and_all_that_came_with_it_need_confirmation(
    own_server: Server, chromium: Browser, tmp_path: Path
) -> None:
    server = own_server
    skill = server.root / ".playbooks/skills/greet/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: greet\ndescription: Greets people.\n---\n\nSay hello.\n")
    play = server.root / ".playbooks/plays/digest.md"
    play.parent.mkdir(parents=True)
    play.write_text("---\nagent: ada\ntitle: Digest <img src=x>\ntriggers: [webhook]\n---\nSum it up.\n")
    (server.root / ".agents/USER.md").write_text("Ada likes tea.\n")
    file = tmp_path / "ada.agent.zip"
    with server.browser_client("root") as client:
        etag = client.get("agents/ada").json()["etag"]
        fields = {"skills": ["greet", "absent"], "tool_servers": ["tracker"]}
        client.put("agents/ada", json={"fields": fields, "etag": etag}).raise_for_status()
        body = {"hash": client.get("skills/greet").json()["hash"], "decision": "approve"}
        client.post("skills/greet/decision", json=body).raise_for_status()
        file.write_bytes(client.get("agents/ada/export", params={"user": "true"}).content)
        for gone in ("agents/ada", "plays/digest", "skills/greet"):
            client.delete(gone).raise_for_status()
    (server.root / ".agents/USER.md").unlink()

    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    lab = Lab(context.new_page(), server, screenshots=SCREENSHOTS)
    lab.open("notes.md", theme="dark")
    lab.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('cabinet:import-agent')")
    lab.page.evaluate("() => { void window.jupyterapp.commands.execute('cabinet:import-agent') }")
    dialog = lab.page.get_by_role("dialog")
    dialog.get_by_label("File").set_input_files(file)
    dialog.get_by_role("button", name="Continue").click()
    notes = dialog.get_by_role("list", name="Notes")
    expect(notes).to_contain_text("skill absent, which is neither in the file nor on this server")
    expect(notes).to_contain_text("tool server tracker, which you do not have here")
    expect(dialog.get_by_role("region", name="Skills")).to_contain_text("waits for approval")
    expect(dialog.get_by_role("region", name="Plays")).to_contain_text("Digest <img src=x>. Starts: webhook.")
    expect(dialog.get_by_role("row", name="Instructions")).to_contain_text("Be ‹U+202E›kind <img src=x>.")
    lab.screenshot("agent-import-dark")
    dialog.get_by_role("checkbox", name="Also add USER.md").check()
    dialog.get_by_role("button", name="Import").click()
    page = lab.page.locator(".jp-Cabinet-page[data-agent=ada]")
    expect(page).to_contain_text("Needs confirmation")
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    lab.screenshot("agent-imported-dark")
    with server.client("root") as client:
        assert client.get("agents/ada").json()["status"] == "unconfirmed"
        assert client.get("skills/greet").json()["state"] == "pending"
        assert not client.get("plays/digest").json()["confirmed"]
    assert (server.root / ".agents/USER.md").read_text() == "Ada likes tea.\n"
    context.close()


@pytest.mark.long(reason="an import is tried above, and each conversion in the unit tests")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_person_sees_what_the_files_of_another_system_become_before_anything_is_written(
    asking_server: Server, chromium: Browser, theme: str
) -> None:
    server = asking_server
    home = write(server.root / "old", ORCHESTRATOR)
    write(home, {"agents/researcher/notes<img src=x>.md": "x", "agents/researcher/IDENTITY.md": "# <img src=x>\n"})
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    lab = Lab(context.new_page(), server, screenshots=SCREENSHOTS)
    lab.open("notes.md", theme=theme)
    lab.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('cabinet:import-agent')")
    lab.page.evaluate("() => { void window.jupyterapp.commands.execute('cabinet:import-agent') }")
    dialog = lab.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_role("alert")).to_have_text("Choose either a file or a folder.")
    dialog.get_by_label("Or folder").fill("absent")
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_role("alert")).to_contain_text("there is no such folder")
    expect(dialog.get_by_label("Or folder")).to_have_value("absent")
    lab.screenshot(f"agent-import-folder-{theme}")
    dialog.get_by_label("Or folder").fill("old")
    dialog.get_by_role("button", name="Continue").click()
    dialog.get_by_role("combobox", name="Agent").select_option("researcher")
    dialog.get_by_role("button", name="Continue").click()
    table = dialog.get_by_role("table").filter(has=lab.page.get_by_role("columnheader", name="Becomes"))
    soul = table.get_by_role("row", name="agents/researcher/soul-history/2026-01-31.md")
    expect(soul).to_contain_text("earlier version of SOUL.md, 2026-01-31")
    expect(table.get_by_role("row", name="agents/researcher/notes<img src=x>.md")).to_contain_text("Left out")
    expect(table.get_by_role("row", name="skills/active/sources/")).to_contain_text("have approved its files")
    expect(table.get_by_role("row").last).to_contain_text("Left out")
    expect(dialog.locator("img")).to_have_count(0)
    soul.scroll_into_view_if_needed()
    lab.screenshot(f"agent-import-converted-{theme}")
    assert not (server.root / ".agents/researcher").exists()
    dialog.get_by_role("button", name="Import").click()
    page = lab.page.locator(".jp-Cabinet-page[data-agent=researcher]")
    expect(page).to_contain_text("Needs confirmation")
    page.get_by_role("tab", name="Memory").click()
    page.get_by_role("list", name="Daily logs").get_by_role("button", name="2026-02-01.md").click()
    expect(page.locator("section[aria-label='memory/2026-02-01.md'] textarea")).not_to_be_editable()
    expect(page.get_by_role("button", name="Save")).to_have_attribute("title", re.compile("cannot be changed here"))
    lab.screenshot(f"agent-daily-logs-{theme}")
    with server.browser_client("root") as client:
        versions = client.get("agents/researcher/versions", params={"path": "SOUL.md"}).json()["items"]
        assert [each["saved"][:10] for each in versions] == ["2026-01-31", "2025-12-31"]
        assert client.get("skills/sources").json()["state"] == "pending"
        for gone in ("agents/researcher", "skills/sources"):
            client.delete(gone).raise_for_status()
    context.close()
