"""The tools with which an agent lists, reads and searches its own memory. Called by `agent_tools.py`.

A run that has not read text from outside never gets the text of a tainted entry. `agent_tools.py` has the tool that
adds entries, because that takes the path of a directive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ..core.errors import Invalid, NotFound
from ..runs.model import Run
from .files.agent_folders import AgentFolders
from .files.safe_files import MAX_MEMORY_BYTES
from .memory import entries
from .memory.memory_search import MemorySearch
from .memory.passages import lines_between
from .memory.search_queue import SearchQueue
from .prompts import tool_list, tool_texts
from .prompts.text_trimming import cut_end, cut_start

FOLDER = "memory/"
NAMED_FILES = {
    "context": "context.md",
    "decisions": "decisions.md",
    "learnings": "learnings.md",
    "facts": "MEMORY.md",
}


class MemoryTools:
    """The memory of all agents, as each of them sees its own."""

    def __init__(self, folders: AgentFolders, search: MemorySearch, queue: SearchQueue) -> None:
        self._folders = folders
        self._search = search
        self._queue = queue

    def by_name(self) -> dict[str, Callable[[Run, str, Any], Awaitable[str]]]:
        """Return the tools by their names. Each takes the run, the agent's slug and the arguments.

        `memory_read` raises `Invalid` for a file that is not listed, and `memory_search` raises as
        `SearchQueue.search`.
        """
        return {"memory_list": self._list, "memory_read": self._read, "memory_search": self._find}

    async def _list(self, run: Run, agent: str, asked: tool_list.MemoryList) -> str:
        files = await asyncio.to_thread(self._search.files, agent)
        newest = sorted(files, key=lambda file: (-file.modified, file.path))
        return tool_texts.memory_files((file.path.removeprefix(FOLDER), file.size, file.modified) for file in newest)

    async def _read(self, run: Run, agent: str, asked: tool_list.MemoryRead) -> str:
        name = NAMED_FILES.get(asked.file, asked.file)
        text = await asyncio.to_thread(self._text, agent, name)
        if not asked.offset and not asked.limit:
            text = text if run.tainted else entries.untainted(text)
            return cut_start(text.strip(), tool_list.MAX_FILE_BYTES)[0] or "Nothing is written there yet."
        first = asked.offset or 1
        wanted, last, count = lines_between(text, first, asked.limit or tool_list.MOST_LINES, with_tainted=run.tainted)
        shown, was_cut = cut_end(wanted, tool_list.MAX_FILE_BYTES)
        return tool_texts.memory_lines(name, shown, first=first, last=None if was_cut else last, count=count)

    async def _find(self, run: Run, agent: str, asked: tool_list.MemorySearch) -> str:
        found = await self._queue.search(agent, asked.text, limit=asked.limit, with_tainted=run.tainted)
        passages = ((each.match, each.text) for each in found.items)
        named = ((match.path.removeprefix(FOLDER), match.first_line, match.last_line, text) for match, text in passages)
        return tool_texts.found_passages(named, left_out=found.left_out, unfinished=found.unfinished)

    def _text(self, agent: str, name: str) -> str:
        """Return the text of a memory file; empty if it is one of `NAMED_FILES` and does not exist. Blocks.

        Raises `Invalid` for a file that is not listed.
        """
        is_named = name in NAMED_FILES.values()
        if not is_named and f"{FOLDER}{name}" not in {file.path for file in self._search.files(agent)}:
            raise Invalid("Your memory has no such file. `memory_list` shows their names.", field="file")
        try:
            file = self._folders.read_file(agent, f"{FOLDER}{name}", limit=MAX_MEMORY_BYTES)
        except NotFound:
            return ""
        return file.content.decode(errors="replace")
