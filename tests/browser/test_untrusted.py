"""What models, tools, files and strangers write is shown in the real panel, and does nothing there.

The agent is a runtime of another package (`harness/stranger.py`) that says whatever its script holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness import payloads, stranger
from harness.lab import Lab
from harness.server import LabServer, Server, until
from harness.watch import Watch
from playwright.sync_api import Browser, expect

from jupyter_cabinet.runtimes.model import (
    AnswerOption,
    QuestionAsked,
    Retrying,
    SessionStarted,
    TextBlock,
    Thinking,
    ToolCall,
    ToolResult,
    Warned,
)

TESTS = Path(__file__).parents[1]
NAME = "<img src=x onerror=canary(9201)>\u202edm.exe\u200b.md"
LINES = "\n".join(payloads.LINES)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("untrusted")
    stranger.install(place / "packages")
    server = LabServer(
        place,
        arguments=("--CabinetApp.trust=always", f"--CabinetApp.runtimes={stranger.NAME}"),
        environment={"PYTHONPATH": f"{TESTS}:{place / 'packages'}"},
    )
    (server.root / "doc.md").write_text("# A document\n")
    (server.root / NAME).write_text("# Another\n")
    (server.root / "nb.ipynb").write_text(_notebook("1 + 1", _error("<img src=x onerror=canary(9202)>\u202eError")))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def tab(server: Server, chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Watch]]:
    """One tab for all tests: what one of them has shown stays and is judged again by the next."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(15_000)
    page = context.new_page()
    watch = Watch(page)
    lab = Lab(page, server, screenshots=tmp_path_factory.mktemp("untrusted"))
    lab.open("doc.md")
    lab.open_editor()
    watch.begin(server.origin)
    yield lab, watch
    context.close()


@pytest.fixture
def lab(tab: tuple[Lab, Watch]) -> Iterator[Lab]:
    """After each test nothing may have happened, and nothing forbidden may be in the panel."""
    lab, watch = tab
    yield lab
    assert watch.wrong == []
    assert lab.errors == []


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client("root") as client:
        yield client


def say(server: Server, client: httpx.Client, name: str, rest: str = "", **fields: Any) -> dict[str, Any]:
    """Have the stranger say a script; returns the run."""
    asked = {"kind": "editor", "path": "doc.md", "runtime": stranger.NAME, "permission_mode": "edit", **fields}
    return server.run(client, f"say {name} {rest}", **{"mode": "headless", **asked})


def show(lab: Lab, run: dict[str, Any]) -> None:
    lab.command("cabinet:show-run", session=run["session_id"])
    expect(lab.panel.locator(".jp-Cabinet-run")).to_be_visible()


def open_document(lab: Lab, path: str, **options: str) -> None:
    lab.command("docmanager:open", path=path, **options)
    lab.page.wait_for_function(
        "path => { const c = window.jupyterapp.shell.currentWidget?.context; return c?.path === path && c.isReady; }",
        arg=path,
    )


@pytest.mark.slow(reason="draws several hundred hostile texts in a real browser")
def test_an_answer_does_nothing(server: Server, client: httpx.Client, lab: Lab, tab: tuple[Lab, Watch]) -> None:
    markup = payloads.markup()
    texts = [TextBlock(text=f"N{number}N\n\n{text}") for number, text in enumerate(markup)]
    stranger.write(server.root, "answer", events=[*_other_events(), *texts, TextBlock(text="NendN")])
    show(lab, say(server, client, "answer"))
    expect(lab.panel.locator(".jp-Cabinet-events-list")).to_contain_text("NendN")
    watch = tab[1]
    assert "canary:fire" not in watch.commands
    found = lab.page.evaluate("() => window.__walk()")
    assert found["wrong"] == []
    assert watch.commands == []
    missing = [number for number in range(len(markup)) if f"N{number}N" not in found["text"]]
    assert missing == []
    assert "<script>canary(0)</script>" in found["text"]
    assert "(foreign.invalid)" in found["text"]
    assert "‹U+202E›" in found["text"]


def test_warnings_questions_and_failures_do_nothing(server: Server, client: httpx.Client, lab: Lab) -> None:
    warnings = [Warned(message=line) for line in payloads.LINES[:3]]
    stranger.write(server.root, "fails", events=warnings, failure=LINES)
    run = say(server, client, "fails", LINES)
    assert run["state"] == "failed"
    show(lab, run)
    expect(lab.panel.locator(".jp-Cabinet-card-title").first).to_contain_text("canary(9001)")
    expect(lab.panel.locator(".jp-Cabinet-strip").filter(has_text="canary")).to_have_count(3)
    lab.button("Output").click()
    expect(lab.page.locator(".jp-Dialog-content .jp-Cabinet-output")).to_be_visible()
    lab.page.keyboard.press("Escape")


