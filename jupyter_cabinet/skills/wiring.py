"""Builds the services of skills. Called by `backend.py`."""

from __future__ import annotations

from ..agents.wiring import AgentRoom
from ..foundation import Foundation
from .in_runs import SkillsInRuns
from .library import Library
from .service import Skills
from .skill_folders import SkillFolders


class SkillRoom:
    """All services of skills. `in_runs`: what runs get; `skills`: what people do."""

    def __init__(self, foundation: Foundation, *, agents: AgentRoom) -> None:
        self.library = library = Library(folders=SkillFolders(foundation.root), trust=foundation.trust)
        self.in_runs = SkillsInRuns(library=library, roster=agents.roster)
        self.skills = Skills(
            library=library,
            trust=foundation.trust,
            roster=agents.roster,
            bus=foundation.bus,
            clock=foundation.clock,
        )
        agents.skill_desk.open(self.skills.keep)
