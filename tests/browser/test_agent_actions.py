"""An agent as a whole in JupyterLab: renamed, duplicated, exported, deleted and restored from its page and its card."""

from __future__ import annotations

import itertools
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import Locator, expect

Browsers = Callable[[str], Lab]

NUMBERS = itertools.count(1)


@pytest.fixture
def keeper(team: Server) -> Iterator[str]:
    """An agent of Ada's that carries out a play and has a task."""
    slug = f"keeper-{next(NUMBERS)}"
    with team.browser_client("ada") as client:
        fields = {"name": "Keeper", "runtime": "demo", "heartbeat_enabled": False}
        body = {"slug": slug, "template": "research", "fields": fields, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
        play = {"slug": f"{slug}-sweep", "fields": {"name": "Sweep", "agent": slug}, "body": "Sweep."}
        assert client.post("plays", json=play).status_code == 201
        assert client.post(f"agents/{slug}/tasks", json={"title": "Count"}).status_code == 201
    yield slug
    with team.browser_client("ada") as client:
        for each in (f"{slug}-sweep", f"{slug}-sweep-2"):
            client.delete(f"plays/{each}")
        for each in (slug, f"{slug}-new", f"{slug}-copy", f"{slug}-2"):
            client.delete(f"agents/{each}")


def opened(lab: Lab, slug: str) -> Locator:
    lab.command("cabinet:open-agent", agent=slug)
    page = lab.page.locator(f".jp-Cabinet-page[data-agent={slug}]")
    expect(page.get_by_role("heading", name="Keeper", exact=True)).to_be_visible()
    return page


def choose(lab: Lab, place: Locator, entry: str) -> None:
    """An entry of the menu of more actions."""
    place.get_by_role("button", name="More actions for Keeper", exact=True).click()
    lab.page.get_by_role("menuitem", name=entry).click()


@pytest.mark.long(reason="restoring is tested on the server")
def test_a_deleted_agent_is_restored_from_its_page_and_from_the_list(
    team: Server, browsers: Browsers, keeper: str
) -> None:
    lab = browsers("ada")
    choose(lab, opened(lab, keeper), "Delete…")
    dialog = lab.page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 open task and 0 unread messages")
    expect(dialog).to_contain_text("1 play uses it: Sweep.")
    lab.screenshot("agent-delete")
    dialog.get_by_role("button", name="Delete").click()
    notice = lab.page.locator(".Toastify__toast", has_text="Keeper was deleted.")
    expect(notice.get_by_role("button", name="Undo")).to_be_visible()
    gone = lab.page.locator(".jp-Cabinet-card", has_text="The agent Keeper was deleted")
    lab.screenshot("agent-deleted")
    back = gone.get_by_role("button", name="Restore")
    expect(back).to_be_focused()
    back.click()
    page = lab.page.locator(f".jp-Cabinet-page[data-agent={keeper}]")
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    expect(notice).to_have_count(0)  # there is nothing to undo any more

    with team.browser_client("ada") as client:
        client.post(f"agents/{keeper}/archive")
    lab.command("cabinet:agents")
    put_away = lab.page.locator(".jp-Cabinet-put-away")
    put_away.locator("summary").click()
    row = put_away.get_by_role("listitem").filter(has_text="Keeper").filter(has_text="Archived")
    lab.screenshot("agents-put-away")
    row.get_by_role("button", name="Restore").click()
    expect(row).to_have_count(0)
    board = lab.page.locator(".jp-Cabinet-board")
    expect(board.get_by_role("article", name="Keeper")).to_be_visible()
    expect(board.locator(":focus")).to_have_count(1)


@pytest.mark.long(reason="renaming is tested without a browser")
def test_the_page_of_a_renamed_agent_follows_and_a_copy_is_opened(
    team: Server, browsers: Browsers, keeper: str
) -> None:
    lab = browsers("ada")
    choose(lab, opened(lab, keeper), "Rename…")
    dialog = lab.page.get_by_role("dialog")
    name = dialog.get_by_role("textbox", name="Name")
    name.fill(" ")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Enter a name of 1 to 200 characters.")
    name.fill("Keeper")
    dialog.get_by_label("Folder").fill("Not a folder")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog.get_by_role("alert")).to_contain_text("lowercase letters")
    dialog.get_by_label("Folder").fill(f"{keeper}-new")
    lab.screenshot("agent-rename")
    dialog.get_by_role("button", name="Rename").click()
    page = lab.page.locator(f".jp-Cabinet-page[data-agent={keeper}-new]")
    expect(page).to_be_visible()
    expect(lab.page.locator(f"[id='cabinet-agent-page-{keeper}']")).to_have_count(0)

    choose(lab, page, "Duplicate…")
    dialog.get_by_label("Folder").fill(f"{keeper}-copy")
    dialog.get_by_role("button", name="Duplicate").click()
    copy = lab.page.locator(f".jp-Cabinet-page[data-agent={keeper}-copy]")
    expect(copy.get_by_role("heading", name="Keeper (copy)", exact=True)).to_be_visible()


