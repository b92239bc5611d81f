"""The last known state of a runner, for pages and runs that ask often. One per runner."""

from __future__ import annotations

import asyncio
from typing import Final

from .port import Runner, RunnerState

FRESH_SECONDS: Final = 10.0
SOON_SECONDS: Final = 2.0  # a page waits for the answer
NOT_YET: Final = RunnerState(works=False, reason="It has not answered yet.")


class RunnerCheck:
    """Asks the runner at most once in `FRESH_SECONDS`."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self._asking: asyncio.Task[RunnerState] | None = None
        self._asked_at = 0.0

    async def state_soon(self) -> RunnerState:
        """Return whether runs can start there; `NOT_YET` if it takes longer than `SOON_SECONDS` to answer.

        The answer is up to `FRESH_SECONDS` old.
        """
        now = asyncio.get_running_loop().time()
        if self._asking is None or (self._asking.done() and now - self._asked_at > FRESH_SECONDS):
            self._asking, self._asked_at = asyncio.create_task(self.runner.state()), now
        try:
            return await asyncio.wait_for(asyncio.shield(self._asking), SOON_SECONDS)
        except TimeoutError:
            return NOT_YET
