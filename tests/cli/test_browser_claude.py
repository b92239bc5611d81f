"""The whole flow in a real browser with the real Claude Code CLI: instruction, terminal, changed document, next one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from harness.lab import Lab
from harness.server import LabServer, Server, until
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Page, expect, sync_playwright

from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .servers import running_server

pytestmark = [pytest.mark.realcli, pytest.mark.browser]
SCREENSHOTS = Path(__file__).parents[2] / "test-results" / "screenshots"


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    with running_server(["claude"], service.url, kind=LabServer) as server:
        yield server


@pytest.fixture
def page() -> Iterator[Page]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser.new_page(viewport={"width": 1440, "height": 900})
        browser.close()


def test_claude_code_edits_the_open_document_and_takes_the_next_instruction(
    server: Server, service: ModelServer, page: Page
) -> None:
    document = server.root / "claude.md"
    document.write_text("# Claude\n")

    def script(asked: ModelRequest) -> Answer:
        text = "second" if "another" in asked.prompt else "first"
        if asked.turn == 0:
            content = f"# Claude\n\nThe {text} change.\n"
            return Answer(tools=(ToolUse(name="Write", arguments={"path": str(document), "content": content}),))
        return Answer(text=f"I made the {text} change.")

    service.script = script
    lab = Lab(page, server, screenshots=SCREENSHOTS)
    lab.open("claude.md")
    lab.open_editor()
    expect(lab.panel.get_by_label("Runtime")).to_contain_text("Claude Code")
    lab.run("make a change")
    lab.expect_state("Succeeded", seconds=60)
    lab.expect_document("The first change.")
    lab.expect_screen("I made the first change.")
    lab.screenshot("claude-light")
    lab.run("make another change")
    lab.expect_document("The second change.", seconds=60)
    lab.expect_state("Succeeded")
    expect(lab.panel).to_contain_text("2 of 2")
    page.get_by_role("tab", name="Events").click()
    expect(lab.panel.locator(".jp-Cabinet-fold-head").first).to_contain_text("Write")
    assert lab.foreign_requests == [] and lab.errors == []


def test_claude_code_asks_beside_its_terminal_and_goes_on_when_it_is_allowed(
    server: Server, service: ModelServer, page: Page
) -> None:
    (server.root / "asks.md").write_text("# Asks\n")
    made = server.root / "made.txt"
    use = ToolUse(name="Bash", arguments={"command": f"touch {made}", "description": "The report needs a file"})
    service.script = [Answer(text="I do it.", tools=(use,)), Answer(text="I made the file.")]
    lab = Lab(page, server, screenshots=SCREENSHOTS)
    lab.open("asks.md")
    lab.open_editor()
    lab.panel.get_by_role("combobox", name="Permission mode").select_option(label="Ask first")
    lab.run("make a file")
    lab.expect_state("Waiting for you", seconds=60)
    card = lab.panel.get_by_role("article", name="Claude Code asks to run a command")
    expect(card).to_contain_text(f"touch {made}")
    expect(card).to_contain_text("The report needs a file")
    lab.expect_screen("Do you want to proceed?")
    lab.screenshot("claude-asks-light")
    allow = card.get_by_role("button", name="Allow once")
    expect(allow).to_have_attribute("aria-disabled", "false")
    allow.click()
    lab.expect_state("Succeeded", seconds=60)
    lab.expect_screen("I made the file.")
    assert made.exists()
    assert lab.foreign_requests == [] and lab.errors == []


def test_not_logged_in_is_said_with_what_to_do(server: Server, service: ModelServer, page: Page) -> None:
    (server.root / "login.md").write_text("# Login\n")
    service.always = Answer(error=401, text="invalid x-api-key", error_type="authentication_error")
    lab = Lab(page, server, screenshots=SCREENSHOTS)
    lab.open("login.md")
    lab.open_editor()
    lab.run("hello")
    lab.expect_state("Failed", seconds=60)
    expect(lab.panel).to_contain_text("key or login was refused")
    lab.screenshot("not-logged-in-light")
    service.always = None


@pytest.mark.parametrize("collaboration", [False, True], ids=["alone", "in real-time collaboration"])
def test_claude_code_runs_cells_of_a_notebook_in_which_a_person_writes(
    service: ModelServer, page: Page, collaboration: bool
) -> None:
    def script(asked: ModelRequest) -> Answer:
        name = next((each for each in asked.tools if each.endswith("cell_run")), "")
        if asked.turn < 2:
            return Answer(tools=(ToolUse(name=name, arguments={"cell": f"c{asked.turn}"}),))
        return Answer(text="There are 42 plums." if "plums: 42" in json.dumps(asked.body) else "I do not know.")

    service.script = script
    cells = [new_code_cell("plums = 21", id="c0"), new_code_cell("print('plums:', plums * 2)", id="c1")]
    cells.append(new_code_cell("# mine", id="c2"))
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    with running_server(["claude"], service.url, kind=LabServer, collaboration=collaboration) as server:
        path = server.root / "cells.ipynb"
        nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
        lab = Lab(page, server, screenshots=SCREENSHOTS)
        lab.open("cells.ipynb")
        lab.save_kernel_metadata()
        lab.open_editor()
        lab.run("how many plums are there?")
        card = page.locator(".jp-Cabinet-approval").first
        expect(lab.panel).to_contain_text("Claude Code asks to run a cell", timeout=60_000)
        expect(card).to_contain_text("plums = 21")
        mine = "# mine"
        if collaboration:  # without it, JupyterLab has one version of unsaved changes, and the person has to choose
            page.locator(".jp-Cell").last.get_by_role("textbox").click()
            page.keyboard.press("Control+End")
            page.keyboard.type(" and it stays")
            mine = "# mine and it stays"
        card.get_by_role("button", name="Allow for this session").click()
        lab.expect_state("Succeeded", seconds=60)
        expect(page.locator(".jp-Notebook .jp-OutputArea").nth(1)).to_contain_text("plums: 42")
        expect(page.locator(".jp-Cell").last).to_contain_text(mine)
        lab.screenshot(f"claude-cell-run-{collaboration}")
        until(lambda: mine in path.read_text() and "plums: 42" in path.read_text())
        assert lab.errors == []
