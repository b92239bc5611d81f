"""The whole flow with the demo agent: a person types an instruction beside a document and sees the document change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from harness import looks
from harness.lab import Lab
from harness.lab_pool import LabPool
from harness.server import LabServer, Server, until
from playwright.sync_api import expect

OpenLab = Callable[..., Lab]


def new_notebook(**fields: Any) -> nbformat.NotebookNode:
    """One that names its kernel, so that JupyterLab does not ask for it."""
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    return nbformat.v4.new_notebook(metadata={"kernelspec": kernel}, **fields)


def test_an_instruction_changes_the_open_document(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "flow.md").write_text("# Flow\n\nFirst line.\n")
    lab = open_lab(lab_server, "flow.md")
    lab.open_editor()
    expect(lab.panel).to_contain_text("flow.md")
    lab.run("append: Written by the agent")
    lab.expect_state("Succeeded")
    lab.expect_document("First line.", "Written by the agent")
    lab.expect_screen("Written by the agent")
    assert (lab_server.root / "flow.md").read_text().endswith("Written by the agent\n")
    lab.run("append: And again")
    lab.expect_document("And again")
    lab.expect_state("Succeeded")
    expect(lab.panel).to_contain_text("2 of 2")
    assert lab.foreign_requests == []


@pytest.mark.long(reason="the full screen of a terminal is tested without a browser")
def test_a_reload_in_mid_run_changes_nothing_and_brings_the_full_screen_back(
    lab_server: Server, open_lab: OpenLab
) -> None:
    (lab_server.root / "reload.md").write_text("# Reload\n")
    lab = open_lab(lab_server, "reload.md", fresh=True)
    lab.open_editor()
    lab.run("wait for the file reloaded\nappend: survived the reload")
    lab.expect_state("Running")
    lab.expect_screen("survived the reload")
    lab.reload()
    expect(lab.panel).to_be_visible()
    lab.expect_state("Running")
    lab.expect_screen("A demonstration: no model")  # the first line it ever wrote
    (lab_server.root / "reloaded").touch()
    lab.expect_state("Succeeded")
    lab.expect_document("survived the reload")


@pytest.mark.long(reason="renaming is tested without a browser")
@pytest.mark.slow(reason="two instructions, and a renaming between them")
@pytest.mark.parametrize(
    "from_here",
    [
        pytest.param(True, id="here"),
        pytest.param(
            False, id="elsewhere", marks=pytest.mark.long(reason="a renaming from here is tried in the quick tier")
        ),
    ],
)
def test_a_document_that_is_renamed_in_mid_run_keeps_its_session_in_the_panel(
    lab_server: Server, open_lab: OpenLab, from_here: bool
) -> None:
    old, new = f"before-{from_here}.md", f"after-{from_here}.md"
    (lab_server.root / old).write_text("# Renamed\n")
    lab = open_lab(lab_server, old)
    lab.open_editor()
    lab.run(f"wait for the file renamed-{from_here}\nappend: by the first instruction")
    lab.expect_state("Running")
    lab.write("half an instruction")
    if from_here:
        lab.page.evaluate(
            "([old, now]) => window.jupyterapp.serviceManager.contents.rename(old, now)",
            [old, new],
        )
        expect(lab.panel.locator(".jp-Cabinet-header")).to_contain_text(new)
        expect(lab.composer).to_contain_text("half an instruction")
    else:  # a colleague, or another tab: this page does not hear of it
        with lab_server.browser_client("ada") as client:
            assert client.patch(f"{lab_server.url}api/contents/{old}", json={"path": new}).status_code == 200
    expect(lab.panel).to_contain_text(f"{old} became {new} while the agent worked on it.")
    lab.screenshot(f"renamed-{from_here}-light")
    (lab_server.root / f"renamed-{from_here}").touch()
    if from_here:
        # the agent knew the old name only, and wrote there
        expect(lab.panel).to_contain_text(f"The agent wrote to {old}, which was renamed to {new}.")
        expect(lab.panel).to_contain_text(f"Its text was moved to {new}.")
        lab.expect_document("by the first instruction")
        assert not (lab_server.root / old).exists()
        lab.composer.click()
        lab.page.keyboard.press("Control+A")
        lab.page.keyboard.press("Delete")
        lab.run("append: by the second instruction")
        lab.expect_state("Succeeded")
        lab.expect_document("by the second instruction")
        expect(lab.panel).to_contain_text("2 of 2")
        both = "# Renamed\n\nby the first instruction\n\nby the second instruction\n"
        assert (lab_server.root / new).read_text() == both


@pytest.mark.long(reason="the store decides it and is tested with jest")
@pytest.mark.slow(reason="two runs at the same time")
def test_two_documents_have_a_session_each_and_point_to_each_other(lab_server: Server, open_lab: OpenLab) -> None:
    for name in ("one.md", "two.md"):
        (lab_server.root / name).write_text(f"# {name}\n")
    lab = open_lab(lab_server, "one.md")
    lab.open_editor()
    lab.run("wait for the file two-is-done\nappend: to one")
    lab.expect_state("Running")
    lab.command("docmanager:open", path="two.md")
    expect(lab.panel).to_contain_text("A session is running on one.md")
    lab.screenshot("running-elsewhere-light")
    lab.button("Start here").click()
    lab.run("append: to two")
    lab.expect_state("Succeeded")
    lab.expect_document("to two")
    (lab_server.root / "two-is-done").touch()
    lab.command("docmanager:open", path="one.md")
    lab.expect_document("to one")
    assert "to two" not in lab.document_text


def test_stop_ends_the_run_and_run_again_begins_it_anew(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "stop.md").write_text("# Stop\n")
    lab = open_lab(lab_server, "stop.md")
    lab.open_editor()
    lab.run("sleep 60")
    lab.expect_state("Running")
    lab.button("Stop").click()
    lab.expect_state("Cancelled")
    expect(lab.button("Run again")).to_be_visible()


@pytest.mark.long(reason="test_terminals refuses keys and lets them pass in the quick tier")
def test_keys_are_refused_while_it_works_and_pass_when_it_has_answered(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "keys.md").write_text("# Keys\n")
    lab = open_lab(lab_server, "keys.md")
    lab.open_editor()
    lab.run("wait for the file refused\nappend: done waiting")
    lab.expect_state("Running")
    expect(lab.panel).to_contain_text("Locked while Demo agent works")
    lab.panel.locator(".xterm-screen").click()
    lab.page.keyboard.type("x")
    expect(lab.panel).to_contain_text("Not sent: an agent is running")
    (lab_server.root / "refused").touch()
    lab.expect_state("Succeeded")
    lab.panel.locator(".xterm-screen").click()
    lab.page.keyboard.type("append: typed in the terminal")
    lab.expect_screen("append: typed in the terminal")
    lab.page.keyboard.press("Enter")
    lab.expect_document("typed in the terminal")
    expect(lab.panel).to_contain_text("2 of 2")


@looks.in_both_themes
@pytest.mark.long(reason="the terminal side is tested without a browser")
def test_words_in_the_terminals_input_box_hold_the_next_instruction_up_and_it_says_so(
    lab_server: Server, open_lab: OpenLab, theme: str
) -> None:
    name = f"draft-{theme}.md"
    (lab_server.root / name).write_text("# Draft\n")
    lab = open_lab(lab_server, name, theme=theme)
    lab.open_editor()
    lab.run("append: one")
    lab.expect_state("Succeeded")
    lab.panel.locator(".xterm-screen").click()
    lab.page.keyboard.type("append: mi")
    lab.expect_screen("append: mi")
    lab.run("append: two")
    lab.expect_state("Waiting for you")
    expect(lab.panel).to_contain_text("The input box of Demo agent contains text")
    lab.screenshot(f"held-up-{theme}")
    lab.panel.locator(".xterm-screen").click()
    lab.page.keyboard.type("ne")
    lab.page.keyboard.press("Enter")
    lab.expect_document("one", "mine", "two")
    lab.expect_state("Succeeded")


def test_a_question_shows_as_waiting_and_is_answered_in_the_terminal(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "ask.md").write_text("# Ask\n")
    lab = open_lab(lab_server, "ask.md")
    lab.open_editor()
    lab.run("ask a question")
    lab.expect_state("Waiting for you")
    lab.panel.locator(".xterm-screen").click()
    lab.page.keyboard.type("y")
    lab.page.keyboard.press("Enter")
    lab.expect_state("Succeeded")


def test_a_notebook_gets_a_cell_and_keeps_its_outputs(lab_server: Server, open_lab: OpenLab) -> None:
    notebook = new_notebook()
    output = nbformat.v4.new_output("stream", text="kept output\n")
    notebook.cells = [nbformat.v4.new_code_cell("print('kept output')", outputs=[output], execution_count=3)]
    nbformat.write(notebook, lab_server.root / "book.ipynb")
    lab = open_lab(lab_server, "book.ipynb")
    lab.save_kernel_metadata()
    lab.open_editor()
    lab.run("add a cell that prints the date")
    lab.expect_state("Succeeded")
    expect(lab.page.locator(".jp-Notebook .jp-CodeCell")).to_have_count(2)
    expect(lab.page.locator(".jp-Notebook .jp-OutputArea-output").first).to_contain_text("kept output")
    saved = nbformat.read(lab_server.root / "book.ipynb", 4)
    assert len(saved.cells) == 2 and saved.cells[0].outputs == [output]


@pytest.mark.long(reason="starts a kernel; the quick tier tries unsaved documents")
def test_a_notebook_that_is_unsaved_for_its_metadata_alone_follows_without_a_question(
    lab_server: Server, open_lab: OpenLab
) -> None:
    """As when a kernel names itself while the run works already."""
    notebook = new_notebook(cells=[nbformat.v4.new_code_cell("1")])
    nbformat.write(notebook, lab_server.root / "named.ipynb")
    lab = open_lab(lab_server, "named.ipynb")
    lab.save_kernel_metadata()
    lab.open_editor()
    lab.run("wait for the file kernel-named\nadd a cell that prints the date")
    lab.expect_state("Running")
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.setMetadata('named', true)")
    (lab_server.root / "kernel-named").touch()
    lab.expect_state("Succeeded")
    expect(lab.page.locator(".jp-Notebook .jp-CodeCell")).to_have_count(2)


@pytest.mark.long(reason="the quick tier tests a prompt with a mention")
def test_the_active_cell_can_be_attached_and_stands_in_the_prompt(lab_server: Server, open_lab: OpenLab) -> None:
    notebook = new_notebook(cells=[nbformat.v4.new_code_cell("answer = 42  # of the cell")])
    nbformat.write(notebook, lab_server.root / "attach.ipynb")
    lab = open_lab(lab_server, "attach.ipynb")
    lab.save_kernel_metadata()
    expect(lab.page.locator(".jp-Notebook .jp-Cell")).to_have_count(1)
    lab.page.locator(".jp-Notebook .jp-Cell .cm-content").first.click()
    lab.open_editor()
    lab.panel.locator(".jp-Cabinet-composer .jp-Cabinet-chip.jp-mod-offered").first.click()
    lab.run("append: seen")
    lab.expect_state("Succeeded")
    expect(lab.panel.get_by_role("list", name="Sent with it")).to_contain_text("Cell 1")
    assert "answer = 42  # of the cell" in _last_prompt(lab_server)


@pytest.mark.long(reason="both halves are tested without a browser")
def test_a_mention_is_completed_and_its_content_stands_in_the_prompt(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "mention.md").write_text("# M\n")
    (lab_server.root / "reports").mkdir(exist_ok=True)
    (lab_server.root / "reports" / "unusual-notes.md").write_text("the mentioned content\n")
    lab = open_lab(lab_server, "mention.md")
    lab.open_editor()
    lab.write("append: see @unusual")
    expect(lab.page.locator(".cm-tooltip-autocomplete")).to_contain_text("unusual-notes.md")
    lab.page.keyboard.press("Tab")
    expect(lab.composer).to_contain_text("@reports/unusual-notes.md")
    lab.page.keyboard.press("Shift+Enter")
    lab.expect_state("Succeeded")
    assert "the mentioned content" in _last_prompt(lab_server)


def _last_prompt(server: Server) -> str:
    with server.client("ada") as client:
        run = client.get("runs", params={"limit": 1}).json()["items"][0]
    return (server.root / ".cabinet/runs" / run["id"] / "prompt.md").read_text()


def test_unsaved_work_is_saved_first_or_nothing_happens(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "unsaved.md").write_text("# Unsaved\n")
    lab = open_lab(lab_server, "unsaved.md")
    lab.page.locator(".jp-FileEditor .cm-content").click()
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.type("my unsaved words")
    lab.open_editor()
    lab.run("append: from the agent")
    dialog = lab.page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("unsaved.md has unsaved changes")
    dialog.get_by_role("button", name="Cancel").click()
    assert "my unsaved words" not in (lab_server.root / "unsaved.md").read_text()
    expect(lab.composer).to_contain_text("append: from the agent")
    lab.composer.click()
    lab.page.keyboard.press("Shift+Enter")
    dialog.get_by_role("button", name="Save and run").click()
    lab.expect_state("Succeeded")
    lab.expect_document("my unsaved words", "from the agent")
    text = (lab_server.root / "unsaved.md").read_text()
    assert "my unsaved words" in text and "from the agent" in text


@pytest.mark.slow(reason="the person types while the run works")
def test_what_is_typed_while_the_agent_works_is_never_lost(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "both.md").write_text("# Both\n\nA line of the file.\n")
    lab = open_lab(lab_server, "both.md")
    lab.open_editor()
    lab.run("wait for the file typed\nappend: from the agent")
    lab.expect_state("Running")
    lab.page.locator(".jp-FileEditor .cm-content").click()
    lab.page.keyboard.press("Control+Home")
    lab.page.keyboard.type("typed meanwhile ")
    (lab_server.root / "typed").touch()
    lab.expect_state("Succeeded")
    until(lambda: "from the agent" in (lab_server.root / "both.md").read_text())
    assert "typed meanwhile" in lab.document_text
    lab.screenshot("conflict-light")


@pytest.mark.long(reason="the list is tested with jest")
def test_the_history_finds_sessions_again(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "history.md").write_text("# History\n")
    lab = open_lab(lab_server, "history.md")
    lab.open_editor()
    lab.run("append: a walrus in the history")
    lab.expect_state("Succeeded")
    lab.command("cabinet:show-history")
    rows = lab.panel.locator(".jp-Cabinet-row")
    expect(rows).to_have_count(1)
    search = lab.panel.locator("input.jp-Cabinet-search, .jp-Cabinet-search input").first
    search.fill("no such thing at all")
    expect(lab.panel).to_contain_text("No session matches")
    search.fill("walrus")
    expect(rows).to_have_count(1)
    rows.first.click()
    lab.expect_state("Succeeded")
    expect(lab.panel).to_contain_text("append: a walrus in the history")


@pytest.mark.long(reason="the list is tested with jest")
def test_what_another_installation_left_in_the_history_is_shown_and_not_gone_on_with(
    lab_server: Server, open_lab: OpenLab
) -> None:
    (lab_server.root / "moved.md").write_text("# Moved\n")
    history = lab_server.root / ".agents/.history/editor-sessions.jsonl"
    history.parent.mkdir(parents=True, exist_ok=True)
    line = {"id": "session-1", "pagePath": "moved", "timestamp": "2024-04-03T10:00:00Z", "status": "completed"}
    told = {
        "instruction": "Shorten the introduction",
        "duration": 42,
        "summary": "Short.",
        "output": "It is short now.",
    }
    with history.open("a") as file:
        file.write(json.dumps({**line, **told}) + "\n")
    lab = open_lab(lab_server, "moved.md")
    lab.open_editor()
    lab.command("cabinet:show-history")
    row = lab.panel.locator(".jp-Cabinet-row")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Shorten the introduction")
    expect(row).to_contain_text("Claude Code")
    lab.screenshot("history-of-another-installation-light")
    row.click()
    lab.expect_state("Succeeded")
    expect(lab.panel).to_contain_text("It is short now.")
    expect(lab.panel).to_contain_text("It is only shown")
    lab.screenshot("session-of-another-installation-light")
    lab.run("append: more")
    expect(lab.panel).to_contain_text("append: more")
    assert history.read_text().count("Shorten the introduction") == 1


@pytest.mark.slow(reason="starts a server of its own with real-time collaboration")
def test_with_real_time_collaboration_the_change_arrives_as_an_edit(rtc_server: Server, open_lab: OpenLab) -> None:
    (rtc_server.root / "shared.md").write_text("# Shared\n\nKeep this line.\n")
    ada = open_lab(rtc_server, "shared.md")
    ada.expect_document("Keep this line.")
    ben = open_lab(rtc_server, "shared.md", username="ben")
    ben.expect_document("Keep this line.")
    ada.open_editor()
    ada.run("append: seen by both")
    ada.expect_state("Succeeded")
    for lab in (ada, ben):
        lab.expect_document("Keep this line.", "seen by both")
    ben.open_editor()
    expect(ben.panel).to_contain_text("append: seen by both")


@pytest.mark.slow(reason="a server of its own, with named users and real-time collaboration")
def test_a_second_person_reads_that_an_agent_works_in_a_shared_document(tmp_path: Path, lab_pool: LabPool) -> None:
    server = LabServer(tmp_path, people=True, collaboration=True)
    (server.root / "ours.md").write_text("# Ours\n\nKeep this line.\n")
    server.start()
    try:
        people = ("ada", "ben", "rea")
        ada, ben, rea = (lab_pool.fresh(server, "ours.md", username=name, theme="light") for name in people)
        lines = {
            lab: lab.page.locator(".jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Cabinet-document-strip")
            for lab in (ada, ben, rea)
        }
        ada.open_editor()
        ada.run("wait for the file ada-may-go-on\nappend: by the agent of Ada")
        expect(lines[ada]).to_contain_text("Demo agent is editing this file.")
        for lab in (ben, rea):
            expect(lines[lab]).to_have_text("Ada Lind’s agent (Demo agent) is working in this document.")
            expect(lines[lab].get_by_role("button")).to_have_count(0)
        ben.screenshot("work-of-another")
        # Ben comes back to it, and works in it too
        ben.reload()
        ben.show("ours.md")
        expect(lines[ben]).to_have_text("Ada Lind’s agent (Demo agent) is working in this document.")
        ben.open_editor()
        ben.run("wait for the file ben-may-go-on\nappend: by the agent of Ben")
        expect(lines[ben]).to_contain_text("Demo agent is editing this file.")
        expect(lines[ada]).to_contain_text("Ben Okoro’s agent (Demo agent) is working in this document.")
        expect(lines[rea]).to_have_text("2 agents of other people are working in this document.")
        ben.screenshot("work-of-both")
        (server.root / "ada-may-go-on").touch()
        ada.expect_state("Succeeded")
        expect(lines[ben].get_by_text("is working in this document")).to_have_count(0)
        (server.root / "ben-may-go-on").touch()
        ben.expect_state("Succeeded")
        expect(lines[rea]).to_have_count(0)
        for lab in (ada, ben, rea):
            lab.expect_document("by the agent of Ada", "by the agent of Ben")
    finally:
        server.stop()


@pytest.mark.long(reason="the stores follow a new name in jest")
@pytest.mark.slow(reason="starts a server of its own with real-time collaboration")
def test_the_strip_stays_over_a_document_that_a_colleague_renames(rtc_server: Server, open_lab: OpenLab) -> None:
    for name in ("renamed-by-ben.md", "elsewhere.md"):
        (rtc_server.root / name).write_text("# Shared\n\nKeep this line.\n")
    ada, ben = (open_lab(rtc_server, "renamed-by-ben.md", username=name) for name in ("ada", "ben"))
    for lab in (ada, ben):
        lab.expect_document("Keep this line.")
    strip = ada.page.locator(".jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Cabinet-document-strip")
    current = "window.jupyterapp.shell.currentWidget.context.path"
    rename = "names => window.jupyterapp.serviceManager.contents.rename(...names)"
    ada.open_editor()
    ada.run("wait for the file ben-renamed-it\nappend: by the agent")
    expect(strip).to_contain_text("Demo agent is editing this file.")
    ben.page.evaluate(rename, ["renamed-by-ben.md", "new-name.md"])
    ada.page.wait_for_function(f"() => {current} === 'new-name.md'")
    expect(ada.panel).to_contain_text("renamed-by-ben.md became new-name.md while the agent worked on it.")
    expect(strip).to_contain_text("Demo agent is editing this file.")
    (rtc_server.root / "ben-renamed-it").touch()
    ada.expect_state("Succeeded")
    expect(strip).to_contain_text("1 change by Demo agent")
    ben.page.evaluate(rename, ["new-name.md", "newer-name.md"])
    ada.page.wait_for_function(f"() => {current} === 'newer-name.md'")
    ada.show("elsewhere.md")
    ada.show("newer-name.md")
    expect(strip).to_contain_text("1 change by Demo agent")
    expect(strip.get_by_role("button", name="Undo this run")).to_be_visible()
    expect(ada.page.locator(".jp-Document:not(.lm-mod-hidden) .jp-Cabinet-lit").first).to_be_visible()


@pytest.mark.long(reason="outputs are kept without collaboration in the quick tier")
@pytest.mark.slow(reason="starts a server of its own with real-time collaboration")
def test_with_real_time_collaboration_a_notebook_keeps_its_outputs(rtc_server: Server, open_lab: OpenLab) -> None:
    output = nbformat.v4.new_output("stream", text="kept output\n")
    cell = nbformat.v4.new_code_cell("print('kept output')", outputs=[output], execution_count=1)
    nbformat.write(new_notebook(cells=[cell]), rtc_server.root / "rtc.ipynb")
    lab = open_lab(rtc_server, "rtc.ipynb")
    expect(lab.page.locator(".jp-Notebook .jp-OutputArea-output").first).to_contain_text("kept output")
    lab.open_editor()
    lab.run("add a cell that prints the date")
    lab.expect_state("Succeeded")
    expect(lab.page.locator(".jp-Notebook .jp-CodeCell")).to_have_count(2)
    expect(lab.page.locator(".jp-Notebook .jp-OutputArea-output").first).to_contain_text("kept output")


@pytest.mark.long(reason="trust is tested on the server")
def test_with_real_time_collaboration_a_trusted_cell_does_not_run_what_an_agent_writes_into_it(
    rtc_server: Server, open_lab: OpenLab
) -> None:
    path = rtc_server.root / "trusted.ipynb"
    nbformat.write(new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1", id="first")]), path)
    lab = open_lab(rtc_server, "trusted.ipynb")
    expect(lab.page.locator(".jp-Notebook .jp-CodeCell")).to_have_count(1)
    lab.page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.widgets[0].model.trusted = true; }")
    lab.open_editor()
    lab.run("wait for the file shown")
    lab.expect_state("Running")
    html = "<b>shown</b><img src=x onerror='window.canary = 1'><script>window.canary = 1</script>"
    output = nbformat.v4.new_output("display_data", data={"text/html": html})
    cell = nbformat.v4.new_code_cell("1 + 1", id="first", outputs=[output], metadata={"trusted": True})
    nbformat.write(new_notebook(cells=[cell]), path)  # as the agent would
    expect(lab.page.locator(".jp-Notebook .jp-OutputArea-output")).to_contain_text("shown")
    (rtc_server.root / "shown").touch()
    lab.expect_state("Succeeded")
    assert lab.page.evaluate("() => window.canary") is None


@pytest.mark.long(reason="what it names is checked by tests of the documentation")
def test_settings_and_commands_are_where_people_look(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "commands.md").write_text("x\n")
    lab = open_lab(lab_server, "commands.md")
    lab.page.get_by_role("menuitem", name="Cabinet", exact=True).click()
    expect(lab.page.locator(".lm-Menu").last).to_contain_text("Ask an agent")
    lab.page.keyboard.press("Escape")
    lab.page.get_by_role("button", name="Ask an agent").first.click()
    expect(lab.composer).to_be_visible()
    assert lab.page.evaluate("() => window.jupyterapp.hasPlugin('jupyter-cabinet:plugin')")
    lab.command("docmanager:open", path="commands.md", factory="Markdown Preview")
    button = lab.page.locator(".jp-Toolbar:visible").get_by_role("button", name="Ask an agent")
    expect(button).to_be_visible()
    button.click()
    expect(lab.composer).to_be_focused()
    lab.command("settingeditor:open", query="Cabinet")
    expect(lab.page.locator("#jp-SettingsEditor, .jp-SettingsPanel").first).to_be_visible()
