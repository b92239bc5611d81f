"""Builds the services of bundles. Called by `backend.py`."""

from __future__ import annotations

from ..agents.files.file_versions import USER
from ..agents.files.shared_file import SharedFile
from ..agents.wiring import AgentRoom
from ..foundation import Foundation
from ..plays.wiring import PlayRoom
from ..runtimes.registry import Runtimes
from ..skills.wiring import SkillRoom
from ..tool_servers.wiring import ToolServerRoom
from .exporting import Exporter
from .service import Bundles, BundleServices


class BundleRoom:
    """All services of bundles."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        agents: AgentRoom,
        plays: PlayRoom,
        skills: SkillRoom,
        tool_servers: ToolServerRoom,
        runtimes: Runtimes,
    ) -> None:
        user_file = SharedFile(USER, foundation.root, foundation.state_folder)
        exporter = Exporter(
            folders=agents.roster.folders,
            playbook=plays.playbook,
            library=skills.library,
            user_file=user_file,
            redactor=foundation.redactor,
        )
        services = BundleServices(
            agents=agents.agents,
            playbook=plays.playbook,
            plays=plays.plays,
            library=skills.library,
            skills=skills.skills,
            tool_servers=tool_servers.tool_servers,
            runtimes=runtimes,
        )
        self.bundles = Bundles(root=foundation.root, exporter=exporter, services=services, user_file=user_file)
