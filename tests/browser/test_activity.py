"""The activity list in a real browser: what agents did is listed, narrowed, opened and exported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]


def open_activity(lab: Lab) -> Locator:
    lab.command("cabinet:activity")
    activity = lab.page.locator(".jp-Cabinet-whole-activity")
    expect(activity).to_be_visible()
    return activity


def exported(lab: Lab, activity: Locator, name: str) -> str:
    with lab.page.expect_download() as coming:
        activity.get_by_role("button", name=name).click()
    return Path(coming.value.path()).read_text()


@pytest.mark.long(reason="the list is walked in the quick tier, and activityList.spec.ts narrows and exports it")
@looks.in_both_themes
def test_what_agents_did_is_listed_narrowed_opened_and_exported(
    lab_server: Server, open_lab: OpenLab, theme: str
) -> None:
    page = lab_server.root / f"recorded-{theme}.md"
    page.write_text("# Recorded\n")
    (lab_server.root / "notes").mkdir(exist_ok=True)
    with lab_server.client("ada") as client:
        lab_server.run(
            client,
            f"append: kept in {theme}",
            kind="editor",
            path=page.name,
            mode="headless",
            permission_mode="edit",
        )
    lab = open_lab(lab_server, page.name, theme=theme)
    activity = open_activity(lab)
    row = activity.locator(".jp-Cabinet-activity-row", has_text=f"append: kept in {theme}")
    expect(row).to_contain_text("Succeeded")
    expect(row).to_contain_text("1 file")
    expect(row).to_contain_text("+2")
    activity.get_by_label("Document or folder").fill(page.name)
    expect(activity.locator(".jp-Cabinet-activity-row")).to_have_count(1)
    activity.get_by_label("Asked for approval").check()
    expect(activity).to_contain_text("No matching runs")
    activity.get_by_label("Asked for approval").uncheck()
    row.locator(".jp-Cabinet-activity-head").click()
    expect(row.locator(".jp-Cabinet-activity-details")).to_contain_text(page.name)
    lines = exported(lab, activity, "Export JSONL").splitlines()
    assert [json.loads(line)["run"]["instruction"] for line in lines] == [f"append: kept in {theme}"]
    notebook = nbformat.reads(exported(lab, activity, "Export notebook"), as_version=4)
    assert f"+kept in {theme}" in notebook.cells[1].source
    lab.screenshot(f"activity-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-whole-activity", lab.command) == []
    row.get_by_role("button", name="Review changes").click()
    expect(lab.page.locator(".jp-Cabinet-review")).to_contain_text(page.name)


def test_a_run_that_is_asked_for_elsewhere_appears_and_the_list_is_walked_by_keyboard(
    lab_server: Server, open_lab: OpenLab
) -> None:
    page = lab_server.root / "walked.md"
    page.write_text("# Walked\n")
    lab = open_lab(lab_server, page.name)
    activity = open_activity(lab)
    with lab_server.client("ada") as client:
        for number in (1, 2):
            lab_server.run(client, f"hello number {number}", kind="manual", mode="headless")
    heads = activity.locator(".jp-Cabinet-activity-head")
    expect(heads.nth(0)).to_contain_text("hello number 2")
    expect(heads.nth(1)).to_contain_text("hello number 1")
    heads.nth(0).focus()
    lab.page.keyboard.press("ArrowDown")
    expect(heads.nth(1)).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(heads.nth(1)).to_have_attribute("aria-expanded", "true")
    lab.page.keyboard.press("Home")
    expect(heads.nth(0)).to_be_focused()
    lab.page.keyboard.press("Tab")
    expect(activity.get_by_role("button", name="Output")).to_be_focused()


@pytest.mark.long(reason="a run is stopped by the same request in test_flow.py")
def test_a_run_at_work_is_stopped_from_the_record(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "stopped.md").write_text("# Stopped\n")
    with lab_server.client("ada") as client:
        body = {"kind": "manual", "instruction": "wait for the file never-recorded", "mode": "headless"}
        assert client.post("runs", json=body).status_code == 201
    lab = open_lab(lab_server, "stopped.md")
    row = open_activity(lab).locator(".jp-Cabinet-activity-row", has_text="never-recorded")
    row.locator(".jp-Cabinet-activity-head").click()
    row.get_by_role("button", name="Stop").click()
    expect(row).to_contain_text("Cancelled")
    expect(row.get_by_role("button", name="Stop")).to_have_count(0)


@pytest.mark.long(reason="test_agent_page shows runs in the quick tier")
def test_the_run_of_an_agent_is_shown_on_its_page(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "shown.md").write_text("# Shown\n")
    fields = {"name": "Archivist", "runtime": "demo", "heartbeat_enabled": False}
    with lab_server.browser_client("ada") as client:
        body = {"slug": "archivist", "template": "research", "fields": fields}
        assert client.post("agents", json=body).status_code == 201
        run = client.post("agents/archivist/run").json()
    lab = open_lab(lab_server, "shown.md")
    row = open_activity(lab).locator(".jp-Cabinet-activity-row", has_text="asked Archivist").first
    expect(row).to_contain_text("Succeeded")
    row.locator(".jp-Cabinet-activity-head").click()
    row.get_by_role("button", name="Open run").click()
    page = lab.page.locator(".jp-Cabinet-page[data-agent=archivist]")
    expect(page.get_by_role("article", name="Run")).to_contain_text("Nothing to report")
    with lab_server.browser_client("ada") as client:
        assert client.get(f"runs/{run['id']}").json()["state"] == "succeeded"
        client.delete("agents/archivist")


@looks.in_both_themes
@pytest.mark.long(reason="runs are asked for in the sidebar in the quick tier")
def test_a_run_is_asked_for_from_the_list_of_runs(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    (lab_server.root / "asked.md").write_text("# Asked\n")
    (lab_server.root / f"folder-{theme}").mkdir()
    lab = open_lab(lab_server, "asked.md", theme=theme)
    activity = open_activity(lab)
    activity.get_by_label("Words").fill("something else")
    activity.locator("header").get_by_role("button", name="New run…").click()
    dialog = lab.page.get_by_role("dialog", name="New run")
    instruction = dialog.get_by_label("Instruction")
    expect(instruction).to_be_focused()
    expect(dialog.get_by_role("button", name="Run")).to_be_disabled()
    instruction.fill("say something here")
    dialog.get_by_label("Agent or runtime").select_option("runtime:demo")
    dialog.get_by_label("Folder").fill("nowhere")
    dialog.get_by_role("button", name="Run").click()
    expect(dialog).to_contain_text("There is no folder nowhere.")
    lab.screenshot(f"new-run-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-form-dialog", lab.command) == []
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(activity.locator("header").get_by_role("button", name="New run…")).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(instruction).to_have_value("say something here")
    dialog.get_by_label("Folder").fill(f"folder-{theme}")
    instruction.press("Control+Enter")
    expect(dialog).to_have_count(0)
    row = activity.locator(".jp-Cabinet-activity-row").first
    expect(row).to_contain_text("say something here")
    expect(row).to_contain_text("Succeeded")
    with lab_server.client("ada") as client:
        assert client.get("runs").json()["items"][0]["cwd"] == f"folder-{theme}"
    expect(row.locator(".jp-Cabinet-activity-answer")).to_contain_text("I did not understand this instruction.")
    lab.screenshot(f"new-run-answered-{theme}")
    row.get_by_role("button", name="Output").click()
    expect(lab.page.locator(".jp-Dialog")).to_contain_text("I did not understand this instruction.")
    lab.page.locator(".jp-Dialog").get_by_role("button", name="Close").click()
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-whole-activity", lab.command) == []


@pytest.mark.long(reason="the draft is tested with jest")
def test_the_form_of_a_new_run_blocks_no_other_tab_and_keeps_its_draft(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "drafted.md").write_text("# Drafted\n")
    lab = open_lab(lab_server, "drafted.md")
    activity = open_activity(lab)
    opener = activity.locator("header").get_by_role("button", name="New run…")
    opener.click()
    dialog = lab.page.get_by_role("dialog", name="New run")
    instruction = dialog.get_by_label("Instruction")
    expect(instruction).to_be_focused()
    instruction.fill("not sent yet")
    lab.page.keyboard.press("Alt+Shift+G")
    board = lab.page.locator(".jp-Cabinet-board")
    expect(dialog).not_to_be_visible()
    board.get_by_role("button", name="New agent").first.click()
    expect(lab.page.get_by_role("dialog", name="New agent").get_by_label("Name")).to_be_focused()
    lab.page.keyboard.press("Escape")
    lab.page.get_by_role("tab", name="Activity").click()
    expect(instruction).to_have_value("not sent yet")
    expect(instruction).to_be_focused()
    with lab.offline():
        expect(dialog.get_by_role("button", name="Run")).to_have_attribute("aria-disabled", "true")
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()
    expect(opener).not_to_have_attribute("aria-disabled", "true")
    lab.page.keyboard.press("Enter")
    expect(instruction).to_have_value("not sent yet")
    instruction.fill("")
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


@pytest.mark.long(reason="the list is narrowed, walked and opened in the quick tier")
def test_a_run_without_a_document_is_watched_in_the_list(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "watched.md").write_text("# Watched\n")
    lab = open_lab(lab_server, "watched.md")
    lab.command("cabinet:new-run")
    dialog = lab.page.get_by_role("dialog", name="New run")
    dialog.get_by_label("Instruction").fill("wait for the file watched-now")
    dialog.get_by_label("Agent or runtime").select_option("runtime:demo")
    dialog.get_by_label("Folder").fill("")
    dialog.get_by_role("button", name="Run").click()
    row = lab.page.locator(".jp-Cabinet-activity-row").first
    expect(row.locator(".jp-Cabinet-activity-live")).to_contain_text("Working")
    expect(row.get_by_role("button", name="Open run")).to_have_count(0)
    (lab_server.root / "watched-now").write_text("")
    expect(row.locator(".jp-Cabinet-activity-answer")).to_contain_text("watched-now")


@pytest.mark.long(reason="test_agent_page starts runs of agents in the quick tier")
def test_an_agent_is_told_something_from_the_list_of_runs(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "told.md").write_text("# Told\n")
    fields = {"name": "Listener", "runtime": "demo", "heartbeat_enabled": False}
    with lab_server.browser_client("ada") as client:
        body = {"slug": "listener", "template": "research", "fields": fields}
        assert client.post("agents", json=body).status_code == 201
    lab = open_lab(lab_server, "told.md")
    lab.command("cabinet:new-run")
    dialog = lab.page.get_by_role("dialog", name="New run")
    dialog.get_by_label("Instruction").fill("what do you remember?")
    dialog.get_by_label("Agent or runtime").select_option("agent:listener")
    expect(dialog.get_by_label("Permission mode")).to_have_count(0)
    dialog.get_by_role("button", name="Run").click()
    row = lab.page.locator(".jp-Cabinet-activity-row").first
    expect(row).to_contain_text("what do you remember?")
    expect(row).to_contain_text("Listener")
    expect(row).to_contain_text("Succeeded")


@pytest.mark.long(reason="starts JupyterLab again")
def test_the_tabs_of_record_rules_recordings_and_review_come_back_after_a_reload(
    lab_server: Server, open_lab: OpenLab
) -> None:
    page = lab_server.root / "restored.md"
    page.write_text("# Restored\n")
    with lab_server.client("ada") as client:
        run = lab_server.run(
            client, "append: again", kind="editor", path=page.name, mode="headless", permission_mode="edit"
        )
    lab = open_lab(lab_server, page.name, fresh=True)
    lab.command("cabinet:approval-rules")
    lab.command("cabinet:review", run=run["id"])
    lab.command("cabinet:recordings")
    lab.command("cabinet:play-recording", id="gone")
    lab.command("cabinet:activity")
    recordings = [".jp-Cabinet-recordings", "#cabinet-recording-gone"]
    shown = [".jp-Cabinet-rules", ".jp-Cabinet-review", ".jp-Cabinet-whole-activity", *recordings]
    for tab in shown:
        expect(lab.page.locator(tab)).to_have_count(1)
    lab.reload(
        "cabinet-approval-rules:",
        f"cabinet-review-{run['id']}",
        "cabinet-activity:",
        "cabinet-recordings:",
        "cabinet-recording:",
    )
    for tab in shown:
        expect(lab.page.locator(tab)).to_have_count(1)
    expect(lab.page.locator(".jp-Cabinet-review")).to_contain_text(page.name)
    lab.command("cabinet:review", run=run["id"])
    expect(lab.page.locator(".jp-Cabinet-review")).to_have_count(1)


@pytest.mark.long(reason="test_keyboard opens a run's output in the quick tier")
def test_from_the_review_of_a_run_without_a_document_its_output_is_opened(
    lab_server: Server, open_lab: OpenLab
) -> None:
    (lab_server.root / "reviewed.md").write_text("# Reviewed\n")
    with lab_server.browser_client("ada") as client:
        body = {"kind": "manual", "instruction": "run touch appeared.txt", "mode": "headless"}
        run = client.post("runs", json={**body, "permission_mode": "ask"}).json()
        asked = until(lambda: client.get("approvals", params={"run_id": run["id"]}).json()["items"])
        client.post(f"approvals/{asked[0]['approval']['id']}", json={"option": "allow"})
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "succeeded", what="the run to end")
    lab = open_lab(lab_server, "reviewed.md")
    lab.command("cabinet:review", run=run["id"])
    review = lab.page.locator(".jp-Cabinet-review")
    expect(review).to_contain_text("appeared.txt")
    review.get_by_role("button", name="Open run").click()
    dialog = lab.page.get_by_role("dialog")
    expect(dialog).to_contain_text("appeared.txt")
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
