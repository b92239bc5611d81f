"""From a key press to the painted character, in a real Chromium: our terminal and JupyterLab's own, key by key in turn.

Both are xterm on the same page of the same server with the same shell. The time starts with the browser's own time
stamp of the key and ends with the first frame after the emulator has drawn the line that has the character.
"""

from __future__ import annotations

import shutil
from statistics import median

from playwright.sync_api import Page, sync_playwright

from .figures import Figure
from .javascript import FLAGS
from .servers import serving

KEYS = 40  # a round; the first few are not counted
WARM_UP = 5
READY = "() => window.jupyterapp?.commands.hasCommand('cabinet:new-terminal')"
OPEN = """async ours => {
    const { commands, shell } = window.jupyterapp;
    await commands.execute(ours ? 'cabinet:new-terminal' : 'terminal:create-new');
    return shell.currentWidget.id;
}"""
# Resolves with the milliseconds from the next key's time stamp to the frame after its echo was drawn.
# Both texts are read by a command: how long that takes must not tell them apart.
WATCH = """ours => {
    const { commands, shell } = window.jupyterapp;
    if (!commands.hasCommand('benchmark:text')) {
        commands.addCommand('benchmark:text', { execute: () => {
            const buffer = shell.currentWidget.content._term.buffer.active;
            const lines = Array.from({ length: buffer.length }, (_, y) => buffer.getLine(y));
            return lines.map(line => line?.translateToString(true) ?? '').join('\\n').trimEnd();
        } });
    }
    const name = ours ? 'cabinet:terminal-text' : 'benchmark:text';
    const text = async () => (await commands.execute(name)) ?? '';
    window.echo = new Promise(resolve => {
        document.addEventListener('keydown', async event => {
            const before = (await text()).length;
            const look = async () => {
                if ((await text()).length > before) {
                    requestAnimationFrame(now => resolve(performance.now() - event.timeStamp));
                } else {
                    setTimeout(look, 0);
                }
            };
            look();
        }, { capture: true, once: true });
    });
}"""


def measure(rounds: int) -> list[Figure]:
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        page.goto(f"{server.url}lab?token={server.token('ada')}&reset")
        page.wait_for_function(READY, timeout=60_000)
        tabs = {ours: page.evaluate(OPEN, ours) for ours in (True, False)}
        found: dict[bool, list[float]] = {True: [], False: []}
        for number in range(rounds):
            for ours in (True, False) if number % 2 == 0 else (False, True):
                found[ours].append(_round(page, tabs[ours], ours))
        browser.close()
    return [
        Figure(
            what="key press to painted character in the browser, median of 35 keys",
            unit="ms",
            ours=tuple(found[True]),
            peer=tuple(found[False]),
            peer_is="JupyterLab's own terminal",
            measure="ratio",
            aim=1.1,
        )
    ]


def _round(page: Page, tab: str, ours: bool) -> float:
    page.evaluate("id => window.jupyterapp.shell.activateById(id)", tab)
    page.locator(f"[id='{tab}'] .xterm-screen").click()
    times = []
    for _ in range(KEYS):
        page.evaluate(WATCH, ours)
        page.keyboard.press("x")
        times.append(page.evaluate("() => window.echo"))
    page.keyboard.press("Control+u")
    return median(times[WARM_UP:])
