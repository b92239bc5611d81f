"""Starts the plays that wait for the end of another play, for a message, or for the server or an agent.

Called by the outbox, so that no crash loses a follow-up. Handling the same effect twice has no further effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from ...agents.correspondence.mailbox import AgentItems
from ...agents.correspondence.messages import Message
from ...agents.model import MessageReceived
from ...agents.prompts.briefing import is_foreign
from ...core.errors import CabinetError, NotFound
from ...storage.commits import Commits, ScopedEvent
from .. import triggers
from ..completion import Completed
from ..model import PlayChanged, PlayLine
from ..play_files import PlayFile
from ..playbook import Playbook, PlayStanding
from ..triggers import AgentMessage, AgentStarted, AgentStopped, AnyTrigger, OnComplete, Startup
from .event_watch import Happened
from .starter import FINAL, Happening, PlayStarter


class Followers:
    """The handlers of the outbox topics of plays."""

    def __init__(self, *, playbook: Playbook, starter: PlayStarter, items: AgentItems, commits: Commits) -> None:
        self._playbook = playbook
        self._commits = commits
        self._starter = starter
        self._items = items

    async def write_history(self, body: str) -> None:
        """Handle `completion.HISTORY`: add a line to the play's history, and notify its viewers.

        The line is written even if the play was removed meanwhile. Raises as `PlayFiles.note`, and is then called
        again.
        """
        line = msgspec.json.decode(body, type=PlayLine)
        await asyncio.to_thread(self._playbook.files.note, line)
        try:
            standing = await self._playbook.get(line.play_slug)
        except NotFound:
            return  # the play was removed while its run worked
        told = ScopedEvent(PlayChanged(play=line.play_slug), standing.scope)
        await self._commits.commit(lambda c: None, lambda _: [told])

    async def do_completed(self, body: str) -> None:
        """Handle `completion.COMPLETED`: start the plays that follow.

        Raises only temporary errors, and is then called again.
        """
        ended = msgspec.json.decode(body, type=Completed)
        failed = ", which failed" if ended.status == "failed" else ""
        happening = Happening(
            kind="run",
            trigger="",
            cause=ended.run_id,
            source=f"After the play {await self._name(ended.play)}{failed}.",
            chain=ended.chain,
            about=f"This is what it came to:\n\n{ended.text}" if ended.text else "",
            foreign=ended.tainted,
        )
        await self._start_all(
            lambda each: triggers.on_complete(triggers_of(each.file), each.slug, ended.play, ended.status),
            happening,
            ended.agent,
            kinds=(OnComplete,),
        )

    async def _name(self, slug: str) -> str:
        """Return the name of the play for people; the slug if its file was removed meanwhile."""
        try:
            play = (await self._playbook.get(slug)).file.play
        except NotFound:
            play = None
        return play.shown if play else slug

    async def do_message(self, body: str) -> None:
        """Handle `play_notices.MESSAGES`: start the plays that wait for a message. Raises as `do_completed`."""
        event = msgspec.json.decode(body, type=MessageReceived)

        def wanted(each: PlayStanding) -> AnyTrigger | None:
            carrier = each.carrier.slug if each.carrier else None
            return triggers.on_message(triggers_of(each.file), carrier, event.agent)

        message = await asyncio.to_thread(self._message, event)
        names = {each.slug: each.files.name for each in await self._playbook.roster.find()}
        sender = names.get(event.sender) or (message and message.sender_name) or event.sender
        happening = Happening(
            kind="message",
            trigger="",
            cause=event.message_id,
            source=f"A message from {sender} to {names.get(event.agent, event.agent)}.",
            chain=event.chain,
            about=message.body if message else "",
            foreign=message is not None and is_foreign(message, set(names)),
        )
        await self._start_all(wanted, happening, event.agent, kinds=(AgentMessage,))

    async def do_happened(self, body: str) -> None:
        """Handle `event_watch.HAPPENED`: start the plays that wait for it. Raises as `do_completed`.

        A run that such a play has caused starts none of them, so that they do not start each other without end.
        """
        happened = msgspec.json.decode(body, type=Happened)
        event, agent = happened.event, happened.agent
        happening = Happening(
            kind="event",
            trigger="",
            cause=happened.cause,
            source=await self._source_of(happened),
            chain=happened.chain,
        )
        if event is None or agent is None:
            await self._start_all(lambda each: _first(each, Startup), happening, None, kinds=(Startup,))
            return
        kinds = (AgentStarted, AgentStopped)
        waiting = await self._playbook.find(which=lambda file: _waits(file, *kinds))
        if triggers.is_caused_by(happened.chain, (each.slug for each in waiting)):
            return

        def wanted(each: PlayStanding) -> AnyTrigger | None:
            carrier = each.carrier.slug if each.carrier else None
            return triggers.on_agent_event(triggers_of(each.file), carrier, agent, event)

        await self._start_all(wanted, happening, agent, kinds=kinds)

    async def _source_of(self, happened: Happened) -> str:
        if happened.agent is None:
            return "The server has started."
        names = {each.slug: each.files.name for each in await self._playbook.roster.find()}
        name = names.get(happened.agent, happened.agent)
        if happened.event == "started":
            return f"A run of {name} has begun."
        return f"A run of {name} has ended: {happened.ending.replace('_', ' ')}."

    def _message(self, event: MessageReceived) -> Message | None:
        """Return the message, or None if it was acknowledged meanwhile or the inbox cannot be read."""
        try:
            waiting = self._items.inbox(event.agent).messages
        except CabinetError:
            return None
        return next((each for each in waiting if each.id == event.message_id), None)

    async def _start_all(
        self,
        wanted: Callable[[PlayStanding], AnyTrigger | None],
        happening: Happening,
        of: str | None,
        *,
        kinds: tuple[type[AnyTrigger], ...],
    ) -> None:
        """Start all plays whose trigger fires. `of`: the agent to which it happened. `kinds`: of the triggers.

        A play whose agent may not learn about that agent is not started.
        """
        for standing in await self._playbook.find(which=lambda file: _waits(file, *kinds)):
            trigger = wanted(standing)
            if trigger is not None and await self._may_be_told(standing, of):
                key = triggers.key_of(trigger)
                try:
                    await self._starter.start(standing.slug, msgspec.structs.replace(happening, trigger=key))
                except FINAL:
                    continue  # the reason is stored, or the play was started before a crash

    async def _may_be_told(self, standing: PlayStanding, of: str | None) -> bool:
        carrier = standing.carrier
        return carrier is None or of is None or await self._playbook.roster.may_learn(carrier.slug, of)


def triggers_of(file: PlayFile) -> tuple[AnyTrigger, ...]:
    """Return the triggers of a play; empty if its file has errors."""
    return file.play.triggers if file.play else ()


def _waits(file: PlayFile, *kinds: type[AnyTrigger]) -> bool:
    return any(isinstance(each, kinds) for each in triggers_of(file))


def _first(standing: PlayStanding, kind: type[AnyTrigger]) -> AnyTrigger | None:
    return next((each for each in triggers_of(standing.file) if isinstance(each, kind)), None)
