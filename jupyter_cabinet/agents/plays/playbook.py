"""Plays as they may act now: their files, what a person has confirmed of them, and which agent carries them out.

Files are the truth and are read anew each time. Called by the kind of run, by what starts plays and by `service.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from ...core.errors import NotFound, OutOfService
from ...core.events import Scope
from ...core.people import Principal, may_see
from ...trust.service import Trust
from .. import powers
from ..roster import Roster, Standing
from .files import PlayFile, PlayFiles
from .play import Play

TRUST_KIND = "play"
UNCONFIRMED = "Its file is not as a person has confirmed it. Look at the difference, then confirm it."


class PlayStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One play and whether it may act. `carrier`: the agent that carries it out; None: there is none, and the play
    belongs to its `keeper`, the person who has confirmed it last, where somebody has."""

    file: PlayFile
    powers: Mapping[str, Any] = {}  # in canonical form
    hash: str = ""  # of them; empty where the file cannot be read
    confirmed: bool = False
    carrier: Standing | None = None
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
        return "" if self.confirmed else UNCONFIRMED

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


class Playbook:
    """Every play of the root."""

    def __init__(self, *, files: PlayFiles, roster: Roster, trust: Trust) -> None:
        self.files = files
        self.roster = roster
        self._trust = trust

    async def get(self, slug: str, principal: Principal | None = None) -> PlayStanding:
        """One play as it is now. Raises `NotFound`, also for one whose agent is not the caller's to see."""
        standing = await self.standing_of(await asyncio.to_thread(self.files.read, slug))
        if not _is_seen(standing, principal):
            raise NotFound("There is no such play.")
        return standing

    async def find(
        self, principal: Principal | None = None, *, which: Callable[[PlayFile], bool] = lambda file: True
    ) -> list[PlayStanding]:
        """All that the caller may see, by slug. `which`: those that are meant, before anything else is read of them."""
        found = []
        agents: list[Standing] | None = None
        for slug in await asyncio.to_thread(self.files.slugs):
            try:
                file = await asyncio.to_thread(self.files.read, slug)
            except NotFound:
                continue  # it was removed meanwhile
            if not which(file):
                continue
            agents = await self.roster.find() if agents is None else agents
            standing = await self._standing(file, agents)
            if _is_seen(standing, principal):
                found.append(standing)
        return found

    async def owners_of(self, standings: Iterable[PlayStanding]) -> list[set[str]]:
        """For each of them: who owns the agents that carry it out or have it among their plays, active or not; its
        keeper where no agent carries it out."""
        agents = await self.roster.find()
        return [
            {each.record.owner for each in agents if _mentions(each, standing.slug)} | _owner(standing)
            for standing in standings
        ]

    async def standing_of(self, file: PlayFile) -> PlayStanding:
        """How a play stands whose file was read already."""
        return await self._standing(file, await self._candidates(file.play))

    async def confirm(self, standing: PlayStanding, principal: Principal) -> None:
        """Keep that a person has confirmed the play as it stands there."""
        content = msgspec.json.encode(standing.powers)
        await self._trust.confirm_version(f"{TRUST_KIND}/{standing.slug}", standing.hash, content, principal)

    async def confirmer(self, slug: str) -> str | None:
        """Who has confirmed it last."""
        return await self._trust.confirmer(f"{TRUST_KIND}/{slug}")

    async def confirmed_powers(self, slug: str) -> dict[str, Any]:
        """In canonical form, as a person has confirmed them last; empty: nobody has."""
        content = await self._trust.confirmed_content(f"{TRUST_KIND}/{slug}")
        return {} if content is None else msgspec.json.decode(content, type=dict)

    async def forget(self, slug: str) -> None:
        """What comes under its name from now on has to be confirmed."""
        await self._trust.forget(f"{TRUST_KIND}/{slug}")

    async def _candidates(self, play: Play | None) -> list[Standing]:
        """The agents among which the one is that carries a play out."""
        if play is None:
            return []
        if play.agent is None:
            return await self.roster.find()
        try:
            return [await self.roster.get(play.agent)]
        except NotFound:
            return []

    async def _standing(self, file: PlayFile, agents: list[Standing]) -> PlayStanding:
        if file.play is None:
            return PlayStanding(file=file, keeper=await self.confirmer(file.slug))
        carrier = _carrier(file.play, agents)
        canonical = powers.play_powers(file.fields, file.body, owner=carrier.record.owner if carrier else "")
        digest = powers.hash_of(canonical)
        return PlayStanding(
            file=file,
            powers=canonical,
            hash=digest,
            confirmed=await self._trust.is_confirmed(f"{TRUST_KIND}/{file.slug}", digest),
            carrier=carrier,
            keeper=None if carrier else await self.confirmer(file.slug),
        )


def _carrier(play: Play, agents: list[Standing]) -> Standing | None:
    """The agent that the play names, else the first that lists it: one that may act, where there is one."""
    if play.agent is not None:
        return next((each for each in agents if each.slug == play.agent), None)
    listing = [each for each in agents if _lists(each, play.slug)]
    return next((each for each in listing if not each.obstacle), listing[0] if listing else None)


def _lists(standing: Standing, play: str) -> bool:
    persona = standing.files.persona
    return persona is not None and persona.active and play in persona.plays


def _mentions(standing: Standing, play: str) -> bool:
    persona = standing.files.persona
    return persona is not None and play in persona.plays


def _owner(standing: PlayStanding) -> set[str]:
    owner = standing.carrier.record.owner if standing.carrier else standing.keeper
    return set() if owner is None else {owner}


def _is_seen(standing: PlayStanding, principal: Principal | None) -> bool:
    scope = standing.scope
    return principal is None or may_see(principal, scope.owner, scope.visibility)
