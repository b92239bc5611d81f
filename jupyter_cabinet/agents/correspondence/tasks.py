"""A task that an agent or a person gave an agent: its file `tasks/<id>.json` as a value, and its statuses. Pure.

The file uses the names of earlier installations (`fromAgent`, `kbRefs`, …); unknown fields in it are kept. `effects/`
reads and writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from ..directives.directive_lines import TaskCreate

Status = Literal["pending", "in_progress", "completed", "failed"]

TRANSITIONS: dict[Status, frozenset[Status]] = {
    "pending": frozenset({"in_progress", "completed", "failed"}),
    "in_progress": frozenset({"pending", "completed", "failed"}),
    "completed": frozenset(),
    "failed": frozenset({"pending"}),  # to try it again
}
ENDS: frozenset[Status] = frozenset({"completed", "failed"})


class Task(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A task.

    Times are ISO 8601 in UTC. `from_name`: display name of the person or agent who gave it; empty if unknown.
    `priority`: 1 (highest) to 5. `key`: key of the directive that created it, `<run id>/<position>`. `completed_by`:
    key of the directive that ended it. `tainted`: the run that gave or ended it had seen text from outside. `depth`:
    the number of runs before it in the chain of triggers. `chain`: the agents of these runs.
    """

    id: str
    from_agent: str = ""
    from_name: str = ""
    to_agent: str = ""
    title: str
    description: str = ""
    kb_refs: tuple[str, ...] = ()
    status: Status = "pending"
    priority: int = 3
    created_at: str = ""
    updated_at: str = ""
    completed_at: str | None = None
    result: str | None = None
    key: str = ""
    completed_by: str = ""
    depth: int = 0
    chain: tuple[str, ...] = ()
    tainted: bool = False


class BadTask(Exception):
    """Raised if a file is not a valid task. The text names the field and what was expected."""


class RefusedMove(Exception):
    """Raised if a task's status cannot be changed as requested. The text says why."""


def id_of(key: str) -> str:
    """Return the id of the task or message that the directive with this key creates; it is always the same."""
    return key.replace("/", "-")


def created(directive: TaskCreate, task: Task) -> Task:
    """Return the task that a directive creates. `task`: its id, origin and time."""
    return msgspec.structs.replace(
        task,
        to_agent=directive.agent,
        title=directive.title,
        description=directive.description,
        priority=directive.priority,
        updated_at=task.created_at,
    )


def read(raw: Any, *, agent: str) -> Task:
    """Parse a task from the decoded JSON of its file. Raises `BadTask`.

    The task belongs to `agent`, in whose folder the file is; `toAgent` may be an earlier slug of the agent. A null
    field counts as absent.
    """
    given = {name: value for name, value in raw.items() if value is not None} if isinstance(raw, dict) else raw
    try:
        task = msgspec.structs.replace(msgspec.convert(given, Task), to_agent=agent)
    except msgspec.ValidationError as error:
        raise BadTask(f"{str(error).replace('`$.', '`')}.") from None
    if not 1 <= task.priority <= 5:
        raise BadTask("priority: expected a number from 1 to 5.")
    return task


def written(task: Task, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a task's file, without empty optional fields.

    `before`: the previous content, whose unknown fields are kept.
    """
    empty = Task(id="", title="")
    ours = {
        alias: value
        for name, alias in zip(Task.__struct_fields__, Task.__struct_encode_fields__, strict=True)
        if (value := getattr(task, name)) != getattr(empty, name) or alias in _ALWAYS or alias in before
    }
    return {**before, **msgspec.to_builtins(ours)}


def moved(task: Task, to: Status, *, at: datetime, result: str | None = None, by: str = "") -> Task:
    """Return the task with another status. Nothing is written.

    `result`: None: the task keeps its result. `by`: the key of the directive that requested it. Raises `RefusedMove` if
    its current status does not allow that; see `TRANSITIONS`.
    """
    if to not in TRANSITIONS[task.status]:
        raise RefusedMove(
            f"The task “{task.id}” is {task.status.replace('_', ' ')}; it cannot become {to.replace('_', ' ')}."
        )
    now = at.isoformat().replace("+00:00", "Z")
    return msgspec.structs.replace(
        task,
        status=to,
        updated_at=now,
        completed_at=now if to in ENDS else None,
        result=result if result is not None else task.result,
        completed_by=by,
    )


def ended(task: Task, to: Status, *, result: str, at: datetime, key: str, tainted: bool) -> Task:
    """Return the task, completed or failed by a directive of its agent; unchanged if the same key has ended it.

    `tainted`: the directive's run has seen text from outside, so the result may contain some. Raises `RefusedMove`.
    """
    if task.completed_by == key:
        return task
    after = moved(task, to, at=at, result=result, by=key)
    return msgspec.structs.replace(after, tainted=after.tainted or tainted)


_ALWAYS = frozenset(
    {"fromAgent", "toAgent", "description", "kbRefs", "status", "priority", "createdAt", "updatedAt", "id", "title"}
)
