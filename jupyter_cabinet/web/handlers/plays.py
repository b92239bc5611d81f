"""`plays`: reusable instructions; and `hooks`, where a signed request from outside starts one."""

from __future__ import annotations

from typing import Any

import msgspec

from ...core.errors import Invalid
from ...plays.model import PlayDetail, PlayLine, PlayView
from ...runs.model import Run
from ..handler import CabinetHandler
from ..operation import Query, operation, signed_operation
from ..signed_handler import SignedHandler


class NewPlay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plays`. `fields`: of its front matter; `body`: its instruction."""

    slug: str
    body: str
    fields: dict[str, Any] = {}


class SavePlay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT plays/{slug}`: either fields (null removes one), or the whole text of its file."""

    fields: dict[str, Any] | None = None
    text: str | None = None
    etag: str | None = None  # of the version that the caller has seen; needed with a text


class RunPlay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plays/{slug}/run`. A missing input counts as not given."""

    inputs: dict[str, str] = {}


class ConfirmPlay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plays/{slug}/confirm`. `hash`: of the play as the caller has seen it."""

    hash: str


class PlayList(msgspec.Struct, frozen=True, kw_only=True):
    """By name. `problems`: sentences about files that look like plays but are not valid."""

    items: tuple[PlayView, ...]
    problems: tuple[str, ...] = ()


class PlayHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first."""

    items: tuple[PlayLine, ...]


class TrashedPlay(msgspec.Struct, frozen=True, kw_only=True):
    """Its name in `.playbooks/.trash/`."""

    name: str


class PlaySecret(msgspec.Struct, frozen=True, kw_only=True):
    """A new secret. It is shown only once."""

    secret: str


class SampleRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plays/{slug}/test-request`. `body`: of the request that is signed and received."""

    body: str = ""


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """The run that a signed request has started."""

    run_id: str


class PlaysHandler(CabinetHandler):
    """`plays`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=PlayList)
    async def get(self) -> None:
        """List the plays that the caller may see."""
        plays = self.services.plays
        self.reply(PlayList(items=tuple(await plays.find(self.principal)), problems=await plays.problems()))

    @operation("write", body=NewPlay, gives=PlayDetail, status=201)
    async def post(self) -> None:
        """Create a play. In the browser this also confirms it, if it is valid and the caller owns all its agents."""
        new = self.body(NewPlay)
        self.reply(await self.services.plays.create(new.slug, new.fields, new.body, self.principal), 201)


class PlayHandler(CabinetHandler):
    """`plays/{name}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=PlayDetail)
    async def get(self, slug: str) -> None:
        """Return one play: its settings, when it starts, and how it differs from the confirmed version."""
        self.reply(await self.services.plays.get(slug, self.principal))

    @operation("write", body=SavePlay, gives=PlayDetail)
    async def put(self, slug: str) -> None:
        """Change fields of a play, or replace its text. For the owner of its agent."""
        body = self.body(SavePlay)
        change = body.text if body.text is not None else body.fields
        if change is None or (body.text is not None and body.fields is not None):
            raise Invalid("Give either fields or a text, not both.", field="fields")
        self.reply(await self.services.plays.save(slug, change, body.etag, self.principal))

    @operation("write", gives=TrashedPlay)
    async def delete(self, slug: str) -> None:
        """Move it to the trash below `.playbooks/`. Only its secret is erased. For the owner of its agent."""
        self.reply(TrashedPlay(name=await self.services.plays.delete(slug, self.principal)))


class PlayRunHandler(CabinetHandler):
    """`plays/{name}/run`"""

    auth_resource = "cabinet-agents"

    @operation("execute", body=RunPlay, gives=Run, status=201)
    async def post(self, slug: str) -> None:
        """Start it now."""
        self.reply(await self.services.plays.run(slug, self.body(RunPlay).inputs, self.principal), 201)


class PlayConfirmHandler(CabinetHandler):
    """`plays/{name}/confirm`"""

    auth_resource = "cabinet-agents"

    @operation("write", body=ConfirmPlay, gives=PlayDetail)
    async def post(self, slug: str) -> None:
        """Confirm it as it is now. Only the owner of its agent may do this, in the browser."""
        self.reply(await self.services.plays.confirm(slug, self.body(ConfirmPlay).hash, self.principal))


class PlaySecretHandler(CabinetHandler):
    """`plays/{name}/secret`"""

    auth_resource = "cabinet-agents"

    @operation("write", gives=PlaySecret, status=201)
    async def post(self, slug: str) -> None:
        """Create a secret that signs requests to `hooks/plays/{name}`. It replaces the previous one."""
        self.reply(PlaySecret(secret=await self.services.plays.make_secret(slug, self.principal)), 201)


class PlayTestRequestHandler(CabinetHandler):
    """`plays/{name}/test-request`"""

    auth_resource = "cabinet-agents"

    @operation("execute", body=SampleRequest, gives=Run, status=201)
    async def post(self, slug: str) -> None:
        """Start it as a signed request would, to try its webhook. For the owner of its agent."""
        self.reply(
            await self.services.plays.send_test_request(slug, self.body(SampleRequest).body, self.principal), 201
        )


class PlayHistoryHandler(CabinetHandler):
    """`plays/{name}/history`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=PlayHistory, query=(Query(name="limit", kind="integer", about="at most 500"),))
    async def get(self, slug: str) -> None:
        """List its last runs, from `.playbooks/.history/`."""
        limit = self.integer_argument("limit", 50)
        self.reply(PlayHistory(items=tuple(await self.services.plays.history(slug, limit, self.principal))))


class PlayHookHandler(SignedHandler):
    """`hooks/plays/{name}`"""

    auth_resource = "cabinet-agents"

    @signed_operation(gives=Started, status=202)
    async def post(self, slug: str) -> None:
        """Start a play with a request that is signed with its secret."""
        run = await self.services.hooks.receive(slug, self.delivery())
        self.reply(Started(run_id=run.id), 202)
