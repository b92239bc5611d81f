"""An edit that an agent asks for, drawn in the open document, and answered there."""

from __future__ import annotations

from collections.abc import Callable

import nbformat
import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]


def ask(lab: Lab, instruction: str) -> Locator:
    """Run it in the mode that asks; the question as the document shows it."""
    lab.open_editor()
    lab.choose_mode("Ask first")
    lab.run(instruction)
    lab.expect_state("Waiting for you")
    proposal = lab.page.locator(".jp-Document:not(.lm-mod-hidden) .jp-Cabinet-proposal")
    expect(proposal).to_be_visible()
    return proposal


def answer(proposal: Locator, name: str) -> None:
    """By keyboard. A button takes an answer when it has stood still for a moment."""
    button = proposal.get_by_role("button", name=name, exact=True)
    expect(button).to_have_attribute("aria-disabled", "false")
    button.press("Enter")


def line_of_cursor(lab: Lab) -> str:
    """The line with the cursor of the editor that has the focus."""
    return str(
        lab.page.evaluate(
            "() => { const { anchorNode } = getSelection(); const { activeElement } = document;"
            " const line = (anchorNode.closest ? anchorNode : anchorNode.parentElement).closest('.cm-line');"
            " return activeElement.matches('.cm-content') ? line?.textContent : activeElement.tagName; }"
        )
    )


@looks.in_both_themes
def test_an_edit_is_allowed_where_it_will_stand(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    page = lab_server.root / f"proposed-{theme}.md"
    page.write_text("".join(f"line {number:02}\n" for number in range(1, 13)))
    lab = open_lab(lab_server, page.name, theme=theme)
    proposal = ask(lab, 'replace "line 05" with "the fifth line"')
    expect(proposal).to_contain_text("Demo agent asks to make this change")
    expect(proposal.locator(".jp-Cabinet-diff-line.jp-mod-added")).to_contain_text("the fifth line")
    gone = lab.page.locator(".cm-line.jp-Cabinet-proposed-gone")
    expect(gone).to_have_text("line 05")
    lab.screenshot(f"proposal-{theme}")
    answer(proposal, "Allow once")
    expect(proposal).to_have_count(0)
    expect(gone).to_have_count(0)
    assert line_of_cursor(lab) == "line 05"  # the focus is where the proposal was
    lab.expect_state("Succeeded")
    lab.expect_document("the fifth line")
    assert line_of_cursor(lab) == "the fifth line"
    lab.run("append: afterwards")  # the document and the session can be used as before
    expect(proposal).to_be_visible()
    answer(proposal, "Deny")
    lab.expect_state("Denied")
    assert "afterwards" not in page.read_text()


@pytest.mark.long(reason="the quick tier answers in the text")
def test_a_rendered_preview_scrolls_to_the_proposed_change_and_takes_the_answer(
    lab_server: Server, open_lab: OpenLab
) -> None:
    page = lab_server.root / "proposed-preview.md"
    page.write_text("# Proposed\n\n" + "".join(f"- Line {number:03}.\n" for number in range(1, 201)))
    lab = open_lab(lab_server, page.name)
    lab.command("docmanager:open", path=page.name, factory="Markdown Preview")
    lab.page.wait_for_selector(".jp-MarkdownViewer >> text=Line 200.")
    proposal = ask(lab, 'replace "Line 150." with "Line one hundred and fifty."')
    expect(proposal).to_contain_text("Demo agent asks to make this change")
    expect(proposal).to_be_in_viewport()
    gone = lab.page.locator(".jp-MarkdownViewer .jp-Cabinet-proposed-gone")
    expect(gone).to_have_count(1)
    expect(gone).to_contain_text("Line 150.")
    expect(gone).to_be_in_viewport()
    lab.screenshot("proposal-preview")
    allow = proposal.get_by_role("button", name="Allow once", exact=True)
    allow.focus()
    lab.page.evaluate("() => jupyterapp.shell.currentWidget.content.update()")  # renders everything again
    rendered = "node => document.activeElement === node"
    until(lambda: allow.evaluate(rendered), what="the focus to come back after rendering")
    answer(proposal, "Allow once")
    expect(proposal).to_have_count(0)
    expect(gone).to_have_count(0)
    viewer = lab.page.locator(".jp-MarkdownViewer:not(.lm-mod-hidden)")
    expect(viewer).to_be_focused()  # the focus is in the document, and not lost
    lab.expect_state("Succeeded")
    lit = viewer.locator(".jp-Cabinet-lit-block")
    expect(lit).to_have_text("Line one hundred and fifty.")
    expect(lit).to_be_in_viewport()


@pytest.mark.long(reason="proposals are shown and allowed in the quick tier")
def test_an_answer_elsewhere_takes_it_away_and_typing_moves_it(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "moved-proposal.md"
    page.write_text("first\nsecond\nthird\n")
    lab = open_lab(lab_server, page.name)
    proposal = ask(lab, 'replace "second" with "2nd"')
    gone = lab.page.locator(".cm-line.jp-Cabinet-proposed-gone")
    expect(gone).to_have_text("second")
    lab.page.locator(".jp-Document:not(.lm-mod-hidden) .cm-content").first.click(position={"x": 40, "y": 8})
    lab.page.keyboard.press("Control+Home")
    lab.page.keyboard.type("above\n")
    expect(gone).to_have_text("second")
    lab.page.keyboard.press("Alt+Shift+Q")
    card = lab.page.locator(".jp-Cabinet-approvals").get_by_role("article")
    expect(card.locator(".jp-Cabinet-diff-line.jp-mod-removed")).to_contain_text("second")
    answer(card, "Deny")
    expect(proposal).to_have_count(0)
    expect(gone).to_have_count(0)


@pytest.mark.long(reason="the quick tier tries the same in a text")
@looks.in_both_themes
def test_an_edit_of_a_cell_stands_in_the_cell(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    name = f"proposed-{theme}.ipynb"
    cells = [nbformat.v4.new_code_cell(f"x{number} = {number}", id=f"cell-{number}") for number in range(1, 4)]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab_server.root / name)
    lab = open_lab(lab_server, name, theme=theme)
    lab.save_kernel_metadata()
    proposal = ask(lab, 'replace "x2 = 2" with "x2 = 22"')
    cell = lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell").nth(1)
    expect(cell.locator(".jp-Cabinet-proposal")).to_be_visible()
    lab.screenshot(f"proposal-cell-{theme}")
    answer(proposal, "Deny")
    expect(proposal).to_have_count(0)
    assert line_of_cursor(lab) == "x2 = 2"  # the focus is where the proposal was
    lab.expect_state("Denied")
    lab.run('replace "x2 = 2" with "x2 = 22"')
    expect(proposal).to_be_visible()
    answer(proposal, "Allow once")
    lab.expect_state("Succeeded")
    sources = lambda: [cell.source for cell in nbformat.read(lab_server.root / name, as_version=4).cells]  # noqa: E731
    until(lambda: sources() == ["x1 = 1", "x2 = 22", "x3 = 3"], what="the cell to be changed")
    expect(cell.locator(".cm-content")).to_contain_text("x2 = 22")
    assert line_of_cursor(lab) == "x2 = 22"
    expect(proposal).to_have_count(0)
