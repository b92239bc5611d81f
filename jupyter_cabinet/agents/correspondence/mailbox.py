"""Lists and changes messages and tasks of agents, for people and prompts. Blocks: call it off the loop.

`effects/` applies the directives of agents to the same files.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from ...core.errors import CabinetError, Conflict, Invalid, Malformed, NotFound
from ..directives.effects import inbox, task_files
from ..directives.effects.agent_data import AgentData
from ..files import front_matter
from ..files.agent_folders import AgentFolders
from ..files.safe_files import AGENTS
from .messages import SUFFIX, BadMessage, Message, file_name, id_in, message_from
from .task_listing import MAX_FINISHED, TaskListing, Tasks
from .tasks import RefusedMove, Status, Task, moved, written

MAX_LISTED = 500  # messages on a page
MAX_READ = 100  # read messages that are listed
MAX_TEXT = 16 * 1024  # characters of a message or a task's description
MAX_TITLE = 200


class Inbox(msgspec.Struct, frozen=True, kw_only=True):
    """A page of unread messages, newest first.

    `read`: the last messages that a successful run received; only on the first page. `problems`: sentences about files
    that cannot be read. `next`: the cursor of the next page; None: this is the last one. `more`: the number of files on
    all later pages.
    """

    messages: tuple[Message, ...]
    read: tuple[Message, ...] = ()
    problems: tuple[str, ...] = ()
    next: str | None = None
    more: int = 0


class AgentItems:
    """Messages and tasks of all agents of a root."""

    def __init__(self, *, root: Path, folders: AgentFolders) -> None:
        self._places = AgentData(root=root, folders=folders)
        self._tasks = TaskListing(self._places)

    def inbox(self, agent: str, *, limit: int = MAX_LISTED, cursor: str | None = None) -> Inbox:
        """Return a page of unread messages, newest first; the first page also has the last read ones.

        `limit`: files on the page. Files that cannot be read become `problems`. Empty if there is no such agent.
        """
        folder = inbox.inbox_of(agent)
        names = self._message_files(folder)
        counts = Counter(id_in(name) for name in names)
        left = [name for name in names if cursor is None or name.removesuffix(SUFFIX) < cursor]
        page = left[:limit]
        messages, problems = [], []
        for name in page:
            if counts[id_in(name)] > 1:  # acknowledging one would also acknowledge the other
                problems.append(f"{AGENTS}/{folder}/{name}: there is another message with this id. Rename one of them.")
                continue
            try:
                if (message := self._message(f"{folder}/{name}", name)) is not None:
                    messages.append(message)
            except CabinetError as error:
                problems.append(error.message)
        return Inbox(
            messages=tuple(messages),
            read=self._read_messages(folder) if cursor is None else (),
            problems=tuple(problems),
            next=page[-1].removesuffix(SUFFIX) if len(left) > len(page) > 0 else None,
            more=len(left) - len(page),
        )

    def _message_files(self, folder: str) -> list[str]:
        """Return the names of the message files, newest first.

        They are sorted without their suffix, like the cursors that are made from them.
        """
        names = [name for name in self._places.names(folder) if name.endswith(SUFFIX)]
        return sorted(names, key=lambda name: name.removesuffix(SUFFIX), reverse=True)

    def _read_messages(self, inbox_folder: str) -> tuple[Message, ...]:
        """Return the last read messages, newest first.

        Unusable files are skipped, because nothing depends on them any more.
        """
        folder = f"{inbox_folder}/.read"
        found: list[Message] = []
        for name in self._message_files(folder):
            if len(found) == MAX_READ:
                break
            with suppress(CabinetError):
                if (message := self._message(f"{folder}/{name}", name)) is not None:
                    found.append(message)
        return tuple(found)

    def tasks(self, agent: str) -> Tasks:
        """Return all open tasks of an agent, and the last 500 finished ones.

        Files that cannot be read become `problems`.
        """
        return self._tasks.of(agent, finished=MAX_FINISHED)

    def open_tasks(self, agent: str) -> Tasks:
        """Return the open tasks of an agent. Files that cannot be read become `problems`."""
        return self._tasks.of(agent, finished=0)

    def task(self, agent: str, task_id: str) -> Task | None:
        """Return a task, or None if it does not exist. Raises `NotFound` for an invalid id, `Malformed`."""
        found = self._tasks.read(agent, task_id)
        return found[0] if found else None

    def put(self, message: Message, *, at: datetime) -> None:
        """Put a message that is not from a person into an inbox, unless it is there or has been read.

        Its text is not checked. `at`: the same for each attempt. Raises `NotFound` if the agent does not exist, and
        `OutsideRoot`, `NoRoom` or `Unavailable` if it cannot be written.
        """
        with self._places.holding(message.recipient):
            inbox.put(self._places, message, name=file_name(sender=message.sender, message_id=message.id, at=at))

    def send(self, message: Message, *, at: datetime) -> Message:
        """Put a message into the inbox of its recipient, and return it.

        Raises `Invalid` for an empty text or more than 16,384 characters, and as `put`.
        """
        _check_text(message.body, "text", least=1)
        self.put(message, at=at)
        return message

    def give(self, task: Task) -> Task:
        """Give an agent a task, and return it. One with the same id is replaced.

        Raises `Invalid` for an empty title, too long a text, or a priority that is not from 1 to 5, and as `put`.
        """
        _check_text(task.title, "title", least=1, most=MAX_TITLE)
        _check_text(task.description, "description")
        if not 1 <= task.priority <= 5:
            raise Invalid("A priority is a number from 1, the highest, to 5.", field="priority")
        with self._places.holding(task.to_agent):
            self._places.write_object(task_files.task_file(task.to_agent, task.id), written(task, {}))
        return task

    def move(self, agent: str, task_id: str, to: Status, *, at: datetime, result: str | None = None) -> Task:
        """Change the status of a task, and return it as it is then. `result`: None: the task keeps its result.

        Raises `NotFound` for the agent or the task, `Malformed` if its file cannot be read, `Conflict` if its current
        status does not allow that, and as `put` if it cannot be written.
        """
        with self._places.holding(agent):
            found = self._tasks.read(agent, task_id)
            if found is None:
                raise NotFound(f"The agent {agent} has no task {task_id[:100]}.")
            task, raw = found
            try:
                after = moved(task, to, at=at, result=result)
            except RefusedMove as refusal:
                raise Conflict(str(refusal)) from None
            self._places.write_object(task_files.task_file(agent, task_id), written(after, raw))
        return after

    def _message(self, place: str, name: str) -> Message | None:
        text = self._places.read(place)
        if text is None:
            return None  # it was acknowledged and moved in the meantime
        found = front_matter.read(text, file=f"{AGENTS}/{place}")
        try:
            return message_from(found.fields, found.body, name=name)
        except BadMessage as error:
            raise Malformed(f"{AGENTS}/{place}: {error}") from None


def _check_text(text: str, field: str, *, least: int = 0, most: int = MAX_TEXT) -> None:
    if not least <= len(text.strip()) or len(text) > most:
        raise Invalid(f"Between {least} and {most} characters are accepted.", field=field)
