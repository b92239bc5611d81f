"""Which of a CLI's own sessions an order goes on with, and what to try when the CLI knows better.

It starts nothing. What a session's record says may be behind: a server that died had an id on record before its CLI
had begun the session, and two servers may begin the same one.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from ...core.ids import is_foreign_id
from ...runtimes.model import AnyAgentEvent, Outcome, Request, Warned
from ...runtimes.port import Located, Runtime
from ..history import with_history
from ..model import Exchange

IN_PROMPT = "what was said before stands in the prompt."
MOST_TRIES = 3  # begin, go on with what is there already, begin anew

Earlier = Callable[[], Awaitable[Sequence[Exchange]]]  # what was said before, oldest first
Tell = Callable[[list[AnyAgentEvent]], None]


class NativeSession:
    """What one order asks of its CLI, try after try. `tell` hears warnings for people."""

    def __init__(self, request: Request, runtime: Runtime, located: Located, *, earlier: Earlier, tell: Tell) -> None:
        self.request = request  # of a CLI that is open: it knows what was said
        self.runtime = runtime
        self.located = located
        self._earlier = earlier
        self._tell = tell
        self._title = runtime.about.title
        self._start: Request | None = None

    async def to_start(self) -> Request:
        """What is asked of a CLI that is started now."""
        if self._start is None:
            self._start = await self._first()
        return self._start

    def chosen(self, request: Request) -> str | None:
        """The id that its new session will have because we choose it; None: it chooses, or goes on with one."""
        begins = request.resume is None and self.runtime.capabilities(self.located).chosen_session_id
        return request.session_id if begins else None

    async def other_try(self, outcome: Outcome) -> bool:
        """Whether there is something else to try after this outcome: `to_start` gives it."""
        asked = self._start or self.request
        kind = outcome.failure.kind if outcome.failure else None
        if kind == "session_gone" and asked.resume:
            self._start = await self._anew(f"{self._title} no longer has this session. A new one was begun.")
        elif kind == "session_exists" and asked.resume is None:
            # begun by a server that died, or just now by another one
            self._start = msgspec.structs.replace(asked, resume=asked.session_id)
        else:
            return False
        return True

    async def _first(self) -> Request:
        request = self.request
        if request.resume is None:
            return await self._without_id()
        if not self.runtime.capabilities(self.located).resume:
            return await self._anew(f"{self._title} cannot go on with a session: {IN_PROMPT}")
        if not is_foreign_id(request.resume):
            return await self._anew(f"The id of {self._title}'s session cannot be used. A new one was begun.")
        return request

    async def _anew(self, why: str) -> Request:
        """The same in a session that knows nothing."""
        self._tell([Warned(message=why)])
        prompt = await self._prompt_with_history()
        return msgspec.structs.replace(self.request, prompt=prompt, resume=None, session_id=str(uuid.uuid4()))

    async def _without_id(self) -> Request:
        """A first run, or one after answers whose session had no id that could be kept."""
        prompt = await self._prompt_with_history()
        if prompt != self.request.prompt:
            self._tell([Warned(message=f"{self._title}'s session has no id that can be used: {IN_PROMPT}")])
        return msgspec.structs.replace(self.request, prompt=prompt)

    async def _prompt_with_history(self) -> str:
        return with_history(self.request.prompt, await self._earlier())
