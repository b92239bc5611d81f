"""The room's service: agents as people see, create, change, pause and run them.

Files are read on every call. Everyone who may see an agent may run it; only its owner may change it. If an agent was
confirmed, a change that its owner saves in a browser is confirmed by saving. If another person has written something
else to the files in the meantime, the agent needs confirmation again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ..core.errors import Invalid, NotFound
from ..core.people import Principal, Visibility, owns
from ..runs.model import Run
from ..schedules.scheduler import Scheduler
from .agent_memory import AgentMemory
from .files import powers
from .files.archive_names import PutAwayAgent, agent_named
from .files.arrivals import Beside
from .files.safe_files import PERSONA, AgentFile, FileInfo
from .model import (
    AgentChanged,
    AgentDetail,
    AgentPaused,
    AgentRemoved,
    AgentResumed,
    AgentView,
    GoalView,
    NewHeartbeat,
)
from .prompts.briefing import Briefing
from .prompts.heartbeat_prompt import Assembled
from .roster.agent_views import AgentViews
from .roster.heartbeat_schedule import Heartbeats
from .roster.owner_names import add_missing_names, record_of
from .roster.roster import Roster, RosterEntry
from .run_kinds import failure_streak
from .run_kinds.agent_runs import AgentRuns, must_own
from .templates import Template, templates

if TYPE_CHECKING:
    from ..runs.service import Runs

NEEDS_CONFIRMATION = (
    "This agent needs confirmation: no heartbeat starts before a person has reviewed and confirmed its changes."
)


class Agents:
    """Every agent of the root. Call `begin` first."""

    def __init__(
        self,
        *,
        roster: Roster,
        runs: AgentRuns,
        briefing: Briefing,
        views: AgentViews,
        heartbeats: Heartbeats,
        scheduler: Scheduler,
        memory: AgentMemory,
    ) -> None:
        self.roster = roster
        self._memory = memory
        self._agent_runs = runs
        self._briefing = briefing
        self._views = views
        self._heartbeats = heartbeats
        self._scheduler = scheduler
        self._runs: Runs | None = None
        # called with the slug of an agent that was renamed, archived or deleted
        self.forgetters: list[Callable[[str], Awaitable[None]]] = []

    async def begin(self, runs: Runs) -> None:
        """Accept runs from now on, so that heartbeats can start."""
        self._runs = runs
        self._heartbeats.begin(runs)
        entries = await self._heartbeats.follow()
        self.roster.announced.changed({entry.slug: entry.files.version for entry in entries})

    async def follow(self) -> None:
        """Update the schedules from the files, and announce changes that were made by hand since the last call.

        What is kept outside the folder of an agent that was removed by hand is deleted.
        """
        entries = await self._heartbeats.follow()
        changed = self.roster.announced.changed({entry.slug: entry.files.version for entry in entries})
        for slug, version in changed.items():
            await self.roster.tell(AgentRemoved(agent=slug) if version is None else AgentChanged(agent=slug))
            if version is None:
                await self._forget_elsewhere(slug)

    # --- reading -----------------------------------------------------------------------------

    async def find(self, principal: Principal) -> list[AgentView]:
        """Return all agents that the caller may see, in the natural order of their names, also those with errors.

        It also updates the schedules from the files.
        """
        entries = await self._heartbeats.follow()  # a person may have changed files by hand
        visible = [entry for entry in entries if entry.is_visible_to(principal)]
        return await self._views.rows(await add_missing_names(self.roster, visible, principal), principal)

    def next_heartbeat(self, slug: str) -> datetime | None:
        """Return when the agent's schedule fires next, in UTC.

        None if nothing is scheduled, or if the schedule is not stored yet.
        """
        return self._views.next_heartbeat(slug)

    def is_anything_scheduled(self) -> bool:
        """Return whether a heartbeat or a play will start on a schedule."""
        return self._scheduler.is_anything_coming()

    async def get(self, slug: str, principal: Principal) -> AgentDetail:
        """Return one agent with its permissions and how they differ from the confirmed version.

        Raises `NotFound`, also if the caller may not see the agent.
        """
        entry = await self.roster.get(slug, principal)
        (named,) = await add_missing_names(self.roster, [entry], principal)
        return await self._views.detail(named, principal)

    async def problems(self) -> tuple[str, ...]:
        """Return a sentence for each file or folder that looks like an agent but is not one."""
        return await asyncio.to_thread(self.roster.folders.problems)

    async def archived(self, principal: Principal) -> tuple[PutAwayAgent, ...]:
        """Return the caller's archived agents, by name; all of them for an administrator."""
        return await self.roster.owned_of_put_away(self.roster.folders.archived, principal)

    async def trashed(self, principal: Principal) -> tuple[PutAwayAgent, ...]:
        """Return the caller's deleted agents, by name; all of them for an administrator."""
        return await self.roster.owned_of_put_away(self.roster.folders.trashed, principal)

    def templates(self) -> tuple[Template, ...]:
        """Return the templates from which an agent can be created."""
        return templates()

    async def prompt(self, slug: str, principal: Principal) -> Assembled:
        """Return the prompt that a heartbeat would receive now. No run is started.

        `warnings` says if the agent needs confirmation first. Raises `NotFound`, and `OutOfService` if the agent has
        errors.
        """
        entry = await self.roster.get(slug, principal)
        _ = entry.persona  # raises if the agent has errors
        assembled = (await self._briefing.heartbeat(entry))[0]
        if entry.confirmed:
            return assembled
        return msgspec.structs.replace(assembled, warnings=(NEEDS_CONFIRMATION, *assembled.warnings))

    async def goals(self, slug: str, principal: Principal) -> list[GoalView]:
        """Return an agent's goals with their progress in the current period.

        Raises `NotFound`, `OutOfService`, `Malformed`.
        """
        return await asyncio.to_thread(self._views.goals, await self.roster.get(slug, principal))

    # --- changing ----------------------------------------------------------------------------

    async def create(
        self, slug: str, template: str, fields: Mapping[str, Any], principal: Principal, visibility: Visibility
    ) -> AgentDetail:
        """Create an agent from a template, and announce it; the caller owns it. In the browser it is confirmed at once.

        Raises `Invalid` for a slug or fields that are not valid, `NotFound` for an unknown template, `Conflict` if the
        slug is taken, and `OutsideRoot`, `NoRoom` or `Unavailable` if it cannot be written.
        """
        planned = await asyncio.to_thread(self.roster.folders.planned, slug, template, fields)
        self.roster.require_usable(planned)
        with self.roster.announced.saving(slug):
            await asyncio.to_thread(self.roster.folders.create, slug, template, fields)
            await self._forget_elsewhere(slug)  # of one of this name that was deleted by hand
            record = record_of(slug, principal, visibility)
            await self.roster.change(slug, lambda _: record)
            return await self._saved(slug, principal, may_confirm=True)

    async def duplicate(self, slug: str, new: str, name: str, principal: Principal) -> AgentDetail:
        """Create a private agent with the persona and the steering texts of another one; the caller owns it.

        Nothing else is copied. Plays in the persona stay with the original. Empty `name`: keep the name of the
        original. If the caller owns the original and it is confirmed, making a copy in a browser confirms the copy.
        Raises `NotFound`; `Conflict` if the slug is taken or the original was changed in this moment; `Invalid` for a
        slug or name that is not valid, and for an original with errors; `Malformed` for one that cannot be read;
        `NoRoom` or `Unavailable`.
        """
        before = await self.roster.get(slug, principal)
        may_confirm = before.confirmed and owns(principal, before.record.owner)
        values = {"plays": None} | ({"name": name.strip()} if name.strip() else {})
        folders, usable = self.roster.folders, self.roster.require_usable
        with self.roster.announced.saving(new):
            made = await asyncio.to_thread(folders.duplicate, before.files, new, values, check_persona=usable)
            record = record_of(new, principal, "private")
            await self.roster.change(new, lambda _: record)
            return await self._saved(new, principal, may_confirm=may_confirm, expected=(made.etag, before.files.texts))

    async def bring(
        self,
        slug: str,
        content: Mapping[str, bytes],
        beside: Sequence[Beside],
        principal: Principal,
        visibility: Visibility,
    ) -> AgentDetail:
        """Create an agent from files that come from elsewhere; the caller owns it, and it needs confirmation.

        `content`, `beside`: as `AgentFolders.bring` takes them, which also says what is raised. A confirmation of an
        earlier agent of this name is deleted.
        """
        await asyncio.to_thread(self.roster.folders.require_free, slug)
        await self.roster.forget_confirmation(slug)  # of one of this name that was deleted by hand
        with self.roster.announced.saving(slug):
            await asyncio.to_thread(self.roster.folders.bring, slug, content, beside)
            await self._forget_elsewhere(slug)
            record = record_of(slug, principal, visibility)
            await self.roster.change(slug, lambda _: record)
            return await self._saved(slug, principal, may_confirm=False)

    async def owned(self, slug: str, principal: Principal) -> RosterEntry:
        """Return an agent of the caller.

        Raises `NotFound`, `NotAllowed` unless the caller is its owner or an administrator.
        """
        entry = await self.roster.get(slug, principal)
        must_own(entry, principal)
        return entry

    async def save(
        self, slug: str, change: Mapping[str, Any] | str, etag: str | None, principal: Principal
    ) -> AgentDetail:
        """Change fields of the persona (None removes one), or replace its text, and announce it.

        An agent that was confirmed is confirmed again in the browser. `etag`: the version that the caller has seen;
        required for a text. Raises `NotFound`, `NotAllowed` unless the caller is its owner or an administrator,
        `Conflict` if the persona was changed in the meantime, `Malformed` for a text that cannot be read, `Invalid` for
        wrong fields and for a new schedule, active hours or a runtime that would disable the agent, and `OutsideRoot`,
        `NoRoom` or `Unavailable` if it cannot be written.
        """
        before = await self.owned(slug, principal)
        if not isinstance(change, str) and etag is None and before.confirmed:
            etag = before.files.etag
        folders, by = self.roster.folders, principal.display_name
        usable = partial(self.roster.require_usable, before=before.files.persona)
        with self.roster.announced.saving(slug):
            saved = await asyncio.to_thread(folders.save_persona, slug, change, etag, by=by, check_persona=usable)
            expected = (saved.etag, before.files.texts)
            return await self._saved(slug, principal, may_confirm=before.confirmed, expected=expected)

    async def write_file(
        self, slug: str, path: str, content: bytes, etag: str | None, principal: Principal, *, source: str = ""
    ) -> str:
        """Save one file of an agent, announce it, and return its new etag. Only its owner may do that.

        A confirmed agent is confirmed again in the browser. `source`: where the text comes from, for the kept versions;
        empty: the caller has written it. Raises as `AgentFolders.write_file` and `save`.
        """
        before = await self.owned(slug, principal)
        folders, by = self.roster.folders, f"{principal.display_name}, {source}" if source else principal.display_name
        usable = partial(self.roster.require_usable, before=before.files.persona)
        with self.roster.announced.saving(slug):
            new = await asyncio.to_thread(folders.write_file, slug, path, content, etag, by=by, check_persona=usable)
            steering_text = {path: content.decode(errors="replace")} if path in powers.STEERING_TEXTS else {}
            expected = (new if path == PERSONA else before.files.etag, before.files.texts | steering_text)
            await self._saved(slug, principal, may_confirm=before.confirmed, expected=expected)
            return new

    async def read_file(self, slug: str, path: str, principal: Principal) -> AgentFile:
        """Return one file of an agent, with its content as bytes. Everyone who may see the agent may read it.

        Raises `NotFound`, `OutsideRoot` or `Invalid` for a path that is not valid, and `Malformed` for a link, a folder
        or a file over 4 MiB.
        """
        await self.roster.get(slug, principal)
        return await asyncio.to_thread(self.roster.folders.read_file, slug, path)

    async def list_files(self, slug: str, principal: Principal) -> tuple[FileInfo, ...]:
        """Return the files of an agent, by path. Raises `NotFound`."""
        await self.roster.get(slug, principal)
        return await asyncio.to_thread(self.roster.folders.list_files, slug)

    async def confirm(self, slug: str, digest: str, principal: Principal) -> AgentDetail:
        """Record that the owner has confirmed the agent in its current version, and announce it.

        Raises `NotFound`, `NotAllowed` unless the owner or an administrator calls it in the browser, and `Invalid` if
        `digest` is not the hash of the current version, or if that cannot be read.
        """
        entry = await self.owned(slug, principal)
        if not entry.hash or digest != entry.hash:
            raise Invalid(
                "The agent was changed in the meantime. Review it again, then confirm it.",
                field="hash",
                hash=entry.hash,
            )
        await self.roster.confirm(entry, principal)
        await self.roster.changed(entry.files)
        await self._heartbeats.follow()
        return await self.get(slug, principal)

    async def pause(self, slug: str, principal: Principal, because: str = "") -> AgentDetail:
        """Pause an agent, and announce it: it starts no new runs until a person resumes it. Active runs continue.

        `because`: the reason; empty: a sentence with the caller's name. If it is paused already, nothing changes.
        Raises `NotFound`, and `NotAllowed` unless the caller is its owner or an administrator.
        """
        await self.owned(slug, principal)
        now, by = self.roster.clock.now(), principal.display_name
        reason = because.strip() or f"{by} has paused it."
        await self.roster.change(
            slug,
            lambda record: failure_streak.paused(record, because=reason, by=by, now=now),
            lambda before, after: AgentPaused(agent=slug, reason=reason, by=by),
        )
        return await self.get(slug, principal)

    async def resume(self, slug: str, principal: Principal) -> AgentDetail:
        """Allow a paused agent to start runs again, announce it, and reset its count of failed runs.

        Raises `NotFound`, and `NotAllowed` unless the caller is its owner or an administrator.
        """
        await self.owned(slug, principal)
        by = principal.display_name
        await self.roster.change(slug, failure_streak.resumed, lambda before, after: AgentResumed(agent=slug, by=by))
        return await self.get(slug, principal)

    async def rename(self, slug: str, new: str, principal: Principal) -> AgentDetail:
        """Give an agent another slug, and move its files along. Other agents and plays that name it are not changed.

        A confirmed agent stays confirmed only if that is done in the browser. Raises `NotFound`, `NotAllowed` unless
        the caller is its owner or an administrator, `Invalid` for an invalid slug, `Conflict` if the slug is taken or
        the agent has an active or queued run, and `NoRoom` or `Unavailable`.
        """
        before = await self._idle(slug, principal)
        with self.roster.announced.saving(slug, new):
            await asyncio.to_thread(self.roster.folders.rename, slug, new)
            await self.roster.change(new, lambda _: msgspec.structs.replace(before.record, id=new, session_id=None))
            await self._forget(slug, AgentRemoved(agent=slug, renamed_to=new))
            expected = (before.files.etag, before.files.texts)
            return await self._saved(new, principal, may_confirm=before.confirmed, expected=expected)

    async def archive(self, slug: str, principal: Principal) -> str:
        """Archive an agent, announce that it is gone, and return the name that `restore` takes.

        Raises `NotFound`, `NotAllowed` unless the caller is its owner or an administrator, `Conflict` while it has an
        active or queued run, and `NoRoom` or `Unavailable`.
        """
        await self._idle(slug, principal)
        with self.roster.announced.saving(slug):
            name = await asyncio.to_thread(self.roster.folders.archive, slug, now=self.roster.clock.now())
            await self._forget(slug, AgentRemoved(agent=slug), kept_as=name)
            return name

    async def delete(self, slug: str, principal: Principal) -> str:
        """Move an agent to the trash, and return its name there, which `restore` takes. Raises as `archive`."""
        await self._idle(slug, principal)
        with self.roster.announced.saving(slug):
            name = await asyncio.to_thread(self.roster.folders.delete, slug, now=self.roster.clock.now())
            await self._forget(slug, AgentRemoved(agent=slug), kept_as=name)
            return name

    async def restore(self, name: str, principal: Principal) -> AgentDetail:
        """Restore an archived or deleted agent, with its record. `name`: as `archive` and `delete` return it.

        If a person does so in a browser and the files are as they were, its confirmation is valid again. Raises
        `Conflict` if something of an agent with this slug exists, and `NotFound`, also if the caller is neither its
        owner nor an administrator.
        """
        if not owns(principal, (await self.roster.record_of_put_away(name)).owner):
            raise NotFound(f"There is no archived agent {name[:100]}.")
        put_away = agent_named(name)
        with self.roster.announced.saving(put_away.slug if put_away else ""):
            slug = await asyncio.to_thread(self.roster.folders.unarchive, name)
            await self.roster.bring_back(name, slug, confirmed=principal.in_browser)
            return await self._saved(slug, principal, may_confirm=False)

    # --- running -----------------------------------------------------------------------------

    async def run(self, slug: str, principal: Principal) -> Run:
        """Start a heartbeat now, and return its run as queued. Everyone who may see the agent may do that.

        Raises `NotFound`, `OutOfService`, `OverBudget`, and as `Runs.submit`.
        """
        assert self._runs is not None, "`begin` was called first"
        return await self._runs.submit(NewHeartbeat(agent=slug), principal)

    # --- shared steps -------------------------------------------------------------------------

    async def _idle(self, slug: str, principal: Principal) -> RosterEntry:
        entry = await self.owned(slug, principal)
        await self._agent_runs.refuse_while_at_work(slug)
        return entry

    async def _saved(
        self,
        slug: str,
        principal: Principal,
        *,
        may_confirm: bool,
        expected: tuple[str, Mapping[str, str]] | None = None,
    ) -> AgentDetail:
        """Announce the saved agent and return it, confirmed if saving confirms it.

        `expected`: the etag of the persona and the steering texts that the caller confirms by saving. If the files
        differ, another person has written to them in this moment, and nothing is confirmed.
        """
        entry = await self.roster.get(slug)
        may_confirm = may_confirm and expected in (None, (entry.files.etag, entry.files.texts))
        if may_confirm and principal.in_browser and entry.hash and not entry.confirmed:
            await self.roster.confirm(entry, principal)
        await self.roster.changed(entry.files)
        await self._heartbeats.follow()
        return await self._views.detail(await self.roster.get(slug), principal)

    async def _forget(self, slug: str, event: AgentRemoved, *, kept_as: str | None = None) -> None:
        await self.roster.forget(slug, event, kept_as=kept_as)
        await self._forget_elsewhere(slug)
        await self._heartbeats.follow()

    async def _forget_elsewhere(self, slug: str) -> None:
        """Delete what is kept of an agent outside its folder."""
        await self._memory.forget(slug)
        for forget in self.forgetters:
            await forget(slug)
