"""The port through which a run gets the skills of its agent. Implemented by `skills/in_runs.py`."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ...execution.model import AgentSkill
from ..model import Run


class GivenSkills(NamedTuple):
    """The skills of a run. `warnings`: sentences about skills that its agent lists and does not get."""

    skills: tuple[AgentSkill, ...] = ()
    warnings: tuple[str, ...] = ()


class RunSkills(Protocol):
    """Knows which skills a run gets."""

    async def of(self, run: Run) -> GivenSkills:
        """Return the skills for an attempt that starts now, as a person has approved them.

        The others lead to warnings.
        """


class NoSkills(RunSkills):
    """The port of a server without skills."""

    async def of(self, run: Run) -> GivenSkills:
        return GivenSkills()
