"""`runtimes`: the agent CLIs that were found here, and a run that tests one."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Literal

import msgspec

from ....runs.model import NewManualRun, Run
from ....runtimes.port import Capabilities
from ....runtimes.registry import RuntimeInfo
from ...handler import CabinetHandler
from ...operation import operation

TEST_PROMPT = "Reply with the single word OK. Do not use any tool."


class LastError(msgspec.Struct, frozen=True, kw_only=True):
    """The newest failed run of a runtime."""

    message: str
    at: datetime
    run_id: str


class RuntimeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A runtime as people see it: its description, whether it was found here, and what it can do."""

    name: str
    title: str
    docs: str
    install: str  # one command
    login_hint: str
    found: bool
    reason: str  # why it was not found or cannot be used
    path: str | None
    version: str | None
    tested: str  # the newest version that the adapter was tested with
    warning: str  # a newer one was found
    login: Literal["yes", "no", "unknown"]
    capabilities: Capabilities
    isolable: bool  # its runs can be isolated if this machine can do that
    sessions_of: str  # the runtime under which its past sessions are listed; empty: itself
    is_default: bool
    builtin: bool
    last_error: LastError | None = None

    @classmethod
    def of(cls, info: RuntimeInfo, default: str, failed: Run | None) -> RuntimeEntry:
        """Return the entry of a runtime.

        `default`: the name of the default runtime; `failed`: its newest failed run.
        """
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
            isolable=info.isolable,
            sessions_of=info.sessions_of,
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


class RuntimesHandler(CabinetHandler):
    """`runtimes`"""

    @operation("read", gives=RuntimeList)
    async def get(self) -> None:
        """List each agent CLI: where it was found or why not, its version, what it can do, whether it is logged in."""
        found = await asyncio.to_thread(self.services.runtimes.describe)
        default = await asyncio.to_thread(self.services.runtimes.default_name)
        failed = await self.services.runs.last_failures(self.principal)
        self.reply(RuntimeList(items=tuple(RuntimeEntry.of(info, default, failed.get(info.name)) for info in found)))


class RuntimeTestHandler(CabinetHandler):
    """`runtimes/{name}/test`"""

    @operation("execute", gives=Run, status=201)
    async def post(self, name: str) -> None:
        """Start a run with a test prompt."""
        self.services.runtimes.get(name)
        new = NewManualRun(instruction=TEST_PROMPT, runtime=name)
        self.reply(await self.services.runs.submit(new, self.principal), 201)
