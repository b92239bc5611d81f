"""Builds an agent's prompt, for a heartbeat or a talk, from the files as they are now.

Called by the kinds of runs when a run starts, and to show people the prompt that an agent would receive.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ...core.errors import CabinetError
from ..correspondence.mailbox import AgentItems
from ..correspondence.messages import Message
from ..correspondence.tasks import Task
from ..directives.answer_block import template
from ..directives.effects.doer import DirectiveDoer
from ..directives.effects.model import KnownAgent
from ..files import powers
from ..files.file_versions import PROTOCOL
from ..files.persona import Persona
from ..goals.progress import GoalState, label
from ..roster.roster import Roster, RosterEntry
from ..run_kinds.run_terms import zone_of
from ..settings import AgentSettings
from .checks import due_checks
from .gathering import FromElsewhere, gather
from .heartbeat_prompt import Assembled, Gathered, PromptMessage, PromptTask, assemble

SHARED_KIND = "shared-file"  # of what is confirmed; the name is that of the file
PERSON = "person:"  # prefix of the origin of a message that a person of this server wrote


class Briefing:
    """Reads everything that a prompt contains."""

    def __init__(
        self,
        *,
        root: Path,
        roster: Roster,
        items: AgentItems,
        doer: DirectiveDoer,
        confirmed_plays: Callable[[], Awaitable[Mapping[str, str] | None]],
    ) -> None:
        """`confirmed_plays`: returns the hashes of confirmed versions of plays, by slug; None: all are confirmed."""
        self._confirmed_plays = confirmed_plays
        self._root = root
        self._roster = roster
        self._items = items
        self._doer = doer

    async def heartbeat(self, entry: RosterEntry) -> tuple[Assembled, str, tuple[str, ...]]:
        """Return the prompt of a heartbeat that would start now, its nonce, and its checks.

        The nonce marks text from outside in the prompt. The checks are the names of those that it contains. Nothing is
        marked as read or received. Raises as `gathered`.
        """
        nonce = secrets.token_hex(8)
        gathered = await self.gathered(entry)
        return assemble(gathered, nonce=nonce, template=template), nonce, gathered.checks

    async def gathered(self, entry: RosterEntry) -> Gathered:
        """Return everything that a prompt contains, before it is cut to size.

        Parts that cannot be read are left out and named in `warnings`. Raises `Malformed` or `OutOfService` if the
        agent has an error. Whether it is confirmed is not checked.
        """
        recipients = await self._recipients(entry.slug)
        plays = await self._confirmed_plays()
        rules = await self._roster.trust.confirmed_hashes(SHARED_KIND)
        protocol_hash = None if rules is None else rules.get(PROTOCOL, "")
        return await asyncio.to_thread(self._gather, entry, recipients, plays, protocol_hash)

    async def chain_of(self, slug: str, message_ids: Collection[str]) -> tuple[str, ...]:
        """Return the longest chain of agents that led to one of these messages; empty if none of them is in the inbox.

        The run's effects continue this chain.
        """
        inbox = await asyncio.to_thread(self._items.inbox, slug)
        chains = [message.chain for message in inbox.messages if message.id in message_ids]
        return max(chains, key=len, default=())

    async def _recipients(self, slug: str) -> list[str]:
        entries = await self._roster.reachable(slug)
        return [each.slug for each in entries if not each.errors and each.confirmed]

    def _gather(
        self, entry: RosterEntry, recipients: list[str], plays: Mapping[str, str] | None, protocol_hash: str | None
    ) -> Gathered:
        slug, now = entry.slug, self._roster.clock.now()
        inbox, tasks = self._items.inbox(slug), self._items.open_tasks(slug)
        goals, problems = self._goals(entry, now)
        known = set(self._roster.folders.slugs())
        more = FromElsewhere(
            messages=[_message(each, known) for each in inbox.messages],
            more_messages=inbox.more,
            tasks=[_task(each) for each in tasks.tasks],
            goals=goals,
            recipients=recipients,
        )

        def confirmed(play: str, fields: Mapping[str, Any], body: str) -> bool:
            owner = entry.record.owner
            return plays is None or plays.get(play) == powers.hash_of(powers.play_powers(fields, body, owner=owner))

        gathered = gather(
            self._root,
            self._roster.folders,
            entry.files,
            more=more,
            play_is_confirmed=confirmed,
            protocol_hash=protocol_hash,
        )
        checklist, checks = due_checks(gathered.checklist, entry.record.checks, now)
        gathered = msgspec.structs.replace(gathered, checklist=checklist, checks=checks)
        warnings = (*gathered.warnings, *inbox.problems, *tasks.problems, *problems)
        return _with_warnings(gathered, warnings)

    def _goals(self, entry: RosterEntry, now: datetime) -> tuple[list[str], list[str]]:
        zone = zone_of(entry.persona, self._roster.settings)
        try:
            goals = self._doer.goals(entry.slug, now=now).goals.values()
        except CabinetError as error:
            return [], [error.message]
        units = {goal.metric: goal.unit for goal in entry.persona.goals}
        return [_goal_line(goal, units.get(goal.metric, ""), label(goal, now=now, zone=zone)) for goal in goals], []


def known_agent(roster: Roster, slug: str) -> KnownAgent | None:
    """Return the properties of an agent that effects need; None if it does not exist or its persona has an error.

    Blocks.
    """
    try:
        persona = roster.folders.read(slug).persona
    except CabinetError:
        return None
    return None if persona is None else as_known(persona, roster.settings)


def as_known(persona: Persona, settings: AgentSettings) -> KnownAgent:
    """Return what effects need of a persona: its goals, the time zone of their periods, and where it may post."""
    names = tuple(name.lower() for name in persona.channels)
    return KnownAgent(goals=persona.goals, zone=zone_of(persona, settings), channels=names)


def is_foreign(message: Message, known: set[str]) -> bool:
    """Return whether a message comes from outside.

    A message comes from inside if a person of this server wrote it, or an agent of this root in an untainted run.
    """
    if message.origin.startswith(PERSON):
        return False
    return message.tainted or message.sender not in known


def _message(message: Message, known: set[str]) -> PromptMessage:
    return PromptMessage(
        id=message.id,
        sender=message.sender,
        timestamp=message.timestamp,
        body=message.body,
        foreign=is_foreign(message, known),
    )


def _task(task: Task) -> PromptTask:
    return PromptTask(
        id=task.id,
        title=task.title,
        description=task.description,
        status=task.status,
        priority=task.priority,
        sender=task.from_agent,
        foreign=task.tainted,
    )


def _goal_line(goal: GoalState, unit: str, shown: str | None) -> str:
    target = f" of {goal.target}" if goal.target is not None else ""
    state = f", {shown}" if shown else ""
    return f"{goal.metric}: {goal.current}{target} {unit}".rstrip() + f" since {goal.period.first.isoformat()}{state}"


def _with_warnings(gathered: Gathered, warnings: tuple[str, ...]) -> Gathered:
    return msgspec.structs.replace(gathered, warnings=warnings)
