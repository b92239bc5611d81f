"""What a run has changed, shown where it is in the open document: marks, scrolling, and the strip over the document."""

from __future__ import annotations

from collections.abc import Callable

import nbformat
import pytest
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]
DOCUMENT = ".jp-Document:not(.lm-mod-hidden)"
LONG = "".join(f"Line {number:03}.\n\n" for number in range(1, 201))
CHANGE_TWO = 'replace "Line 090." with "Line ninety."\nreplace "Line 180." with "Line one hundred and eighty."'


def strip(lab: Lab) -> Locator:
    return lab.page.locator(DOCUMENT).get_by_role("group", name="Changes of the last run")


def marked(lab: Lab) -> Locator:
    return lab.page.locator(f"{DOCUMENT} .cm-line.jp-Cabinet-lit")


def scroll_top(lab: Lab) -> int:
    return round(lab.page.locator(f"{DOCUMENT} .cm-scroller").evaluate("node => node.scrollTop"))


def test_a_text_scrolls_to_the_first_change_and_goes_on_to_the_next(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "scrolled.md"
    page.write_text(LONG)
    lab = open_lab(lab_server, page.name)
    lab.open_editor()
    lab.run(CHANGE_TWO)
    lab.expect_state("Succeeded")
    expect(strip(lab)).to_contain_text("2 changes by Demo agent")
    expect(marked(lab)).to_have_text("Line ninety.")
    expect(marked(lab)).to_be_in_viewport()
    expect(strip(lab)).to_contain_text("1 of 2")
    strip(lab).get_by_role("button", name="Next").click()
    expect(marked(lab)).to_have_text("Line one hundred and eighty.")
    expect(marked(lab)).to_be_in_viewport()
    lab.page.locator(f"{DOCUMENT} .cm-content").focus()
    lab.page.keyboard.press("Shift+F8")
    expect(marked(lab)).to_have_text("Line ninety.")
    lab.page.keyboard.type("Mine. ")  # the cursor is there
    expect(strip(lab)).to_contain_text("1 change by Demo agent")
    expect(marked(lab)).to_have_count(0)
    strip(lab).get_by_role("button", name="Dismiss").click()
    expect(strip(lab)).to_have_count(0)


@pytest.mark.long(reason="reloads the page twice; the rules are tested without a browser")
def test_changes_come_back_with_the_document_until_they_are_dismissed(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "comes-back.md"
    page.write_text(LONG)
    lab = open_lab(lab_server, page.name, fresh=True)
    lab.open_editor()
    lab.run(CHANGE_TWO)
    lab.expect_state("Succeeded")
    expect(strip(lab)).to_contain_text("2 changes by Demo agent")
    lab.reload()
    expect(strip(lab)).to_contain_text("2 changes by Demo agent")
    assert scroll_top(lab) == 0  # only a run that has just ended scrolls
    strip(lab).get_by_role("button", name="Next").click()
    expect(marked(lab)).to_have_text("Line ninety.")
    strip(lab).get_by_role("button", name="Dismiss").click()
    expect(strip(lab)).to_have_count(0)
    with lab.page.expect_response(lambda answer: "runs?path=comes-back.md" in answer.url):
        lab.reload()
    expect(lab.panel.locator(".jp-Cabinet-run-state")).to_be_visible()
    expect(strip(lab)).to_have_count(0)


@pytest.mark.long(reason="the change is shown in the quick tier")
def test_a_text_that_a_person_has_scrolled_stays_there_and_the_strip_undoes_the_run(
    lab_server: Server, open_lab: OpenLab
) -> None:
    page = lab_server.root / "stays.md"
    page.write_text(LONG)
    lab = open_lab(lab_server, page.name)
    lab.open_editor()
    lab.run(f"wait for the file stays-go-on\n{CHANGE_TWO}")
    lab.expect_state("Running")
    lab.page.mouse.move(300, 500)
    before = scroll_top(lab)
    lab.page.mouse.wheel(0, 300)
    until(lambda: scroll_top(lab) == before + 300, what="the text to scroll")
    (lab_server.root / "stays-go-on").touch()
    expect(strip(lab)).to_contain_text("2 changes by Demo agent")
    expect(strip(lab)).not_to_contain_text("of 2")
    lab.expect_state("Succeeded")
    assert scroll_top(lab) == before + 300  # a person has scrolled meanwhile
    strip(lab).get_by_role("button", name="Undo this run").click()
    expect(strip(lab)).to_contain_text("were undone")
    until(lambda: page.read_text() == LONG, what="the run to be undone")
    strip(lab).get_by_role("button", name="Restore").click()
    expect(strip(lab)).to_contain_text("2 changes by Demo agent")
    lab.expect_document("Line ninety.", "Line one hundred and eighty.")  # read again from the file
    strip(lab).get_by_role("button", name="Previous").click()
    expect(marked(lab)).to_have_text("Line one hundred and eighty.")
    lab.run("wait for the file never")
    expect(strip(lab)).to_have_count(0)  # the next run begins
    expect(marked(lab)).to_have_count(0)


@pytest.mark.long(reason="a text file is in the quick tier")
def test_the_preview_of_a_text_scrolls_and_marks_the_changed_paragraphs(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "previewed.md"
    page.write_text(f"# Previewed\n\n{LONG}")
    lab = open_lab(lab_server, page.name)
    lab.command("docmanager:open", path=page.name, factory="Markdown Preview")
    lab.page.wait_for_selector(".jp-MarkdownViewer >> text=Line 200.")
    lab.open_editor()
    lab.run(CHANGE_TWO)
    lab.expect_state("Succeeded")
    blocks = lab.page.locator(f"{DOCUMENT} .jp-Cabinet-lit-block")
    expect(blocks).to_have_text(["Line ninety.", "Line one hundred and eighty."])
    expect(blocks.first).to_be_in_viewport()
    expect(strip(lab)).to_contain_text("1 of 2")
    strip(lab).get_by_role("button", name="Next").click()
    expect(blocks.last).to_be_in_viewport()
    strip(lab).get_by_role("button", name="Dismiss").click()
    expect(blocks).to_have_count(0)


@pytest.mark.long(reason="a detail of what the quick tier tries in a text")
def test_a_line_at_the_end_of_a_preview_stays_in_sight_when_the_strip_appears(
    lab_server: Server, open_lab: OpenLab
) -> None:
    page = lab_server.root / "ended.md"
    page.write_text(f"# Ended\n\n{LONG}")
    lab = open_lab(lab_server, page.name)
    lab.command("docmanager:open", path=page.name, factory="Markdown Preview")
    lab.page.wait_for_selector(".jp-MarkdownViewer >> text=Line 200.")
    lab.page.set_viewport_size({"width": 1280, "height": 800})  # the strip has two lines
    lab.open_editor()
    lab.run("append: The last line.")
    lab.expect_state("Succeeded")
    expect(strip(lab)).to_contain_text("1 of 1")
    block = lab.page.locator(f"{DOCUMENT} .jp-Cabinet-lit-block")
    expect(block).to_have_text("The last line.")
    expect(block).to_be_in_viewport(ratio=1)
    lab.page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.long(reason="marked cells are in the quick tier, in test_changes")
def test_a_notebook_scrolls_to_the_first_changed_cell(lab_server: Server, open_lab: OpenLab) -> None:
    name = "scrolled.ipynb"
    cells = [nbformat.v4.new_code_cell(f"x = {number:03}", id=f"cell-{number}") for number in range(1, 81)]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab_server.root / name)
    lab = open_lab(lab_server, name)
    lab.open_editor()
    lab.run('replace "x = 040" with "x = 4000"\nadd a cell that prints 41 + 1')
    lab.expect_state("Succeeded")
    expect(strip(lab)).to_contain_text("2 changes by Demo agent")
    expect(strip(lab)).to_contain_text("1 of 2")
    lit = lab.page.locator(f"{DOCUMENT} .jp-Cabinet-lit-cell .cm-line.jp-Cabinet-lit")
    expect(lit.filter(has_text="x = 4000")).to_be_in_viewport()
    lab.command("cabinet:next-change")
    added = lit.filter(has_text='print("41 + 1")')
    expect(added).to_be_in_viewport()
    active = "() => jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.getSource()"
    assert lab.page.evaluate(active) == 'print("41 + 1")'
    lab.page.locator(DOCUMENT).locator(".jp-Cell.jp-mod-active .cm-content").click()
    lab.page.keyboard.press("End")
    lab.page.keyboard.type("  # mine")
    expect(strip(lab)).to_contain_text("1 change by Demo agent")
    expect(added).to_have_count(0)
