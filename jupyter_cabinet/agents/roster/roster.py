"""Agents as they may act now: their files, what a person has confirmed of them, and what the server knows.

Files are the truth: each call sees them as they are now. Called by the kinds of runs, `heartbeat_schedule.py` and
`service.py`.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection

from ...core.clock import Clock
from ...core.errors import NotFound, OutOfService, Refused
from ...core.events import Scope
from ...core.people import OWNER, Principal, Visibility, may_see, owns
from ...runtimes.registry import Runtimes
from ...schedules.hours import ActiveHours
from ...schedules.rules import Schedule
from ...storage.commits import Commits, ScopedEvent
from ...storage.database import Database
from ...trust.service import Trust
from .. import store
from ..directives.answer_block import Directive, MessageTo, TaskCreate
from ..files.agent_folders import AgentFolders
from ..files.agent_reader import AgentFiles
from ..files.archive_names import PutAwayAgent
from ..files.persona import Persona
from ..files.persona_fields import FieldError, wrong_fields
from ..model import AgentChanged, AgentEvent, AgentRecord
from ..run_kinds.play_notices import follow_ups
from ..settings import AgentSettings
from .announced_versions import Announced
from .assessment import Assessments
from .timing import read_timing, runtime_errors

UNCONFIRMED = "Its files have changed since they were last confirmed. Review the changes, then confirm it."
TRUST_KIND = "agent"
PUT_AWAY_KIND = "put-away-agent"  # by the name under which it was put away


class RosterEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One agent and whether it may act."""

    files: AgentFiles
    record: AgentRecord
    errors: tuple[FieldError, ...] = ()  # of its files, its runtime and its schedule
    powers: Mapping[str, Any] = {}  # in canonical form
    hash: str = ""  # of them; empty where the files cannot be read
    confirmed: bool = False
    schedule: Schedule | None = None
    hours: ActiveHours | None = None

    @property
    def slug(self) -> str:
        """Its name as a folder has it."""
        return self.files.slug

    @property
    def obstacle(self) -> str:
        """Why it may start nothing, in a sentence; empty: it may."""
        if self.errors:
            return " ".join(error.message for error in self.errors)
        if not self.confirmed:
            return UNCONFIRMED
        return f"It is paused. {self.record.paused_because}".strip() if self.record.paused else ""

    @property
    def persona(self) -> Persona:
        """Of an agent in service. Raises `OutOfService` for another."""
        if self.files.persona is None or self.errors:
            raise OutOfService(self.obstacle)
        return self.files.persona

    def require(self) -> Persona:
        """The persona of an agent that may act now. Raises `OutOfService` with the reason."""
        if self.obstacle:
            raise OutOfService(self.obstacle)
        return self.persona

    @property
    def scope(self) -> Scope:
        """Who may learn of it."""
        return Scope(owner=self.record.owner, visibility=self.record.visibility)

    def is_visible_to(self, principal: Principal) -> bool:
        """Whether this person may learn of it."""
        return may_see(principal, self.record.owner, self.record.visibility)


