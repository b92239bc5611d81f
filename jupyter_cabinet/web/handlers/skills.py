"""`skills`: instructions with files that agents receive once a person has approved them."""

from __future__ import annotations

import msgspec

from ...skills.model import NewSkill, SkillDecision, SkillDetail, SkillText, SkillView
from ..handler import CabinetHandler
from ..operation import operation


class SkillList(msgspec.Struct, frozen=True, kw_only=True):
    """By name. `problems`: sentences about folders that look like skills but are not valid."""

    items: tuple[SkillView, ...]
    problems: tuple[str, ...] = ()


class RemovedSkill(msgspec.Struct, frozen=True, kw_only=True):
    """Its name in `.playbooks/.trash/`."""

    name: str


class SkillsHandler(CabinetHandler):
    """`skills`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=SkillList)
    async def get(self) -> None:
        """List the skills of this folder."""
        skills = self.services.skills
        self.reply(SkillList(items=tuple(await skills.find(self.principal)), problems=await skills.problems()))

    @operation("write", body=NewSkill, gives=SkillDetail, status=201)
    async def post(self) -> None:
        """Add a skill: written, copied from a folder, or from a zip file. One that is written in the browser counts as
        approved.
        """
        self.reply(await self.services.skills.add(self.body(NewSkill), self.principal), 201)


class SkillHandler(CabinetHandler):
    """`skills/{name}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=SkillDetail)
    async def get(self, name: str) -> None:
        """Return one skill with all its files, beside the version that a person has approved."""
        self.reply(await self.services.skills.get(name, self.principal))

    @operation("write", body=SkillText, gives=SkillDetail)
    async def put(self, name: str) -> None:
        """Replace its `SKILL.md`. In the browser, an approved skill stays approved."""
        self.reply(await self.services.skills.save(name, self.body(SkillText), self.principal))

    @operation("write", gives=RemovedSkill)
    async def delete(self, name: str) -> None:
        """Move it to the trash below `.playbooks/`, and forget what people have decided about it."""
        self.reply(RemovedSkill(name=await self.services.skills.remove(name, self.principal)))


class SkillDecisionHandler(CabinetHandler):
    """`skills/{name}/decision`"""

    auth_resource = "cabinet-agents"

    @operation("write", body=SkillDecision, gives=SkillDetail)
    async def post(self, name: str) -> None:
        """Approve or reject exactly these files. Only a person may do this, in the browser."""
        self.reply(await self.services.skills.decide(name, self.body(SkillDecision), self.principal))
