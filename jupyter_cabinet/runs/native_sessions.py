"""Which of a CLI's own sessions a run goes on with, and what to try when the CLI knows better. Called by `worker.py`.

It starts nothing. What a session's record says may be behind: a server that died had an id on record before its CLI
had begun the session, and two servers may begin the same one.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable

import msgspec

from ..core.ids import is_foreign_id
from ..runtimes.model import Outcome, Request, Warned
from ..runtimes.port import Located, Runtime
from .history import with_history
from .live import LiveRun
from .model import Run

IN_PROMPT = "what was said before stands in the prompt."
MOST_TRIES = 3  # begin, go on with what is there already, begin anew

Earlier = Callable[[str], Awaitable[list[Run]]]  # the runs of a session, oldest first


def chosen(runtime: Runtime, located: Located, request: Request) -> str | None:
    """The id that this CLI's new session will have because we choose it; None: it chooses, or goes on with one."""
    begins = request.resume is None and runtime.capabilities(located).chosen_session_id
    return request.session_id if begins else None


class NativeSessions:
    """Decides whether to resume or to begin."""

    def __init__(self, earlier: Earlier) -> None:
        self._earlier = earlier

    async def first(self, live: LiveRun, request: Request, runtime: Runtime, located: Located) -> Request:
        """The request as it is tried first."""
        title = runtime.about.title
        if request.resume is None:
            return await self._known_without_id(live, request, title)
        if not runtime.capabilities(located).resume:
            return await self._anew(live, request, f"{title} cannot go on with a session: {IN_PROMPT}")
        if not is_foreign_id(request.resume):
            return await self._anew(live, request, f"The id of {title}'s session cannot be used. A new one was begun.")
        return request

    async def again(self, live: LiveRun, request: Request, outcome: Outcome, title: str) -> Request | None:
        """What to try after this outcome; None: it stands."""
        kind = outcome.failure.kind if outcome.failure and not live.ending else None
        if kind == "session_gone" and request.resume:
            return await self._anew(live, request, f"{title} no longer has this session. A new one was begun.")
        if kind == "session_exists" and request.resume is None:
            # begun by a server that died, or just now by another one
            return msgspec.structs.replace(request, resume=request.session_id)
        return None

    async def _anew(self, live: LiveRun, request: Request, why: str) -> Request:
        """The same in a session that knows nothing."""
        live.take([Warned(message=why)])
        prompt = with_history(request.prompt, await self._earlier(live.run.session_id))
        return msgspec.structs.replace(request, prompt=prompt, resume=None, session_id=str(uuid.uuid4()))

    async def _known_without_id(self, live: LiveRun, request: Request, title: str) -> Request:
        """A first run, or one after answers whose session had no id that could be kept."""
        prompt = with_history(request.prompt, await self._earlier(live.run.session_id))
        if prompt != request.prompt:
            live.take([Warned(message=f"{title}'s session has no id that can be used: {IN_PROMPT}")])
        return msgspec.structs.replace(request, prompt=prompt)