class Roster:
    """Every agent of the root."""

    def __init__(
        self,
        *,
        folders: AgentFolders,
        database: Database,
        commits: Commits,
        trust: Trust,
        runtimes: Runtimes,
        clock: Clock,
        settings: AgentSettings,
    ) -> None:
        self.folders = folders
        self.clock = clock
        self.settings = settings
        self.trust = trust
        self.announced: Announced[Hashable] = Announced()
        self._database = database
        self._commits = commits
        self._runtimes = runtimes
        self._assessments = Assessments(runtimes, default_zone=settings.time_zone)

    async def slugs(self) -> tuple[str, ...]:
        """Of all agents, in service or not."""
        return await asyncio.to_thread(self.folders.slugs)

    async def get(self, slug: str, principal: Principal | None = None) -> RosterEntry:
        """One agent as it is now. Raises `NotFound`, also for one that is not the caller's to see."""
        files = await asyncio.to_thread(self.folders.read, slug)
        record = await self._database.read(lambda c: store.load(c, slug)) or new_record(slug)
        if principal is not None and not may_see(principal, record.owner, record.visibility):
            raise NotFound("There is no such agent.")
        return self._standing(files, record, await self.trust.confirmed_hashes(TRUST_KIND))

    async def find(self, principal: Principal | None = None) -> list[RosterEntry]:
        """All that the caller may see, by slug. Unreadable ones are left out and logged."""
        records = await self._database.read(store.load_all)
        confirmed = await self.trust.confirmed_hashes(TRUST_KIND)
        found = await asyncio.to_thread(self.folders.read_all)
        self._assessments.keep_only({files.slug for files in found})
        standings = (
            self._standing(files, records.get(files.slug) or new_record(files.slug), confirmed) for files in found
        )
        return [each for each in standings if principal is None or each.is_visible_to(principal)]

    async def names(self, principal: Principal) -> dict[str, str]:
        """How people call the agents that the caller may see, by slug; also those of the caller's that were put away.
        An agent that is there goes before one with the same slug that is not."""
        gone = [
            *await self.owned_of_put_away(self.folders.trashed, principal),
            *await self.owned_of_put_away(self.folders.archived, principal),
        ]
        there = await self.find(principal)
        return {each.slug: each.agent_name for each in gone} | {each.slug: each.files.name for each in there}

    async def owned_of_put_away(
        self, listed: Callable[[], tuple[PutAwayAgent, ...]], principal: Principal
    ) -> tuple[PutAwayAgent, ...]:
        """The caller's agents among those that were archived or deleted. `listed`: reads them; it blocks."""
        agents = await asyncio.to_thread(listed)
        owners = [(await self.record_of_put_away(each.name)).owner for each in agents]
        return tuple(each for each, owner in zip(agents, owners, strict=True) if owns(principal, owner))

    async def reachable(self, slug: str) -> list[RosterEntry]:
        """The other agents that an agent may write to: those that its owner may see."""
        return [each for each in await self.find(await self._owner_of(slug)) if each.slug != slug]

    async def must_reach(self, slug: str, directive: Directive) -> None:
        """Raise `Refused` where a directive of an agent goes to one that its owner may not see."""
        if not isinstance(directive, MessageTo | TaskCreate) or directive.agent == slug:
            return
        if not await self.may_learn(slug, directive.agent):
            raise Refused(f"There is no agent “{directive.agent}”.")

    async def may_learn(self, slug: str, other: str) -> bool:
        """Whether the owner of one agent may see the other."""
        owner, scope = await self._owner_of(slug), await self.scope_of(other)
        return may_see(owner, scope.owner, scope.visibility)

    async def _owner_of(self, slug: str) -> Principal:
        """Without any right but their own, whoever may see the agent."""
        owner = (await self.scope_of(slug)).owner
        return Principal(username=owner, display_name=owner, origin="agent")

    async def change(
        self,
        slug: str,
        change: Callable[[AgentRecord], AgentRecord],
        event: Callable[[AgentRecord, AgentRecord], AgentEvent | None] = lambda before, after: None,
    ) -> AgentRecord:
        """Change what the server knows of an agent, and announce it. `event`: of before and after; none if both are
        alike."""

        def work(connection: Connection) -> tuple[AgentRecord, AgentRecord]:
            before = store.load(connection, slug) or new_record(slug)
            after = change(before)
            if after != before:
                store.save(connection, after)
            return before, after

        def told(changed: tuple[AgentRecord, AgentRecord]) -> list[ScopedEvent]:
            before, after = changed
            if before == after:
                return []
            scope = Scope(owner=after.owner, visibility=after.visibility)
            return [ScopedEvent(event(before, after) or AgentChanged(agent=slug), scope)]

        return (await self._commits.commit(work, told))[1]

    async def forget(self, slug: str, event: AgentEvent, *, kept_as: str | None = None) -> None:
        """The agent is gone. `kept_as`: under which name its files were put away; what is known and what was confirmed
        of it is kept under that name."""
        scope = await self.scope_of(slug)
        self.announced.put(slug, None)

        def work(connection: Connection) -> None:
            before = store.load(connection, slug) or new_record(slug)
            store.forget(connection, slug)
            if kept_as is not None:
                store.save(connection, msgspec.structs.replace(before, id=_put_away(kept_as), session_id=None))

        await self._commits.commit(work, lambda _: [ScopedEvent(event, scope)])
        if kept_as is None:
            await self.trust.forget(f"{TRUST_KIND}/{slug}")
        else:
            await self.trust.move(f"{TRUST_KIND}/{slug}", f"{PUT_AWAY_KIND}/{kept_as}")

    async def record_of_put_away(self, name: str) -> AgentRecord:
        """What is known of an agent that was put away; one that nobody knows is private."""
        found = await self._database.read(lambda c: store.load(c, _put_away(name)))
        return found or new_record(_put_away(name), visibility="private")

    async def bring_back(self, name: str, slug: str, *, confirmed: bool) -> None:
        """An agent that was put away is there again, paused if it was. `confirmed`: what a person had confirmed of it
        holds again, if its files are as they were then."""
        record = await self.record_of_put_away(name)
        await self.change(slug, lambda _: msgspec.structs.replace(record, id=slug))
        await self._commits.commit(lambda c: store.forget(c, record.id))
        if confirmed:
            await self.trust.move(f"{PUT_AWAY_KIND}/{name}", f"{TRUST_KIND}/{slug}")
        else:
            await self.trust.forget(f"{PUT_AWAY_KIND}/{name}")

    async def scope_of(self, slug: str) -> Scope:
        """Who may learn of an agent."""
        record = await self._database.read(lambda c: store.load(c, slug)) or new_record(slug)
        return Scope(owner=record.owner, visibility=record.visibility)

    async def tell(self, event: AgentEvent) -> None:
        """Put an event of an agent on record."""
        scope = await self.scope_of(event.agent)
        await self._commits.commit(lambda c: None, lambda _: [ScopedEvent(event, scope)], lambda _: follow_ups([event]))

    async def changed(self, files: AgentFiles) -> None:
        """Tell that an agent's files are different."""
        self.announced.put(files.slug, files.version)
        await self.tell(AgentChanged(agent=files.slug))

    async def confirm(self, standing: RosterEntry, principal: Principal) -> None:
        """Record that a person has confirmed the agent in this state."""
        content = msgspec.json.encode(standing.powers)
        await self.trust.confirm_version(f"{TRUST_KIND}/{standing.slug}", standing.hash, content, principal)

    async def confirmed_powers(self, slug: str) -> dict[str, Any]:
        """In canonical form, as last confirmed; empty: never."""
        content = await self.trust.confirmed_content(f"{TRUST_KIND}/{slug}")
        return {} if content is None else msgspec.json.decode(content, type=dict)

    def require_usable(self, persona: Persona, *, before: Persona | None = None) -> None:
        """Raise `Invalid` if its schedule, its hours or its runtime cannot be used here.

        `before`: the persona that is replaced. Values that are wrong there and unchanged are accepted, so that other
        fields can be saved before they are fixed.
        """
        timing = read_timing(persona, default_zone=self.settings.time_zone)
        errors = [
            error
            for error in (*timing.errors, *runtime_errors(persona, self._runtimes))
            if before is None or getattr(persona, error.field) != getattr(before, error.field)
        ]
        if errors:
            raise wrong_fields(errors)

    def _standing(self, files: AgentFiles, record: AgentRecord, confirmed: Mapping[str, str] | None) -> RosterEntry:
        """`confirmed`: hashes by slug; None: everything is."""
        known = self._assessments.of(files)
        return RosterEntry(
            files=files,
            record=record,
            errors=known.errors,
            powers=known.powers,
            hash=known.hash,
            confirmed=bool(known.hash) and (confirmed is None or confirmed.get(files.slug) == known.hash),
            schedule=known.timing.schedule,
            hours=known.timing.hours,
        )


def _put_away(name: str) -> str:
    """The id of the record; no agent can have it as its slug."""
    return f".{hashlib.sha256(name.encode()).hexdigest()[:60]}"


def new_record(slug: str, *, owner: str = OWNER, visibility: Visibility = "server") -> AgentRecord:
    """Of an agent that somebody has put into the folder by hand."""
    return AgentRecord(id=slug, owner=owner, visibility=visibility)
