"""How much JavaScript a browser has loaded of us when JupyterLab is ready and the panel was not opened yet.

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
LOADED = """() => performance.getEntriesByType('resource')
    .filter(entry => new URL(entry.name).pathname.endsWith('.js'))
    .map(entry => [new URL(entry.name).pathname, entry.decodedBodySize])"""


def measure(rounds: int) -> list[Figure]:
    if any(FRONTEND.glob("static/*.map")):
        raise SystemExit("The built frontend is a development build: run `npm run build:prod` in labextension first.")
    sizes = _loaded()
    return [
        Figure(
            what="our JavaScript in the browser before the panel opens",
            unit="kB",
            ours=(sizes[OURS] / 1024,),
            peer=(sum(sizes[name] for name in PEER) / 1024,),
            peer_is="jupyter-collaboration's two packages",
            measure="ours",
            aim=60,
        )
    ]


def _loaded() -> Counter[str]:
    """Bytes by extension."""
    found: Counter[str] = Counter()
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page()
        page.goto(f"{server.url}lab?token={server.token('ada')}&reset")
        page.wait_for_function("() => window.jupyterapp?.commands.listCommands().some(id => id.startsWith('cabinet'))")
        page.evaluate("() => window.jupyterapp.restored")
        page.wait_for_load_state("networkidle")
        for path, size in page.evaluate(LOADED):
            _, _, after = path.partition("/lab/extensions/")
            name = after.partition("/static/")[0]
            if name:
                found[name] += size
        browser.close()
    return found
