"""The current state of skills: their files, and what a person has decided about exactly these files.

The files are authoritative: each call reads their current content. A decision holds for the hash of all files of a
skill (rule 8 of ARCHITECTURE.md), so after one changed byte no agent gets a skill until a person has seen it again.
"""

from __future__ import annotations

import asyncio

import msgspec

from ..core.errors import Malformed
from ..trust.service import Trust
from . import skill_text
from .model import SkillState
from .skill_folders import SkillFolders, path_of
from .skill_text import MAIN_FILE, Skill
from .skill_versions import SkillVersion, unpacked

APPROVED, REJECTED = "skill", "rejected-skill"  # kinds of versions that `trust/` keeps
NO_VERSION = SkillVersion(())


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One skill and what a person has decided. `skill`: None if its files are not a skill; `problem` says why."""

    name: str
    version: SkillVersion
    skill: Skill | None
    state: SkillState
    problem: str = ""

    @property
    def hash(self) -> str:
        """Return the hash of its files; empty if they cannot be read."""
        return self.version.hash if self.version.files else ""


class Library:
    """All skills of the root folder."""

    def __init__(self, *, folders: SkillFolders, trust: Trust) -> None:
        self.folders = folders
        self._trust = trust

    async def find(self) -> list[Standing]:
        """Return all skills, by name."""
        approved, rejected = await self._decisions()
        names = await asyncio.to_thread(self.folders.names)
        return [await self._standing(name, approved, rejected) for name in names]

    async def get(self, name: str) -> Standing:
        """Return one skill. Raises `NotFound`."""
        return await self._standing(name, *await self._decisions())

    async def approved_version(self, name: str) -> SkillVersion | None:
        """Return the files that a person has approved last; None if there are none."""
        content = await self._trust.confirmed_content(f"{APPROVED}/{name}")
        try:
            return None if content is None else unpacked(content)
        except msgspec.MsgspecError:
            return None  # the hash did not match either, so the skill counts as changed

    async def _decisions(self) -> tuple[dict[str, str] | None, dict[str, str]]:
        return await self._trust.confirmed_hashes(APPROVED), await self._trust.confirmed_hashes(REJECTED) or {}

    async def _standing(self, name: str, approved: dict[str, str] | None, rejected: dict[str, str]) -> Standing:
        try:
            version = await asyncio.to_thread(self.folders.read, name)
        except Malformed as error:
            return Standing(name=name, version=NO_VERSION, skill=None, state="invalid", problem=error.message)
        try:
            skill = skill_of(name, version)
        except Malformed as error:
            return Standing(name=name, version=version, skill=None, state="invalid", problem=error.message)
        return Standing(name=name, version=version, skill=skill, state=_state(name, version.hash, approved, rejected))


def skill_of(name: str, version: SkillVersion) -> Skill:
    """Return what a skill says about itself. Raises `Malformed` with what is wrong."""
    file = f"{path_of(name)}/{MAIN_FILE}"
    content = version.content(MAIN_FILE)
    if content is None:
        raise Malformed(f"{path_of(name)}: there is no {MAIN_FILE}.", file=file)
    skill = skill_text.read(content, file=file)
    if skill.name != name:
        raise Malformed(
            f"{file}: it says that its name is {skill.name}. Its folder has to have the same name.", file=file
        )
    return skill


def _state(name: str, digest: str, approved: dict[str, str] | None, rejected: dict[str, str]) -> SkillState:
    if approved is None or approved.get(name) == digest:
        return "approved"
    if rejected.get(name) == digest:
        return "rejected"
    return "changed" if name in approved else "pending"
