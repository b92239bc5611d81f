"""Messages and tasks that people give to agents, with permission checks, and the results of scheduled heartbeats."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ..core.ids import new_id
from ..core.people import Principal
from ..runs.records import RunRecords
from ..schedules.model import Tick
from ..schedules.scheduler import Scheduler
from .correspondence.mailbox import MAX_LISTED, AgentItems, Inbox
from .correspondence.messages import Message
from .correspondence.task_listing import Tasks
from .correspondence.tasks import Status, Task
from .model import MessageReceived, TaskChanged
from .prompts.briefing import PERSON
from .roster.earlier_heartbeats import EarlierHeartbeat, read_history, without_runs
from .roster.heartbeat_schedule import key_of
from .roster.roster import Roster
from .task_reports import TaskReports

MAX_EARLIER = 500  # heartbeats in one answer


class AgentWork:
    """Messages, tasks and heartbeats of agents, for people who may see the agent.

    Every method raises `NotFound`, also if the caller may not see the agent.
    """

    def __init__(
        self,
        *,
        root: Path,
        roster: Roster,
        items: AgentItems,
        reports: TaskReports,
        scheduler: Scheduler,
        records: RunRecords,
    ) -> None:
        self._root = root.resolve()
        self._records = records
        self._roster = roster
        self._items = items
        self._reports = reports
        self._scheduler = scheduler

    async def inbox(
        self, slug: str, principal: Principal, *, limit: int = MAX_LISTED, cursor: str | None = None
    ) -> Inbox:
        """Return a page of unread messages, newest first. The first page also contains the last read messages.

        `cursor`: `next` of the page before; None: the first page. Nothing is marked as read.
        """
        await self._roster.get(slug, principal)
        inbox = await asyncio.to_thread(lambda: self._items.inbox(slug, limit=limit, cursor=cursor))
        names = await self._agent_names(principal)
        return msgspec.structs.replace(
            inbox,
            messages=tuple(_with_sender_name(each, names) for each in inbox.messages),
            read=tuple(_with_sender_name(each, names) for each in inbox.read),
        )

    async def tasks(self, slug: str, principal: Principal) -> Tasks:
        """Return the tasks of an agent, open ones first, and of the finished ones only the last 500."""
        await self._roster.get(slug, principal)
        found = await asyncio.to_thread(self._items.tasks, slug)
        names = await self._agent_names(principal)
        return msgspec.structs.replace(found, tasks=tuple(_with_giver_name(each, names) for each in found.tasks))

    async def ticks(self, slug: str, limit: int, principal: Principal) -> list[Tick]:
        """Return the outcomes of an agent's scheduled heartbeats, newest first. `limit`: from 1 to 500."""
        await self._roster.get(slug, principal)
        return await self._scheduler.ticks_of(key_of(slug), limit)

    async def earlier(self, slug: str, limit: int, principal: Principal) -> list[EarlierHeartbeat]:
        """Return heartbeats from the agent's history file that have no run on this server, newest first.

        `limit`: from 1 to 500.
        """
        await self._roster.get(slug, principal)
        lines = await asyncio.to_thread(read_history, self._root, slug)
        known = await self._records.known_among({line.run_id for line in lines if line.run_id is not None})
        return without_runs(lines, known)[: max(1, min(limit, MAX_EARLIER))]

    async def send(self, slug: str, text: str, principal: Principal) -> Message:
        """Send an agent a message from a person, announce it, and return it.

        No run of the agent is started, but a play that waits for a message may start. Raises `Invalid` for an empty
        text or more than 16,384 characters, and `OutsideRoot`, `NoRoom` or `Unavailable` if it cannot be written.
        """
        await self._roster.get(slug, principal)
        now = self._roster.clock.now()
        message = Message(
            id=new_id(),
            sender=_sender(principal),
            sender_name=principal.display_name,
            recipient=slug,
            timestamp=_shown(now.isoformat()),
            body=text,
            origin=f"{PERSON}{principal.username}",
        )
        await asyncio.to_thread(lambda: self._items.send(message, at=now))
        await self._roster.tell(MessageReceived(agent=slug, sender=message.sender, message_id=message.id))
        return message

    async def give(self, slug: str, title: str, description: str, priority: int, principal: Principal) -> Task:
        """Give an agent a task from a person, announce it, and return it. No run is started.

        Raises `Invalid` for an empty title, too long a text, or a priority that is not from 1 to 5, and `OutsideRoot`,
        `NoRoom` or `Unavailable` if it cannot be written.
        """
        await self._roster.get(slug, principal)
        now = _shown(self._roster.clock.now().isoformat())
        task = Task(
            id=new_id(),
            from_agent=_sender(principal),
            from_name=principal.display_name,
            to_agent=slug,
            title=title.strip(),
            description=description,
            priority=priority,
            created_at=now,
            updated_at=now,
        )
        await asyncio.to_thread(self._items.give, task)
        await self._tell(slug, task)
        return task

    async def move(self, slug: str, task_id: str, to: Status, result: str | None, principal: Principal) -> Task:
        """Change the status of a task, and announce it. If it ends, the agent who gave it receives a message.

        `result`: None: the task keeps its result. Raises `Conflict` if its current status does not allow that,
        `NotFound` for the agent or the task, `Malformed` if its file cannot be read, and `OutsideRoot`, `NoRoom` or
        `Unavailable` if it cannot be written.
        """
        await self._roster.get(slug, principal)
        now = self._roster.clock.now()
        task = await asyncio.to_thread(lambda: self._items.move(slug, task_id, to, at=now, result=result))
        await self._tell(slug, task)
        await self._reports.tell_of(task, at=now, id=new_id(), chain=())
        return task

    async def _agent_names(self, principal: Principal) -> dict[str, str]:
        """Return the display names of the agents that the caller may see, by slug."""
        found = await self._roster.find(principal)
        return {each.slug: each.files.persona.name for each in found if each.files.persona is not None}

    async def _tell(self, slug: str, task: Task) -> None:
        await self._roster.tell(TaskChanged(agent=slug, task_id=task.id, status=task.status, title=task.title))


def _with_sender_name(message: Message, names: Mapping[str, str]) -> Message:
    if message.sender_name or message.origin.startswith(PERSON):
        return message
    return msgspec.structs.replace(message, sender_name=names.get(message.sender, ""))


def _with_giver_name(task: Task, names: Mapping[str, str]) -> Task:
    return task if task.from_name else msgspec.structs.replace(task, from_name=names.get(task.from_agent, ""))


def _sender(principal: Principal) -> str:
    """Return a form of the person's display name that is safe in a file name."""
    kept = "".join(c if c.isalnum() or c == "-" else "-" for c in principal.display_name.lower())
    return kept.strip("-")[:64] or "somebody"


def _shown(time: str) -> str:
    return time.replace("+00:00", "Z")
