"""`agent-bundles`: agents that were exported as one file, or come from another system."""

from __future__ import annotations

from ....agents.model import AgentDetail
from ....bundles.model import ArrivingAgent, ExportChoice, ImportAgent, UploadedAgent
from ...handler import CabinetHandler
from ...operation import Query, operation

MAX_UPLOAD_BYTES = 24 * 2**20  # 16 MiB of files that cannot be compressed, in Base64, and the rest of the request

EXPORTED = (
    Query(name="memory", kind="boolean", about="with its memory; by default without"),
    Query(name="user", kind="boolean", about="with USER.md, which all agents share; by default without"),
)


class AgentExportHandler(CabinetHandler):
    """`agents/{name}/export`"""

    auth_resource = "cabinet-agents"

    @operation("read", media="application/zip", query=EXPORTED)
    async def get(self, slug: str) -> None:
        """Download it as one zip file that another server can import. For its owner.

        It contains the persona, the steering texts, the plays and the approved skills, without commands and secrets.
        """
        choice = ExportChoice(memory=self.flag_argument("memory"), user=self.flag_argument("user"))
        content = await self.services.bundles.export(slug, choice, self.principal)
        self.set_header("Content-Type", "application/zip")
        self.set_header("Content-Disposition", f'attachment; filename="{slug}.agent.zip"')
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.write(content)


class AgentBundlesHandler(CabinetHandler):
    """`agent-bundles`"""

    auth_resource = "cabinet-agents"
    max_body_bytes = MAX_UPLOAD_BYTES

    @operation("write", body=UploadedAgent, gives=ArrivingAgent)
    async def post(self) -> None:
        """Show what an agent would bring: permissions, skills, plays, all texts. Nothing is written.

        Cabinet has exported it, or it is the folder of another system.
        """
        self.reply(await self.services.bundles.look(self.body(UploadedAgent), self.principal))


class AgentImportHandler(CabinetHandler):
    """`agent-bundles/import`"""

    auth_resource = "cabinet-agents"
    max_body_bytes = MAX_UPLOAD_BYTES

    @operation("write", body=ImportAgent, gives=AgentDetail, status=201)
    async def post(self) -> None:
        """Import an agent under a free name. Nothing that it brings is confirmed or approved.

        The caller owns it. Nothing is overwritten: either all of it appears, or nothing.
        """
        self.reply(await self.services.bundles.bring(self.body(ImportAgent), self.principal), 201)
