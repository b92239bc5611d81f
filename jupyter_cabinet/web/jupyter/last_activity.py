"""Reports to Jupyter when this server last worked, so that it is not stopped as idle while an agent works.

Jupyter asks in two ways. `ServerApp.shutdown_no_activity_timeout` asks every extension whether it is busy now
(`ExtensionApp.current_activity`). JupyterHub, whose cullers know nothing else, reads the newest of the times in the
settings (`web_app.last_activity()`), every few minutes. Made, started and stopped by
`jupyter_integration.py`; `handler.py` records requests to our routes.
"""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from ...backend import Backend

NOTED_EVERY_SECONDS = 10.0
SETTING = "cabinet_last_activity"  # Jupyter counts every setting whose name ends like this


class Signs(msgspec.Struct, frozen=True, kw_only=True):
    """This server's work at one moment."""

    at_work: bool  # a run works, or is about to
    silent_seconds: float | None  # since a terminal received input or output; None: there is none
    coming: bool  # a schedule will start something


def last_activity(signs: Signs, now: datetime, *, schedules_count: bool) -> datetime | None:
    """Return when this server last worked; None if nothing is known."""
    if signs.at_work or (schedules_count and signs.coming):
        return now
    return None if signs.silent_seconds is None else now - timedelta(seconds=signs.silent_seconds)


class LastActivity:
    """Keeps the time of the last activity in Jupyter's settings. `services` are open.

    `patience_seconds`: how long a run that waits for a person counts as work. After that its question has been answered
    by the time limit, or is in a terminal that nobody watches.
    """

    def __init__(
        self,
        settings: MutableMapping[str, Any],
        services: Backend,
        *,
        patience_seconds: float,
        schedules_count: bool,
    ) -> None:
        self._settings = settings
        self._services = services
        self._patience = patience_seconds
        self._schedules_count = schedules_count
        self._noting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Keep the time up to date from now on."""
        self._noting = asyncio.create_task(self._keep_noted())

    async def stop(self) -> None:
        """Record nothing more."""
        if self._noting is not None:
            self._noting.cancel()
            await asyncio.gather(self._noting, return_exceptions=True)

    def is_busy(self) -> bool:
        """Return whether this server works at this moment, and must not be stopped as idle."""
        signs = self._signs()
        return signs.at_work or (self._schedules_count and signs.coming)

    def note(self) -> None:
        """Report to Jupyter when this server last worked.

        A time that is not newer than the known one changes nothing.
        """
        found = last_activity(self._signs(), self._services.clock.now(), schedules_count=self._schedules_count)
        known = self._settings.get(SETTING)
        if found is not None and (known is None or found > known):
            self._settings[SETTING] = found

    def _signs(self) -> Signs:
        services = self._services
        return Signs(
            at_work=services.runs.is_at_work(self._patience),
            silent_seconds=services.terminals.silent_seconds(),
            coming=services.agents.is_anything_scheduled() and not services.runs.switch.state.paused,
        )

    async def _keep_noted(self) -> None:
        while True:
            self.note()
            await self._services.clock.sleep(NOTED_EVERY_SECONDS)
