"""The current state of plays: their files, what a person has confirmed, and which agent carries them out.

The files are authoritative: each call reads their current content. Called by the kind of run, by the triggers of plays
and by `service.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import msgspec

from ..agents.files import powers
from ..agents.roster.roster import Roster, RosterEntry
from ..core.errors import NotFound, OutOfService
from ..core.events import Scope
from ..core.people import Principal, may_see
from ..trust.service import Trust
from .play import Play
from .play_files import PlayFile, PlayFiles

TRUST_KIND = "play"
CHANGED = "Its file has changed since it was last confirmed. Review the changes, then confirm it."
NEVER_CONFIRMED = "It has not been confirmed yet. Review what it does, then confirm it."
AGENT_GONE = "Its agent {agent} no longer exists. Restore the agent, or choose another one for this play."


class PlayStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One play and whether it may be started. `carrier`: the agent that carries it out; None if there is none.

    A play without a carrier belongs to its `keeper`: the person who confirmed it last, if anyone did.
    """

    file: PlayFile
    powers: Mapping[str, Any] = {}  # in canonical form
    hash: str = ""  # hash of the powers; empty if the file cannot be read
    confirmed: bool = False
    ever_confirmed: bool = False  # an earlier version was, or this one is
    carrier: RosterEntry | None = None
    keeper: str | None = None

    @property
    def slug(self) -> str:
        """Return the slug of the play, from the name of its file."""
        return self.file.slug

    @property
    def obstacle(self) -> str:
        """Return why the play may not be started, as a sentence; empty if it may.

        Whether it has an agent, and whether that agent may work, is not considered, except that the agent that it names
        exists.
        """
        if self.file.play is None:
            return " ".join(error.message for error in self.file.errors)
        if self.missing_agent is not None:
            return AGENT_GONE.format(agent=self.missing_agent)
        if self.confirmed:
            return ""
        return CHANGED if self.ever_confirmed else NEVER_CONFIRMED

    @property
    def missing_agent(self) -> str | None:
        """Return the slug of the agent that the play names, if there is no such agent; else None."""
        named = self.file.play.agent if self.file.play is not None else None
        return named if self.carrier is None else None

    def require(self) -> Play:
        """Return the play if it may be started. Raises `OutOfService` with the reason: see `obstacle`."""
        if self.file.play is None or self.obstacle:
            raise OutOfService(self.obstacle)
        return self.file.play

    @property
    def scope(self) -> Scope:
        """Return who may see the play and its events: everyone who may see its agent.

        Without an agent it is private to its keeper; without a keeper, everybody may see it.
        """
        if self.carrier is not None:
            return self.carrier.scope
        return Scope(owner=self.keeper or "", visibility="private" if self.keeper else "server")

    @property
    def version(self) -> Hashable:
        """Return a value that differs after each visible change of the file."""
        return self.file.etag, tuple(each.message for each in self.file.errors)

    def is_visible_to(self, principal: Principal | None) -> bool:
        """Return whether this person may see the play. None: no restriction."""
        scope = self.scope
        return principal is None or may_see(principal, scope.owner, scope.visibility)


