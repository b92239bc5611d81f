"""The tools that runs get from Cabinet: names, groups, arguments, and their descriptions for models. Pure.

`jupyter_cabinet/mcp/` offers them to a CLI. `agent_tools.py`, `plans/step_tools.py` and `notebook_tools/service.py`
carry them out. A program that must start fast imports this, so it needs only msgspec.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

MAX_TEXT = 16 * 1024  # characters, and also bytes of UTF-8, as in a directive
MAX_QUERY, MAX_NAME = 200, 128  # characters
MAX_NOTICE, MAX_PATH = 120, 1000  # characters; JupyterLab cuts notifications after 140
MOST_RUNS, MOST_PASSAGES, DEFAULT_PASSAGES = 50, 50, 20
MOST_LINES = 2000
MOST_SECONDS = 50  # of waiting; a call may take 60
# Limits in bytes for one file of memory and for one answer. Longer texts are cut.
MAX_FILE_BYTES, MAX_ANSWER_BYTES = 64 * 1024, 32 * 1024

# agents: only for agents whose persona says `starts_agents`; notify, open, clipboard: only for those whose persona
# lists them in `browser_actions`; tools: only for those whose persona says `proposes_tool_servers`; plan: only for the
# runs of a plan's steps; notebook: only for runs about a notebook
Group = Literal["memory", "sessions", "messaging", "agents", "notify", "open", "clipboard", "tools", "plan", "notebook"]

_Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
_Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
_Cell = Annotated[_Name, Meta(description="The id of the cell, as cells_list shows it.")]
_Source = Annotated[str, Meta(max_length=MAX_TEXT)]
_Agent = Annotated[_Name, Meta(description="The agent's slug, as agents_list shows it.")]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class of the arguments of tools."""


class MemoryList(Arguments, frozen=True, kw_only=True):
    """List the files of your memory with their sizes and dates, newest first."""


class MemoryRead(Arguments, frozen=True, kw_only=True):
    """Read one file of your memory: `context`, `decisions` or `learnings`, which hold entries, newest last; `facts`,
    which is MEMORY.md and is written by people; or another file. Without `offset` and `limit`, a long file is cut at
    its beginning."""

    file: Annotated[_Name, Meta(description="One of the four names, or as memory_list shows it.")]
    offset: Annotated[int, Meta(ge=0, description="The first line, counted from 1.")] = 0
    limit: Annotated[int, Meta(ge=0, le=MOST_LINES, description="How many lines. 0: as many as fit.")] = 0


class MemoryAppend(Arguments, frozen=True, kw_only=True):
    """Add an entry to your memory, which your next runs receive: `context` for what was done, `decision` for what was
    decided and why, `learning` for what is worth knowing. Newer entries replace the oldest ones."""

    kind: Literal["context", "decision", "learning"]
    text: _Text


class MemorySearch(Arguments, frozen=True, kw_only=True):
    """Find passages of your memory, archived ones too, that contain all of these words, in any case and also within
    longer words. The best come first, with their files and lines, which memory_read takes."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY)]
    limit: Annotated[int, Meta(ge=1, le=MOST_PASSAGES)] = DEFAULT_PASSAGES


class SkillCreate(Arguments, frozen=True, kw_only=True):
    """Write down how a kind of work is done, as a skill. Agents get it once a person has approved it. Use it for a
    procedure that will be needed again, and memory for facts."""

    name: Annotated[_Name, Meta(description="Lowercase letters, digits and hyphens, such as weekly-report.")]
    description: Annotated[_Text, Meta(description="What it is for, and when to use it. At most 1,024 characters.")]
    instructions: Annotated[_Text, Meta(description="What to do, in Markdown.")]


class SessionsList(Arguments, frozen=True, kw_only=True):
    """List your earlier runs, newest first: id, time, kind, how it ended, and the beginning of the instruction."""

    limit: Annotated[int, Meta(ge=1, le=MOST_RUNS)] = 20


class SessionRead(Arguments, frozen=True, kw_only=True):
    """Read the instruction and the answer of one of your earlier runs."""

    id: Annotated[_Name, Meta(description="As sessions_list shows it.")]


class MessageSend(Arguments, frozen=True, kw_only=True):
    """Put a message into another agent's inbox. It reads it at its next heartbeat; do not wait for an answer."""

    agent: _Agent
    text: _Text


class ChatPost(Arguments, frozen=True, kw_only=True):
    """Post a text to the chats of people that have this name. The answer says where it goes, if anywhere."""

    name: Annotated[_Name, Meta(description="Such as general.")]
    text: _Text


