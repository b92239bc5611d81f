"""Lists the tasks in an agent's folder: every open one, and the finished ones that ended last. Called by `mailbox.py`.

Finished tasks become many. What was read of them is remembered with the file's times, size and inode, so that an
unchanged file is not read again only to know that its task is finished. Blocks: call it off the loop.
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
MAX_PROBLEMS = 500  # sentences about files that are no tasks
MAX_AGENTS = 500  # whose files are remembered

Stamp = tuple[int, int, int, int]


class Tasks(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks of one agent: open ones first, by priority, then age. `left_out`: how many finished ones are not among
    them, which ended earlier than those that are."""

    tasks: tuple[Task, ...]
    left_out: int = 0
    problems: tuple[str, ...] = ()


class _Finished(msgspec.Struct, frozen=True):
    """What is remembered of a file with a finished task: its state on the disk, and when the task ended."""

    stamp: Stamp
    ended: str


class TaskListing:
    """Of all agents of a root."""

    def __init__(self, places: AgentData) -> None:
        self._places = places
        self._finished: dict[str, dict[str, _Finished]] = {}  # by agent and task id

    def of(self, agent: str, *, finished: int) -> Tasks:
        """All open tasks, and at most so many finished ones. Raises `Unavailable`."""
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
            except CabinetError as error:  # perhaps of the disk: it is read again for the next list
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
        """A task and the content of its file, or None. Raises `NotFound`, `Malformed`."""
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
        """The id that each file stands for, and what changes with every change of the file."""
        for entry in self._places.entries(f"{agent}/tasks"):
            if entry.name.endswith(SUFFIX):
                with suppress(OSError):  # it is gone by now
                    found = entry.stat(follow_symlinks=False)
                    stamp = found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
                    yield entry.name.removesuffix(SUFFIX), stamp

    def _remember(self, agent: str, closed: dict[str, _Finished]) -> None:
        self._finished[agent] = closed
        while len(self._finished) > MAX_AGENTS:
            del self._finished[next(iter(self._finished))]

    def _read_again(self, agent: str, task_ids: list[str]) -> Iterator[Task]:
        """Those that are still there."""
        for task_id in task_ids:
            with suppress(CabinetError):  # one that was changed in this moment: the next list names it
                if (found := self.read(agent, task_id)) is not None:
                    yield found[0]
