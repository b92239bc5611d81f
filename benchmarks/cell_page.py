"""10,000 pieces of text in one cell, in a real Chromium: how long the page goes without painting.

Ours is a run that says them, drawn as Markdown while they come; the WebSocket is answered in place of the server, as
fast as the page takes it. The peer is the same words printed by the kernel, which JupyterLab draws as plain text. Each
time with a fresh page; counted from the first word to the last.
"""

from __future__ import annotations

import json
import re
import shutil

import nbformat
from playwright.sync_api import Browser, Page, WebSocketRoute, sync_playwright

from .figures import Figure, interleave
from .javascript import FLAGS
from .servers import TimedServer, serving

PIECES = 10_000
LAST = f"word{PIECES - 1}"
NOTEBOOK = "page.ipynb"
GATE = "gate"  # the run goes on until there is such a file
READY = """() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"""
RUN_CELL = """code => {
    const { commands, shell } = window.jupyterapp;
    shell.currentWidget.content.activeCell.model.sharedModel.setSource(code);
    void commands.execute('notebook:run-cell');
}"""
# The longest time between two frames, and how many there were, from the first word on until the last one is there.
WATCH = """last => new Promise(resolve => {
    const gaps = [];
    let before = 0;
    const text = () => document.querySelector('.jp-OutputArea-output')?.textContent ?? '';
    const tick = now => {
        const shown = text();
        if (before && shown.includes('word')) { gaps.push(now - before); }
        before = now;
        if (shown.includes(last)) { resolve([Math.max(...gaps), gaps.length]); } else { requestAnimationFrame(tick); }
    };
    requestAnimationFrame(tick);
})"""
PRINTS = f"for n in range({PIECES}): print(f'word{{n}}', end='\\n\\n' if n % 40 == 39 else ' ', flush=n % 10 == 9)"


def measure(rounds: int) -> list[Figure]:
    with serving() as server, sync_playwright() as playwright, server.client("ada") as client:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        run = server.run(client, f"wait for the file {GATE}", wait=0)
        bundle = {"application/vnd.jupyter-cabinet.view+json": {"view": "run", "run_id": run["id"]}}
        shows = f"from IPython.display import display\ndisplay({bundle!r}, raw=True)"
        found = interleave(
            rounds,
            {
                "ours": lambda: _longest_gap(browser, server, shows, str(run["id"])),
                "peer": lambda: _longest_gap(browser, server, PRINTS, None),
            },
        )
        (server.root / GATE).touch()
        browser.close()
    return [
        Figure(
            what="10,000 pieces of text in one cell: longest time without a painted frame",
            unit="ms",
            ours=found["ours"],
            peer=found["peer"],
            peer_is="the same words printed by the kernel",
            measure="ratio",
            aim=1.5,
        )
    ]


def _longest_gap(browser: Browser, server: TimedServer, code: str, run_id: str | None) -> float:
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")], metadata=metadata)
    nbformat.write(notebook, server.root / NOTEBOOK)
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    try:
        if run_id is not None:
            page.route_web_socket(re.compile(f"runs/{run_id}/output"), _talk)
        page.goto(f"{server.url}lab/tree/{NOTEBOOK}?token={server.token('ada')}&reset")
        page.wait_for_function(READY, timeout=60_000)
        return _watched(page, code)
    finally:
        page.close()


def _watched(page: Page, code: str) -> float:
    page.evaluate(RUN_CELL, code)
    longest, _frames = page.evaluate(WATCH, LAST)
    return float(longest)


def _talk(socket: WebSocketRoute) -> None:
    for index in range(PIECES):
        text = f"word{index}" + ("\n\n" if index % 40 == 39 else " ")
        event = {"type": "TextDelta", "text": text}
        socket.send(json.dumps({"type": "output", "index": 0, "at": 1.0, "event": event}))
