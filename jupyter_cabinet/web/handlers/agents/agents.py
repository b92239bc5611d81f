"""`agents`: named workers with their own folders, and everything in them."""

from __future__ import annotations

from typing import Any

import msgspec

from ....agents.files.archive_names import PutAwayAgent
from ....agents.model import AgentDetail, AgentView, EffectReport, GoalView
from ....agents.prompts.heartbeat_prompt import Assembled
from ....agents.templates import Template
from ....core.errors import Invalid
from ....core.people import Visibility
from ....runs.model import Run
from ...handler import CabinetHandler
from ...operation import operation


class NewAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents`. `fields`: of the persona, instead of those of the template."""

    slug: str
    template: str
    fields: dict[str, Any] = {}
    # None: `server` if everybody has one token, else `private`
    visibility: Visibility | None = None


class SaveAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT agents/{slug}`: either fields of the persona (null removes one), or its whole text."""

    fields: dict[str, Any] | None = None
    text: str | None = None
    etag: str | None = None  # of the version that the caller has seen; needed with a text


class PauseAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents/{slug}/pause`."""

    reason: str = ""


class ConfirmAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents/{slug}/confirm`. `hash`: of the agent as the caller has seen it."""

    hash: str


class RenameAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents/{slug}/rename`."""

    slug: str


class DuplicateAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents/{slug}/duplicate`: of the new agent. `name`: its display name; empty: the original's."""

    slug: str
    name: str = ""


class PutAway(msgspec.Struct, frozen=True, kw_only=True):
    """The name under which an agent was stored; `POST agents/restore` takes it."""

    name: str


class RestoreAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents/restore`."""

    name: str


class AgentList(msgspec.Struct, frozen=True, kw_only=True):
    """By name.

    `problems`: sentences about files among the agents that are not agents. `archived`, `trashed`: those of the caller's
    agents that `POST agents/restore` can restore.
    """

    items: tuple[AgentView, ...]
    problems: tuple[str, ...] = ()
    archived: tuple[PutAwayAgent, ...] = ()
    trashed: tuple[PutAwayAgent, ...] = ()


class TemplateList(msgspec.Struct, frozen=True, kw_only=True):
    """The templates for new agents."""

    items: tuple[Template, ...]


class GoalList(msgspec.Struct, frozen=True, kw_only=True):
    """Of one agent."""

    items: tuple[GoalView, ...]


class EffectList(msgspec.Struct, frozen=True, kw_only=True):
    """Of one run, in the order of its directives."""

    items: tuple[EffectReport, ...]


class DecideEffect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST runs/{id}/effects/{position}`."""

    allow: bool


class AgentsHandler(CabinetHandler):
    """`agents`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=AgentList)
    async def get(self) -> None:
        """List the agents that the caller may see."""
        agents = self.services.agents
        self.reply(
            AgentList(
                items=tuple(await agents.find(self.principal)),
                problems=await agents.problems(),
                archived=await agents.archived(self.principal),
                trashed=await agents.trashed(self.principal),
            )
        )

    @operation("write", body=NewAgent, gives=AgentDetail, status=201)
    async def post(self) -> None:
        """Create an agent from a template. If it is created in the browser, that confirms it."""
        new = self.body(NewAgent)
        visibility = new.visibility or ("server" if self.principal.shared_token else "private")
        create = self.services.agents.create
        self.reply(await create(new.slug, new.template, new.fields, self.principal, visibility), 201)


class AgentRestoreHandler(CabinetHandler):
    """`agents/restore`"""

    auth_resource = "cabinet-agents"

    @operation("write", body=RestoreAgent, gives=AgentDetail)
    async def post(self) -> None:
        """Restore an agent that was archived or deleted.

        It is confirmed if a person in the browser restores it, it was confirmed before and its files are unchanged.
        """
        self.reply(await self.services.agents.restore(self.body(RestoreAgent).name, self.principal))


