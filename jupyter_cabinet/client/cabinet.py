"""`Cabinet`: a server with Jupyter Cabinet, from Python."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self

import msgspec

from ..activity.model import ActivityEntry, ActivityPage
from ..approvals.model import Approval
from ..runners.port import RunnerName
from ..runs.model import Run
from ..runs.switch_model import Switch, TurnSwitch
from ..runtimes.model import PermissionMode, RunMode
from .agents import Agents
from .api import Api
from .channels import Channels
from .connection.kernel_server import server_of_kernel
from .connection.server_address import ServerAddress, address_given
from .methods import both_forms
from .model import CabinetStatus, RunList
from .notebooks import path_of_kernel
from .plans import Plans
from .plays import Plays
from .runs import following
from .runs.live_run import LiveRun
from .runs.requests import Context, checked_id, run_body
from .sessions import CliSessions
from .skills import Skills
from .status import status_of
from .terminals import Terminals
from .tool_servers import ToolServers

MOST_IN_PAGE = 200  # the server's own limit


class Cabinet:
    """A server with Jupyter Cabinet.

    `Cabinet()` finds the server that a notebook's kernel belongs to; `Cabinet(url, token=…)` is for scripts. It can be
    used from any number of threads, also while an event loop is running, and as a context manager (`with` and `async
    with`). After a fork, create a new one.

    Methods wait for the server. In async code each has another form: `await cabinet.status.aio()`. A run itself is
    awaited: `await cabinet.run("…")`, `async for event in cabinet.run("…")`.

    Raises `NoServer` if no server is found; methods raise `RequestRefused` with the server's own words, or
    `Unreachable`.
    """

    def __init__(self, url: str | None = None, *, token: str | None = None) -> None:
        self._api = Api(_found(url, token))
        self.agents = Agents(self._api)
        self.channels = Channels(self._api)
        self.plans = Plans(self._api)
        self.plays = Plays(self._api)
        self.sessions = CliSessions(self._api)
        self.skills = Skills(self._api)
        self.tool_servers = ToolServers(self._api)
        self.terminals = Terminals(self._api)

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._api.server.url

    @property
    def root(self) -> str:
        """The server's folder, if the server was found through its own runtime file; otherwise empty."""
        return self._api.server.root

    # --- runs --------------------------------------------------------------------------------

    def run(  # noqa: PLR0913 - what can be chosen of a run, each by its name
        self,
        instruction: str,
        *,
        agent: str | None = None,
        notebook: str | None = None,
        session: str | None = None,
        new_session: bool = False,
        context: Context = (),
        runtime: str | None = None,
        model: str | None = None,
        permission_mode: PermissionMode | None = None,
        mode: RunMode | None = None,
        isolate: bool | None = None,
        runner: RunnerName | None = None,
        source: str = "",
    ) -> LiveRun:
        """Start a run, and return it when the server has accepted it. On a thread with a running event loop, it returns
        at once: `await` the run, or read its `id`, to learn whether it was accepted.

        `agent`: the slug of an agent. `notebook`: the path of the notebook that the instruction comes from, relative
        to the server's root. The run continues the session that the notebook has with this agent, unless
        `new_session`. `session`: the id of a session to continue. `context`: pieces of a notebook for the prompt, each
        with `kind` (`cell`, `selection`, `error`, `variable`), `title` and `text`. `source`: the cell that asks, such
        as `[5]`. `runtime`, `model`, `permission_mode` (`ask`, `edit`, `bypass`) and `mode` (`headless`, `terminal`)
        default to the settings of the agent and the server. `isolate`: True for a run in a sandbox, which is refused if
        that is not possible; False for one without; None leaves it to the server's setting. `runner`: where it starts,
        `local` (the server's machine), `dask` (a worker of the server's cluster) or `docker` (a container).

        Raises `ValueError` or `TypeError` for invalid arguments, before anything is sent.
        """
        body = run_body(
            instruction,
            agent=agent,
            notebook=notebook,
            new_session=new_session,
            context=context,
            source=source,
            session_id=session,
            runtime=runtime,
            model=model,
            permission_mode=permission_mode,
            mode=mode,
            isolate=isolate,
            runner=runner,
        )
        return LiveRun.submitted(self._api, self._api.send("POST", "runs", Run, body))

    def attach(self, run_id: str) -> LiveRun:
        """Return a run that was started elsewhere or earlier, by its id.

        Waits like `run`. Raises `ValueError` for an invalid id, and `RequestRefused` if there is no such run.
        """
        return LiveRun.submitted(self._api, self._api.fetch(f"runs/{checked_id(run_id)}", Run), starts=False)

    @both_forms
    async def runs(
        self,
        *,
        agent: str | None = None,
        path: str | None = None,
        state: str | None = None,
        query: str | None = None,
        limit: int = 50,
    ) -> RunList:
        """Return the newest runs that you may see, at most `limit`.

        Filters: an agent, a document (its `path`), a `state`, a text in the instruction (`query`). `.to_frame()` makes
        a pandas `DataFrame` of them.
        """
        asked = {"agent": agent, "path": path, "state": state, "q": query}
        return RunList(await self._pages("runs", _RunPage, asked, limit))

    @both_forms
    async def activity(  # noqa: PLR0913 - what it can be narrowed by, each by its name
        self,
        *,
        person: str | None = None,
        agent: str | None = None,
        runtime: str | None = None,
        state: str | None = None,
        path: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        changed: bool = False,
        asked: bool = False,
        query: str | None = None,
        limit: int = 50,
    ) -> tuple[ActivityEntry, ...]:
        """Return the activity of agents, newest first, at most `limit` runs: each with its questions and changes.

        `person`: user name or display name of the person who requested it; `path`: a document or a folder; `changed`,
        `asked`: only runs with changes or questions. `since` and `until` without a time zone count as local time.
        """
        asked_for = {
            "person": person,
            "agent": agent,
            "runtime": runtime,
            "state": state,
            "path": path,
            "since": since.astimezone().isoformat() if since else None,
            "until": until.astimezone().isoformat() if until else None,
            "changed": "true" if changed else None,
            "asked": "true" if asked else None,
            "q": query,
        }
        return tuple(await self._pages("activity", ActivityPage, asked_for, limit))

    @both_forms
    async def notebook_of(self, kernel_id: str) -> str | None:
        """Return the path of the notebook that has this kernel, relative to the server's root; None if it has none."""
        return await path_of_kernel(self._api, kernel_id)

    # --- the whole server --------------------------------------------------------------------

    @both_forms
    async def status(self) -> CabinetStatus:
        """Return agents, active and queued runs, open questions, runtimes, and whether work is paused.

        What the caller may not read is empty (`switch`: None). At most 200 runs of each state are included.
        """
        return await status_of(self._api)

    @both_forms
    async def approvals(self) -> tuple[Approval, ...]:
        """Return the questions of agents that wait for a person, newest first, at most 200.

        A person answers them in the browser; a program cannot.
        """
        return await following.waiting_approvals(self._api)

    @both_forms
    async def pause(self, *, now: bool = False) -> Switch:
        """Pause everything: nothing starts on this server until `resume`. `now`: also end current runs.

        Return the switch as it is then. Raises `RequestRefused` if the caller may not.
        """
        return await self._api.send("POST", "switch", Switch, TurnSwitch(paused=True, now=now))

    @both_forms
    async def resume(self) -> Switch:
        """Resume everything. Return the switch as it is then. Raises `RequestRefused` if the caller may not."""
        return await self._api.send("POST", "switch", Switch, TurnSwitch(paused=False))

    async def _pages(self, route: str, kind: type[Any], query: Mapping[str, str | None], limit: int) -> list[Any]:
        """Yield the items of a list, page by page."""
        found: list[Any] = []
        cursor: str | None = None
        while len(found) < limit:
            page = min(limit - len(found), MOST_IN_PAGE)
            reply = await self._api.fetch(route, kind, {**query, "limit": page, "cursor": cursor})
            found += reply.items
            cursor = reply.next
            if cursor is None or not reply.items:
                break
        return found

    # --- its life ----------------------------------------------------------------------------

    def close(self) -> None:
        """Disconnect from the server. Runs continue, and code that waits for one gets a `CabinetError`.

        This object cannot be used afterwards: its methods raise `CabinetError`. Closing twice is fine.
        """
        self._api.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def __repr__(self) -> str:
        return f"<Cabinet at {self.url}>"


class _RunPage(msgspec.Struct):
    items: tuple[Run, ...]
    next: str | None = None


def _found(url: str | None, token: str | None) -> ServerAddress:
    if url is not None:
        return address_given(url, token or "")
    if token is not None:
        raise ValueError("A token needs the address of its server. Give url too.")
    return server_of_kernel(os.environ)
