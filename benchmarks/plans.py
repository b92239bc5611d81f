"""Plans: the time between two steps, in a plan of 500 steps that each start a trivial program."""

from __future__ import annotations

import time
from datetime import datetime
from itertools import pairwise
from statistics import quantiles
from typing import Any

from .figures import Figure
from .servers import serving

STEPS, FEW = 500, 20
LOOK_SECONDS = 2.0  # seldom, because a request of a large plan takes time itself
AIM_SECONDS, AIM_99_SECONDS = 0.05, 0.15


def measure(rounds: int) -> list[Figure]:
    """`rounds` is ignored: the steps are the repetitions."""
    with serving() as server, server.client("ada") as client:
        many, few = _gaps(client, STEPS), _gaps(client, FEW)
    return [
        _figure("half of the steps of a plan of 500 begin after the step before within", many, few, 50, AIM_SECONDS),
        _figure("99 of 100 of them begin within", many, few, 99, AIM_99_SECONDS),
    ]


def _figure(what: str, many: list[float], few: list[float], percent: int, aim: float) -> Figure:
    ours, peer = (quantiles(gaps, n=100)[percent - 1] for gaps in (many, few))
    return Figure(
        what=what,
        unit="s",
        ours=(ours,),
        peer=(peer,),
        peer_is=f"a plan of {FEW} steps",
        measure="ours",
        aim=aim,
    )


def _gaps(client: Any, count: int) -> list[float]:
    """Return the seconds from the end of each step's run until the run of the next one is queued."""
    steps = [{"title": f"Step {number}", "command": ["/bin/true"]} for number in range(count)]
    plan = client.post("plans", json={"title": f"{count} steps", "isolate": False, "steps": steps}).json()
    client.post(f"plans/{plan['id']}/run").raise_for_status()
    while (plan := client.get(f"plans/{plan['id']}").json())["state"] == "running":
        time.sleep(LOOK_SECONDS)
    assert plan["state"] == "done", plan["reason"]
    runs = [client.get(f"runs/{step['work_run_id']}").json() for step in plan["steps"]]
    pairs = pairwise(runs)
    return [(_time(after["queued_at"]) - _time(before["finished_at"])).total_seconds() for before, after in pairs]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
