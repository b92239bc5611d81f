"""Tells the agent that gave a task how it ended, by a message in its inbox.

Called after a task has ended: for a directive or a tool by `run_completion.py` and `agent_tools.py`, and for a person
by `assignments.py`.
"""

from __future__ import annotations

import asyncio
from datetime import datetime

from ..core.errors import NotFound
from .correspondence.mailbox import AgentItems
from .correspondence.messages import Message
from .correspondence.tasks import ENDS, Task
from .directives.answer_block import TaskComplete, TaskFail
from .directives.effects.model import MAX_CHAIN, Origin
from .model import MessageReceived
from .prompts.heartbeat_prompt import one_line
from .roster.roster import Roster

MAX_TITLE = 300  # characters
REPORT = "task/"  # prefix of the origin of a message about a task that a person has ended


class TaskReports:
    """The messages about ended tasks of all agents of a root."""

    def __init__(self, *, roster: Roster, items: AgentItems) -> None:
        self._roster = roster
        self._items = items

    async def tell(self, directive: TaskComplete | TaskFail, origin: Origin) -> str:
        """Send a message to the agent that gave a task which this directive has ended, once for each directive.

        Returns a sentence about that for people and for the agent; empty if no other agent gave the task, or the task
        is gone. Raises `Malformed`, `OutsideRoot`, `NoRoom`, `Unavailable`.
        """
        task = await asyncio.to_thread(self._items.task, origin.agent, directive.task_id)
        if task is None:
            return ""
        return await self.tell_of(
            task, at=origin.at, id=origin.id_of(directive), key=origin.key_of(directive), chain=origin.chain_on
        )

    async def tell_of(self, task: Task, *, at: datetime, id: str, chain: tuple[str, ...], key: str = "") -> str:
        """Send a message about the end of a task to the agent that gave it.

        Has no effect if the task has not ended or a person gave it. `id`: of the message. `chain`: the agents that led
        to the end; empty: a person ended the task. `key`: of the directive that ended it. Returns and raises as `tell`.
        """
        agent, giver = task.to_agent, task.from_agent
        if task.status not in ENDS or not await self._is_agent(task) or giver == agent:
            return ""
        if not await self._roster.may_learn(agent, giver):
            return f"{giver}, who gave it, was not informed, because this agent may not write to {giver}."
        chain = max(chain, (*task.chain, agent), key=len) if chain else ()
        if len(chain) > MAX_CHAIN:
            return f"{giver}, who gave it, was not informed: a chain of more than {MAX_CHAIN} runs ends here."
        message = Message(
            id=id,
            sender=agent,
            recipient=giver,
            timestamp=at.isoformat().replace("+00:00", "Z"),
            body=_text(task),
            origin=key or f"{REPORT}{task.id}",
            depth=len(chain),
            chain=chain,
            tainted=task.tainted,
        )
        try:
            await asyncio.to_thread(lambda: self._items.put(message, at=at))
        except NotFound:  # it was removed in the meantime
            return ""
        await self._roster.tell(MessageReceived(agent=giver, sender=agent, message_id=id, chain=chain))
        return f"{giver}, who gave it, has been informed."

    async def _is_agent(self, task: Task) -> bool:
        """Return whether an agent gave a task. The display name is stored with the task of a person."""
        return not task.from_name and task.from_agent in await self._roster.slugs()


def _text(task: Task) -> str:
    title = one_line(task.title, MAX_TITLE)
    result = (task.result or "").strip()
    if task.status == "completed":
        return f"The task {task.id} “{title}” is completed.\n\n{result or '(It has no result.)'}"
    return f"The task {task.id} “{title}” has failed.\n\n{result or '(No reason was given.)'}"
