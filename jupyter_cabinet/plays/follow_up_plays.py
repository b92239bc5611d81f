"""Starts the plays that wait for the end of another one, or for a message. Called by the outbox, so that no crash loses
what is to follow; whatever is done again changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from ..agents.correspondence.mailbox import AgentItems
from ..agents.correspondence.messages import Message
from ..agents.model import MessageReceived
from ..agents.prompts.briefing import is_foreign
from ..core.errors import CabinetError, NotFound
from ..storage.commits import Commits, ScopedEvent
from . import triggers
from .completion import Completed
from .model import PlayChanged, PlayLine
from .play_files import PlayFile
from .playbook import Playbook, PlayStanding
from .starter import FINAL, Happening, PlayStarter
from .triggers import AgentMessage, AnyTrigger, OnComplete


class Followers:
    """The doers of the topics of plays."""

    def __init__(self, *, playbook: Playbook, starter: PlayStarter, items: AgentItems, commits: Commits) -> None:
        self._playbook = playbook
        self._commits = commits
        self._starter = starter
        self._items = items

    async def write_history(self, body: str) -> None:
        """Handle `completion.HISTORY`: add a line to the play's history, and notify its viewers."""
        line = msgspec.json.decode(body, type=PlayLine)
        await asyncio.to_thread(self._playbook.files.note, line)
        try:
            standing = await self._playbook.get(line.play_slug)
        except NotFound:
            return  # it was removed while it worked
        told = ScopedEvent(PlayChanged(play=line.play_slug), standing.scope)
        await self._commits.commit(lambda c: None, lambda _: [told])

    async def do_completed(self, body: str) -> None:
        """Handle `completion.COMPLETED`. Raises errors that are temporary, and is then called again."""
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
        )

    async def _name(self, slug: str) -> str:
        """As people know the play; its file may have been removed meanwhile."""
        try:
            play = (await self._playbook.get(slug)).file.play
        except NotFound:
            play = None
        return play.shown if play else slug

    async def do_message(self, body: str) -> None:
        """Handle `play_notices.MESSAGES`. Raises as `do_completed`."""
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
        await self._start_all(wanted, happening, event.agent)

    def _message(self, event: MessageReceived) -> Message | None:
        """None where it was read and acknowledged meanwhile."""
        try:
            waiting = self._items.inbox(event.agent).messages
        except CabinetError:
            return None
        return next((each for each in waiting if each.id == event.message_id), None)

    async def _start_all(
        self, wanted: Callable[[PlayStanding], AnyTrigger | None], happening: Happening, of: str | None
    ) -> None:
        """`of`: the agent that it happened to. Plays of people who may not see it are not told."""
        kind = OnComplete if happening.kind == "run" else AgentMessage
        for standing in await self._playbook.find(which=lambda file: _waits(file, kind)):
            trigger = wanted(standing)
            if trigger is not None and await self._may_be_told(standing, of):
                key = triggers.key_of(trigger)
                try:
                    await self._starter.start(standing.slug, msgspec.structs.replace(happening, trigger=key))
                except FINAL:
                    continue  # the reason is on record, or it was started before a crash

    async def _may_be_told(self, standing: PlayStanding, of: str | None) -> bool:
        carrier = standing.carrier
        return carrier is None or of is None or await self._playbook.roster.may_learn(carrier.slug, of)


def triggers_of(file: PlayFile) -> tuple[AnyTrigger, ...]:
    """None for a play that is disabled because of an error."""
    return file.play.triggers if file.play else ()


def _waits(file: PlayFile, kind: type[OnComplete] | type[AgentMessage]) -> bool:
    return any(isinstance(each, kind) for each in triggers_of(file))
