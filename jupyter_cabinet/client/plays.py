"""`cabinet.plays`: the plays of a server."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.slugs import is_slug
from ..plays.model import NewPlayRun, PlayDetail, PlayLine, PlayView
from ..runs.model import Run
from .api import Api
from .handles import Handles
from .methods import both_forms
from .runs.live_run import LiveRun
from .runs.requests import play_inputs


class PlayHandle:
    """One play. Nothing of it is cached: each property and method asks the server.

    `name`: its slug, such as `triage`.
    """

    def __init__(self, api: Api, name: str) -> None:
        self._api = api
        self.name = name

    @both_forms
    async def fetch(self) -> PlayDetail:
        """Return all of it as it is now. Raises `RequestRefused` (`not_found`) if there is no such play."""
        return await self._api.fetch(f"plays/{self.name}", PlayDetail)

    @property
    def detail(self) -> PlayDetail:
        """All of it as it is now. In async code: `await play.fetch.aio()`."""
        return self.fetch()

    @both_forms
    async def history(self, limit: int = 50) -> tuple[PlayLine, ...]:
        """Return its last runs, newest first, at most 500."""
        return await self._api.fetch_items(f"plays/{self.name}/history", PlayLine, {"limit": limit})

    def run(self, **inputs: str | float) -> LiveRun:
        """Start it now, with its inputs by their names, and return the run without waiting for its end.

        A missing input counts as not given. Raises `TypeError` for an input that is neither text nor number, and
        `RequestRefused` if the server does not accept them or the play is not confirmed.
        """
        return self.start(inputs)

    def start(self, inputs: Mapping[str, str | float] | None = None, *, agent: str | None = None) -> LiveRun:
        """Start it like `run`, with the inputs as a mapping.

        `agent`: the slug of the agent, instead of the play's own.
        """
        body = NewPlayRun(play=self.name, agent=agent, inputs=play_inputs(inputs or {}))
        return LiveRun.submitted(self._api, self._api.send("POST", "runs", Run, body))

    def __repr__(self) -> str:
        return f"<PlayHandle {self.name}>"


class Plays(Handles[PlayHandle]):
    """The plays that you may see, by slug: `cabinet.plays["triage"].run(days=7)`."""

    what = "play"

    @both_forms
    async def list(self) -> tuple[PlayView, ...]:
        """Return all of them as they are now, with agent, schedule and triggers."""
        return await _all(self._api)

    async def _names(self) -> list[str]:  # type: ignore[valid-type]
        return [each.slug for each in await _all(self._api)]

    async def _one(self, name: str) -> PlayHandle:
        await self._api.fetch(f"plays/{name}", PlayView)
        return PlayHandle(self._api, name)

    def _is_name(self, name: str) -> bool:
        return is_slug(name)


async def _all(api: Api) -> tuple[PlayView, ...]:
    return await api.fetch_items("plays", PlayView)
