"""How the server is, and what it found: `health`, `runtimes`, and the API's own description."""

from __future__ import annotations

import asyncio
import importlib.util
from datetime import datetime
from typing import Literal

import msgspec

from ..core.version import VERSION
from ..runs.model import NewManualRun, Run
from ..runtimes.port import Capabilities
from ..runtimes.registry import RuntimeInfo
from .handler import CabinetHandler
from .operation import operation

TEST_PROMPT = "Reply with the single word OK. Do not use any tool."


class RuntimeName(msgspec.Struct, frozen=True, kw_only=True):
    """A runtime as people know it."""

    name: str
    title: str


class You(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller is and may."""

    username: str
    display_name: str
    may_run: bool
    in_browser: bool


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """`demo`: no agent CLI was found, so the demo agent serves whatever names no runtime."""

    version: str
    root: str
    trusted: bool
    default_runtime: RuntimeName
    demo: bool
    collaboration: bool
    allow_bypass: bool
    you: You


class LastError(msgspec.Struct, frozen=True, kw_only=True):
    """The newest failed run of a runtime."""

    message: str
    at: datetime
    run_id: str


class RuntimeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A runtime as people see it: what it is, whether it was found here, and what it can do."""

    name: str
    title: str
    docs: str
    install: str  # one command
    login_hint: str
    found: bool
    reason: str  # why it was not found or cannot be used
    path: str | None
    version: str | None
    tested: str  # the newest version that the adapter was tried with
    warning: str  # a newer one was found
    login: Literal["yes", "no", "unknown"]
    capabilities: Capabilities
    is_default: bool
    builtin: bool
    last_error: LastError | None = None

    @classmethod
    def of(cls, info: RuntimeInfo, default: str, failed: Run | None) -> RuntimeEntry:
        located = info.located
        return cls(
            name=info.name,
            title=info.about.title,
            docs=info.about.docs,
            install=info.about.install,
            login_hint=info.about.login,
            found=located is not None,
            reason=info.problem,
            path=located.path if located else None,
            version=located.version if located else None,
            tested=info.about.tested,
            warning=info.warning,
            login=located.login if located else "unknown",
            capabilities=info.capabilities or Capabilities(),
            is_default=info.name == default,
            builtin=info.builtin,
            last_error=_last_error(failed) if failed else None,
        )


class RuntimeList(msgspec.Struct, frozen=True, kw_only=True):
    """Every known runtime, found or not."""

    items: tuple[RuntimeEntry, ...]
    next: str | None = None


def _last_error(run: Run) -> LastError:
    return LastError(message=run.reason, at=run.finished_at or run.queued_at, run_id=run.id)


class HealthHandler(CabinetHandler):
    """`health`"""

    @operation("read", gives=Health)
    async def get(self) -> None:
        """Whether the rooms are up, which runtime is the default, and what the caller may do."""
        name = await asyncio.to_thread(self.rooms.runtimes.default_name)
        self.reply(
            Health(
                version=VERSION,
                root=self.rooms.root_name,
                trusted=(await self.rooms.trust.state()).confirmed,
                default_runtime=RuntimeName(name=name, title=self.rooms.runtimes.get(name).about.title),
                demo=name == "demo",
                collaboration=importlib.util.find_spec("jupyter_server_ydoc") is not None,
                allow_bypass=self.rooms.allow_bypass,
                you=await self._you(),
            )
        )

    async def _you(self) -> You:
        who = self.principal
        return You(
            username=who.username,
            display_name=who.display_name,
            may_run=await self.may("execute"),
            in_browser=who.in_browser,
        )


class RuntimesHandler(CabinetHandler):
    """`runtimes`"""

    @operation("read", gives=RuntimeList)
    async def get(self) -> None:
        """Each agent CLI: where it was found or why not, its version, what it can do, whether it is logged in."""
        found = await asyncio.to_thread(self.rooms.runtimes.describe)
        default = await asyncio.to_thread(self.rooms.runtimes.default_name)
        failed = await self.rooms.runs.last_failures(self.principal)
        self.reply(RuntimeList(items=tuple(RuntimeEntry.of(info, default, failed.get(info.name)) for info in found)))


class RuntimeTestHandler(CabinetHandler):
    """`runtimes/{name}/test`"""

    @operation("execute", gives=Run, status=201)
    async def post(self, name: str) -> None:
        """Start a run with a test prompt."""
        self.rooms.runtimes.get(name)
        new = NewManualRun(instruction=TEST_PROMPT, runtime=name)
        self.reply(await self.rooms.runs.submit(new, self.principal), 201)