@pytest.mark.long(reason="a hostile answer and hostile file names are tried in the quick tier")
def test_titles_in_the_history_do_nothing(server: Server, client: httpx.Client, lab: Lab) -> None:
    stranger.write(server.root, "quiet")
    for line in payloads.LINES:
        opened = client.post("editor/sessions", json={"path": "doc.md", "new": True, "runtime": stranger.NAME}).json()
        say(server, client, "quiet", line, session_id=opened["session"]["id"])
    lab.command("cabinet:show-history")
    # At least: other tests have left sessions on this server.
    expect(lab.panel.locator(".jp-Cabinet-row").nth(len(payloads.LINES) - 1)).to_be_visible()
    expect(lab.panel).to_contain_text("<img src=x onerror=canary(9001)>")
    expect(lab.panel).to_contain_text("‹U+202E›cod.exe‹U+202C›")
    lab.panel.get_by_role("searchbox").fill("<script>canary(9203)</script>")
    expect(lab.panel).to_contain_text("No session matches")
    lab.button("Clear search").first.click()


def test_file_names_do_nothing(server: Server, client: httpx.Client, lab: Lab) -> None:
    stranger.write(server.root, "stays", stays=True, events=[QuestionAsked(question_id="1", question=LINES)])
    lab.write("@img")
    completion = lab.page.locator(".jp-Cabinet-completion")
    expect(completion).to_contain_text("onerror=canary(9201)")
    expect(completion).to_contain_text("‹U+202E›")
    lab.page.keyboard.press("Escape")
    open_document(lab, NAME, factory="Editor")
    expect(lab.panel.locator(".jp-Cabinet-header-document")).to_contain_text("‹U+202E›dm.exe‹U+200B›")
    run = say(server, client, "stays", "@" + NAME, path=NAME, mode="terminal", wait=0)
    expect(lab.page.locator(".jp-Cabinet-document-strip:visible")).to_contain_text("is waiting for Owner")
    show(lab, run)
    lab.expect_state("Waiting for you")
    expect(lab.panel.locator(".jp-Cabinet-strip").first).to_contain_text("canary(9001)")
    open_document(lab, "doc.md", factory="Editor")
    expect(lab.panel.locator(".jp-Cabinet-header-document")).to_have_text("doc.md")
    client.post(f"runs/{run['id']}/cancel")


@pytest.mark.long(reason="the quick tier tries hostile names elsewhere")
def test_an_unsaved_file_with_a_hostile_name_asks_with_a_readable_one(server: Server, lab: Lab) -> None:
    open_document(lab, NAME, factory="Editor")
    lab.page.locator(".jp-FileEditor .cm-content:visible").click()
    lab.page.keyboard.type("unsaved")
    lab.command("cabinet:new-session")
    lab.run("say quiet")
    dialog = lab.page.locator(".jp-Dialog-content")
    expect(dialog).to_contain_text("has unsaved changes")
    expect(dialog).to_contain_text("onerror=canary(9201)")
    wrong = lab.page.evaluate("() => window.__audit()")
    dialog.get_by_role("button", name="Cancel").click()
    assert wrong == []


@pytest.mark.slow(reason="starts a kernel")
def test_an_agent_cannot_make_a_notebook_trusted(server: Server, client: httpx.Client, lab: Lab) -> None:
    open_document(lab, "nb.ipynb")
    expect(lab.panel.locator(".jp-Cabinet-chips")).to_contain_text("‹U+202E›Error")
    cells = "window.jupyterapp.shell.currentWidget.content.widgets"
    model = "window.jupyterapp.shell.currentWidget.context.model"
    # What the kernel says of itself goes into the notebook, and is an unsaved change: wait for all of it.
    lab.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
    )
    lab.page.wait_for_function(f"() => {model}.metadata.language_info")
    lab.page.evaluate(f"() => {{ {cells}[0].model.trusted = true; }}")
    saved = f"async () => {{ await window.jupyterapp.shell.currentWidget.context.save(); return !{model}.dirty; }}"
    until(lambda: lab.page.evaluate(saved), what="the notebook to be saved")
    html = "<p>drawn</p><script>canary(9301)</script><img src=x onerror=canary(9302)>"
    script = {"output_type": "display_data", "data": {"application/javascript": "canary(9303)"}, "metadata": {}}
    shown = {"output_type": "display_data", "data": {"text/html": html}, "metadata": {}}
    written = _notebook("1 + 2", shown, script, metadata={"trusted": True}, more=2)
    stranger.write(server.root, "writes", files={"nb.ipynb": written})
    assert say(server, client, "writes", path="nb.ipynb")["state"] == "succeeded"
    lab.page.wait_for_function(f"() => {cells}.length === 3")
    expect(lab.page.locator(".jp-OutputArea p:has-text('drawn')").first).to_be_visible()
    assert lab.page.evaluate(f"() => {cells}.map(cell => cell.model.trusted)") == [False, False, False]


