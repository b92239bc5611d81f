"""The current state of skills: their files, and what a person has decided about exactly these files.

The files are authoritative: each call reads their current content. A decision holds for the hash of all files of a
skill (rule 8 of ARCHITECTURE.md), so after one changed byte no agent gets a skill until a person has seen it again.
"""

from __future__ import annotations

import asyncio

import msgspec

from ..core.errors import Malformed
from ..trust.service import Trust
from .model import SkillState
from .outlines import Outline, Outlines, outline_of
from .skill_folders import SkillFolders
from .skill_versions import SkillVersion, unpacked

APPROVED, REJECTED = "skill", "rejected-skill"  # kinds of versions that `trust/` keeps
NO_VERSION = SkillVersion(())


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One skill and what a person has decided about exactly these files."""

    name: str
    outline: Outline
    state: SkillState


class Library:
    """All skills of the root folder."""

    def __init__(self, *, folders: SkillFolders, trust: Trust) -> None:
        self.folders = folders
        self._outlines = Outlines(folders)
        self._trust = trust

    async def find(self) -> list[Standing]:
        """Return all skills, by name, also those that cannot be read.

        Files that have not changed are not read again.
        """
        decisions = await self._decisions()
        return [_standing(*each, *decisions) for each in await asyncio.to_thread(self._outlines.of_all)]

    async def get(self, name: str) -> tuple[Standing, SkillVersion]:
        """Return one skill with its files as they are now. Raises `NotFound`.

        If the files cannot be read, its state is `invalid` and the version has no files.
        """
        decisions = await self._decisions()
        try:
            version = await asyncio.to_thread(self.folders.read, name)
        except Malformed as error:
            return _standing(name, Outline(problem=error.message), *decisions), NO_VERSION
        return _standing(name, await asyncio.to_thread(outline_of, name, version), *decisions), version

    async def approved_version(self, name: str) -> SkillVersion | None:
        """Return the files that a person has approved last, even if the skill has changed since.

        None if there are none. If everything is trusted by a setting, there may be none although the skill counts as
        approved.
        """
        content = await self._trust.confirmed_content(f"{APPROVED}/{name}")
        try:
            return None if content is None else unpacked(content)
        except msgspec.MsgspecError:
            return None  # the hash did not match either, so the skill counts as changed

    async def usable_version(self, standing: Standing, current: SkillVersion) -> SkillVersion | None:
        """Return the files that an agent may get; None if the skill is not approved as it is now.

        The arguments: as `get` returns them. The files are the approved ones if these are the current ones. If the
        setting trusts everything, they are the current ones.
        """
        if standing.state != "approved":
            return None
        approved = await self.approved_version(standing.name)
        return current if approved is None or approved.hash != standing.outline.hash else approved

    async def forget(self, name: str) -> None:
        """Forget what people have decided about a skill, so that a new one of this name waits for a person.

        Its files are not touched, and nothing is announced.
        """
        await self._trust.forget(f"{APPROVED}/{name}")
        await self._trust.forget(f"{REJECTED}/{name}")

    async def _decisions(self) -> tuple[dict[str, str] | None, dict[str, str]]:
        return await self._trust.confirmed_hashes(APPROVED), await self._trust.confirmed_hashes(REJECTED) or {}


def _standing(name: str, outline: Outline, approved: dict[str, str] | None, rejected: dict[str, str]) -> Standing:
    state = "invalid" if outline.skill is None else _state(name, outline.hash, approved, rejected)
    return Standing(name=name, outline=outline, state=state)


def _state(name: str, digest: str, approved: dict[str, str] | None, rejected: dict[str, str]) -> SkillState:
    if approved is None or approved.get(name) == digest:
        return "approved"
    if rejected.get(name) == digest:
        return "rejected"
    return "changed" if name in approved else "pending"
