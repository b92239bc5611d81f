"""What an agent has changed: the answer card, the files with their lines, and the way back, in a real page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import expect

OpenLab = Callable[..., Lab]


def card(lab: Lab):  # type: ignore[no-untyped-def]
    return lab.panel.get_by_role("region", name="Answer")


def text_is(file: Path, text: str) -> None:
    until(lambda: file.read_text() == text, what=f"{file.name} to be {text!r}")


def test_a_run_is_undone_and_restored_from_its_card(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "undone.md"
    page.write_text("# Undone\n")
    lab = open_lab(lab_server, "undone.md")
    lab.open_editor()
    lab.run("append: by the agent")
    lab.expect_state("Succeeded")
    expect(card(lab)).to_contain_text("1 file changed")
    expect(card(lab)).to_contain_text("+2")
    changed = page.read_text()
    card(lab).get_by_role("button", name="Undo this run").click()
    text_is(page, "# Undone\n")
    until(lambda: "agent" not in lab.document_text, what="the document to follow")
    card(lab).get_by_role("button", name="Restore").click()
    text_is(page, changed)
    lab.expect_document("by the agent")
    expect(card(lab).get_by_role("button", name="Undo this run")).to_be_visible()
    lab.run("append: a second time")  # the document can be used as before
    lab.expect_document("by the agent", "a second time")
    lab.expect_state("Succeeded")
    assert lab.foreign_requests == []


@pytest.mark.long(reason="the sentence is tested with jest")
def test_a_run_that_was_denied_says_that_it_changed_nothing_and_offers_no_way_back(
    lab_server: Server, open_lab: OpenLab
) -> None:
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(metadata={"kernelspec": kernel}), lab_server.root / "denied.ipynb")
    lab = open_lab(lab_server, "denied.ipynb")
    lab.save_kernel_metadata()
    lab.open_editor()
    lab.choose_mode("Ask first")
    lab.run("add a cell that prints 41 + 1")
    lab.expect_state("Waiting for you")
    asked = lab.panel.get_by_role("article")
    expect(asked).to_contain_text("New cell")
    lab.screenshot("new-cell-asked-light")
    deny = asked.get_by_role("button", name="Deny", exact=True)
    expect(deny).to_have_attribute("aria-disabled", "false")
    deny.click()
    lab.expect_state("Denied")
    expect(card(lab)).to_contain_text("This run changed no files.")
    expect(card(lab).get_by_role("button")).to_have_count(0)
    lab.screenshot("changed-nothing-light")


@pytest.mark.long(reason="test_review decides about files in the quick tier")
def test_a_file_is_reviewed_and_an_edit_in_the_way_is_said(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "reviewed.md"
    page.write_text("# Reviewed\n")
    lab = open_lab(lab_server, "reviewed.md")
    lab.open_editor()
    lab.run("append: by the agent")
    lab.expect_state("Succeeded")
    card(lab).get_by_role("button", name="Review").click()
    expect(lab.panel.get_by_role("tab", name="Changes 1")).to_have_attribute("aria-selected", "true")
    row = lab.panel.locator(".jp-Cabinet-changed-file", has_text="reviewed.md")
    expect(row.locator(".jp-Cabinet-diff-line.jp-mod-added").last).to_contain_text("by the agent")
    lab.button("Accept reviewed.md").click()
    expect(row).to_contain_text("Accepted by")
    expect(row.get_by_role("button", name="Undo")).to_be_focused()  # the button that had the focus is gone
    row.get_by_role("button", name="Undo").click()
    expect(lab.button("Accept reviewed.md")).to_be_focused()
    page.write_text("# Reviewed\n\nedited by me\n")
    lab.button("Revert reviewed.md").click()
    strip = lab.panel.locator(".jp-Cabinet-strip", has_text="edited after this run")
    expect(strip).to_be_visible()
    assert page.read_text() == "# Reviewed\n\nedited by me\n"
    strip.get_by_role("button", name="Cancel").click()
    expect(strip).to_have_count(0)
    lab.button("Revert reviewed.md").click()
    strip.get_by_role("button", name="Revert anyway").click()
    expect(row).to_contain_text("Reverted by")
    text_is(page, "# Reviewed\n")
    row.get_by_role("button", name="Undo").click()
    text_is(page, "# Reviewed\n\nedited by me\n")


@pytest.mark.long(reason="the comparison is tested without a browser")
@looks.in_both_themes
def test_changes_of_a_notebook_by_cell(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    name = f"reviewed-{theme}.ipynb"
    cells = [nbformat.v4.new_code_cell("x = 1", id="first")]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab_server.root / name)
    lab = open_lab(lab_server, name, theme=theme)
    lab.save_kernel_metadata()
    lab.open_editor()
    lab.run("add a cell that prints 41 + 1")
    lab.expect_state("Succeeded")
    expect(card(lab)).to_contain_text("1 cell changed")
    card(lab).get_by_role("button", name="Review").click()
    expect(lab.panel.locator(".jp-Cabinet-diff-title")).to_have_text("Cell 2, code, added")
    lab.screenshot(f"changes-{theme}")
    lab.button("Revert change 1").click()
    expect(lab.page.locator(".jp-NotebookPanel .jp-CodeCell")).to_have_count(1)
    expect(lab.panel.locator(".jp-Cabinet-diff-head")).to_contain_text("Reverted by")
    lab.button("Undo the decision on change 1").click()
    expect(lab.page.locator(".jp-NotebookPanel .jp-CodeCell")).to_have_count(2)
    card(lab).get_by_role("button", name="Undo this run").click()
    expect(lab.page.locator(".jp-NotebookPanel .jp-CodeCell")).to_have_count(1)
    card(lab).get_by_role("button", name="Restore").click()
    expect(lab.page.locator(".jp-NotebookPanel .jp-CodeCell")).to_have_count(2)


ROWS = """
pane => [...pane.querySelectorAll('.jp-Cabinet-changes-head, .jp-Cabinet-changed-file-head, .jp-Cabinet-diff-head')]
  .flatMap(row => {
    const { left, right } = row.getBoundingClientRect();
    const parts = [...row.children].filter(part => part.getClientRects().length && part.offsetWidth);
    const boxes = parts.map(part => part.getBoundingClientRect());
    const named = index => `${parts[index].className}: ${parts[index].textContent || parts[index].title}`;
    const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    return [
      ...boxes.flatMap((box, i) => (box.left < left - 1 || box.right > right + 1 ? [`sticks out: ${named(i)}`] : [])),
      ...parts.flatMap((part, i) => (part.scrollWidth > part.clientWidth + 1 && part.clientWidth
        ? [`cut: ${named(i)}`] : [])),
      ...boxes.flatMap((box, i) => boxes.flatMap((other, j) => (i < j && over(box, other)
        ? [`${named(i)} is over ${named(j)}`] : [])))
    ];
  })