class InboxRead(Arguments, frozen=True, kw_only=True):
    """Read the unread messages of your inbox, newest first. They stay there until a heartbeat has received them."""


class TaskList(Arguments, frozen=True, kw_only=True):
    """List your tasks with their ids: open ones first, by priority from 1 (highest) to 5."""


class TaskComplete(Arguments, frozen=True, kw_only=True):
    """Complete one of your tasks. The agent who gave it receives the result."""

    id: Annotated[_Name, Meta(description="As task_list shows it.")]
    result: _Text


class TaskFail(Arguments, frozen=True, kw_only=True):
    """End one of your tasks that you cannot carry out, and say why."""

    id: Annotated[_Name, Meta(description="As task_list shows it.")]
    reason: _Text


class TaskCreate(Arguments, frozen=True, kw_only=True):
    """Give an agent a task. When it has ended, a message with the result is in your inbox; do not wait for it."""

    agent: _Agent
    title: Annotated[str, Meta(min_length=1, max_length=200)]
    description: Annotated[str, Meta(max_length=MAX_TEXT)] = ""
    priority: Annotated[int, Meta(ge=1, le=5, description="1 is the highest.")] = 3


class AgentsList(Arguments, frozen=True, kw_only=True):
    """List the agents that you can write to, with their roles."""


class SessionsSpawn(Arguments, frozen=True, kw_only=True):
    """Start a run of another agent now and get its id at once; `wait` returns its answer. The agent knows its own
    instructions and memory, but nothing of your conversation: say all that it needs."""

    agent: _Agent
    prompt: _Text


class SessionsSend(Arguments, frozen=True, kw_only=True):
    """Continue the conversation of a run that you have started: a new run of that agent, which knows what was said
    before. The answer is its id."""

    run: Annotated[_Name, Meta(description="The id of the run, from sessions_spawn or sessions_send.")]
    message: _Text


class Wait(Arguments, frozen=True, kw_only=True):
    """Wait for the end of a run that you have started, and get its state and its answer. If it has not ended in time,
    call this again, or do something else meanwhile."""

    run: Annotated[_Name, Meta(description="The id of the run, from sessions_spawn or sessions_send.")]
    seconds: Annotated[int, Meta(ge=0, le=MOST_SECONDS, description="The longest time to wait.")] = MOST_SECONDS


