"""The dashboard with 500 agents in a real Chromium: how soon it can be used, and what an hour of events leaves behind.

Opened in a fresh page each time, from the command to the first time the page is idle with an agent drawn; the peer is
JupyterLab's own file browser, which is led into a folder of 500 files. Then 180,000 events, as many as an hour of 50 a
second, are given to the page's own socket as fast as it takes them; the heap is weighed after garbage was collected.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from .figures import Figure, interleave
from .javascript import FLAGS
from .servers import TimedServer, serving

AGENTS = 500
FILES = "files"
EVENTS_OF_A_RUN = 10
EARLY_RUNS = 1_800  # a tenth of the events: what is loaded and kept once is there by then
RUNS = 18_000
MIB = 1024 * 1024
READY = "() => window.jupyterapp?.commands.hasCommand('cabinet:pause-all')"
PERSONA = "---\nname: Agent {number:03}\nruntime: demo\nheartbeat: every 4h\n---\nBe kind.\n"
# Milliseconds from a command until something is drawn and the page has nothing else to do.
OPEN = """async ([command, args, selector]) => {
    const begun = performance.now();
    void window.jupyterapp.commands.execute(command, args);
    while (!document.querySelector(selector)) { await new Promise(requestAnimationFrame); }
    await new Promise(done => requestIdleCallback(done));
    return performance.now() - begun;
}"""
KEEP_SOCKETS = """(() => {
    window.eventSockets = [];
    const Plain = WebSocket;
    window.WebSocket = class extends Plain {
        constructor(url, ...rest) {
            super(url, ...rest);
            if (String(url).includes('/cabinet/api/events')) { window.eventSockets.push(this); }
        }
    };
})()"""
# Runs of the agents in turn, each from the queue to its end, with what became of it. A turn of the loop after each ten.
GIVE = """async ([run, first, count, agents]) => {
    const socket = window.eventSockets.at(-1);
    let seq = 1e6 + first * 10;
    const give = event => {
        const data = JSON.stringify({ type: 'event', seq: seq++, event });
        socket.dispatchEvent(new MessageEvent('message', { data }));
    };
    const begun = performance.now();
    for (let number = first; number < first + count; number++) {
        const agent = `agent-${String(number % agents).padStart(3, '0')}`;
        const id = `benchmark-${number}`;
        const now = { ...run, id, agent, session_id: id, number: 1e6 + number, result: null, finished_at: null };
        let revision = 0;
        const told = (type, state) => give({ type, run: { ...now, state, revision: revision++ } });
        told('run_queued', 'queued');
        told('run_started', 'running');
        for (let step = 0; step < 5; step++) { told('run_updated', 'running'); }
        give({ type: 'effects_applied', agent, run_id: id, applied: 2, refused: 0, held: 0 });
        give({ type: 'agent_changed', agent });
        give({ type: 'run_finished', run: { ...run, id, agent, session_id: id, number: now.number, revision } });
        await new Promise(done => setTimeout(done));
    }
    return performance.now() - begun;
}"""


def measure(rounds: int) -> list[Figure]:
    with serving() as server, sync_playwright() as playwright:
        _fill(server.root)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        found = interleave(
            rounds,
            {
                "ours": lambda: opened(browser, server, "cabinet:agents", {}, ".jp-Cabinet-board [data-agent]"),
                "peer": lambda: opened(
                    browser, server, "filebrowser:open-path", {"path": FILES}, ".jp-DirListing-item[title*='file-000']"
                ),
            },
        )
        early, late, rates = _after_events(browser, server)
        browser.close()
    return [
        Figure(
            what="dashboard with 500 agents, from its command to the page being idle",
            unit="ms",
            ours=found["ours"],
            peer=found["peer"],
            peer_is="JupyterLab's file browser, led into a folder of 500 files",
            measure="ratio",
            aim=2,
        ),
        Figure(
            what="heap of a page with the dashboard after 180,000 events",
            unit="MiB",
            ours=(late,),
            peer=(early,),
            peer_is="after 18,000 of them",
            measure="difference",
            aim=4,
        ),
        Figure(
            what="events that the page takes in, per second",
            unit="/s",
            ours=rates,
            peer=(0.0,),
            peer_is="none",
            measure="ours",
            aim=500,
            at_least=True,
        ),
    ]


def _fill(root: Path) -> None:
    for number in range(AGENTS):
        folder = root / ".agents" / f"agent-{number:03}"
        folder.mkdir(parents=True)
        (folder / "persona.md").write_text(PERSONA.format(number=number))
    (root / FILES).mkdir()
    for number in range(AGENTS):
        (root / FILES / f"file-{number:03}.md").write_text("# File\n")


def _page(browser: Browser, server: TimedServer) -> Page:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(KEEP_SOCKETS)
    page.goto(f"{server.url}lab?token={server.token('ada')}&reset")
    page.wait_for_function(READY, timeout=60_000)
    return page


def opened(browser: Browser, server: TimedServer, command: str, arguments: dict[str, Any], selector: str) -> float:
    """Return the milliseconds from a command in a fresh page until something is drawn and the page is idle."""
    page = _page(browser, server)
    try:
        return float(page.evaluate(OPEN, [command, arguments, selector]))
    finally:
        page.close()


def _after_events(browser: Browser, server: TimedServer) -> tuple[float, float, tuple[float, ...]]:
    """MiB early and late, and events per second up to each of them."""
    with server.client("ada") as client:
        run = server.run(client, "reply with the single word hello")
    page = _page(browser, server)
    page.evaluate(OPEN, ["cabinet:agents", {}, ".jp-Cabinet-board [data-agent]"])
    found: list[float] = []
    rates: list[float] = []
    for first, last in ((0, EARLY_RUNS), (EARLY_RUNS, RUNS)):
        milliseconds = page.evaluate(GIVE, [run, first, last - first, AGENTS])
        rates.append((last - first) * EVENTS_OF_A_RUN / milliseconds * 1000)
        found.append(_heap(page))
        print(json.dumps({"runs": last, "heap_mib": round(found[-1], 1), "events_per_s": round(rates[-1])}), flush=True)
    page.close()
    return found[0], found[1], tuple(rates)


def _heap(page: Page) -> float:
    """In MiB, when what the events have led to is done and the garbage is gone."""
    page.wait_for_load_state("networkidle")
    page.evaluate("() => new Promise(done => requestIdleCallback(done))")
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    used = tools.send("Runtime.getHeapUsage")["usedSize"]
    tools.detach()
    return float(used) / MIB
