"""The operations of people on plays: list, create, change, confirm and run.

Everyone who may see the agent that carries out a play may see and run the play. Changing it requires owning all agents
that it is for. If a person saves a confirmed play in the browser, the new version is confirmed too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..agents.files import powers
from ..agents.roster.announced_versions import Announced
from ..core.errors import Conflict, Invalid, NotAllowed
from ..core.events import Scope
from ..core.natural_order import natural_key
from ..core.people import Principal, owns
from ..runs.model import Run
from ..runs.records import RunRecords
from ..schedules.rules import upcoming
from ..schedules.words import in_words
from ..storage.commits import Commits, ScopedEvent
from .hooks import Hooks, Secrets
from .model import NewPlayRun, PlayChanged, PlayDetail, PlayEvent, PlayLine, PlayRemoved, PlayView
from .play_files import PlayFile, file_of
from .playbook import Playbook, PlayStanding
from .starters.event_watch import EventWatch
from .starters.file_watch import FileWatch
from .starters.goal_watch import GoalWatch
from .starters.schedules import PlaySchedules
from .starters.starter import NO_AGENT

if TYPE_CHECKING:
    from ..runs.service import Runs

SHOWN_TICKS = 5
MOST_LINES = 500


class Watches(msgspec.Struct, frozen=True, kw_only=True):
    """The watchers for the triggers of plays."""

    schedules: PlaySchedules
    goals: GoalWatch
    files: FileWatch
    events: EventWatch


class Plays:
    """The operations on all plays of the root directory. `begin` must be called first."""

    def __init__(
        self,
        *,
        playbook: Playbook,
        watches: Watches,
        secrets: Secrets,
        hooks: Hooks,
        records: RunRecords,
        commits: Commits,
    ) -> None:
        self._playbook = playbook
        self._watches = watches
        self._secrets = secrets
        self._hooks = hooks
        self._records = records
        self._commits = commits
        self._clock = playbook.roster.clock
        self._runs: Runs | None = None
        self._announced: Announced[Hashable] = Announced()
        self._scopes: dict[str, Scope] = {}  # by slug, of the plays at the last `follow`

    def begin(self, runs: Runs) -> None:
        """Connect the service of runs, so that plays can be started."""
        self._runs = runs

    async def follow(self, *, silently: bool = False) -> None:
        """Watch for the triggers that the files define now, and announce changes made by hand since the last call.

        `silently`: announce nothing, because the server has just started. Waits until the schedules are stored.
        """
        standings = await self._playbook.find()
        await self._follow(standings)
        scopes = self._scopes | {each.slug: each.scope for each in standings}
        changed = self._announced.changed({each.slug: each.version for each in standings})
        self._scopes = {each.slug: each.scope for each in standings}
        for slug, version in {} if silently else changed.items():
            event = PlayRemoved(play=slug) if version is None else PlayChanged(play=slug)
            await self._tell(event, scopes[slug])

    async def _follow(self, standings: Sequence[PlayStanding]) -> None:
        await self._watches.schedules.follow(standings)
        self._watches.goals.follow(standings)
        self._watches.events.follow(standings)
        await self._watches.files.follow(standings)

    # --- looking -----------------------------------------------------------------------------

    async def find(self, principal: Principal) -> list[PlayView]:
        """Return all plays that the caller may see, in the natural order of their names, valid or not.

        It also begins to watch for the triggers that the files define now.
        """
        found = await self._playbook.find_with_owners()
        await self._follow([standing for standing, _owners in found])
        views = await self._views([each for each in found if each[0].is_visible_to(principal)], principal)
        return sorted(views, key=lambda view: (natural_key(view.name), natural_key(view.slug)))

    async def problems(self) -> tuple[str, ...]:
        """Return a sentence for each file that looks like a play but has an invalid name."""
        return await asyncio.to_thread(self._playbook.files.problems)

    async def get(self, slug: str, principal: Principal) -> PlayDetail:
        """Return a play, what it may do, and the changes since its last confirmation. Raises `NotFound`.

        A play whose file has errors is returned too, with `errors`.
        """
        return await self._detail(await self._playbook.get(slug, principal), principal)

    async def history(self, slug: str, limit: int, principal: Principal) -> list[PlayLine]:
        """Return the latest runs of a play, newest first. `limit`: from 1 to 500. Raises `NotFound`."""
        await self._playbook.get(slug, principal)
        return await asyncio.to_thread(self._playbook.files.history, slug, max(1, min(limit, MOST_LINES)))

    # --- changing ----------------------------------------------------------------------------

    async def create(self, slug: str, fields: Mapping[str, Any], body: str, principal: Principal) -> PlayDetail:
        """Create a play, and announce it.

        In the browser it is confirmed at once, if the caller owns all agents that it is for. Raises `Invalid` for a
        slug, field or text that is not valid, `Conflict` if it already exists, `NotAllowed` for an agent in `fields`
        that the caller neither owns nor administers, and `OutsideRoot`, `NoRoom` or `Unavailable` if it cannot be
        written.
        """
        agent = fields.get("agent")
        if isinstance(agent, str):
            await self._must_own_agent(agent, principal)
        with self._announced.saving(slug):
            made = await asyncio.to_thread(self._playbook.files.create, slug, fields, body)
            await self._playbook.forget(slug)  # of an earlier play that was removed by hand
            return await self._saved(made, principal, may_confirm=True)

    async def save(
        self, slug: str, change: Mapping[str, Any] | str, etag: str | None, principal: Principal
    ) -> PlayDetail:
        """Change some fields (None removes one), or replace the whole text, and announce it.

        A play that was confirmed is confirmed again in the browser, if the caller owns all agents that it is for now.
        `etag`: the version that the caller has seen; required for a text. An agent that a whole text names is not
        checked: if another person owns it, the play is saved without a confirmation. Raises `NotFound`, `NotAllowed`
        unless the caller owns all agents that it is for or is an administrator, `Conflict` if the play was changed
        meanwhile, `Malformed` if the fields of the file or of the text cannot be read, and otherwise as `create`.
        """
        before = await self._owned(slug, principal)
        if isinstance(change, Mapping) and isinstance(change.get("agent"), str):
            await self._must_own_agent(change["agent"], principal)
        seen = etag if isinstance(change, str) else etag or before.file.etag
        with self._announced.saving(slug):
            saved = await asyncio.to_thread(self._playbook.files.save, slug, change, seen)
            return await self._saved(saved, principal, may_confirm=before.confirmed)

    async def confirm(self, slug: str, digest: str, principal: Principal) -> PlayDetail:
        """Confirm the current version of the play, as a person in the browser, and announce it.

        If another person confirmed it last, its secret is deleted. Raises `NotFound`, `NotAllowed` outside the browser
        and unless the caller owns all agents that it is for or is an administrator, and `Invalid` if `digest` is not
        the current version or the file has errors.
        """
        standing = await self._owned(slug, principal)
        if not standing.hash or digest != standing.hash:
            raise Invalid(
                "The play was changed in the meantime. Review it again, then confirm it.",
                field="hash",
                hash=standing.hash,
            )
        if await self._playbook.confirmer(slug) != principal.username:
            await asyncio.to_thread(self._secrets.forget, slug)  # another person's confirmation allowed it
        await self._playbook.confirm(standing, principal)
        return await self._changed(slug, principal)

    async def forget(self, slug: str) -> None:
        """Forget the confirmation and the secret of a play of this name that was removed by hand.

        Nothing is announced.
        """
        await self._playbook.forget(slug)
        await asyncio.to_thread(self._secrets.forget, slug)

    async def delete(self, slug: str, principal: Principal) -> str:
        """Move a play to the trash, and return its name there.

        Its confirmation and its secret are deleted; its history is kept. Raises `NotFound`, `NotAllowed` unless the
        caller owns all agents that it is for or is an administrator, `Conflict` while it runs or waits in the queue,
        and `OutsideRoot`, `NoRoom` or `Unavailable` if it cannot be moved.
        """
        standing = await self._owned(slug, principal)
        if self._run_of(slug) is not None:
            raise Conflict("The play has a running or queued run. Stop that run first.")
        with self._announced.saving(slug):
            await self.forget(slug)
            name = await asyncio.to_thread(self._playbook.files.delete, slug, now=self._clock.now())
            self._announced.put(slug, None)
            await self._tell(PlayRemoved(play=slug), standing.scope)
        await self.follow()
        return name

    async def make_secret(self, slug: str, principal: Principal) -> str:
        """Create a secret for signing requests; the previous one becomes invalid. It cannot be read again later.

        Raises `NotFound`, `NotAllowed` outside the browser and unless the caller owns all agents that the play is for
        or is an administrator, and `Conflict` if the play has no agent or is not confirmed.
        """
        standing = await self._owned(slug, principal)
        if not principal.in_browser:
            raise NotAllowed("Only a person in the browser may create a secret.")
        if standing.carrier is None:
            raise Conflict(NO_AGENT)
        if not standing.confirmed:  # confirming it erases a secret that another person may know
            raise Conflict("Confirm the play first: nothing starts it before.")
        secret = await asyncio.to_thread(self._secrets.make, slug)
        await self._changed(slug, principal)
        return secret

    # --- running -----------------------------------------------------------------------------

    async def run(self, slug: str, inputs: Mapping[str, str], principal: Principal) -> Run:
        """Start the play now, and return its run as queued. Everyone who may see the play may do that.

        Raises `NotFound`; `OutOfService` if the play or its agent may not start; `Conflict` while it runs or waits in
        the queue, and if no agent carries it out; `Invalid` for an unknown input; `OverBudget`; and as `Runs.submit`.
        """
        assert self._runs is not None, "begun before anything is asked"
        return await self._runs.submit(NewPlayRun(play=slug, inputs=dict(inputs)), principal)

    async def send_test_request(self, slug: str, body: str, principal: Principal) -> Run:
        """Start the play as a signed request with this body would, and return its run as queued.

        Raises `NotFound`, `NotAllowed` unless the caller owns all agents that the play is for or is an administrator,
        `Conflict` if there is no secret or no trigger webhook, and as `Hooks.receive`.
        """
        await self._owned(slug, principal)
        return await self._hooks.send_test(slug, body.encode())

    # --- inside ------------------------------------------------------------------------------

    async def _owned(self, slug: str, principal: Principal) -> PlayStanding:
        """Return a play if the caller owns all agents that carry it out or list it (`Playbook.owners_of`).

        Raises `NotFound`, also if the caller may not see it, and `NotAllowed`.
        """
        standing = await self._playbook.get(slug, principal)
        owners = await self._playbook.owners_of(standing)
        if not _owns_all(principal, owners):
            raise NotAllowed("Only who owns all the agents that this play is for may do this.")
        return standing

    async def _must_own_agent(self, agent: str, principal: Principal) -> None:
        standings = await self._playbook.roster.find()
        owners = [each.record.owner for each in standings if each.slug == agent]
        if owners and not owns(principal, owners[0]):
            raise NotAllowed("Only the owner of an agent may make plays for it.")

    async def _saved(self, file: PlayFile, principal: Principal, *, may_confirm: bool) -> PlayDetail:
        """Confirm the version that was just written, and return the play.

        The written file is confirmed, not a newer one on disk, and only if the caller owns all agents that the play is
        for now.
        """
        standing = await self._playbook.standing_of(file)
        owners = await self._playbook.owners_of(standing)
        if may_confirm and _owns_all(principal, owners) and principal.in_browser and standing.hash:
            await self._playbook.confirm(standing, principal)
        return await self._changed(file.slug, principal)

    async def _changed(self, slug: str, principal: Principal) -> PlayDetail:
        standing = await self._playbook.get(slug)
        self._announced.put(slug, standing.version)
        await self._tell(PlayChanged(play=slug), standing.scope)
        await self.follow()
        return await self._detail(standing, principal)

    async def _tell(self, event: PlayEvent, scope: Scope) -> None:
        await self._commits.commit(lambda c: None, lambda _: [ScopedEvent(event, scope)])

    def _run_of(self, slug: str) -> Run | None:
        return self._runs_by_path().get(file_of(slug))

    def _runs_by_path(self) -> dict[str, Run]:
        """Return the working run for each play's file, else the first that is queued."""
        found: dict[str, Run] = {}
        for run in (*self._records.working(), *self._records.queued()):
            if run.kind == "play" and run.path is not None:
                found.setdefault(run.path, run)
        return found

    async def _views(self, found: Sequence[tuple[PlayStanding, set[str]]], principal: Principal) -> list[PlayView]:
        """Build the views of these plays. `found`: each with its owners."""
        last = await asyncio.to_thread(self._playbook.files.last, [standing.slug for standing, _owners in found])
        runs = self._runs_by_path()
        return [
            self._view(each, run=runs.get(file_of(each.slug)), last=line, may_change=_owns_all(principal, owners))
            for (each, owners), line in zip(found, last, strict=True)
        ]

    def _view(self, standing: PlayStanding, *, run: Run | None, last: PlayLine | None, may_change: bool) -> PlayView:
        play, carrier = standing.file.play, standing.carrier
        view = PlayView(
            slug=standing.slug,
            name=standing.slug,
            agent=carrier.slug if carrier else standing.missing_agent,
            agent_gone=standing.missing_agent is not None,
            reason=standing.obstacle or (carrier.obstacle if carrier else NO_AGENT),
            confirmed=standing.confirmed,
            broken=play is None,
            run_id=run.id if run else None,
            run_state=run.state if run else None,
            last=last,
            may_change=may_change,
        )
        if play is None:
            return view
        return msgspec.structs.replace(
            view,
            name=play.name,
            title=play.title,
            category=play.category,
            schedule=in_words(play.schedule) if play.schedule else "",
            next_due=self._watches.schedules.next_due(play.slug),
            triggers=play.triggers,
            inputs=play.inputs,
        )

    async def _detail(self, standing: PlayStanding, principal: Principal) -> PlayDetail:
        (view,) = await self._views([(standing, await self._playbook.owners_of(standing))], principal)
        play, before = standing.file.play, await self._playbook.confirmed_powers(standing.slug)
        ticks = (
            upcoming(play.schedule, self._clock.now(), SHOWN_TICKS, hours=play.hours) if play and play.schedule else ()
        )
        secret = await asyncio.to_thread(self._secrets.get, standing.slug)
        return PlayDetail(
            **msgspec.structs.asdict(view),
            etag=standing.file.etag,
            text=standing.file.text,
            fields=standing.file.fields,
            hash=standing.hash,
            difference=() if standing.confirmed else tuple(powers.difference(before, standing.powers)),
            errors=standing.file.errors,
            notes=standing.file.notes,
            tools=play.tools if play else None,
            timeout_seconds=play.timeout_seconds if play else 0,
            upcoming=tuple(ticks),
            has_secret=secret is not None,
        )


def _owns_all(principal: Principal, owners: Iterable[str]) -> bool:
    return all(owns(principal, owner) for owner in owners)
