"""`cabinet.skills`: instructions with files that agents receive once a person has approved them."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from ..skills.model import NewSkill, SkillDetail, SkillView
from .api import Api
from .methods import both_forms


class Skills:
    """The skills of a server's folder: `cabinet.skills.get("weekly-report").state`.

    A program can read and add them. Only a person approves them, in JupyterLab.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    @both_forms
    async def list(self) -> tuple[SkillView, ...]:
        """Return all of them as they are now, by name, each with its state and the agents that list it."""
        return await self._api.fetch_items("skills", SkillView)

    @both_forms
    async def get(self, name: str) -> SkillDetail:
        """Return one of them with all its files, each beside the approved version.

        Raises `RequestRefused` (`not_found`) if there is none.
        """
        return await self._api.fetch(f"skills/{name}", SkillDetail)

    @both_forms
    async def write(self, name: str, description: str, instructions: str) -> SkillDetail:
        """Add a skill with these instructions. It waits until a person has approved it.

        Raises `RequestRefused` if there is such a skill already, or if it is not valid.
        """
        return await self._add(NewSkill(name=name, description=description, instructions=instructions))

    @both_forms
    async def copy(self, folder: str) -> SkillDetail:
        """Add a copy of a skill's folder, a path below the server's root. It waits until a person has approved it."""
        return await self._add(NewSkill(folder=folder))

    @both_forms
    async def upload(self, archive: str | Path) -> SkillDetail:
        """Add the skill in a zip file of this machine. It waits until a person has approved it.

        Raises `OSError` if the file cannot be read, and `RequestRefused` if the server does not accept it.
        """
        return await self._add(NewSkill(archive=b64encode(Path(archive).read_bytes()).decode()))

    async def _add(self, new: NewSkill) -> SkillDetail:
        return await self._api.send("POST", "skills", SkillDetail, new)
