"""Which skills a run gets. Implements the port `RunSkills` of `runs/`.

Only files that a person has approved reach an agent: they come from what the approval has stored, and not from the
folder, which may change at any time.
"""

from __future__ import annotations

from ..agents.roster.roster import Roster
from ..core.errors import CabinetError, Malformed, NotFound
from ..execution.model import AgentSkill, AgentSkillFile
from ..runs.model import Run
from ..runs.tools.run_skills import GivenSkills, RunSkills
from .library import Library
from .outlines import skill_of

MOST_SKILLS = 20  # of an agent
WHY = {
    "pending": "nobody has approved it yet",
    "changed": "its files have changed since it was approved",
    "rejected": "a person has rejected it",
    "invalid": "its files cannot be read",
}
NOT_GIVEN = "The agent did not get the skill {name}, because {why}. Look at it in the library of skills."
NO_SUCH = "The agent did not get the skill {name}, because there is no such skill."
TOO_MANY = f"An agent can have {MOST_SKILLS} skills. The agent did not get the others of its list."


class SkillsInRuns(RunSkills):
    """The skills of all agents of a root."""

    def __init__(self, *, library: Library, roster: Roster) -> None:
        self._library = library
        self._roster = roster

    async def of(self, run: Run) -> GivenSkills:
        """Return the approved skills that the persona of the run's agent lists, in that order, at most 20, each once.

        For each skill that the agent does not get, `warnings` has a sentence with the reason. A run without an agent
        gets nothing, and neither does an agent that no longer exists or is not confirmed as it is now; then there is no
        warning.
        """
        names = await self._listed(run.agent)
        skills: list[AgentSkill] = []
        warnings = [TOO_MANY] if len(names) > MOST_SKILLS else []
        for name in names[:MOST_SKILLS]:
            skill, why = await self._skill(name)
            if skill is not None:
                skills.append(skill)
            else:
                warnings.append(why)
        return GivenSkills(tuple(skills), tuple(warnings))

    async def _listed(self, agent: str | None) -> tuple[str, ...]:
        if agent is None:
            return ()
        try:
            return tuple(dict.fromkeys((await self._roster.get(agent)).require().skills))
        except CabinetError:
            return ()  # it is gone, or nobody has confirmed it as it is now: it gets nothing

    async def _skill(self, name: str) -> tuple[AgentSkill | None, str]:
        """Return the skill, else None and why the agent does not get it."""
        try:
            standing, current = await self._library.get(name)
        except NotFound:
            return None, NO_SUCH.format(name=name)
        version = await self._library.usable_version(standing, current)
        if version is None:
            return None, NOT_GIVEN.format(name=name, why=WHY.get(standing.state, WHY["changed"]))
        try:
            found = skill_of(name, version)
        except Malformed:
            return None, NOT_GIVEN.format(name=name, why=WHY["invalid"])
        files = tuple(AgentSkillFile(path=f.path, content=f.content, is_script=f.is_script) for f in version.files)
        given = AgentSkill(name=name, description=found.description, instructions=found.instructions, files=files)
        return given, ""
