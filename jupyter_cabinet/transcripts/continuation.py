"""Continues a session of a CLI as a run like every other, in its own CLI or, with a summary, in another one.

A session is continued through the runtime of its last run, such as an ACP adapter of its CLI. A CLI that cannot
continue a session, such as OpenClaw, begins a new one with the summary. Also finds the runs of this server that worked
in a session. Called by `web/handlers/sessions.py`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from ..core.errors import Invalid
from ..core.people import Principal
from ..runs.model import NewManualRun, Run, RunFilter
from ..runs.service import Runs
from ..runtimes.registry import Runtimes
from ..sessions.service import Sessions
from .handover import handover
from .model import CliSession, ContinueSession
from .service import CliSessions

OUTSIDE = (
    "This session worked in {folder}, which is outside this server's folder. Start JupyterLab in that folder to "
    "continue it."
)
GONE = "The transcript of this session no longer exists, so it cannot be continued."


class Continuation:
    """Submits the runs."""

    def __init__(self, *, cli_sessions: CliSessions, sessions: Sessions, runs: Runs, runtimes: Runtimes) -> None:
        self._cli_sessions = cli_sessions
        self._sessions = sessions
        self._runs = runs
        self._runtimes = runtimes

    async def runs(self, id: str, principal: Principal) -> list[Run]:
        """Return the runs that worked in the session and that the caller may see, newest first.

        Raises `NotFound`, also if the caller may not see the session.
        """
        row = await self._cli_sessions.row(id, principal)
        found: list[Run] = []
        # of a session that Cabinet has recorded, `native_id` is our id
        continuing = await self._sessions.continuing(row.native_id, principal)
        for runtime in self._runtimes.working_in_sessions_of(row.runtime):
            ours = [*continuing, *await self._sessions.with_native_id(runtime, row.native_id, principal)]
            # a run without a record of its session gave the CLI its id
            for session in {each.id for each in ours} | {row.native_id}:
                found += await self._runs.find(RunFilter(session_id=session, runtime=runtime), principal)
        return sorted(found, key=lambda run: -run.number)

    async def submit(self, id: str, new: ContinueSession, principal: Principal) -> Run:
        """Submit the run, and return it without waiting for it. Without `new.runtime`, the runtime of the last run
        continues.

        Raises `NotFound`, `Invalid` if the session's folder is outside this server's root or its transcript is gone,
        and what `Runs.submit` raises.
        """
        session = await self._cli_sessions.get(id, principal)
        if session.path is None:
            raise Invalid(OUTSIDE.format(folder=session.cwd or "an unknown folder"), field="cwd")
        shared: dict[str, Any] = {
            "mode": new.mode,
            "permission_mode": new.permission_mode,
            "cwd": session.path,
        }
        runtime = new.runtime or await self._last_runtime(session, principal)
        is_own = self._runtimes.sessions_of(runtime) == session.runtime
        if is_own and session.is_gone:
            raise Invalid(GONE, field="id")
        if not is_own or not await self._can_resume(runtime):
            text = await self._handed_over(session, new.instruction, principal)
            request = NewManualRun(instruction=text, runtime=runtime, **shared)
        else:
            is_ours = await asyncio.to_thread(self._cli_sessions.is_recorded, session.runtime)
            ours = await self._sessions.adopt(
                principal, runtime, session.native_id, title=session.title, is_ours=is_ours
            )
            request = NewManualRun(instruction=new.instruction, session_id=ours.id, **shared)
        return await self._runs.submit(request, principal)

    async def _last_runtime(self, session: CliSession, principal: Principal) -> str:
        """Return the runtime of the last run in the session if its CLI is found; otherwise the session's own."""
        for run in (await self.runs(session.id, principal))[:1]:
            if await asyncio.to_thread(self._runtimes.capabilities, run.runtime) is not None:
                return run.runtime
        return session.runtime

    async def _can_resume(self, runtime: str) -> bool:
        """Return whether its CLI continues sessions. If the CLI was not found, the run reports that."""
        found = await asyncio.to_thread(self._runtimes.capabilities, runtime)
        return found is None or found.resume

    async def _handed_over(self, session: CliSession, instruction: str, principal: Principal) -> str:
        _, entries = await self._cli_sessions.entries(session.id, principal)
        title = self._runtimes.get(session.runtime).about.title
        return handover(session, entries, title=title, instruction=instruction)
