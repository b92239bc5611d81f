"""What a person has typed into a text file while an agent works outlives the page, the run and the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.lab import Lab
from harness.server import LabServer, Server, until
from playwright.sync_api import Error, Locator, expect

pytestmark = pytest.mark.slow(reason="reloads pages while the demo agent works")
OpenLab = Callable[..., Lab]
DOCUMENT = ".jp-Document:not(.lm-mod-hidden)"
TEXT = "".join(f"Line {number}.\n" for number in range(1, 6))


def strip(lab: Lab) -> Locator:
    return lab.page.locator(f"{DOCUMENT} .jp-Cabinet-document-strip")


def begin(lab: Lab, go_on: str) -> None:
    """A run that waits for a file, and a line that a person types meanwhile."""
    lab.page.on("dialog", lambda dialog: dialog.accept())  # "Leave site?"
    lab.open_editor()
    lab.run(f'wait for the file {go_on}\nreplace "Line 5." with "Line five."')
    lab.expect_state("Running")
    type_first(lab)


def type_first(lab: Lab) -> None:
    lab.page.locator(f"{DOCUMENT} .cm-content").click()
    lab.page.keyboard.press("Control+Home")
    lab.page.keyboard.type("Mine.\n")
    lab.expect_document("Mine.\nLine 1.")


@pytest.mark.long(reason="the store decides it and is tested with jest")
def test_what_was_not_saved_when_the_page_was_closed_is_offered_again(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "closed.md"
    page.write_text(TEXT)
    lab = open_lab(lab_server, page.name, fresh=True)
    begin(lab, "closed-go-on")
    lab.reload()
    expect(strip(lab)).to_contain_text("You left unsaved changes in this file")
    assert lab.document_text == TEXT
    strip(lab).get_by_role("button", name="Restore").click()
    lab.expect_document(f"Mine.\n{TEXT}")
    expect(strip(lab)).to_contain_text("is editing this file")  # nothing but the run is left to report
    lab.command("docmanager:save")
    until(lambda: page.read_text() == f"Mine.\n{TEXT}", what="the text to be saved")
    (lab_server.root / "closed-go-on").touch()
    lab.expect_document("Mine.\n", "Line five.")
    lab.reload()
    lab.expect_document("Mine.\n", "Line five.")
    expect(strip(lab)).not_to_contain_text("unsaved changes")


@pytest.mark.long(reason="the store decides it and is tested with jest")
def test_what_was_not_saved_when_the_tab_crashed_is_offered_in_another_one(
    lab_server: Server, open_lab: OpenLab
) -> None:
    page = lab_server.root / "crashed.md"
    page.write_text(TEXT)
    lab = open_lab(lab_server, page.name, fresh=True)
    type_first(lab)
    with lab_server.client("ada") as client:  # this page does not save what it has before such a run
        instruction = 'wait for the file crashed-go-on\nreplace "Line 5." with "Line five."'
        lab_server.run(client, instruction, wait=0, kind="editor", path=page.name)
    expect(strip(lab)).to_contain_text("is editing this file")
    kept = "() => Object.keys(localStorage).some(key => key.includes(':unsaved:'))"
    lab.page.wait_for_function(kept)
    other = lab.beside()
    expect(strip(other)).to_contain_text("is editing this file")
    expect(strip(other)).not_to_contain_text("unsaved changes")  # they are in the page that is still open
    other.page.close()
    with pytest.raises(Error):
        lab.page.goto("chrome://crash")
    other = lab.beside()
    expect(strip(other)).to_contain_text("You left unsaved changes in this file")
    strip(other).get_by_role("button", name="Restore").click()
    other.expect_document(f"Mine.\n{TEXT}")
    other.command("docmanager:save")
    until(lambda: page.read_text() == f"Mine.\n{TEXT}", what="the text to be saved")
    other.page.wait_for_function(kept.replace("=> Object", "=> !Object"))
    (lab_server.root / "crashed-go-on").touch()
    other.expect_document("Mine.\n", "Line five.")


@pytest.mark.long(reason="the quick tier restores a text that the agent has not changed")
def test_a_text_that_the_agent_has_changed_meanwhile_is_restored_and_saved_only_after_a_choice(
    lab_server: Server, open_lab: OpenLab
) -> None:
    page = lab_server.root / "both.md"
    page.write_text(TEXT)
    lab = open_lab(lab_server, page.name, fresh=True)
    begin(lab, "both-go-on")
    lab.page.goto("about:blank")
    (lab_server.root / "both-go-on").touch()
    until(lambda: "Line five." in page.read_text(), what="the agent to write")
    theirs = page.read_text()
    lab.open(page.name)
    expect(strip(lab)).to_contain_text("You left unsaved changes in this file")
    strip(lab).get_by_role("button", name="Restore").click()
    lab.expect_document(f"Mine.\n{TEXT}")
    expect(strip(lab)).to_contain_text("The file changed on disk while you have unsaved changes")
    lab.page.keyboard.press("Control+s")
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    assert page.read_text() == theirs
    strip(lab).get_by_role("button", name="Keep mine").click()
    lab.command("docmanager:save")
    until(lambda: page.read_text() == f"Mine.\n{TEXT}", what="the chosen text to be saved")


@pytest.mark.long(reason="stops a server and starts it again, twice")
@pytest.mark.parametrize("closes", [pytest.param(False, id="page-open"), pytest.param(True, id="page-closed")])
def test_a_server_that_stops_during_a_run_loses_nothing(tmp_path: Path, open_lab: OpenLab, closes: bool) -> None:
    server = LabServer(tmp_path).start()
    try:
        page = server.root / "stopped.md"
        page.write_text(TEXT)
        lab = open_lab(server, page.name, fresh=True)
        begin(lab, "never")
        lost = lab.page.locator(".jp-Dialog", has_text="Server Connection Error")
        lab.page.add_locator_handler(lost, lambda dialog: dialog.get_by_role("button").last.click())
        server.stop()
        expect(lab.panel).to_contain_text("Not connected")
        if closes:
            lab.page.goto("about:blank")
        server.start(again=True)
        if closes:
            lab.open(page.name)
            strip(lab).get_by_role("button", name="Restore").click()
        else:
            lab.expect_state("Interrupted", seconds=60)
        lab.expect_document(f"Mine.\n{TEXT}")
        lab.command("docmanager:save")
        until(lambda: page.read_text() == f"Mine.\n{TEXT}", what="the text to be saved")
    finally:
        server.stop()
