"""Takes skills that agents have written. `skills/` keeps them until a person has approved them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from ..core.errors import CabinetError, Refused
from .run_quota import RunQuota

CLOSED = "This server keeps no skills."
MOST_OF_A_RUN = 3
TOO_MANY = f"A run can write {MOST_OF_A_RUN} skills."


class WrittenSkill(msgspec.Struct, frozen=True, kw_only=True):
    """A skill that an agent has written. `tainted`: after it had read text from outside."""

    agent: str
    name: str
    description: str
    instructions: str
    tainted: bool


Keep = Callable[[WrittenSkill], Awaitable[str]]


class SkillDesk:
    """Takes skills. Until it is opened, it refuses them."""

    def __init__(self) -> None:
        self._keep: Keep | None = None
        self._quota = RunQuota(MOST_OF_A_RUN, TOO_MANY)

    def open(self, keep: Keep) -> None:
        """Keep skills from now on. `keep`: returns a sentence for the agent."""
        self._keep = keep

    async def take(self, run_id: str, skill: WrittenSkill) -> str:
        """Keep a skill, and return a sentence about that.

        Raises `Refused` before `open` and for more than three skills of a run, and what `keep` raises; then the skill
        does not count.
        """
        if self._keep is None:
            raise Refused(CLOSED)
        self._quota.take(run_id)
        try:
            return await self._keep(skill)
        except CabinetError:
            self._quota.give_back(run_id)
            raise
