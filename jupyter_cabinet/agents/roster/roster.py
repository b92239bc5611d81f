"""The agents in their current state: their files, what a person has confirmed, and the server's records.

Files are read on every call. Called by the kinds of runs, `heartbeat_schedule.py` and `service.py`.
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
from ..directives.answer_block import Directive, MessageTo, Post, TaskCreate
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

CHANGED = "Its files have changed since they were last confirmed. Review the changes, then confirm it."
NEVER_CONFIRMED = "It has not been confirmed yet. Review what it may do, then confirm it."
TRUST_KIND = "agent"
PUT_AWAY_KIND = "put-away-agent"  # archived or deleted; the key is its name there


class RosterEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One agent and whether it may act."""

    files: AgentFiles
    record: AgentRecord
    errors: tuple[FieldError, ...] = ()  # errors of its files, its runtime and its schedule
    powers: Mapping[str, Any] = {}  # in canonical form
    hash: str = ""  # hash of the powers; empty if the files cannot be read
    confirmed: bool = False
    ever_confirmed: bool = False  # an earlier version was, or this one is
    schedule: Schedule | None = None
    hours: ActiveHours | None = None

    @property
    def slug(self) -> str:
        """The agent's slug, which is also the name of its folder."""
        return self.files.slug

    @property
    def obstacle(self) -> str:
        """Why the agent may start no runs, in a sentence; empty if it may.

        That is so if it has errors, is not confirmed, or is paused.
        """
        if self.errors:
            return " ".join(error.message for error in self.errors)
        if not self.confirmed:
            return self.unconfirmed
        return f"It is paused. {self.record.paused_because}".strip() if self.record.paused else ""

    @property
    def unconfirmed(self) -> str:
        """Why a person has to confirm the agent, in a sentence; empty if it is confirmed."""
        if self.confirmed:
            return ""
        return CHANGED if self.ever_confirmed else NEVER_CONFIRMED

    @property
    def persona(self) -> Persona:
        """The persona of an agent without errors, whether it may act or not. Raises `OutOfService` if it has errors."""
        if self.files.persona is None or self.errors:
            raise OutOfService(self.obstacle)
        return self.files.persona

    def require(self) -> Persona:
        """Return the persona of an agent that may act now: it has no errors, is confirmed and not paused.

        Whether the persona says that it is active is not considered. Raises `OutOfService` with the reason.
        """
        if self.obstacle:
            raise OutOfService(self.obstacle)
        return self.persona

    @property
    def scope(self) -> Scope:
        """Who may see events of the agent."""
        return Scope(owner=self.record.owner, visibility=self.record.visibility)

    def is_visible_to(self, principal: Principal) -> bool:
        """Return whether this person may see the agent."""
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
        """Return the slugs of all agents, also of those with errors."""
        return await asyncio.to_thread(self.folders.slugs)

    async def get(self, slug: str, principal: Principal | None = None) -> RosterEntry:
        """Return one agent as it is now, also one with errors. Raises `NotFound`, also if the caller may not see it.

        `principal`: None: no restriction.
        """
        files = await asyncio.to_thread(self.folders.read, slug)
        record = await self._database.read(lambda c: store.load(c, slug)) or new_record(slug)
        if principal is not None and not may_see(principal, record.owner, record.visibility):
            raise NotFound("There is no such agent.")
        return self._entry(files, record, await self.trust.confirmed_hashes(TRUST_KIND))

    async def find(self, principal: Principal | None = None) -> list[RosterEntry]:
        """Return all agents that the caller may see, by slug, also those with errors. `principal` None: all agents."""
        records = await self._database.read(store.load_all)
        confirmed = await self.trust.confirmed_hashes(TRUST_KIND)
        found = await asyncio.to_thread(self.folders.read_all)
        self._assessments.keep_only({files.slug for files in found})
        entries = (self._entry(files, records.get(files.slug) or new_record(files.slug), confirmed) for files in found)
        return [each for each in entries if principal is None or each.is_visible_to(principal)]

    async def names(self, principal: Principal) -> dict[str, str]:
        """Return the display names of the agents that the caller may see, by slug.

        The caller's archived and deleted agents are included; an existing agent with the same slug takes precedence.
        """
        gone = [
            *await self.owned_of_put_away(self.folders.trashed, principal),
            *await self.owned_of_put_away(self.folders.archived, principal),
        ]
        there = await self.find(principal)
        return {each.slug: each.agent_name for each in gone} | {each.slug: each.files.name for each in there}

    async def owned_of_put_away(
        self, listed: Callable[[], tuple[PutAwayAgent, ...]], principal: Principal
    ) -> tuple[PutAwayAgent, ...]:
        """Return the caller's agents among the archived or deleted ones; for an administrator, all of them.

        `listed`: reads these; it blocks.
        """
        agents = await asyncio.to_thread(listed)
        owners = [(await self.record_of_put_away(each.name)).owner for each in agents]
        return tuple(each for each, owner in zip(agents, owners, strict=True) if owns(principal, owner))

    async def reachable(self, slug: str) -> list[RosterEntry]:
        """Return the other agents that an agent may write to: those that its owner may see.

        They are sorted by slug, and include agents with errors.
        """
        return [each for each in await self.find(await self._owner_of(slug)) if each.slug != slug]

    async def must_reach(self, slug: str, directive: Directive) -> None:
        """Raise `Refused` if a directive goes to an agent that the owner of the sender may not see.

        Raises it also for a post while the sender is not confirmed. Other directives are always allowed. Whether the
        recipient exists is not checked. Raises `NotFound` for a post of an agent that does not exist.
        """
        if isinstance(directive, Post) and (reason := (await self.get(slug)).unconfirmed):
            raise Refused(f"This agent may not post. {reason}")
        if not isinstance(directive, MessageTo | TaskCreate) or directive.agent == slug:
            return
        if not await self.may_learn(slug, directive.agent):
            raise Refused(f"There is no agent “{directive.agent}”.")

    async def may_learn(self, slug: str, other: str) -> bool:
        """Return whether the owner of one agent may see the other agent. Whether the agents exist is not checked."""
        owner, scope = await self._owner_of(slug), await self.scope_of(other)
        return may_see(owner, scope.owner, scope.visibility)

    async def _owner_of(self, slug: str) -> Principal:
        """Return the agent's owner as a principal, with no permissions beyond the owner's."""
        owner = (await self.scope_of(slug)).owner
        return Principal(username=owner, display_name=owner, origin="agent")

    async def change(
        self,
        slug: str,
        change: Callable[[AgentRecord], AgentRecord],
        event: Callable[[AgentRecord, AgentRecord], AgentEvent | None] = lambda before, after: None,
    ) -> AgentRecord:
        """Change the server's record of an agent, announce the change, and return the new record.

        An agent without a record gets one; that the agent exists is not checked. `event`: makes the event from the
        records before and after; if it returns None, `AgentChanged` is announced. An unchanged record is not announced.
        """

        def work(connection: Connection) -> tuple[AgentRecord, AgentRecord]:
            before = store.load(connection, slug) or new_record(slug)
            after = change(before)
            if after != before:
                store.save(connection, after)
            return before, after

        def events(changed: tuple[AgentRecord, AgentRecord]) -> list[ScopedEvent]:
            before, after = changed
            if before == after:
                return []
            scope = Scope(owner=after.owner, visibility=after.visibility)
            return [ScopedEvent(event(before, after) or AgentChanged(agent=slug), scope)]

        return (await self._commits.commit(work, events))[1]

    async def forget(self, slug: str, event: AgentEvent, *, kept_as: str | None = None) -> None:
        """Remove the record and the confirmation of an agent, and announce `event`. Its files are not touched.

        `kept_as`: the name under which its files were archived or deleted; record and confirmation are kept under it.
        """
        scope = await self.scope_of(slug)
        self.announced.put(slug, None)

        def work(connection: Connection) -> None:
            before = store.load(connection, slug) or new_record(slug)
            store.forget(connection, slug)
            if kept_as is not None:
                store.save(connection, msgspec.structs.replace(before, id=_put_away(kept_as), session_id=None))

        await self._commits.commit(work, lambda _: [ScopedEvent(event, scope)])
        if kept_as is None:
            await self.forget_confirmation(slug)
        else:
            await self.trust.move(f"{TRUST_KIND}/{slug}", f"{PUT_AWAY_KIND}/{kept_as}")

    async def forget_confirmation(self, slug: str) -> None:
        """Remove what a person has confirmed about an agent of this name, so that a new one must be confirmed."""
        await self.trust.forget(f"{TRUST_KIND}/{slug}")

    async def record_of_put_away(self, name: str) -> AgentRecord:
        """Return the record of an archived or deleted agent. Without a stored record, the agent is private.

        Whether there is such an agent is not checked.
        """
        found = await self._database.read(lambda c: store.load(c, _put_away(name)))
        return found or new_record(_put_away(name), visibility="private")

    async def bring_back(self, name: str, slug: str, *, confirmed: bool) -> None:
        """Restore the record of an archived or deleted agent, which stays paused if it was, and announce the agent.

        `confirmed`: its confirmation is restored too, and is valid if the files have not changed since; else it is
        deleted. The files are not touched.
        """
        record = await self.record_of_put_away(name)
        await self.change(slug, lambda _: msgspec.structs.replace(record, id=slug))
        await self._commits.commit(lambda c: store.forget(c, record.id))
        if confirmed:
            await self.trust.move(f"{PUT_AWAY_KIND}/{name}", f"{TRUST_KIND}/{slug}")
        else:
            await self.trust.forget(f"{PUT_AWAY_KIND}/{name}")

    async def scope_of(self, slug: str) -> Scope:
        """Return who may see events of an agent. For one without a record, that is everybody on this server."""
        record = await self._database.read(lambda c: store.load(c, slug)) or new_record(slug)
        return Scope(owner=record.owner, visibility=record.visibility)

    async def tell(self, event: AgentEvent, scope: Scope | None = None) -> None:
        """Store and announce an event of an agent, with a notice to the plays that it may start.

        `scope`: who may see it; None: whoever may see the agent.
        """
        scope = scope or await self.scope_of(event.agent)
        await self._commits.commit(lambda c: None, lambda _: [ScopedEvent(event, scope)], lambda _: follow_ups([event]))

    async def changed(self, files: AgentFiles) -> None:
        """Announce that an agent's files have changed."""
        self.announced.put(files.slug, files.version)
        await self.tell(AgentChanged(agent=files.slug))

    async def confirm(self, entry: RosterEntry, principal: Principal) -> None:
        """Record that a person has confirmed this version of the agent. Raises `NotAllowed` outside a browser.

        Whether the person owns the agent is not checked, and nothing is announced.
        """
        content = msgspec.json.encode(entry.powers)
        await self.trust.confirm_version(f"{TRUST_KIND}/{entry.slug}", entry.hash, content, principal)

    async def confirmed_powers(self, slug: str) -> dict[str, Any]:
        """Return the powers in canonical form as last confirmed; empty if the agent was never confirmed."""
        content = await self.trust.confirmed_content(f"{TRUST_KIND}/{slug}")
        return {} if content is None else msgspec.json.decode(content, type=dict)

    def require_usable(self, persona: Persona, *, before: Persona | None = None) -> None:
        """Raise `Invalid` if the schedule, the active hours or the runtime of a persona cannot be used here.

        `before`: the persona that is replaced. Wrong values that stay unchanged are accepted, so that other fields can
        be saved before these are fixed.
        """
        timing = read_timing(persona, default_zone=self.settings.time_zone)
        errors = [
            error
            for error in (*timing.errors, *runtime_errors(persona, self._runtimes))
            if before is None or getattr(persona, error.field) != getattr(before, error.field)
        ]
        if errors:
            raise wrong_fields(errors)

    def _entry(self, files: AgentFiles, record: AgentRecord, confirmed: Mapping[str, str] | None) -> RosterEntry:
        """Build the entry of an agent. `confirmed`: confirmed hashes by slug; None: every version is confirmed."""
        known = self._assessments.of(files)
        return RosterEntry(
            files=files,
            record=record,
            errors=known.errors,
            powers=known.powers,
            hash=known.hash,
            confirmed=bool(known.hash) and (confirmed is None or confirmed.get(files.slug) == known.hash),
            ever_confirmed=confirmed is None or files.slug in confirmed,
            schedule=known.timing.schedule,
            hours=known.timing.hours,
        )


def _put_away(name: str) -> str:
    """Return the id of the record of an archived or deleted agent. No slug can be equal to it."""
    return f".{hashlib.sha256(name.encode()).hexdigest()[:60]}"


def new_record(slug: str, *, owner: str = OWNER, visibility: Visibility = "server") -> AgentRecord:
    """Return the record of an agent that has none, for example because its files were created by hand."""
    return AgentRecord(id=slug, owner=owner, visibility=visibility)