@pytest.mark.long(reason="tests/unit/bundles and agentActions.spec.ts do it without a browser")
def test_an_agent_is_exported_and_imported_after_a_look_at_what_the_file_brings(
    team: Server, browsers: Browsers, keeper: str, tmp_path: Path
) -> None:
    with team.browser_client("ada") as client:
        put = {"text": "Plums are \u202eblue.", "etag": None}
        client.put(f"agents/{keeper}/files/memory/learnings.md", json=put).raise_for_status()
    lab = browsers("ada")
    choose(lab, opened(lab, keeper), "Export…")
    dialog = lab.page.get_by_role("dialog")
    expect(dialog.get_by_role("checkbox", name="With its memory")).to_be_focused()
    expect(dialog.get_by_role("checkbox", checked=True)).to_have_count(0)
    dialog.get_by_role("checkbox", name="With its memory").check()
    lab.screenshot("agent-export")
    with lab.page.expect_download() as download:
        dialog.get_by_role("button", name="Export").click()
    assert download.value.suggested_filename == f"{keeper}.agent.zip"
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    with zipfile.ZipFile(file) as archive:
        assert {"agent/persona.md", "agent/memory/learnings.md"} <= set(archive.namelist())

    lab.command("cabinet:agents")
    board = lab.page.locator(".jp-Cabinet-board")
    board.get_by_role("button", name="Import…").click()
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Choose either a file or a folder.")
    (tmp_path / "no.zip").write_text("no")
    dialog.get_by_label("File").set_input_files(tmp_path / "no.zip")
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The archive was not accepted")
    lab.screenshot("agent-import-refused")
    dialog.get_by_label("File").set_input_files(file)
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog).to_contain_text("Import Keeper?")
    expect(dialog.get_by_role("list", name="Notes")).to_contain_text(f"would be called {keeper}-2")
    expect(dialog.get_by_role("list", name="Notes")).to_contain_text("Its memory becomes part of the agent's prompt")
    expect(dialog.get_by_role("region", name="Plays")).to_contain_text(f"{keeper}-sweep-2")
    expect(dialog.get_by_role("row", name="Permission mode")).to_be_visible()
    dialog.locator("summary", has_text="agent/memory/learnings.md").click()
    expect(dialog).to_contain_text("Plums are \\u{202e}blue.")
    lab.screenshot("agent-import")
    dialog.get_by_role("button", name="Cancel").click()
    assert not (team.root / f".agents/{keeper}-2").exists()

    board.get_by_role("button", name="Import…").click()
    dialog.get_by_label("File").set_input_files(file)
    dialog.get_by_role("button", name="Continue").click()
    folder = dialog.get_by_label("Folder")
    expect(folder).to_have_value(f"{keeper}-2")
    folder.fill("No!")
    expect(folder).to_have_accessible_description(re.compile("Use lowercase letters"))
    folder.fill(keeper)
    folder.press("Enter")  # it neither cancels nor imports
    dialog.get_by_role("button", name="Import").click()
    expect(folder).to_be_focused()
    expect(folder).to_have_accessible_description(re.compile("already"))
    lab.screenshot("agent-import-taken")
    folder.fill(f"{keeper}-of-two")
    dialog.get_by_role("button", name="Import").click()
    page = lab.page.locator(f".jp-Cabinet-page[data-agent={keeper}-of-two]")
    expect(page.get_by_role("heading", name="Keeper", exact=True)).to_be_visible()
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    assert (team.root / f".agents/{keeper}-of-two/memory/learnings.md").exists()
    lab.screenshot("agent-imported")


@pytest.mark.long(reason="details of two lists of the page")
def test_a_message_says_who_sent_it_and_what_started_its_run(team: Server, browsers: Browsers, keeper: str) -> None:
    sender = f"{keeper}-new"
    with team.browser_client("ada") as client:
        fields = {"name": "Iris Blue", "runtime": "demo", "heartbeat_enabled": False}
        body = {"slug": sender, "template": "research", "fields": fields, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
        etag = client.get(f"agents/{sender}/files/HEARTBEAT.md").json()["etag"]
        text = f"answer: MESSAGE_TO [{keeper}]: The shelf is full."
        client.put(f"agents/{sender}/files/HEARTBEAT.md", json={"text": text, "etag": etag})
        assert client.post(f"agents/{sender}/run").status_code == 201
    lab = browsers("ada")
    page = opened(lab, keeper)
    page.get_by_role("tab", name="Inbox").click()
    row = page.get_by_role("list", name="Unread").get_by_role("button", name="Iris Blue")
    row.click()
    message = page.get_by_role("article", name="Message")
    expect(message).to_contain_text("Iris Blue")
    expect(message).to_contain_text("started by you.")
    page.get_by_role("tab", name="Tasks").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("from Ada Lind")