class TemplatesHandler(CabinetHandler):
    """`agent-templates`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=TemplateList)
    async def get(self) -> None:
        """List the templates for new agents."""
        self.reply(TemplateList(items=self.services.agents.templates()))


class AgentHandler(CabinetHandler):
    """`agents/{name}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=AgentDetail)
    async def get(self, slug: str) -> None:
        """Return one agent: its settings, its permissions, and how they differ from the confirmed version."""
        self.reply(await self.services.agents.get(slug, self.principal))

    @operation("write", body=SaveAgent, gives=AgentDetail)
    async def put(self, slug: str) -> None:
        """Change its persona. Comments, order and unknown fields are kept. For its owner."""
        body = self.body(SaveAgent)
        change = body.text if body.text is not None else body.fields
        if change is None or (body.text is not None and body.fields is not None):
            raise Invalid("Give either fields or a text, not both.", field="fields")
        self.reply(await self.services.agents.save(slug, change, body.etag, self.principal))

    @operation("write", gives=PutAway)
    async def delete(self, slug: str) -> None:
        """Move it to the trash below `.agents/`. Nothing is erased. For its owner."""
        self.reply(PutAway(name=await self.services.agents.delete(slug, self.principal)))


class AgentArchiveHandler(CabinetHandler):
    """`agents/{name}/archive`"""

    auth_resource = "cabinet-agents"

    @operation("write", gives=PutAway)
    async def post(self, slug: str) -> None:
        """Archive it with all its files, inbox and history. For its owner."""
        self.reply(PutAway(name=await self.services.agents.archive(slug, self.principal)))


class AgentRenameHandler(CabinetHandler):
    """`agents/{name}/rename`"""

    auth_resource = "cabinet-agents"

    @operation("write", body=RenameAgent, gives=AgentDetail)
    async def post(self, slug: str) -> None:
        """Rename it. For its owner. It must not have a running or queued run."""
        self.reply(await self.services.agents.rename(slug, self.body(RenameAgent).slug, self.principal))


class AgentDuplicateHandler(CabinetHandler):
    """`agents/{name}/duplicate`"""

    auth_resource = "cabinet-agents"

    @operation("write", body=DuplicateAgent, gives=AgentDetail, status=201)
    async def post(self, slug: str) -> None:
        """Make a private copy of its persona and steering texts, without memory, tasks, messages, history and plays.

        It needs confirmation, unless the owner of a confirmed agent makes it in the browser.
        """
        new = self.body(DuplicateAgent)
        self.reply(await self.services.agents.duplicate(slug, new.slug, new.name, self.principal), 201)


class AgentConfirmHandler(CabinetHandler):
    """`agents/{name}/confirm`"""

    auth_resource = "cabinet-agents"

    @operation("write", body=ConfirmAgent, gives=AgentDetail)
    async def post(self, slug: str) -> None:
        """Confirm it as it is now. Only its owner may do this, in the browser."""
        self.reply(await self.services.agents.confirm(slug, self.body(ConfirmAgent).hash, self.principal))


class AgentRunHandler(CabinetHandler):
    """`agents/{name}/run`"""

    auth_resource = "cabinet-agents"

    @operation("execute", gives=Run, status=201)
    async def post(self, slug: str) -> None:
        """Start a heartbeat now."""
        self.reply(await self.services.agents.run(slug, self.principal), 201)


class AgentPauseHandler(CabinetHandler):
    """`agents/{name}/pause`"""

    auth_resource = "cabinet-agents"

    @operation("execute", body=PauseAgent, gives=AgentDetail)
    async def post(self, slug: str) -> None:
        """Pause it: it starts nothing until it is resumed. Its current run continues. For its owner."""
        self.reply(await self.services.agents.pause(slug, self.principal, self.body(PauseAgent).reason))


class AgentResumeHandler(CabinetHandler):
    """`agents/{name}/resume`"""

    auth_resource = "cabinet-agents"

    @operation("execute", gives=AgentDetail)
    async def post(self, slug: str) -> None:
        """Resume it: it may start runs again. For its owner."""
        self.reply(await self.services.agents.resume(slug, self.principal))


class AgentPromptHandler(CabinetHandler):
    """`agents/{name}/prompt`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=Assembled)
    async def get(self, slug: str) -> None:
        """Return the prompt that a heartbeat would receive now, part by part.

        `warnings` says if the agent needs confirmation first.
        """
        self.reply(await self.services.agents.prompt(slug, self.principal))


class AgentGoalsHandler(CabinetHandler):
    """`agents/{name}/goals`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=GoalList)
    async def get(self, slug: str) -> None:
        """Return its goals in their current periods, with their history."""
        self.reply(GoalList(items=tuple(await self.services.agents.goals(slug, self.principal))))


class RunEffectsHandler(CabinetHandler):
    """`runs/{id}/effects`"""

    @operation("read", gives=EffectList)
    async def get(self, run_id: str) -> None:
        """List the result of each directive of a run."""
        await self.services.runs.get(run_id, self.principal)
        self.reply(EffectList(items=tuple(await self.services.aftermath.reports(run_id))))


class RunEffectHandler(CabinetHandler):
    """`runs/{id}/effects/{position}`"""

    auth_resource = "cabinet-approvals"

    @operation("execute", body=DecideEffect, gives=EffectReport)
    async def post(self, run_id: str, position: str) -> None:
        """Approve or deny a directive of a run that has read text from outside.

        Only the run's owner may do this, in the browser.
        """
        await self.services.runs.owned(run_id, self.principal)
        allow = self.body(DecideEffect).allow
        decide = self.services.aftermath.decide
        self.reply(await decide(run_id, int(position), allow=allow, principal=self.principal))
