"""Creates and ends tasks. Called under the lock of the agent to whom the task belongs."""

from __future__ import annotations

from ...correspondence.tasks import BadTask, RefusedMove, Status, Task, created, ended, read, written
from ..answer_block import TaskComplete, TaskCreate, TaskFail
from .agent_data import AgentData, malformed
from .model import DirectiveRefused, Origin


def task_file(agent: str, task_id: str) -> str:
    """Return the path of an agent's task, relative to `.agents/`."""
    return f"{agent}/tasks/{task_id}.json"


def create_task(places: AgentData, directive: TaskCreate, origin: Origin) -> None:
    """Give an agent a task, once for each directive: nothing is written if its file exists.

    Raises `OutsideRoot` for a link in the path, `NoRoom`, `Unavailable`.
    """
    task = Task(
        id=origin.id_of(directive),
        title="",
        from_agent=origin.agent,
        created_at=origin.timestamp,
        key=origin.key_of(directive),
        depth=origin.depth + 1,
        chain=origin.chain_on,
        tainted=origin.tainted,
    )
    file = task_file(directive.agent, task.id)
    if not places.exists(file):
        places.write_object(file, written(created(directive, task), {}))


def end_task(places: AgentData, directive: TaskComplete | TaskFail, origin: Origin) -> None:
    """Complete one of the agent's own tasks, or end it as failed, once for each directive.

    Raises `DirectiveRefused` if there is no such task, or its status does not allow that; `Malformed` if its file
    cannot be read; and as `create_task`.
    """
    file = task_file(origin.agent, directive.task_id)
    raw = places.read_object(file)
    if raw is None:
        raise DirectiveRefused(no_such_task(directive))
    try:
        task = read(raw, agent=origin.agent)
        to: Status = "completed" if isinstance(directive, TaskComplete) else "failed"
        text = directive.result if isinstance(directive, TaskComplete) else directive.reason
        key = origin.key_of(directive)
        done = ended(task, to, result=text, at=origin.at, key=key, tainted=origin.tainted)
    except BadTask as error:
        raise malformed(file, str(error).rstrip(".")) from None
    except RefusedMove as refusal:
        raise DirectiveRefused(str(refusal)) from None
    if done != task:
        places.write_object(file, written(done, raw))


def no_such_task(directive: TaskComplete | TaskFail) -> str:
    """Return the sentence that refuses a directive whose task does not exist or belongs to another agent."""
    return f"“{directive.task_id}” is not one of the agent's tasks. Take the id from the list of tasks in the prompt."
