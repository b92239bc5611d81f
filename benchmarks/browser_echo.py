"""From a key press to the painted character, in a real Chromium: our terminal and JupyterLab's own, key by key in turn.

Both are xterm on the same page of the same server with the same shell. The time starts with the browser's own time
stamp of the key and ends when the emulator has drawn a frame with the character. Both draw in `requestAnimationFrame`,
so that is where it is looked: who polls for the text between two frames finds it a frame late as often as not, and the
more often the sooner the echo comes.
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
# Resolves with the milliseconds from the next key's time stamp to the end of the drawing of the frame with its echo.
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
            const draw = window.requestAnimationFrame;
            const before = (await text()).length;
            let drawn = 0;
            window.requestAnimationFrame = callback => draw.call(window, async now => {
                callback(now);
                drawn = performance.now();
                if ((await text()).length > before) {
                    window.requestAnimationFrame = draw;
                    setTimeout(() => resolve(drawn - event.timeStamp)); // a frame may be drawn by several callbacks
                }
            });
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