class Notify(Arguments, frozen=True, kw_only=True):
    """Show a notification to the person for whom you work, in the pages of JupyterLab that they have open. Use it for
    what they should know now; nobody answers."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_NOTICE, description="One sentence.")]


class Open(Arguments, frozen=True, kw_only=True):
    """Offer the person for whom you work to open a file in JupyterLab. It opens when they choose it."""

    path: Annotated[str, Meta(min_length=1, max_length=MAX_PATH, description="Relative to the root folder.")]


class ClipboardWrite(Arguments, frozen=True, kw_only=True):
    """Offer the person for whom you work to copy a text to their clipboard. It is copied when they choose it."""

    text: _Text


class McpList(Arguments, frozen=True, kw_only=True):
    """List the tool servers that the person for whom you work has, and which of them agents can use."""


class McpCreate(Arguments, frozen=True, kw_only=True):
    """Propose a tool server (MCP server) that a program starts. It does nothing until a person has started it and
    approved its tools. Give a package a fixed version. Say in `reason` which variables it needs; you cannot set them.
    """

    name: Annotated[_Name, Meta(description="Lowercase letters, digits and hyphens, such as issues.")]
    program: Annotated[str, Meta(min_length=1, max_length=MAX_PATH, description="Such as npx. Not a shell.")]
    arguments: Annotated[
        list[Annotated[str, Meta(max_length=MAX_PATH)]], Meta(max_length=50, description="Each by itself.")
    ]
    reason: Annotated[str, Meta(min_length=1, max_length=500, description="What it is for.")]


class StepReport(Arguments, frozen=True, kw_only=True):
    """Report the result of the plan's step that you work on, when you have finished. `summary` goes to the steps that
    depend on it: what you did, what you decided, what they need to know. `blocked`: a person has to act first; say what
    in `blocker`."""

    status: Literal["done", "failed", "blocked"]
    summary: Annotated[str, Meta(max_length=MAX_TEXT)] = ""
    blocker: Annotated[str, Meta(max_length=2000)] = ""


class CellsList(Arguments, frozen=True, kw_only=True):
    """List the cells of the notebook that you work on: number, id, type, the number of its last execution, and the
    first line. Other programs can change the notebook, so list the cells again when a cell is not found."""


class CellRead(Arguments, frozen=True, kw_only=True):
    """Read the source and the output of a cell of the notebook that you work on."""

    cell: _Cell


class CellWrite(Arguments, frozen=True, kw_only=True):
    """Replace the source of a cell of the notebook that you work on. Its output is removed. This runs nothing."""

    cell: _Cell
    source: _Source


class CellAdd(Arguments, frozen=True, kw_only=True):
    """Add a cell to the notebook that you work on, and get its id. This runs nothing."""

    source: _Source
    cell_type: Literal["code", "markdown", "raw"] = "code"
    after: Annotated[str, Meta(max_length=MAX_NAME, description="The id of the cell before it. Empty: it is first.")]


class CellDelete(Arguments, frozen=True, kw_only=True):
    """Delete a cell of the notebook that you work on."""

    cell: _Cell


class CellRun(Arguments, frozen=True, kw_only=True):
    """Run a code cell in the kernel of the notebook that you work on, and get its output. A person may be asked first.
    If the answer says that the person or the cell takes longer, call this again with the same cell to wait: it is not
    run twice."""

    cell: _Cell


class KernelInfo(Arguments, frozen=True, kw_only=True):
    """Ask which kernel runs the notebook that you work on, in which language, and whether it is busy."""


class VariablesList(Arguments, frozen=True, kw_only=True):
    """List the variables of the notebook's kernel with types and shapes, but without values. Only for Python."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool. Models read the docstring of its arguments as its description."""

    name: str
    group: Group
    arguments: type[Arguments]

    @property
    def description(self) -> str:
        """The description as one paragraph."""
        return " ".join((self.arguments.__doc__ or "").split())

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its arguments, without references."""
        return schema_of(self.arguments)


def schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the JSON Schema of the arguments of a tool, without references, title and description."""
    schemas = msgspec.json.schema_components([arguments])[1]
    found: dict[str, Any] = schemas[arguments.__name__]
    return {name: value for name, value in found.items() if name not in ("title", "description")}


TOOLS: tuple[Tool, ...] = (
    Tool(name="memory_list", group="memory", arguments=MemoryList),
    Tool(name="memory_read", group="memory", arguments=MemoryRead),
    Tool(name="memory_append", group="memory", arguments=MemoryAppend),
    Tool(name="memory_search", group="memory", arguments=MemorySearch),
    Tool(name="skill_create", group="memory", arguments=SkillCreate),
    Tool(name="sessions_list", group="sessions", arguments=SessionsList),
    Tool(name="session_read", group="sessions", arguments=SessionRead),
    Tool(name="message_send", group="messaging", arguments=MessageSend),
    Tool(name="chat_post", group="messaging", arguments=ChatPost),
    Tool(name="inbox_read", group="messaging", arguments=InboxRead),
    Tool(name="task_list", group="messaging", arguments=TaskList),
    Tool(name="task_complete", group="messaging", arguments=TaskComplete),
    Tool(name="task_fail", group="messaging", arguments=TaskFail),
    Tool(name="task_create", group="messaging", arguments=TaskCreate),
    Tool(name="agents_list", group="messaging", arguments=AgentsList),
    Tool(name="sessions_spawn", group="agents", arguments=SessionsSpawn),
    Tool(name="sessions_send", group="agents", arguments=SessionsSend),
    Tool(name="wait", group="agents", arguments=Wait),
    Tool(name="notify", group="notify", arguments=Notify),
    Tool(name="open", group="open", arguments=Open),
    Tool(name="clipboard_write", group="clipboard", arguments=ClipboardWrite),
    Tool(name="mcp_list", group="tools", arguments=McpList),
    Tool(name="mcp_create", group="tools", arguments=McpCreate),
    Tool(name="step_report", group="plan", arguments=StepReport),
    Tool(name="cells_list", group="notebook", arguments=CellsList),
    Tool(name="cell_read", group="notebook", arguments=CellRead),
    Tool(name="cell_write", group="notebook", arguments=CellWrite),
    Tool(name="cell_add", group="notebook", arguments=CellAdd),
    Tool(name="cell_delete", group="notebook", arguments=CellDelete),
    Tool(name="cell_run", group="notebook", arguments=CellRun),
    Tool(name="kernel_info", group="notebook", arguments=KernelInfo),
    Tool(name="variables_list", group="notebook", arguments=VariablesList),
)
