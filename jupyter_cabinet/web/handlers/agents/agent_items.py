"""The contents of an agent's folder: messages, tasks, results of its heartbeats, files."""

from __future__ import annotations

import msgspec

from ....agents.correspondence.mailbox import MAX_LISTED, Inbox
from ....agents.correspondence.messages import Message
from ....agents.correspondence.task_listing import Tasks
from ....agents.correspondence.tasks import Status, Task
from ....agents.files.safe_files import AgentFile, FileInfo
from ....agents.model import MemoryMatches
from ....agents.prompts.tool_list import DEFAULT_PASSAGES, MOST_PASSAGES
from ....agents.roster.earlier_heartbeats import EarlierHeartbeat
from ....core.errors import Invalid
from ....schedules.model import Tick
from ...handler import CabinetHandler
from ...operation import Query, operation


class NewMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents/{slug}/inbox`."""

    text: str


class NewTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents/{slug}/tasks`. `priority`: 1 is the highest, 5 the lowest."""

    title: str
    description: str = ""
    priority: int = 3


class MoveTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT agents/{slug}/tasks/{id}`."""

    status: Status
    result: str | None = None


class AgentHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first. `earlier`: heartbeats of other installations, whose runs this server does not have."""

    items: tuple[Tick, ...]
    earlier: tuple[EarlierHeartbeat, ...] = ()


class FileList(msgspec.Struct, frozen=True, kw_only=True):
    """By path."""

    items: tuple[FileInfo, ...]


class AgentFileContent(msgspec.Struct, frozen=True, kw_only=True):
    """A file of an agent, as text. `etag`: of this version."""

    path: str
    text: str
    etag: str


class SaveFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT agents/{slug}/files/{path}`.

    `etag`: of the version that the caller has seen; null for a new file.
    """

    text: str
    etag: str | None = None


class SavedFile(msgspec.Struct, frozen=True, kw_only=True):
    """The version that was saved."""

    path: str
    etag: str


def content_of(file: AgentFile) -> AgentFileContent:
    """Return a file for the reply. Raises `Invalid` if it is not text."""
    try:
        return AgentFileContent(path=file.path, text=file.content.decode(), etag=file.etag)
    except UnicodeDecodeError:
        raise Invalid(f"{file.path} is not a text file.", field="path") from None


INBOX_QUERY = (
    Query(name="limit", kind="integer", about=f"at most {MAX_LISTED}"),
    Query(name="cursor", about="`next` of the page before"),
)


class AgentInboxHandler(CabinetHandler):
    """`agents/{name}/inbox`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=Inbox, query=INBOX_QUERY)
    async def get(self, slug: str) -> None:
        """List unread messages, newest first. The first page also has the last 100 that were read."""
        limit = min(self.integer_argument("limit", MAX_LISTED), MAX_LISTED)
        cursor = self.text_argument("cursor")
        self.reply(await self.services.agent_work.inbox(slug, self.principal, limit=limit, cursor=cursor))

    @operation("execute", body=NewMessage, gives=Message, status=201)
    async def post(self, slug: str) -> None:
        """Write to an agent. It reads the message at its next heartbeat."""
        self.reply(await self.services.agent_work.send(slug, self.body(NewMessage).text, self.principal), 201)


class AgentTasksHandler(CabinetHandler):
    """`agents/{name}/tasks`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=Tasks)
    async def get(self, slug: str) -> None:
        """List all open tasks, by priority, then the 500 that were finished last; `left_out` counts the others."""
        self.reply(await self.services.agent_work.tasks(slug, self.principal))

    @operation("execute", body=NewTask, gives=Task, status=201)
    async def post(self, slug: str) -> None:
        """Give an agent a task."""
        new = self.body(NewTask)
        give = self.services.agent_work.give
        task = await give(slug, new.title, new.description, new.priority, self.principal)
        self.reply(task, 201)


class AgentTaskHandler(CabinetHandler):
    """`agents/{name}/tasks/{id}`"""

    auth_resource = "cabinet-agents"

    @operation("execute", body=MoveTask, gives=Task)
    async def put(self, slug: str, task_id: str) -> None:
        """Change the state of a task. If it ends, the agent who gave it receives a message.

        A change that its present state does not allow is a conflict.
        """
        body = self.body(MoveTask)
        move = self.services.agent_work.move
        self.reply(await move(slug, task_id, body.status, body.result, self.principal))


class AgentHistoryHandler(CabinetHandler):
    """`agents/{name}/history`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=AgentHistory, query=(Query(name="limit", kind="integer", about="at most 500"),))
    async def get(self, slug: str) -> None:
        """List the outcomes of its scheduled heartbeats: the run of each, or the reason why there was none.

        Its other runs are at `runs?agent=`. `earlier`: entries of its `.agents/.history/` that another installation
        has written.
        """
        limit, work = self.integer_argument("limit", 50), self.services.agent_work
        ticks = await work.ticks(slug, limit, self.principal)
        earlier = await work.earlier(slug, limit, self.principal)
        self.reply(AgentHistory(items=tuple(ticks), earlier=tuple(earlier)))


class AgentFilesHandler(CabinetHandler):
    """`agents/{name}/files`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=FileList)
    async def get(self, slug: str) -> None:
        """List its files: persona, memory, tasks, sessions, workspace."""
        self.reply(FileList(items=await self.services.agents.list_files(slug, self.principal)))


MEMORY_QUERY = (
    Query(name="q", about="words that must occur in the same passage, in any case and also within longer words"),
    Query(name="limit", kind="integer", about=f"at most {MOST_PASSAGES}; {DEFAULT_PASSAGES} by default"),
)


class AgentMemorySearchHandler(CabinetHandler):
    """`agents/{name}/memory/search`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=MemoryMatches, query=MEMORY_QUERY)
    async def get(self, slug: str) -> None:
        """Find passages of its memory files, best first, then newest first. Without words there is no match."""
        limit = self.integer_argument("limit", DEFAULT_PASSAGES)
        words = self.text_argument("q") or ""
        self.reply(await self.services.agent_memory.search(slug, words, self.principal, limit=limit))


class AgentFileHandler(CabinetHandler):
    """`agents/{name}/files/{path}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=AgentFileContent)
    async def get(self, slug: str, path: str) -> None:
        """Return one of its files as text. A file that is not text is refused."""
        self.reply(content_of(await self.services.agents.read_file(slug, path, self.principal)))

    @operation("write", body=SaveFile, gives=SavedFile)
    async def put(self, slug: str, path: str) -> None:
        """Save one of its files, unless it was changed meanwhile. For its owner."""
        body = self.body(SaveFile)
        write = self.services.agents.write_file
        etag = await write(slug, path, body.text.encode(), body.etag, self.principal)
        self.reply(SavedFile(path=path, etag=etag))
