"""From the news that a run has ended to its painted answer card, beside a notebook of 300 cells, in a real Chromium.

Counted in the page: from the WebSocket's message with the run's end to the second frame after the card is there. The
run has changed a cell of the open notebook, so the page takes that in at the same moment. The peer is the same with a
notebook of three cells. JupyterLab attaches the cells of a notebook for seconds, whenever the page is idle; that is
over before the run begins.
"""

from __future__ import annotations

import shutil

import nbformat
from playwright.sync_api import Browser, Page, sync_playwright

from .figures import Figure, interleave
from .javascript import FLAGS
from .servers import TimedServer, serving

NOTEBOOK = "answered.ipynb"
MANY, FEW = 300, 3
READY = """count => window.jupyterapp?.shell.currentWidget?.context?.isReady
    && document.querySelectorAll('.jp-Notebook .jp-Cell .cm-content').length >= count"""
# Every WebSocket of the page notes when a run's end comes.
NOTE = """() => {
    const Plain = WebSocket;
    window.WebSocket = class extends Plain {
        constructor(...given) {
            super(...given);
            this.addEventListener('message', ({ data }) => {
                if (typeof data === 'string' && data.includes('"run_finished"')) { window.ended = performance.now(); }
            });
        }
    };
}"""
# Only the panel is observed: to search the whole page in each frame would take longer the more cells there are.
WATCH = """() => new Promise(resolve => {
    const panel = document.querySelector('.jp-Cabinet-editor');
    const watch = new MutationObserver(() => {
        if (window.ended && panel.querySelector('[aria-label="Answer"]')) {
            watch.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(now => resolve(now - window.ended)));
        }
    });
    watch.observe(panel, { childList: true, subtree: true });
})"""


def measure(rounds: int) -> list[Figure]:
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        found = interleave(
            rounds,
            {
                "ours": lambda: _painted_after(browser, server, MANY),
                "peer": lambda: _painted_after(browser, server, FEW),
            },
        )
        browser.close()
    return [
        Figure(
            what="from the news of a run's end to its painted answer card, a notebook of 300 cells open",
            unit="ms",
            ours=found["ours"],
            peer=found["peer"],
            peer_is="a notebook of three cells",
            measure="ours",
            aim=150,
        )
    ]


def _painted_after(browser: Browser, server: TimedServer, cells: int) -> float:
    sources = [f"value_{number} = {number}  # cell {number}" for number in range(cells)]
    made = [nbformat.v4.new_code_cell(source, id=f"cell-{number}") for number, source in enumerate(sources)]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata=metadata), server.root / NOTEBOOK)
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        page.add_init_script(f"({NOTE})()")
        page.goto(f"{server.url}lab/tree/{NOTEBOOK}?token={server.token('ada')}&reset")
        page.wait_for_function(READY, arg=cells, timeout=120_000)
        return _asked(page)
    finally:
        page.close()


def _asked(page: Page) -> float:
    page.evaluate("() => jupyterapp.commands.execute('cabinet:open-editor')")
    composer = page.locator(".jp-Cabinet-composer .cm-content")
    composer.click()
    page.keyboard.type('replace "value_1 = 1 " with "value_1 = 11 "')
    page.evaluate("() => { window.ended = 0; }")
    page.keyboard.press("Shift+Enter")
    return float(page.evaluate(WATCH))
