"""`cabinet.status()`: several routes as one value."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from ..agents.model import AgentView
from ..runs.model import Run, RunState
from ..runs.switch_model import Switch
from .api import Api
from .errors import RequestRefused
from .model import CabinetStatus, RuntimeStatus
from .runs import following

WORKING: tuple[RunState, ...] = ("starting", "running", "waiting")
MOST = 200  # runs of each state


class _Health(msgspec.Struct):
    version: str
    root: str
    trusted: bool


async def status_of(api: Api) -> CabinetStatus:
    """Return the parts that the caller may read; the others are empty. At most 200 runs of each state are included.

    Working runs are sorted by number.
    """
    health = await api.fetch("health", _Health)
    agents, runtimes, approvals, switch, queued, *working = await asyncio.gather(
        _items(api, "agents", AgentView),
        _items(api, "runtimes", RuntimeStatus),
        _or_nothing(following.waiting_approvals(api)),
        _or_nothing(api.fetch("switch", Switch)),
        _items(api, "runs", Run, state="queued"),
        *(_items(api, "runs", Run, state=state) for state in WORKING),
    )
    return CabinetStatus(
        version=health.version,
        root=health.root,
        trusted=health.trusted,
        agents=agents,
        working=tuple(sorted((run for runs in working for run in runs), key=lambda run: run.number)),
        queued=queued,
        approvals=approvals or (),
        runtimes=runtimes,
        switch=switch,
    )


async def _items(api: Api, path: str, of: type[Any], **query: str) -> Any:
    limit = {"limit": str(MOST)} if path == "runs" else {}
    return await _or_nothing(api.fetch_items(path, of, {**query, **limit})) or ()


async def _or_nothing(asked: Any) -> Any:
    try:
        return await asked
    except RequestRefused as error:
        if error.kind != "not_allowed":
            raise
        return None
