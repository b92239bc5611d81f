"""The tools with which an agent asks something of the browser of the person for whom its run works.

Nothing happens there by itself: each open page of JupyterLab shows a notification, and the person decides. Called by
`agent_tools.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ..core import paths
from ..core.errors import NotAllowed, NotFound, Refused
from ..core.events import Scope
from ..core.plain_text import hidden_characters, one_line
from ..runs.model import Run
from .files.safe_files import AGENTS
from .files.tool_grants import BrowserAction
from .model import BrowserAsked
from .prompts import tool_list
from .roster.roster import Roster
from .run_quota import RunQuota

MOST_OF_A_RUN = 5
TOO_MANY = f"A run can ask for something in the person's browser {MOST_OF_A_RUN} times."
FROM_OUTSIDE = "This run has read text from outside, so it cannot ask for anything in the person's browser."
HIDDEN = "The text has invisible characters, so the person could not see what they copy. Remove these."
SHOWN = "The pages of JupyterLab that the person has open show it. Do not wait for it."


class BrowserTools:
    """What agents ask of the browsers of people. `root`: the server's root."""

    def __init__(self, *, roster: Roster, root: Path) -> None:
        self._roster = roster
        self._root = root
        self._quota = RunQuota(MOST_OF_A_RUN, TOO_MANY)

    def by_name(self) -> dict[str, Callable[[Run, str, Any], Awaitable[str]]]:
        """Return the tools by their names. Each takes the run, the agent's slug and the arguments.

        Each announces the request to the owner of the run, does not wait for an answer, and returns a sentence. It
        raises `NotAllowed` if the agent may not ask for this or the run has read text from outside, `OutOfService`,
        `Refused` for more than five requests of a run or hidden characters, `NotFound` for a file that may not be
        opened, and `Invalid` or `OutsideRoot` for a path that is not valid.
        """
        return {"notify": self._notify, "open": self._open, "clipboard_write": self._copy}

    async def _notify(self, run: Run, agent: str, asked: tool_list.Notify) -> str:
        await self._take(run, agent, "notify")
        return await self._ask(run, agent, "notify", one_line(asked.text))

    async def _open(self, run: Run, agent: str, asked: tool_list.Open) -> str:
        await self._take(run, agent, "open")  # first: a refusal tells which files there are
        path = "/".join(paths.check(asked.path))
        if hidden_characters(path) or not await asyncio.to_thread(self._is_for, path, agent):
            raise NotFound(f"There is no file {one_line(path, most=200)}.")
        return await self._ask(run, agent, "open", path)

    async def _copy(self, run: Run, agent: str, asked: tool_list.ClipboardWrite) -> str:
        await self._take(run, agent, "clipboard")
        if hidden_characters(asked.text):
            raise Refused(HIDDEN)
        return await self._ask(run, agent, "clipboard", asked.text)

    async def _take(self, run: Run, agent: str, action: BrowserAction) -> None:
        """Count a request. Raises `NotAllowed`, `OutOfService`, `Refused`."""
        persona = (await self._roster.get(agent)).require()
        if action not in persona.browser_actions:  # it may have changed since the run was queued
            raise NotAllowed("This agent may no longer ask for this.")
        if run.tainted:
            raise NotAllowed(FROM_OUTSIDE)
        self._quota.take(run.id)

    async def _ask(self, run: Run, agent: str, action: BrowserAction, text: str) -> str:
        """Show a request to the owner of the run, and return the answer for the agent. Does not wait for the owner."""
        scope = Scope(owner=run.owner, visibility="private")
        await self._roster.tell(BrowserAsked(agent=agent, run_id=run.id, action=action, text=text), scope)
        return SHOWN

    def _is_for(self, path: str, agent: str) -> bool:
        """Return whether it is a file that the agent may name, wherever links lead: not hidden, and of no other agent.

        Blocks.
        """
        if not paths.is_file_below(self._root, path):
            return False
        real = (self._root / path).resolve().relative_to(self._root.resolve()).parts
        is_own = real[:2] == (AGENTS, agent)
        return not any(part.startswith(".") for part in real[2 if is_own else 0 :])
