"""The review of what a run has changed: lines and cells in CodeMirror, decided by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]


def open_review(lab: Lab) -> Locator:
    lab.panel.get_by_role("region", name="Answer").get_by_role("button", name="Review").click()
    expect(lab.panel.get_by_role("tab", name="Changes")).to_be_focused()
    lab.panel.get_by_role("button", name="Open review").click()
    review = lab.page.locator(".jp-Cabinet-review")
    expect(review.locator(".jp-Cabinet-review-file-head")).to_be_visible()
    return review


def text_is(file: Path, text: str) -> None:
    until(lambda: file.read_text() == text, what=f"{file.name} to be {text!r}")


def part(review: Locator, number: int) -> Locator:
    return review.locator(".jp-Cabinet-review-part").nth(number - 1)


def expect_in_one_row(review: Locator, *names: str) -> None:
    """In a pane of 400 pixels."""
    review.evaluate("node => (node.style.maxWidth = '400px')")
    tops = [review.get_by_role("button", name=name).evaluate("node => node.offsetTop") for name in names]
    review.evaluate("node => (node.style.maxWidth = '')")
    assert len(set(tops)) == 1, tops


@looks.in_both_themes
def test_changes_are_decided_by_keyboard(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    page = lab_server.root / f"keys-{theme}.md"
    old = "".join(f"line {number:02}\n" for number in range(1, 31))
    page.write_text(old)
    lab = open_lab(lab_server, page.name, theme=theme)
    lab.open_editor()
    lab.run('replace "line 03" with "third line"\nreplace "line 27" with "twenty-seventh"')
    lab.expect_state("Succeeded")
    new = page.read_text()
    assert new != old
    expect(lab.page.locator(".jp-Cabinet-change-count")).to_contain_text("of 2")
    assert looks.wrong(lab.page, "text") == []
    review = open_review(lab)
    expect(review).to_be_focused()  # its keys work at once
    expect(review.locator(".jp-Cabinet-review-part")).to_have_count(2)
    expect(review.locator(".jp-Cabinet-review-place")).to_have_text("Change 1 of 2")
    expect(part(review, 1).locator(".cm-deletedLine")).to_contain_text("line 03")
    expect(part(review, 1).locator(".cm-changedLine")).to_contain_text("third line")
    lab.screenshot(f"review-inline-{theme}")
    review.get_by_role("button", name="Side by side").click()
    expect(part(review, 1).locator(".cm-merge-a .cm-changedLine")).to_contain_text("line 03")
    lab.screenshot(f"review-side-by-side-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-review", lab.command) == []
    review.get_by_role("button", name="Inline").click()
    lab.page.keyboard.press("F8")
    expect(part(review, 2)).to_be_focused()
    lab.page.keyboard.press("r")
    expect(part(review, 2)).to_contain_text("Reverted by")
    text_is(page, new.replace("twenty-seventh", "line 27"))
    expect(part(review, 1)).to_be_focused()  # the next that is open
    lab.page.keyboard.press("a")
    expect(part(review, 1)).to_contain_text("Accepted by")
    expect(review).to_contain_text("1 of 1 reviewed")
    lab.page.keyboard.press("F8")
    lab.page.keyboard.press("u")
    expect(part(review, 2)).not_to_contain_text("Reverted by")
    text_is(page, new)
    expect_in_one_row(review, "Revert file", "Accept file")
    review.get_by_role("button", name="Revert file").click()
    text_is(page, old)
    expect(review.locator(".jp-Cabinet-review-file-head")).to_contain_text("Reverted by")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-review", lab.command) == []


@pytest.mark.long(reason="the parts of a change are tested without a browser")
def test_a_line_behind_the_last_one_is_all_that_is_added(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "no-end.md"
    page.write_text("first\nlast")
    lab = open_lab(lab_server, page.name)
    lab.open_editor()
    lab.run("append: more")
    lab.expect_state("Succeeded")
    assert page.read_text().startswith("first\nlast\n")
    added = len(page.read_text().splitlines()) - 2
    review = open_review(lab)
    lines = part(review, 1).locator(".cm-line")
    expect(lines).to_have_count(2 + added)  # no empty line behind them
    expect(part(review, 1).locator(".cm-changedLine")).to_have_count(added)
    expect(part(review, 1).locator(".cm-deletedLine")).to_have_count(0)
    lab.screenshot("review-line-behind-the-last")
    review.get_by_role("button", name="Side by side").click()
    expect(part(review, 1).locator(".cm-merge-a .cm-changedLine")).to_have_count(0)
    expect(part(review, 1).locator(".cm-merge-b .cm-changedLine")).to_have_count(added)


@pytest.mark.long(reason="the quick tier decides changes; a comment is one more way out")
def test_a_comment_becomes_the_next_instruction(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "commented.md"
    page.write_text("# Commented\n")
    lab = open_lab(lab_server, page.name)
    lab.open_editor()
    lab.run("append: by the agent")
    lab.expect_state("Succeeded")
    review = open_review(lab)
    review.focus()
    lab.page.keyboard.press("c")
    lab.page.keyboard.type("append: a second time")
    lab.page.keyboard.press("Control+Enter")
    expect(review.locator("textarea")).to_have_count(0)
    expect(part(review, 1)).to_contain_text("The comment was sent as the next instruction.")
    expect(part(review, 1)).to_be_focused()  # the review is still shown, and its keys work
    expect(lab.panel.locator(".jp-Cabinet-run-instruction")).to_contain_text("About commented.md, lines 1 to")
    expect(lab.panel.locator(".jp-Cabinet-run-instruction")).to_contain_text("by the agent")
    lab.expect_state("Succeeded")
    until(lambda: "a second time" in page.read_text(), what="the comment to be carried out")
    expect(review).to_be_visible()


@pytest.mark.long(reason="the quick tier reviews a text")
@looks.in_both_themes
def test_cells_are_reviewed_with_their_outputs(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    name = f"review-{theme}.ipynb"
    cells = [nbformat.v4.new_code_cell("x = 1", id="first")]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab_server.root / name)
    lab = open_lab(lab_server, name, theme=theme)
    lab.open_editor()
    lab.run("add a cell that prints 41 + 1")
    lab.expect_state("Succeeded")
    review = open_review(lab)
    expect(part(review, 1).locator(".jp-Cabinet-diff-title")).to_have_text("Cell 2, code, added")
    expect(part(review, 1).locator(".cm-changedLine, .cm-insertedLine").first).to_contain_text("41 + 1")
    lab.screenshot(f"review-cells-{theme}")
    part(review, 1).get_by_role("button", name="Revert").click()
    expect(part(review, 1)).to_contain_text("Reverted by")
    cells_now = lambda: len(nbformat.read(lab_server.root / name, as_version=4).cells)  # noqa: E731
    until(lambda: cells_now() == 1, what="the cell to be gone")
    part(review, 1).get_by_role("button", name="Undo").click()
    until(lambda: cells_now() == 2, what="the cell to be back")


@pytest.mark.long(reason="changes are decided by keyboard in the quick tier")
def test_a_whole_file_is_accepted_and_the_list_says_how_far_one_is(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "accepted.md"
    page.write_text("# Accepted\n")
    lab = open_lab(lab_server, page.name)
    lab.open_editor()
    lab.run("append: by the agent")
    lab.expect_state("Succeeded")
    review = open_review(lab)
    expect(review).to_contain_text("0 of 1 reviewed")
    review.get_by_role("button", name="Accept all").click()
    expect(review).to_contain_text("1 of 1 reviewed")
    expect(review.locator(".jp-Cabinet-review-file-head")).to_contain_text("Accepted by")
    expect(review.locator(".jp-Cabinet-review-part")).to_be_focused()  # the button that had the focus is gone
    review.get_by_role("button", name="Open run").click()
    expect(lab.panel.locator(".jp-Cabinet-run-instruction")).to_contain_text("append: by the agent")
    assert lab.errors == []
