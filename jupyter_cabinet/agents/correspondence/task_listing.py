"""Lists the tasks in an agent's folder: all open ones, and the last finished ones. Called by `mailbox.py`.

Finished tasks accumulate. That a task is finished is remembered with its file's times, size and inode, so that an
unchanged file is not read again. Blocks: call it off the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from ...core.errors import CabinetError, Malformed, NotFound
from ...core.ids import is_foreign_id
from ..directives.effects import task_files
from ..directives.effects.agent_data import AgentData
from ..files.safe_files import AGENTS
from .tasks import ENDS, BadTask, Task, read

SUFFIX = ".json"
MAX_FINISHED = 500  # finished tasks in a list
MAX_PROBLEMS = 500  # sentences about files that are not valid tasks
MAX_AGENTS = 500  # agents whose files are remembered

Stamp = tuple[int, int, int, int]


class Tasks(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks of one agent: open ones first, by priority, then by age.

    `left_out`: the number of finished tasks that are not listed; they ended earlier than the listed ones. `problems`:
    sentences about files that cannot be read.
    """

    tasks: tuple[Task, ...]
    left_out: int = 0
    problems: tuple[str, ...] = ()


class _Finished(msgspec.Struct, frozen=True):
    """What is remembered about a finished task: the state of its file, and when the task ended."""

    stamp: Stamp
    ended: str


class TaskListing:
    """The tasks of all agents of a root."""

    def __init__(self, places: AgentData) -> None:
        self._places = places
        self._finished: dict[str, dict[str, _Finished]] = {}  # by agent and task id

    def of(self, agent: str, *, finished: int) -> Tasks:
        """Return all open tasks, and at most `finished` finished ones, the last ones.

        Files that cannot be read become `problems`. Open tasks come first, by priority, then by age.
        """
        known = self._finished.pop(agent, {})
        closed: dict[str, _Finished] = {}
        tasks: list[Task] = []
        problems: list[str] = []
        for task_id, stamp in self._files(agent):
            if (before := known.get(task_id)) is not None and before.stamp == stamp:
                closed[task_id] = before
                continue
            try:
                found = self.read(agent, task_id)
            except CabinetError as error:  # it may be temporary, so the next list reads the file again
                problems.append(error.message)
                continue
            if found is not None and found[0].status in ENDS:
                closed[task_id] = _Finished(stamp, found[0].completed_at or found[0].updated_at)
            elif found is not None:
                tasks.append(found[0])
        self._remember(agent, closed)
        ended = sorted(closed, key=lambda task_id: (closed[task_id].ended, task_id))
        left_out = max(0, len(ended) - finished)
        tasks += self._read_again(agent, ended[left_out:])
        tasks.sort(key=lambda task: (task.status in ENDS, task.priority, task.created_at))
        return Tasks(tasks=tuple(tasks), left_out=left_out, problems=tuple(problems[:MAX_PROBLEMS]))

    def read(self, agent: str, task_id: str) -> tuple[Task, dict[str, object]] | None:
        """Return a task and the content of its file, or None if it does not exist.

        Raises `NotFound` for an invalid id, and `Malformed` for a file that cannot be read, is no task, or has another
        id.
        """
        if not is_foreign_id(task_id):
            raise NotFound(f"There is no task {task_id[:100]}.")
        file = task_files.task_file(agent, task_id)
        raw = self._places.read_object(file)
        if raw is None:
            return None
        try:
            task = read(raw, agent=agent)
        except BadTask as error:
            raise Malformed(f"{AGENTS}/{file}: {error}") from None
        if task.id != task_id:
            raise Malformed(f"{AGENTS}/{file}: id: expected {task_id}, as the file is named.")
        return task, raw

    def _files(self, agent: str) -> Iterator[tuple[str, Stamp]]:
        """Yield the task id of each file, and a stamp that differs after every change of the file."""
        for entry in self._places.entries(f"{agent}/tasks"):
            if entry.name.endswith(SUFFIX):
                with suppress(OSError):  # it was removed in the meantime
                    found = entry.stat(follow_symlinks=False)
                    stamp = found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
                    yield entry.name.removesuffix(SUFFIX), stamp

    def _remember(self, agent: str, closed: dict[str, _Finished]) -> None:
        self._finished[agent] = closed
        while len(self._finished) > MAX_AGENTS:
            del self._finished[next(iter(self._finished))]

    def _read_again(self, agent: str, task_ids: list[str]) -> Iterator[Task]:
        """Yield the tasks that still exist."""
        for task_id in task_ids:
            with suppress(CabinetError):  # it has just changed; the next list includes it
                if (found := self.read(agent, task_id)) is not None:
                    yield found[0]
