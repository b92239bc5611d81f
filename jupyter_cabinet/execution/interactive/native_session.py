"""Chooses the CLI's native session and command line for an order, and the next attempt if the CLI rejects the session.

It does not start the CLI. The stored session id may be outdated: a server may have died after it stored an id and
before its CLI started the session, and two servers may start the same session.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from ...core.ids import is_foreign_id
from ...runtimes.cli_versions import fitted
from ...runtimes.model import AnyAgentEvent, Launch, Outcome, Request, Warned
from ...runtimes.port import Located, Runtime
from ...sandboxes.environment import build_environment
from ..history import with_history
from ..model import Exchange
from ..sandbox.isolation import Isolation
from ..settings import Surroundings

IN_PROMPT = "the earlier messages are in the prompt."
MOST_TRIES = 3  # start, continue what already exists, start again

Earlier = Callable[[], Awaitable[Sequence[Exchange]]]  # earlier messages, oldest first
Tell = Callable[[list[AnyAgentEvent]], None]


class NativeSession:
    """The requests of one order to its CLI, for each attempt. `tell` receives warnings for people."""

    def __init__(self, request: Request, runtime: Runtime, located: Located, *, earlier: Earlier, tell: Tell) -> None:
        self.request = request  # for an open CLI, which knows the earlier messages
        self.runtime = runtime
        self.located = located
        self._earlier = earlier
        self._tell = tell
        self._title = runtime.about.title
        self._start: Request | None = None

    async def to_start(self) -> Request:
        """Return the request for starting a CLI now. If a session cannot be continued, it begins a new one.

        Earlier messages are then in the prompt, and `tell` receives a warning.
        """
        if self._start is None:
            self._start = await self._first()
        return self._start

    def chosen(self, request: Request) -> str | None:
        """Return the id that Cabinet chooses for a new session; None if the CLI chooses it, or a session continues."""
        begins = request.resume is None and self.runtime.capabilities(self.located).chosen_session_id
        return request.session_id if begins else None

    async def launch(
        self, request: Request, places: Surroundings, isolation: Isolation | None
    ) -> tuple[Launch, dict[str, str]]:
        """Return the launch of a request (command line and files) and the CLI's environment. Starts no CLI.

        Optional options that the found version lacks are left out; for that, the help of an old CLI may be run. Raises
        `Invalid` if it lacks others. The environment is the part of the server's that the CLI gets, and the additions
        of the launch. With `isolation`, both are as they are inside.
        """
        launch = self.runtime.launch(self.located, request)
        launch = await asyncio.to_thread(fitted, launch, self.runtime.about, self.located, places.environment)
        keep = (*self.runtime.kept_environment(), *places.kept_environment)
        environment = build_environment(places.environment, keep=keep, add=launch.environment)
        return (launch, environment) if isolation is None else isolation.adapt(launch, environment)

    async def other_try(self, outcome: Outcome) -> bool:
        """Return whether to try again after this outcome. If so, `to_start` returns the request to use.

        True if the CLI no longer has the session, or already has one of the chosen id. The caller limits the number of
        attempts.
        """
        asked = self._start or self.request
        kind = outcome.failure.kind if outcome.failure else None
        if kind == "session_gone" and asked.resume:
            self._start = await self._anew(f"{self._title} no longer has this session. A new session was started.")
        elif kind == "session_exists" and asked.resume is None:
            # A server that died started the session, or another server has just started it.
            self._start = msgspec.structs.replace(asked, resume=asked.session_id)
        else:
            return False
        return True

    async def _first(self) -> Request:
        request = self.request
        if request.resume is None:
            return await self._without_id()
        if not self.runtime.capabilities(self.located).resume:
            return await self._anew(f"{self._title} cannot continue a session: {IN_PROMPT}")
        if not is_foreign_id(request.resume):
            return await self._anew(f"The id of {self._title}'s session is not valid. A new session was started.")
        return request

    async def _anew(self, why: str) -> Request:
        """Return the request for a new session, with the earlier messages in the prompt.

        `why`: a warning for people.
        """
        self._tell([Warned(message=why)])
        prompt = await self._prompt_with_history()
        return msgspec.structs.replace(self.request, prompt=prompt, resume=None, session_id=str(uuid.uuid4()))

    async def _without_id(self) -> Request:
        """Return the request for a session without a known id: the first run, or after runs that stored no valid id."""
        prompt = await self._prompt_with_history()
        if prompt != self.request.prompt:
            self._tell([Warned(message=f"{self._title}'s session has no valid id: {IN_PROMPT}")])
        return msgspec.structs.replace(self.request, prompt=prompt)

    async def _prompt_with_history(self) -> str:
        return with_history(self.request.prompt, await self._earlier())
