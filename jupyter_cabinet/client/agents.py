"""`cabinet.agents`: the agents of a server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from ..agents.correspondence.messages import Message
from ..agents.correspondence.tasks import Task
from ..agents.model import AgentDetail, AgentStatus, AgentView, GoalView, MemoryMatch
from ..bundles.model import ArrivingAgent
from ..core.slugs import is_slug
from ..runs.model import Run
from ..schedules.model import Tick
from .agent_archives import archive_of
from .api import Api
from .errors import RequestRefused
from .handles import Handles
from .methods import both_forms
from .runs.live_run import LiveRun
from .runs.requests import run_body

MEMORY = "memory/{}.md"


class _File(msgspec.Struct):
    text: str


class _InboxPage(msgspec.Struct):
    messages: tuple[Message, ...]
    next: str | None


class AgentHandle:
    """One agent. Nothing of it is cached: each property and method asks the server. `name`: its slug, such as `ada`."""

    def __init__(self, api: Api, name: str) -> None:
        self._api = api
        self.name = name

    # --- state -------------------------------------------------------------------------------

    @both_forms
    async def fetch(self) -> AgentDetail:
        """Return all of it as it is now; `detail`, `status` and `goals` are parts of this.

        Raises `RequestRefused` (`not_found`) if there is no such agent.
        """
        return await self._api.fetch(f"agents/{self.name}", AgentDetail)

    @property
    def detail(self) -> AgentDetail:
        """All of it as it is now. In async code: `await agent.fetch.aio()`."""
        return self.fetch()

    @property
    def status(self) -> AgentStatus:
        """Such as `idle`, `working`, `paused` or `unconfirmed`; `detail.reason` says why."""
        return self.detail.status

    @property
    def goals(self) -> tuple[GoalView, ...]:
        """Its goals in their current periods, with their history."""
        return self.detail.goals

    @both_forms
    async def tasks(self) -> tuple[Task, ...]:
        """Return its tasks: open ones first, by priority."""
        return await self._api.fetch_items(f"agents/{self.name}/tasks", Task, name="tasks")

    @both_forms
    async def inbox(self, limit: int = 500) -> tuple[Message, ...]:
        """Return the messages that it has not read yet, newest first, at most `limit`.

        Reading them here does not mark them as read.
        """
        found: list[Message] = []
        cursor: str | None = None
        while len(found) < limit:
            query = {"limit": limit - len(found), "cursor": cursor}
            page = await self._api.fetch(f"agents/{self.name}/inbox", _InboxPage, query)
            found += page.messages
            cursor = page.next
            if cursor is None:
                break
        return tuple(found)

    @both_forms
    async def memory(self, name: str = "context") -> str:
        """Return one of its memory files as Markdown: `context`, `decisions` or `learnings`. Empty: there is none.

        Raises `ValueError` for a name that cannot be one.
        """
        if not is_slug(name):
            raise ValueError(f"{name!r} is not a memory file. Use context, decisions or learnings.")
        try:
            reply = await self._api.fetch(f"agents/{self.name}/files/{MEMORY.format(name)}", _File)
        except RequestRefused as error:
            if error.kind != "not_found":
                raise
            return ""
        return reply.text

    @both_forms
    async def search_memory(self, words: str, limit: int = 20) -> tuple[MemoryMatch, ...]:
        """Return the passages of its memory that contain all of the words, best first, at most 50. `path` and `line`
        say where each is, `excerpt` is the text around the first word."""
        path = f"agents/{self.name}/memory/search"
        return await self._api.fetch_items(path, MemoryMatch, {"q": words, "limit": limit})

    @both_forms
    async def history(self, limit: int = 50) -> tuple[Tick, ...]:
        """Return the outcome of its scheduled heartbeats, newest first: the run of each, or the reason for none.

        At most `limit`, and at most 500. Its runs are `cabinet.runs(agent=…)`.
        """
        return await self._api.fetch_items(f"agents/{self.name}/history", Tick, {"limit": limit})

    # --- actions -----------------------------------------------------------------------------

    def run(self) -> LiveRun:
        """Start a heartbeat now: it works through its messages, tasks and goals. Return without waiting for its end.

        Raises `RequestRefused` if the agent may not run now, for example because it is paused or not confirmed.
        """
        return LiveRun.submitted(self._api, self._api.send("POST", f"agents/{self.name}/run", Run))

    def reflect(self) -> LiveRun:
        """Start a reflection: without tools, it reads its soul and its memory, and may propose another soul. Its owner
        decides about the proposal, in the browser.

        It does not wait for the end. Raises `RequestRefused` like `run`.
        """
        return LiveRun.submitted(self._api, self._api.send("POST", f"agents/{self.name}/reflections", Run))

    def ask(self, text: str, **choices: Any) -> LiveRun:
        """Give it an instruction, and return the run without waiting for its end.

        `choices`: `session`, `runtime`, `model`, `permission_mode`, `mode`, `isolate` and `runner`, as in
        `Cabinet.run`. Raises `TypeError` for any other, `ValueError` for an invalid one, and `RequestRefused` if the
        server refuses.
        """
        named = {"session_id": choices.pop("session", None), "runtime": None, "model": None}
        named |= {"permission_mode": None, "mode": None, "isolate": None, "runner": None}
        if unknown := set(choices) - set(named):
            raise TypeError(f"ask() takes no {min(unknown)!r}.")
        body = run_body(
            text, agent=self.name, notebook=None, new_session=False, context=(), source="", **{**named, **choices}
        )
        return LiveRun.submitted(self._api, self._api.send("POST", "runs", Run, body))

    @both_forms
    async def send(self, text: str) -> Message:
        """Put a message into its inbox; it reads it at its next heartbeat."""
        return await self._api.send("POST", f"agents/{self.name}/inbox", Message, {"text": text})

    @both_forms
    async def export(self, file: str | Path, *, memory: bool = False, user: bool = False) -> Path:
        """Write it to a new file of this machine, which another server can import. Return the file's path.

        `memory`: with its memory. `user`: with `USER.md`, which all agents share. Commands and secrets are never
        included. Raises `FileExistsError` if the file exists, and another `OSError` if it cannot be written. If the
        download fails, the file is removed again.
        """
        query = {name: "true" for name, wanted in {"memory": memory, "user": user}.items() if wanted}
        target = Path(file)
        with await asyncio.to_thread(target.open, "xb") as opened:
            try:
                await self._api.download(f"agents/{self.name}/export", query, opened)
            except BaseException:
                target.unlink()
                raise
        return target

    @both_forms
    async def pause(self, reason: str = "") -> AgentDetail:
        """Pause it: it starts nothing until it is resumed.

        Its current run continues. Return the agent as it is then.
        """
        return await self._api.send("POST", f"agents/{self.name}/pause", AgentDetail, {"reason": reason})

    @both_forms
    async def resume(self) -> AgentDetail:
        """Resume it: it may start runs again. Return the agent as it is then. It starts nothing now."""
        return await self._api.send("POST", f"agents/{self.name}/resume", AgentDetail)

    def __repr__(self) -> str:
        return f"<AgentHandle {self.name}>"


class Agents(Handles[AgentHandle]):
    """The agents that you may see, by slug: `cabinet.agents["ada"]`."""

    what = "agent"

    @both_forms
    async def list(self) -> tuple[AgentView, ...]:
        """Return all of them as they are now, with status, schedule, budget and cost."""
        return await _all(self._api)

    @both_forms
    async def inspect(self, file: str | Path, *, agent: str = "") -> ArrivingAgent:
        """Return what an agent would bring. Nothing is written. `file`: on this machine, of an exported agent, or the
        folder of a gateway or an orchestrator, or a zip file of it. `agent`: which one, if the folder has several.

        Raises `OSError` and `core.errors.Invalid` if it cannot be read, and `RequestRefused` if the server does not
        accept it.
        """
        archive = await asyncio.to_thread(archive_of, file, agent)
        return archive.completed(await self._api.send("POST", "agent-bundles", ArrivingAgent, archive.body))

    @both_forms
    async def import_from(
        self, file: str | Path, name: str = "", *, user: bool = False, agent: str = ""
    ) -> AgentHandle:
        """Import an agent. `file`, `agent`: as in `inspect`. `name`: its slug here; by default its own, with a number
        if it is taken. `user`: also add `USER.md`. A person has to confirm the agent in the browser before it acts.

        Raises like `inspect`.
        """
        archive = await asyncio.to_thread(archive_of, file, agent)
        body = {**archive.body, "slug": name, "user": user}
        made = await self._api.send("POST", "agent-bundles/import", AgentDetail, body)
        return AgentHandle(self._api, made.slug)

    async def _names(self) -> list[str]:  # type: ignore[valid-type]
        return [each.slug for each in await _all(self._api)]

    async def _one(self, name: str) -> AgentHandle:
        await self._api.fetch(f"agents/{name}", AgentView)
        return AgentHandle(self._api, name)

    def _is_name(self, name: str) -> bool:
        return is_slug(name)


async def _all(api: Api) -> tuple[AgentView, ...]:
    return await api.fetch_items("agents", AgentView)
