"""Notices the start of the server, and the beginning and end of agents' runs, for the plays that wait for one.

Only puts an effect into the outbox, and only while a play has such a trigger. `follow_up_plays.py` starts the plays.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

import msgspec

from ...core.errors import CabinetError
from ...core.events import Event, Scope
from ...core.ids import new_id
from ...runs.model import Run, RunFinished, RunStarted
from ...runs.rules.trigger_chain import link_of
from ...storage.commits import Commits
from ...storage.outbox import Effect
from ..playbook import PlayStanding
from ..triggers import AgentEvent, AgentStarted, AgentStopped, Startup

log = logging.getLogger(__name__)

HAPPENED = "plays.happened"
CLOSE_SECONDS = 5.0  # in which events that were heard are put on record


class Happened(msgspec.Struct, frozen=True, kw_only=True):
    """What has happened. `agent`: whose run has begun or ended; None: the server has started.

    `cause`: identifies the event. `chain`: that of the runs that follow.
    """

    event: AgentEvent | None = None
    agent: str | None = None
    cause: str
    ending: str = ""  # state of the run
    chain: tuple[str, ...] = ()


class EventWatch:
    """Listens between `hear` and `stop`. Idle while no play waits for such an event."""

    def __init__(self, *, commits: Commits) -> None:
        self._commits = commits
        self._kinds: frozenset[type] = frozenset()  # of all triggers
        self._writing: set[asyncio.Task[None]] = set()

    def follow(self, standings: Iterable[PlayStanding]) -> None:
        """Note from now on only the kinds of events that the triggers of these plays wait for."""
        plays = (each.file.play for each in standings)
        self._kinds = frozenset(type(trigger) for play in plays if play for trigger in play.triggers)

    async def server_started(self) -> None:
        """Put the start of the server on record, if a play waits for it. Raises as a commit does."""
        if Startup in self._kinds:
            await self._put(Happened(cause=f"startup/{new_id()}"))

    def hear(self, event: Event, scope: Scope) -> None:
        """Note that a run of an agent has begun or ended, if a play waits for it. A listener of the event bus.

        It returns at once: a task of the event loop stores it. A run that ends without having begun does not count.
        """
        match event:
            case RunStarted(run=run) if AgentStarted in self._kinds:
                self._note(run, "started")
            case RunFinished(run=run) if AgentStopped in self._kinds and run.started_at is not None:
                self._note(run, "stopped")

    async def stop(self) -> None:
        """Wait until what was heard is stored, for at most 5 seconds."""
        if self._writing:
            await asyncio.wait(self._writing, timeout=CLOSE_SECONDS)

    def _note(self, run: Run, event: AgentEvent) -> None:
        if run.agent is None:
            return
        happened = Happened(
            event=event,
            agent=run.agent,
            cause=f"{event}/{run.id}",
            ending=run.state if event == "stopped" else "",
            chain=(*run.trigger.chain, link_of(run)),
        )
        task = asyncio.create_task(self._try(happened))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _try(self, happened: Happened) -> None:
        try:
            await self._put(happened)
        except CabinetError as error:
            log.error("Plays that wait for a run of %s are not started: %s", happened.agent, error.message)

    async def _put(self, happened: Happened) -> None:
        effect = Effect(topic=HAPPENED, key=happened.agent or "server", body=msgspec.json.encode(happened).decode())
        await self._commits.commit(lambda c: None, effects=lambda _: [effect])
