"""The state of the server and the caller's rights (`health`), and the description of the API."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import Any

import msgspec

from ....core.version import VERSION
from ....runs.settings import ClusterHealth, ContainerHealth, SandboxHealth
from ...handler import CabinetHandler
from ...operation import operation


class RuntimeName(msgspec.Struct, frozen=True, kw_only=True):
    """A runtime as people know it."""

    name: str
    title: str


class You(msgspec.Struct, frozen=True, kw_only=True):
    """The caller and their rights."""

    username: str
    display_name: str
    may_run: bool
    may_write: bool  # the caller may create plans
    may_change_agents: bool  # the caller may create and change skills and tool servers
    may_use_channels: bool  # the caller may create and change channels
    may_trust: bool  # the caller may confirm the root folder, in a browser
    in_browser: bool
    owns_all: bool  # the caller has an owner's rights over everything
    may_pause_all: bool  # the caller may pause and resume all work


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """The reply of `health`.

    `demo`: no agent CLI was found, so the demo agent is the default runtime. `idle_stop_seconds`: after so long without
    activity and without kernels the server stops by itself, even if a heartbeat is scheduled; null if it does not.
    """

    version: str
    root: str
    trusted: bool
    default_runtime: RuntimeName
    demo: bool
    collaboration: bool
    allow_bypass: bool
    idle_stop_seconds: int | None
    sandbox: SandboxHealth
    cluster: ClusterHealth
    containers: ContainerHealth
    you: You


class HealthHandler(CabinetHandler):
    """`health`"""

    @operation("read", gives=Health)
    async def get(self) -> None:
        """Return whether the services have started, the default runtime, and the caller's rights."""
        name = await asyncio.to_thread(self.services.runtimes.default_name)
        self.reply(
            Health(
                version=VERSION,
                root=self.server_status.root_name,
                trusted=(await self.services.trust.state()).confirmed,
                default_runtime=RuntimeName(name=name, title=self.services.runtimes.get(name).about.title),
                demo=name == "demo",
                collaboration=importlib.util.find_spec("jupyter_server_ydoc") is not None,
                allow_bypass=self.server_status.allow_bypass,
                idle_stop_seconds=self.server_status.idle_stop_seconds,
                sandbox=await self._sandbox(),
                cluster=await self._cluster(),
                containers=await self._containers(),
                you=await self._you(),
            )
        )

    async def _sandbox(self) -> SandboxHealth:
        state = await self.services.executor.sandbox_check.state_soon()
        setting = self.server_status.sandbox
        return SandboxHealth(setting=setting, works=state.works, reason=state.reason, remedy=state.remedy)

    async def _cluster(self) -> ClusterHealth:
        cluster, runner = self.services.cluster, self.server_status.runner
        if cluster is None:
            return ClusterHealth(configured=False, runner=runner, works=False, reason="", remedy="")
        state = await cluster.state_soon()
        return ClusterHealth(
            configured=True, runner=runner, works=state.works, reason=state.reason, remedy=state.remedy
        )

    async def _containers(self) -> ContainerHealth:
        containers = self.services.containers
        if containers is None:
            return ContainerHealth(image="", works=False, reason="", remedy="")
        state = await containers.state_soon()
        image = containers.runner.image or ""
        return ContainerHealth(image=image, works=state.works, reason=state.reason, remedy=state.remedy)

    async def _you(self) -> You:
        who = self.principal
        return You(
            username=who.username,
            display_name=who.display_name,
            may_run=await self.may("execute"),
            may_write=await self.may("write"),
            may_change_agents=await self.may("write", "cabinet-agents"),
            may_use_channels=await self.may("execute", "cabinet-channels"),
            may_trust=who.in_browser and await self.may("write", "cabinet-admin"),
            in_browser=who.in_browser,
            owns_all=who.shared_token or who.administrator,
            may_pause_all=await self.may("write", "cabinet-admin"),
        )


class OpenApiHandler(CabinetHandler):
    """`openapi.json`"""

    @operation("read", gives=dict[str, Any])
    async def get(self) -> None:
        """Return this document."""
        from ...openapi import document

        self.reply(document())