"""

# The buttons of a file stay together, at the right edge.
ACTIONS = """
pane => [...pane.querySelectorAll('.jp-Cabinet-changed-file-head, .jp-Cabinet-diff-head')].flatMap(row => {
  const buttons = [...row.querySelectorAll('button:not(.jp-Cabinet-changed-file-name)')];
  if (!buttons.length) return [];
  const boxes = buttons.map(button => button.getBoundingClientRect());
  const middles = boxes.map(({ top, height }) => top + height / 2);
  const isTogether = Math.max(...middles) - Math.min(...middles) < 2;
  const isAtEdge = Math.abs(row.getBoundingClientRect().right - Math.max(...boxes.map(({ right }) => right))) < 2;
  return isTogether && isAtEdge ? [] : [`the buttons are apart: ${row.textContent}`];
})
"""


@pytest.mark.long(reason="shows a narrow panel")
@pytest.mark.slow(reason="decides about several files")
def test_no_row_of_a_narrow_panel_is_cut_or_covered(lab_server: Server, open_lab: OpenLab) -> None:
    folder = lab_server.root / "narrow"
    folder.mkdir()
    long = "a_name_without_any_blank_that_is_longer_than_the_panel_is_wide.py"
    for name in ("old.md", "tool.sh", "gone.md"):
        (folder / name).write_text("".join(f"{name} {number}\n" for number in range(1500)))
    (lab_server.root / "narrow.md").write_text("# Narrow\n")
    lab = open_lab(lab_server, "narrow.md")
    lab.open_editor()
    lab.run("append: by the agent\nwait for the file go-narrow")
    lab.expect_state("Running")
    (folder / "old.md").rename(folder / "a longer name than before.md")
    (folder / "tool.sh").write_text("".join(f"line {number}\n" for number in range(1400)))
    (folder / "tool.sh").chmod(0o755)
    (folder / "gone.md").unlink()
    (folder / long).write_text("x = 1\n" * 12)
    (folder / "picture.png").write_bytes(b"\0\1")
    (folder / "empty folder").mkdir()
    (lab_server.root / "go-narrow").write_text("")
    lab.expect_state("Succeeded")
    card(lab).get_by_role("button", name="Review").click()
    pane = lab.panel.locator(".jp-Cabinet-changes")
    expect(pane.locator(".jp-Cabinet-changed-file")).to_have_count(8)
    for button in pane.locator(".jp-Cabinet-changed-file-name").all():
        button.click()
    looks.drag_to_width(lab, 320)
    lab.page.set_viewport_size({"width": 1440, "height": 2000})
    found: list[str] = []
    for state in ("open", "decided"):
        lab.screenshot(f"changes-narrow-{state}")
        found += pane.evaluate(ROWS)
        found += looks.wrong(lab.page, "overflow", "targets")
        found += pane.evaluate(ACTIONS)
        if state == "open":
            lab.button(f"Accept {long}").click()
            lab.button("Revert tool.sh").click()
            lab.button("Accept change 1").first.click()
            expect(pane.get_by_text("Reverted by")).to_have_count(1)
            expect(pane.get_by_text("Accepted by")).to_have_count(2)
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    looks.drag_to_width(lab, 440)
    assert not found, looks.listed(found)


@pytest.mark.long(reason="a document that is not shared follows in the quick tier")
def test_a_shared_document_follows_when_a_run_is_undone(rtc_server: Server, open_lab: OpenLab) -> None:
    page = rtc_server.root / "shared-undone.md"
    page.write_text("# Shared\n")
    lab = open_lab(rtc_server, page.name)
    lab.open_editor()
    lab.run("append: by the agent")
    lab.expect_state("Succeeded")
    lab.expect_document("by the agent")
    card(lab).get_by_role("button", name="Undo this run").click()
    text_is(page, "# Shared\n")
    until(lambda: "agent" not in lab.document_text, what="the shared document to follow")
    card(lab).get_by_role("button", name="Restore").click()
    lab.expect_document("by the agent")
    lab.page.locator(".jp-Document:not(.lm-mod-hidden) .cm-content").first.click()
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.type("typed afterwards")
    until(lambda: "typed afterwards" in page.read_text(), what="the document to save itself")
    assert "by the agent" in page.read_text()


@pytest.mark.long(reason="undoing and following are tried without collaboration in the quick tier")
def test_a_shared_notebook_follows_when_a_run_is_undone_at_once(rtc_server: Server, open_lab: OpenLab) -> None:
    path = rtc_server.root / "shared-undone.ipynb"
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{source[0]}") for source in ("a = 1", "b = 2", "c = 3")]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    lab = open_lab(rtc_server, path.name)
    sources = "() => jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel.getSource())"

    def shown(*wanted: str) -> bool:
        return list(wanted) == lab.page.evaluate(sources)

    until(lambda: shown("a = 1", "b = 2", "c = 3"), what="the notebook")
    lab.open_editor()
    lab.run('replace "b = 2" with "b = 22"\nadd a cell that prints 41 + 1')
    lab.expect_state("Succeeded")
    until(lambda: len(lab.page.evaluate(sources)) == 4, what="the agent's cell")
    card(lab).get_by_role("button", name="Undo this run").click()
    until(lambda: shown("a = 1", "b = 2", "c = 3"), what="the shared notebook to follow")
    lab.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets[0].model.sharedModel.setSource('a = 11')")
    until(lambda: "a = 11" in path.read_text(), what="the notebook to save itself")
    assert "b = 22" not in path.read_text() and "41 + 1" not in path.read_text()
    card(lab).get_by_role("button", name="Restore").click()
    until(lambda: len(lab.page.evaluate(sources)) == 4, what="the agent's cell again")
    assert lab.page.evaluate(sources)[:2] == ["a = 11", "b = 22"]


@pytest.mark.long(reason="draws a mark on a tab, which no other test needs")
def test_a_run_that_ends_in_another_document_leaves_a_dot_on_its_tab(lab_server: Server, open_lab: OpenLab) -> None:
    for name in ("worked.md", "looked-at.md"):
        (lab_server.root / name).write_text("# Page\n")
    lab = open_lab(lab_server, "worked.md")
    lab.open_editor()
    lab.run("wait for the file worked-is-done")
    lab.expect_state("Running")
    lab.command("docmanager:open", path="looked-at.md")
    expect(lab.panel.locator(".jp-Cabinet-header-document")).to_have_text("looked-at.md")
    (lab_server.root / "worked-is-done").touch()
    tab = lab.page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", has_text="worked.md")
    expect(tab).to_have_class(re.compile("jp-Cabinet-mod-news"))
    expect(tab).to_have_attribute("title", re.compile("An agent has finished here"))
    lab.command("docmanager:open", path="worked.md")
    expect(tab).not_to_have_class(re.compile("jp-Cabinet-mod-news"))
    expect(tab).not_to_have_attribute("title", re.compile("An agent has finished here"))
    lab.expect_state("Succeeded")


@pytest.mark.long(reason="the marks of texts are tested in test_changed_places.py")
def test_changed_cells_are_lit(lab_server: Server, open_lab: OpenLab) -> None:
    name = "lit.ipynb"
    cells = [nbformat.v4.new_code_cell("x = 1", id="first")]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab_server.root / name)
    lab = open_lab(lab_server, name)
    lab.open_editor()
    lab.run('add a cell that prints 41 + 1\nreplace "x = 1" with "x = 2"')
    lab.expect_state("Succeeded")
    lit = lab.page.locator(".jp-NotebookPanel .cm-line.jp-Cabinet-lit")
    expect(lit).to_have_text(["x = 2", 'print("41 + 1")'])
