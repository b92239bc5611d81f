"""The graph of a plan with 500 steps in a real Chromium, from the command to the page being idle with a step drawn."""

from __future__ import annotations

import shutil
from typing import Any

from playwright.sync_api import sync_playwright

from .agents_board import opened
from .figures import Figure, interleave
from .javascript import FLAGS
from .servers import serving

STEPS, FEW = 500, 10
BRANCHES = 10  # steps that depend on the same one
NODE = ".jp-Cabinet-plan-node"
AIM_MILLISECONDS = 1000


def measure(rounds: int) -> list[Figure]:
    with serving() as server, server.client("ada") as client, sync_playwright() as playwright:
        many, few = _plan(client, STEPS), _plan(client, FEW)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        found = interleave(
            rounds,
            {
                "many": lambda: opened(browser, server, "cabinet:open-plan", {"plan": many}, NODE),
                "few": lambda: opened(browser, server, "cabinet:open-plan", {"plan": few}, NODE),
            },
        )
        browser.close()
    return [
        Figure(
            what="the graph of a plan with 500 steps, from its command to the page being idle",
            unit="ms",
            ours=found["many"],
            peer=found["few"],
            peer_is=f"a plan of {FEW} steps",
            measure="ours",
            aim=AIM_MILLISECONDS,
        )
    ]


def _plan(client: Any, count: int) -> str:
    """Make a plan in which each step leads to `BRANCHES` others, and return its id."""
    steps = [
        {
            "key": f"s{number}",
            "title": f"Step {number}",
            "depends_on": [f"s{(number - 1) // BRANCHES}"] if number else [],
        }
        for number in range(count)
    ]
    plan = client.post("plans", json={"title": f"{count} steps", "steps": steps}).json()
    return str(plan["id"])