class Playbook:
    """All plays of the root directory."""

    def __init__(self, *, files: PlayFiles, roster: Roster, trust: Trust) -> None:
        self.files = files
        self.roster = roster
        self._trust = trust

    async def get(self, slug: str, principal: Principal | None = None) -> PlayStanding:
        """Return the current state of a play, valid or not.

        Raises `NotFound`, also if the caller may not see its agent. `principal`: None: no restriction.
        """
        standing = await self.standing_of(await asyncio.to_thread(self.files.read, slug))
        if not standing.is_visible_to(principal):
            raise NotFound("There is no such play.")
        return standing

    async def find(
        self, principal: Principal | None = None, *, which: Callable[[PlayFile], bool] = lambda file: True
    ) -> list[PlayStanding]:
        """Return all plays that the caller may see, by slug, valid or not. None: no restriction.

        `which`: a filter that is applied to the files first.
        """
        files = [file for file in await asyncio.to_thread(self.files.read_all) if which(file)]
        if not files:
            return []
        carriers = Carriers(await self.roster.find())
        return [each for each in await self._standings(files, carriers) if each.is_visible_to(principal)]

    async def find_with_owners(self) -> list[tuple[PlayStanding, set[str]]]:
        """Return all plays by slug, each with its owners: see `owners_of`."""
        files, carriers = await asyncio.to_thread(self.files.read_all), Carriers(await self.roster.find())
        return [(each, carriers.owners_of(each)) for each in await self._standings(files, carriers)]

    async def owners_of(self, standing: PlayStanding) -> set[str]:
        """Return the owners of all agents that carry out or list the play, active or not.

        If no agent carries it out, the keeper is an owner.
        """
        return Carriers(await self.roster.find()).owners_of(standing)

    async def standing_of(self, file: PlayFile) -> PlayStanding:
        """Return the state of a play whose file was already read."""
        carriers = Carriers(await self._candidates(file.play))
        return (await self._standings([file], carriers))[0]

    async def confirm(self, standing: PlayStanding, principal: Principal) -> None:
        """Record that a person has confirmed the play in this state. Raises `NotAllowed` outside the browser.

        Whether the person owns the play is not checked.
        """
        content = msgspec.json.encode(standing.powers)
        await self._trust.confirm_version(f"{TRUST_KIND}/{standing.slug}", standing.hash, content, principal)

    async def confirmer(self, slug: str) -> str | None:
        """Return the user name of the person who confirmed the play last, if anyone did."""
        return await self._trust.confirmer(f"{TRUST_KIND}/{slug}")

    async def confirmed_powers(self, slug: str) -> dict[str, Any]:
        """Return the powers that were confirmed last, in canonical form; empty if they never were."""
        content = await self._trust.confirmed_content(f"{TRUST_KIND}/{slug}")
        return {} if content is None else msgspec.json.decode(content, type=dict)

    async def forget(self, slug: str) -> None:
        """Remove the confirmation, so that a new play of this name must be confirmed.

        Nothing happens if there is none.
        """
        await self._trust.forget(f"{TRUST_KIND}/{slug}")

    async def _candidates(self, play: Play | None) -> list[RosterEntry]:
        """Return the agents among which the play's carrier is searched."""
        if play is None:
            return []
        if play.agent is None:
            return await self.roster.find()
        try:
            return [await self.roster.get(play.agent)]
        except NotFound:
            return []

    async def _standings(self, files: Iterable[PlayFile], carriers: Carriers) -> list[PlayStanding]:
        confirmed = await self._trust.confirmed_hashes(TRUST_KIND)
        keepers = await self._trust.confirmers(TRUST_KIND)
        return [self._standing(file, carriers.of(file.play), confirmed, keepers.get(file.slug)) for file in files]

    def _standing(
        self, file: PlayFile, carrier: RosterEntry | None, confirmed: Mapping[str, str] | None, keeper: str | None
    ) -> PlayStanding:
        """Combine a file with its carrier. `confirmed`: hashes by slug; None: every play counts as confirmed."""
        if file.play is None:
            return PlayStanding(file=file, keeper=keeper)
        canonical = powers.play_powers(file.fields, file.body, owner=carrier.record.owner if carrier else "")
        digest = powers.hash_of(canonical)
        return PlayStanding(
            file=file,
            powers=canonical,
            hash=digest,
            confirmed=confirmed is None or confirmed.get(file.slug) == digest,
            ever_confirmed=confirmed is None or file.slug in confirmed,
            carrier=carrier,
            keeper=None if carrier else keeper,
        )


class Carriers:
    """Finds the agent that carries out a play, from the agents that list it."""

    def __init__(self, agents: Iterable[RosterEntry]) -> None:
        self._by_slug: dict[str, RosterEntry] = {}
        self._listing: dict[str, list[RosterEntry]] = {}
        for each in agents:
            self._by_slug[each.slug] = each
            for play in dict.fromkeys(each.files.persona.plays if each.files.persona else ()):
                self._listing.setdefault(play, []).append(each)

    def of(self, play: Play | None) -> RosterEntry | None:
        """Return the agent that the play names, else an active agent that lists it, preferably one that may act.

        None if there is no such agent. The agent that the play names is returned even if it is not active.
        """
        if play is None:
            return None
        if play.agent is not None:
            return self._by_slug.get(play.agent)
        listing = [
            each for each in self._listing.get(play.slug, []) if each.files.persona and each.files.persona.active
        ]
        return next((each for each in listing if not each.obstacle), listing[0] if listing else None)

    def owners_of(self, standing: PlayStanding) -> set[str]:
        """Return the owners of a play: see `Playbook.owners_of`."""
        owner = standing.carrier.record.owner if standing.carrier else standing.keeper
        owners = {each.record.owner for each in self._listing.get(standing.slug, [])}
        return owners if owner is None else owners | {owner}
