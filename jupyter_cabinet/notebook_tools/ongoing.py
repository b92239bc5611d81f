"""Calls that take longer than a CLI waits for a tool: the same call again waits for what was begun."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

from ..core.errors import Refused
from ..runs.tools.tool_questions import ENDED

MOST: Final = 8  # of one run
MOST_REMEMBERED: Final = 1000  # runs that have ended


class OngoingCalls:
    """What was begun for runs and has not been answered yet."""

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, object], asyncio.Task[str]] = {}
        self._ended: deque[str] = deque(maxlen=MOST_REMEMBERED)

    def has(self, run_id: str, key: object) -> bool:
        """Return whether this was begun, and its answer was not fetched yet."""
        return (run_id, key) in self._tasks

    def require_open(self, run_id: str) -> None:
        """Raise `Refused` if the run has ended since it called."""
        if run_id in self._ended:
            raise Refused(ENDED)

    async def wait(
        self, run_id: str, key: object, work: Callable[[], Coroutine[Any, Any, str]], *, seconds: float
    ) -> str | None:
        """Begin `work`, unless it was begun, and return its answer; None if it takes longer than `seconds`.

        It then continues. The answer is given once: the next call begins again. Raises what `work` raises, and
        `Refused` if the run has ended, or if eight calls of it wait already.
        """
        task = self._tasks.get((run_id, key))
        if task is None:
            self.require_open(run_id)
            self._require_room(run_id)
            task = self._tasks[run_id, key] = asyncio.create_task(work())
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done:
            return None
        if task.cancelled():
            raise Refused(ENDED)
        self._tasks.pop((run_id, key), None)
        return task.result()

    def _require_room(self, run_id: str) -> None:
        mine = {key: task for key, task in self._tasks.items() if key[0] == run_id}
        if len(mine) < MOST:
            return
        for key, task in mine.items():  # nobody came for these answers
            if task.done():
                _heard(self._tasks.pop(key))
                return
        raise Refused(f"{MOST} calls of this run wait already. Wait for one of them first.")

    def end(self, run_id: str) -> None:
        """Cancel everything of a run, without waiting, and let it begin nothing more."""
        self._ended.append(run_id)
        for key in [key for key in self._tasks if key[0] == run_id]:
            task = self._tasks.pop(key)
            task.cancel()
            task.add_done_callback(_heard)

    async def close(self) -> None:
        """Cancel everything, and wait until it has ended."""
        tasks = list(self._tasks.values())
        for run_id in {run_id for run_id, _ in self._tasks}:
            self.end(run_id)
        await asyncio.gather(*tasks, return_exceptions=True)


def _heard(task: asyncio.Task[str]) -> None:
    """Nobody waits for its error any more."""
    if not task.cancelled():
        task.exception()
