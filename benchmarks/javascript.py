"""How much JavaScript a browser has loaded of us when JupyterLab is ready, and soon after, without a panel opened.

Asked of a real Chromium, not of the files: what is loaded counts. One round: the sizes do not swing.
"""

from __future__ import annotations

import shutil
from collections import Counter

from playwright.sync_api import sync_playwright

from .figures import Figure
from .servers import FRONTEND, serving

OURS = "jupyter-cabinet"
# Another extension of the same kind, with two packages.
PEER = ("@jupyter/collaboration-extension", "@jupyter/docprovider-extension")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
STATUS = ".jp-Cabinet-status"  # comes with what is loaded after the start
# When JupyterLab was restored, as the page's own clock says. The page asks for it as soon as there is somebody to ask.
MARK = """const look = setInterval(() => {
    if (window.jupyterapp) {
        clearInterval(look);
        window.jupyterapp.restored.then(() => { window.restoredAt = performance.now(); });
    }
}, 1);"""
LOADED = """() => performance.getEntriesByType('resource')
    .filter(entry => new URL(entry.name).pathname.endsWith('.js'))
    .map(entry => [new URL(entry.name).pathname, entry.decodedBodySize, entry.responseEnd < window.restoredAt])"""


def measure(rounds: int) -> list[Figure]:
    if any(FRONTEND.glob("static/*.map")):
        raise SystemExit("The built frontend is a development build: run `npm run build:prod` in labextension first.")
    at_start, in_all = _loaded()
    common = {"unit": "kB", "peer_is": "jupyter-collaboration's two packages"}
    return [
        Figure(
            what="our JavaScript in the browser until JupyterLab is ready",
            ours=(at_start[OURS] / 1024,),
            peer=(sum(at_start[name] for name in PEER) / 1024,),
            measure="ours",
            aim=60,
            **common,
        ),
        Figure(
            what="the same with what the status bar and the lists load then, no panel opened",
            ours=(in_all[OURS] / 1024,),
            peer=(sum(in_all[name] for name in PEER) / 1024,),
            measure="ratio",
            aim=1,
            **common,
        ),
    ]


def _loaded() -> tuple[Counter[str], Counter[str]]:
    """Bytes by extension: until JupyterLab was restored, and when nothing more comes."""
    at_start: Counter[str] = Counter()
    in_all: Counter[str] = Counter()
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page()
        page.add_init_script(MARK)
        page.goto(f"{server.url}lab?token={server.token('ada')}&reset")
        page.wait_for_function("() => window.restoredAt")
        page.wait_for_selector(STATUS)
        page.wait_for_load_state("networkidle")
        for path, size, is_at_start in page.evaluate(LOADED):
            _, _, after = path.partition("/lab/extensions/")
            name = after.partition("/static/")[0]
            if name:
                in_all[name] += size
                at_start[name] += size if is_at_start else 0
        browser.close()
    return at_start, in_all
