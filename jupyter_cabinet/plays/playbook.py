"""Plays as they may act now: their files, what a person has confirmed of them, and which agent carries them out.

Files are the truth: each call sees them as they are now. Called by the kind of run, by what starts plays and by
`service.py`.
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
UNCONFIRMED = "Its file has changed since it was last confirmed. Review the changes, then confirm it."
AGENT_GONE = "Its agent {agent} no longer exists. Restore the agent, or choose another one for this play."


class PlayStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One play and whether it may act. `carrier`: the agent that carries it out; None: there is none, and the play
    belongs to its `keeper`, the person who has confirmed it last, where somebody has."""

    file: PlayFile
    powers: Mapping[str, Any] = {}  # in canonical form
    hash: str = ""  # of them; empty where the file cannot be read
    confirmed: bool = False
    carrier: RosterEntry | None = None
    keeper: str | None = None

    @property
    def slug(self) -> str:
        """Its name as its file has it."""
        return self.file.slug

    @property
    def obstacle(self) -> str:
        """Why it may not act, in a sentence; empty: it may."""
        if self.file.play is None:
            return " ".join(error.message for error in self.file.errors)
        if self.missing_agent is not None:
            return AGENT_GONE.format(agent=self.missing_agent)
        return "" if self.confirmed else UNCONFIRMED

    @property
    def missing_agent(self) -> str | None:
        """The slug of the agent that the play names, if there is no such agent."""
        named = self.file.play.agent if self.file.play is not None else None
        return named if self.carrier is None else None

    def require(self) -> Play:
        """The play, if it may act. Raises `OutOfService` with the reason."""
        if self.file.play is None or self.obstacle:
            raise OutOfService(self.obstacle)
        return self.file.play

    @property
    def scope(self) -> Scope:
        """Who may learn of it: who may see its agent."""
        if self.carrier is not None:
            return self.carrier.scope
        return Scope(owner=self.keeper or "", visibility="private" if self.keeper else "server")

    @property
    def version(self) -> Hashable:
        """What is different after each change of its file that people can see."""
        return self.file.etag, tuple(each.message for each in self.file.errors)

    def is_visible_to(self, principal: Principal | None) -> bool:
        """Whether this person may learn of it; None: everybody."""
        scope = self.scope
        return principal is None or may_see(principal, scope.owner, scope.visibility)


class Playbook:
    """Every play of the root."""

    def __init__(self, *, files: PlayFiles, roster: Roster, trust: Trust) -> None:
        self.files = files
        self.roster = roster
        self._trust = trust

    async def get(self, slug: str, principal: Principal | None = None) -> PlayStanding:
        """One play as it is now. Raises `NotFound`, also for one whose agent is not the caller's to see."""
        standing = await self.standing_of(await asyncio.to_thread(self.files.read, slug))
        if not standing.is_visible_to(principal):
            raise NotFound("There is no such play.")
        return standing

    async def find(
        self, principal: Principal | None = None, *, which: Callable[[PlayFile], bool] = lambda file: True
    ) -> list[PlayStanding]:
        """All that the caller may see, by slug. `which`: those that are meant, before anything else is read of them."""
        files = [file for file in await asyncio.to_thread(self.files.read_all) if which(file)]
        if not files:
            return []
        carriers = Carriers(await self.roster.find())
        return [each for each in await self._standings(files, carriers) if each.is_visible_to(principal)]

    async def find_with_owners(self) -> list[tuple[PlayStanding, set[str]]]:
        """All plays by slug, each with its owners as `owners_of` has them."""
        files, carriers = await asyncio.to_thread(self.files.read_all), Carriers(await self.roster.find())
        return [(each, carriers.owners_of(each)) for each in await self._standings(files, carriers)]

    async def owners_of(self, standing: PlayStanding) -> set[str]:
        """Who owns the agents that carry it out or have it among their plays, active or not; its keeper where no agent
        carries it out."""
        return Carriers(await self.roster.find()).owners_of(standing)

    async def standing_of(self, file: PlayFile) -> PlayStanding:
        """How a play stands whose file was read already."""
        carriers = Carriers(await self._candidates(file.play))
        return (await self._standings([file], carriers))[0]

    async def confirm(self, standing: PlayStanding, principal: Principal) -> None:
        """Record that a person has confirmed the play in this state."""
        content = msgspec.json.encode(standing.powers)
        await self._trust.confirm_version(f"{TRUST_KIND}/{standing.slug}", standing.hash, content, principal)

    async def confirmer(self, slug: str) -> str | None:
        """Who has confirmed it last."""
        return await self._trust.confirmer(f"{TRUST_KIND}/{slug}")

    async def confirmed_powers(self, slug: str) -> dict[str, Any]:
        """In canonical form, as last confirmed; empty: never."""
        content = await self._trust.confirmed_content(f"{TRUST_KIND}/{slug}")
        return {} if content is None else msgspec.json.decode(content, type=dict)

    async def forget(self, slug: str) -> None:
        """What comes under its name from now on has to be confirmed."""
        await self._trust.forget(f"{TRUST_KIND}/{slug}")

    async def _candidates(self, play: Play | None) -> list[RosterEntry]:
        """The agents among which the one is that carries a play out."""
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
        """`confirmed`: hashes by slug; None: everything is."""
        if file.play is None:
            return PlayStanding(file=file, keeper=keeper)
        canonical = powers.play_powers(file.fields, file.body, owner=carrier.record.owner if carrier else "")
        digest = powers.hash_of(canonical)
        return PlayStanding(
            file=file,
            powers=canonical,
            hash=digest,
            confirmed=confirmed is None or confirmed.get(file.slug) == digest,
            carrier=carrier,
            keeper=None if carrier else keeper,
        )


class Carriers:
    """Agents by the plays that they list."""

    def __init__(self, agents: Iterable[RosterEntry]) -> None:
        self._by_slug: dict[str, RosterEntry] = {}
        self._listing: dict[str, list[RosterEntry]] = {}
        for each in agents:
            self._by_slug[each.slug] = each
            for play in dict.fromkeys(each.files.persona.plays if each.files.persona else ()):
                self._listing.setdefault(play, []).append(each)

    def of(self, play: Play | None) -> RosterEntry | None:
        """The agent that the play names, else the first that lists it: one that may act, if there is one."""
        if play is None:
            return None
        if play.agent is not None:
            return self._by_slug.get(play.agent)
        listing = [
            each for each in self._listing.get(play.slug, []) if each.files.persona and each.files.persona.active
        ]
        return next((each for each in listing if not each.obstacle), listing[0] if listing else None)

    def owners_of(self, standing: PlayStanding) -> set[str]:
        """See `Playbook.owners_of`."""
        owner = standing.carrier.record.owner if standing.carrier else standing.keeper
        owners = {each.record.owner for each in self._listing.get(standing.slug, [])}
        return owners if owner is None else owners | {owner}
