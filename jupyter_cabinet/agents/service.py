"""The room's service: agents as people see, create, change, pause and run them.

Files are read on every call. Everyone who may see an agent may run it; only its owner may change it. If an agent was
confirmed, a change that its owner saves in a browser is confirmed by saving. If another person has written something
else to the files in the meantime, the agent needs confirmation again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ..core.errors import CabinetError, Invalid, NotFound
from ..core.natural_order import natural_key
from ..core.people import Principal, Visibility, owns
from ..runs.model import Run
from ..schedules.scheduler import Scheduler
from .directives.effects.doer import DirectiveDoer
from .files import front_matter, persona, powers
from .files.archive_names import PutAwayAgent, agent_named
from .files.export import export
from .files.safe_files import PERSONA, AgentFile, FileInfo
from .goals.views import goal_view
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
from .prompts.briefing import Briefing, as_known
from .prompts.heartbeat_prompt import Assembled
from .roster.card import UsedBy, view_of
from .roster.heartbeat_schedule import Heartbeats, key_of
from .roster.last_run import last_runs
from .roster.roster import Roster, RosterEntry, new_record
from .run_kinds import failure_streak
from .run_kinds.agent_runs import AgentRuns, must_own
from .run_kinds.run_terms import budget_of
from .templates import Template, templates

if TYPE_CHECKING:
    from ..runs.service import Runs

SHOWN_TICKS = 5
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
        doer: DirectiveDoer,
        heartbeats: Heartbeats,
        scheduler: Scheduler,
    ) -> None:
        self.roster = roster
        self._agent_runs = runs
        self._briefing = briefing
        self._doer = doer
        self._heartbeats = heartbeats
        self._scheduler = scheduler
        self._runs: Runs | None = None

    async def begin(self, runs: Runs) -> None:
        """Accept runs from now on, so that heartbeats can start."""
        self._runs = runs
        self._heartbeats.begin(runs)
        standings = await self._heartbeats.follow()
        self.roster.announced.changed({each.slug: each.files.version for each in standings})

    async def follow(self) -> None:
        """Update the schedules from the files, and announce changes that were made by hand."""
        standings = await self._heartbeats.follow()
        changed = self.roster.announced.changed({each.slug: each.files.version for each in standings})
        for slug, version in changed.items():
            await self.roster.tell(AgentRemoved(agent=slug) if version is None else AgentChanged(agent=slug))

    # --- looking -----------------------------------------------------------------------------

    async def find(self, principal: Principal) -> list[AgentView]:
        """Return all agents that the caller may see, in the natural order of their names."""
        standings = await self._heartbeats.follow()  # a person may have changed files by hand
        seen = [each for each in standings if each.is_visible_to(principal)]
        used = await self._used_by(seen, principal)
        views = (view_of(each, used[each.slug], self.next_heartbeat(each.slug)) for each in seen)
        return sorted(views, key=lambda view: (natural_key(view.name), natural_key(view.slug)))

    def next_heartbeat(self, slug: str) -> datetime | None:
        """Return when the agent's schedule fires next, in UTC, or None if nothing is scheduled."""
        return self._scheduler.next_due(key_of(slug))

    def is_anything_scheduled(self) -> bool:
        """Return whether a heartbeat or a play will start on a schedule."""
        return self._scheduler.is_anything_coming()

    async def get(self, slug: str, principal: Principal) -> AgentDetail:
        """Return one agent with its permissions and how they differ from the confirmed version.

        Raises `NotFound`, also if the caller may not see the agent.
        """
        return await self._detail(await self.roster.get(slug, principal), principal)

    async def problems(self) -> tuple[str, ...]:
        """Return a sentence for each file or folder that looks like an agent but is not one."""
        return await asyncio.to_thread(self.roster.folders.problems)

    async def archived(self, principal: Principal) -> tuple[PutAwayAgent, ...]:
        """Return the caller's archived agents, by name."""
        return await self.roster.owned_of_put_away(self.roster.folders.archived, principal)

    async def trashed(self, principal: Principal) -> tuple[PutAwayAgent, ...]:
        """Return the caller's deleted agents, by name."""
        return await self.roster.owned_of_put_away(self.roster.folders.trashed, principal)

    def templates(self) -> tuple[Template, ...]:
        """Return the templates from which an agent can be created."""
        return templates()

    async def prompt(self, slug: str, principal: Principal) -> Assembled:
        """Return the prompt that a heartbeat would receive now.

        `warnings` says if the agent needs confirmation first. Raises `NotFound`, `OutOfService`.
        """
        standing = await self.roster.get(slug, principal)
        _ = standing.persona
        assembled = (await self._briefing.heartbeat(standing))[0]
        if standing.confirmed:
            return assembled
        return msgspec.structs.replace(assembled, warnings=(NEEDS_CONFIRMATION, *assembled.warnings))

    async def goals(self, slug: str, principal: Principal) -> list[GoalView]:
        """Return an agent's goals with their progress in the current period.

        Raises `NotFound`, `OutOfService`, `Malformed`.
        """
        return await asyncio.to_thread(self._goals, await self.roster.get(slug, principal))

    # --- changing ----------------------------------------------------------------------------

    async def create(
        self, slug: str, template: str, fields: Mapping[str, Any], principal: Principal, visibility: Visibility
    ) -> AgentDetail:
        """Create an agent from a template; the caller owns it. Raises `Invalid`, `NotFound`, `Conflict`, `NoRoom`."""
        planned = await asyncio.to_thread(self.roster.folders.planned, slug, template, fields)
        self.roster.require_usable(planned)
        with self.roster.announced.saving(slug):
            await asyncio.to_thread(self.roster.folders.create, slug, template, fields)
            record = new_record(slug, owner=principal.username, visibility=visibility)
            await self.roster.change(slug, lambda _: record)
            return await self._saved(slug, principal, may_confirm=True)

    async def duplicate(self, slug: str, new: str, name: str, principal: Principal) -> AgentDetail:
        """Create a private agent with the persona and the steering texts of another one; the caller owns it.

        Nothing else is copied. Plays in the persona stay with the original. Empty `name`: keep the name of the
        original. If the caller owns the original and it is confirmed, making a copy in a browser confirms the copy.
        Raises `NotFound`, `Conflict`.
        """
        before = await self.roster.get(slug, principal)
        may_confirm = before.confirmed and owns(principal, before.record.owner)
        values = {"plays": None} | ({"name": name.strip()} if name.strip() else {})
        folders, usable = self.roster.folders, self.roster.require_usable
        with self.roster.announced.saving(new):
            made = await asyncio.to_thread(folders.duplicate, before.files, new, values, check_persona=usable)
            record = new_record(new, owner=principal.username, visibility="private")
            await self.roster.change(new, lambda _: record)
            return await self._saved(new, principal, may_confirm=may_confirm, meant=(made.etag, before.files.texts))

    async def export(self, slug: str, principal: Principal) -> bytes:
        """Return an agent's folder as a zip file.

        Raises `NotAllowed` if the caller is not its owner, and as `export.export`.
        """
        await self._owned(slug, principal)
        return await asyncio.to_thread(export, self.roster.folders, slug)

    async def save(
        self, slug: str, change: Mapping[str, Any] | str, etag: str | None, principal: Principal
    ) -> AgentDetail:
        """Change fields of the persona, or replace its text.

        Raises `NotFound`, `NotAllowed`, `Conflict` if the persona was changed in the meantime, and `Invalid` for a
        schedule, active hours or a runtime that would disable the agent.
        """
        before = await self._owned(slug, principal)
        if not isinstance(change, str) and etag is None and before.confirmed:
            etag = before.files.etag
        folders, by = self.roster.folders, principal.display_name
        usable = partial(self.roster.require_usable, before=before.files.persona)
        with self.roster.announced.saving(slug):
            saved = await asyncio.to_thread(folders.save_persona, slug, change, etag, by=by, check_persona=usable)
            meant = (saved.etag, before.files.texts)
            return await self._saved(slug, principal, may_confirm=before.confirmed, meant=meant)

    async def write_file(self, slug: str, path: str, content: bytes, etag: str | None, principal: Principal) -> str:
        """Save one file of an agent and return its new etag. Raises as `AgentFolders.write_file` and `save`."""
        before = await self._owned(slug, principal)
        folders, by = self.roster.folders, principal.display_name
        usable = partial(self.roster.require_usable, before=before.files.persona)
        with self.roster.announced.saving(slug):
            new = await asyncio.to_thread(folders.write_file, slug, path, content, etag, by=by, check_persona=usable)
            steers = {path: content.decode(errors="replace")} if path in powers.STEERING_TEXTS else {}
            meant = (new if path == PERSONA else before.files.etag, before.files.texts | steers)
            await self._saved(slug, principal, may_confirm=before.confirmed, meant=meant)
            return new

    async def read_file(self, slug: str, path: str, principal: Principal) -> AgentFile:
        """Return one file of an agent. Raises `NotFound`, `OutsideRoot`, `Malformed`."""
        await self.roster.get(slug, principal)
        return await asyncio.to_thread(self.roster.folders.read_file, slug, path)

    async def list_files(self, slug: str, principal: Principal) -> tuple[FileInfo, ...]:
        """Return the files of an agent, by path. Raises `NotFound`."""
        await self.roster.get(slug, principal)
        return await asyncio.to_thread(self.roster.folders.list_files, slug)

    async def confirm(self, slug: str, digest: str, principal: Principal) -> AgentDetail:
        """Record that the owner has confirmed the agent in its current version.

        Raises `NotFound`, `NotAllowed` if the caller is not the owner in a browser, and `Invalid` if `digest` is not
        the hash of the current version.
        """
        standing = await self._owned(slug, principal)
        if not standing.hash or digest != standing.hash:
            raise Invalid(
                "The agent was changed in the meantime. Review it again, then confirm it.",
                field="hash",
                hash=standing.hash,
            )
        await self.roster.confirm(standing, principal)
        await self.roster.changed(standing.files)
        await self._heartbeats.follow()
        return await self.get(slug, principal)

    async def pause(self, slug: str, principal: Principal, because: str = "") -> AgentDetail:
        """Pause an agent: it starts no new runs until a person resumes it. Active runs continue.

        Raises `NotFound`, `NotAllowed`.
        """
        await self._owned(slug, principal)
        now, by = self.roster.clock.now(), principal.display_name
        reason = because.strip() or f"{by} has paused it."
        await self.roster.change(
            slug,
            lambda record: failure_streak.paused(record, because=reason, by=by, now=now),
            lambda before, after: AgentPaused(agent=slug, reason=reason, by=by),
        )
        return await self.get(slug, principal)

    async def resume(self, slug: str, principal: Principal) -> AgentDetail:
        """Allow a paused agent to start runs again. Raises `NotFound`, `NotAllowed`."""
        await self._owned(slug, principal)
        by = principal.display_name
        await self.roster.change(slug, failure_streak.resumed, lambda before, after: AgentResumed(agent=slug, by=by))
        return await self.get(slug, principal)

    async def rename(self, slug: str, new: str, principal: Principal) -> AgentDetail:
        """Give an agent another slug, and move its files along.

        Raises `NotFound`, `NotAllowed`, `Invalid`, and `Conflict` if the slug is taken or the agent is working.
        """
        before = await self._idle(slug, principal)
        with self.roster.announced.saving(slug, new):
            await asyncio.to_thread(self.roster.folders.rename, slug, new)
            await self.roster.change(new, lambda _: msgspec.structs.replace(before.record, id=new, session_id=None))
            await self._forget(slug, AgentRemoved(agent=slug, renamed_to=new))
            meant = (before.files.etag, before.files.texts)
            return await self._saved(new, principal, may_confirm=before.confirmed, meant=meant)

    async def archive(self, slug: str, principal: Principal) -> str:
        """Archive an agent, and return the name that `restore` takes.

        Raises `NotFound`, `NotAllowed`, and `Conflict` while the agent is working.
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
        """Restore an archived or deleted agent.

        If a person does so in a browser and the files are as they were, its confirmation is valid again. Raises
        `Conflict`, and `NotFound`, also if the caller does not own the agent.
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
        """Start a heartbeat now. Raises `NotFound`, `OutOfService`, `OverBudget`, and as `Runs.submit`."""
        assert self._runs is not None, "begun before anything is asked"
        return await self._runs.submit(NewHeartbeat(agent=slug), principal)

    # --- inside ------------------------------------------------------------------------------

    async def _owned(self, slug: str, principal: Principal) -> RosterEntry:
        standing = await self.roster.get(slug, principal)
        must_own(standing, principal)
        return standing

    async def _idle(self, slug: str, principal: Principal) -> RosterEntry:
        standing = await self._owned(slug, principal)
        self._agent_runs.refuse_while_at_work(slug)
        return standing

    async def _saved(
        self,
        slug: str,
        principal: Principal,
        *,
        may_confirm: bool,
        meant: tuple[str, Mapping[str, str]] | None = None,
    ) -> AgentDetail:
        """Announce the saved agent and return it, confirmed if saving confirms it.

        `meant`: the etag of the persona and the steering texts that the caller confirms by saving. If the files differ,
        another person has written to them in this moment, and nothing is confirmed.
        """
        standing = await self.roster.get(slug)
        may_confirm = may_confirm and meant in (None, (standing.files.etag, standing.files.texts))
        if may_confirm and principal.in_browser and standing.hash and not standing.confirmed:
            await self.roster.confirm(standing, principal)
        await self.roster.changed(standing.files)
        await self._heartbeats.follow()
        return await self._detail(await self.roster.get(slug), principal)

    async def _forget(self, slug: str, event: AgentRemoved, *, kept_as: str | None = None) -> None:
        await self.roster.forget(slug, event, kept_as=kept_as)
        await self._heartbeats.follow()

    async def _view(self, standing: RosterEntry, principal: Principal) -> AgentView:
        used = await self._used_by([standing], principal)
        return view_of(standing, used[standing.slug], self.next_heartbeat(standing.slug))

    async def _used_by(self, standings: Sequence[RosterEntry], principal: Principal) -> dict[str, UsedBy]:
        """Return the activity, budget and goals of these agents, by slug."""
        ended = last_runs(await self._agent_runs.newest([each.slug for each in standings]), principal)
        personas = {each.slug: each.files.persona for each in standings if each.files.persona is not None}
        at_work = self._agent_runs.all_at_work()
        spent = await self._agent_runs.spent_by_all(personas.values())
        goals = await asyncio.to_thread(lambda: {each.slug: self._goals_or_none(each) for each in standings})
        limits = {slug: budget_of(persona, self.roster.settings).cost_per_day_usd for slug, persona in personas.items()}
        return {
            each.slug: UsedBy(
                run=at_work.get(each.slug),
                spent=spent.get(each.slug),
                cost_limit_usd=limits.get(each.slug),
                goals=goals[each.slug],
                last_run=ended.get(each.slug),
            )
            for each in standings
        }

    async def _detail(self, standing: RosterEntry, principal: Principal) -> AgentDetail:
        view = await self._view(standing, principal)
        persona = standing.files.persona
        before = await self.roster.confirmed_powers(standing.slug)
        ticks = self._scheduler.upcoming(key_of(standing.slug), SHOWN_TICKS)
        text = await asyncio.to_thread(self._text_of, standing)
        return AgentDetail(
            **msgspec.structs.asdict(view),
            etag=standing.files.etag,
            hash=standing.hash,
            confirmed=standing.confirmed,
            difference=() if standing.confirmed else tuple(powers.difference(before, standing.powers)),
            errors=standing.errors,
            notes=standing.files.notes,
            persona=text,
            fields=_fields_of(text),
            upcoming=tuple(ticks),
            tools=persona.tools() if persona else (),
            own_tools=tuple(sorted(persona.own_tools())) if persona else (),
            unenforced=await self._agent_runs.unenforced(persona) if persona and not standing.errors else (),
            plays=persona.plays if persona else (),
        )

    def _text_of(self, standing: RosterEntry) -> str:
        try:
            return self.roster.folders.read_file(standing.slug, "persona.md").content.decode(errors="replace")
        except CabinetError:
            return ""

    def _goals_or_none(self, standing: RosterEntry) -> tuple[GoalView, ...]:
        try:
            return tuple(self._goals(standing))
        except CabinetError:
            return ()  # `errors`, or the route of the goals, gives the reason

    def _goals(self, standing: RosterEntry) -> list[GoalView]:
        """Return the goals of an agent. Blocks."""
        known, now = as_known(standing.persona, self.roster.settings), self.roster.clock.now()
        goals = self._doer.goals(standing.slug, now=now, known=known)
        specs = {goal.metric: goal for goal in standing.persona.goals}
        return [goal_view(goal, specs.get(metric), now=now, zone=known.zone) for metric, goal in goals.goals.items()]


def _fields_of(text: str) -> dict[str, Any]:
    try:
        return persona.expanded(front_matter.read(text, file=PERSONA).fields)
    except CabinetError:
        return {}  # `errors` says what is wrong