def test_a_terminal_does_nothing_but_show(server: Server, client: httpx.Client, tab: tuple[Lab, Watch]) -> None:
    lab, watch = tab
    stranger.write(server.root, "screen", screen=payloads.TERMINAL)
    open_document(lab, "doc.md", factory="Editor")
    run = say(server, client, "screen", mode="terminal", cols=58, rows=30)
    show(lab, run)
    lab.panel.get_by_role("tab", name="Terminal").click()
    lab.expect_screen("the last line")
    for text in ("script link", "data link", "file link", "user link"):
        _click_line(lab, text)
    assert watch.wrong == []
    _click_line(lab, "https://bank.example/")
    dialog = lab.page.locator(".jp-Dialog-content")
    expect(dialog).to_contain_text("foreign.invalid")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    assert watch.wrong == []


@pytest.mark.long(reason="tests the watch of these tests, not the product")
def test_the_watch_would_notice(tab: tuple[Lab, Watch]) -> None:
    """Weaken what the tests above have found strong: each part of the watch must see its own."""
    lab, watch = tab
    lab.page.evaluate(
        """() => {
          const host = document.createElement('span');
          host.className = 'jp-Cabinet-untrusted';
          document.querySelector('.jp-Cabinet-header').append(host);
          host.innerHTML = '<img src="https://foreign.invalid/1.png" onerror="canary(1)"><b id=x>\\u202e</b>'
            + '<a href="https://foreign.invalid/">https://bank.example/</a><iframe srcdoc="x"></iframe>'
            + '<i data-commandlinker-command="canary:fire">x</i>';
          host.querySelector('i').click();
          navigator.clipboard.writeText('stolen');
          alert('hello');
          window.open('https://foreign.invalid/');
        }"""
    )
    lab.page.wait_for_function("() => window.__seen.ran.length > 0")
    found = "\n".join(watch.wrong)
    signs = ["request: https://foreign.invalid/1.png", "ran: [1]", "copied", "opened", "dialog: hello", "command: "]
    signs += ["forbidden: <img", "element: <b", "attribute onerror", "attribute data-commandlinker-command"]
    signs += ["hides foreign.invalid", "without noopener", "hidden U+202e in text", "holds another one"]
    assert [sign for sign in signs if sign not in found] == []


def _other_events() -> list[Any]:
    """Every kind of event that carries a stranger's words."""
    events: list[Any] = [
        SessionStarted(native_id="x", model=LINES, version="<b>1</b>\u202e"),
        Thinking(text=LINES),
        QuestionAsked(
            question_id="1",
            question=LINES,
            options=tuple(
                AnswerOption(id=str(place), label=line, kind="choice") for place, line in enumerate(payloads.LINES)
            ),
        ),
        Retrying(attempt=1, max_attempts=2, delay_seconds=1, reason=LINES),
    ]
    for number, line in enumerate(payloads.LINES):
        events.append(ToolCall(call_id=str(number), tool=line, summary=line, input={line: line}))
        events.append(ToolResult(call_id=str(number), text=LINES, is_error=number % 2 == 0))
    return events


def _click_line(lab: Lab, text: str) -> None:
    """Hover over a line of the terminal, as its links want it, and click."""
    rows = lab.command("cabinet:terminal-text", visible=True).split("\n")
    index = max(number for number, row in enumerate(rows) if text in row)
    box = lab.panel.locator(".xterm-screen").bounding_box()
    assert box, text
    x, y = box["x"] + 20, box["y"] + box["height"] * (index + 0.5) / len(rows)
    lab.page.mouse.move(x + 30, y)
    lab.page.mouse.move(x, y, steps=3)
    lab.page.evaluate("() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    lab.page.mouse.click(x, y)


def _notebook(source: str, *outputs: dict[str, Any], metadata: dict[str, Any] | None = None, more: int = 0) -> str:
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "source": source,
            "metadata": metadata or {},
            "execution_count": 1,
            "outputs": list(outputs),
        }
        for number in range(1 + more)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def _error(name: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": "x", "traceback": ["x"]}
