"""Continues a session of a CLI as a run like every other, in its own CLI or, with a summary, in another one.

A CLI that cannot continue a session, such as OpenClaw, begins a new one with the summary. Also finds the runs of this
server that worked in a session. Called by `web/handlers/sessions.py`.
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
        """Return the runs that worked in the session and that the caller may see, newest first. Raises `NotFound`."""
        row = await self._cli_sessions.row(id, principal)
        ours = await self._sessions.with_native_id(row.runtime, row.native_id, principal)
        ids = {each.id for each in ours} | {row.native_id}  # a run without a record of its session gave the CLI its id
        found = [await self._runs.find(RunFilter(session_id=id, runtime=row.runtime), principal) for id in ids]
        return sorted((run for runs in found for run in runs), key=lambda run: -run.number)

    async def submit(self, id: str, new: ContinueSession, principal: Principal) -> Run:
        """Start the run. Raises `Invalid` where its folder is outside this server's root, and what `submit` raises."""
        session = await self._cli_sessions.get(id, principal)
        if session.path is None:
            raise Invalid(OUTSIDE.format(folder=session.cwd or "an unknown folder"), field="cwd")
        shared: dict[str, Any] = {
            "mode": new.mode,
            "permission_mode": new.permission_mode,
            "cwd": session.path,
        }
        runtime = new.runtime or session.runtime
        if runtime == session.runtime and session.is_gone:
            raise Invalid(GONE, field="id")
        if runtime != session.runtime or not await self._can_resume(runtime):
            text = await self._handed_over(session, new.instruction, principal)
            request = NewManualRun(instruction=text, runtime=runtime, **shared)
        else:
            ours = await self._sessions.adopt(principal, session.runtime, session.native_id, title=session.title)
            request = NewManualRun(instruction=new.instruction, session_id=ours.id, **shared)
        return await self._runs.submit(request, principal)

    async def _can_resume(self, runtime: str) -> bool:
        """Return whether its CLI continues sessions. If the CLI was not found, the run reports that."""
        found = await asyncio.to_thread(self._runtimes.capabilities, runtime)
        return found is None or found.resume

    async def _handed_over(self, session: CliSession, instruction: str, principal: Principal) -> str:
        _, entries = await self._cli_sessions.entries(session.id, principal)
        title = self._runtimes.get(session.runtime).about.title
        return handover(session, entries, title=title, instruction=instruction)
