"""Carries out the calls that agents make to Cabinet's tools. Implements the port `RunTools` of `runs/`.

The tools cover memory (`memory_tools.py` reads it), earlier runs, messages, tasks, runs of other agents
(`agent_starter.py`), requests to a person's browser (`browser_tools.py`) and proposed tool servers
(`tool_server_tools.py`); `tool_list.py` lists them.
Writes take the same path as directives (`directive_desk.py`), with the same checks and caps, but at once instead of at
the end of the run. No tool can reach approvals, permissions, the off switch or another agent's memory.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from ..core.errors import Invalid, NotAllowed, NotFound, Refused
from ..core.ids import is_foreign_id
from ..core.people import Principal
from ..execution.model import ToolAnswer
from ..runs.model import Run, RunFilter
from ..runs.records import RunRecords
from ..runs.rules.trigger_chain import link_of
from ..runs.tools.run_tools import RunTools
from .agent_starter import AgentStarter
from .correspondence.mailbox import AgentItems
from .correspondence.tasks import id_of
from .directive_desk import DirectiveDesk
from .directives.answer_block import MAX_DIRECTIVE_BYTES, Directive, reaches_others
from .directives.directive_lines import directive_of
from .directives.effects.model import Applied, Origin
from .prompts import tool_list, tool_texts
from .prompts.briefing import is_foreign
from .prompts.tool_arguments import tool_arguments
from .prompts.tool_texts import Foreign, PastRun
from .roster.roster import Roster
from .run_kinds.run_completion import events_of
from .run_kinds.run_terms import AGENT_ORIGIN
from .skill_desk import SkillDesk, WrittenSkill

MOST_REMEMBERED = 500  # runs whose written directives are remembered
WORDS = {"context": "CONTEXT_UPDATE", "decision": "DECISION", "learning": "LEARNING"}
FROM_OUTSIDE = (
    "This run has read text from outside, so it cannot write to others by a tool. End your answer with the block of "
    "your instructions instead: a person will be asked to allow it."
)


# Takes the run, the agent's slug and the arguments.
ToolWork: TypeAlias = Callable[[Run, str, Any], Awaitable[str]]


class AgentTools(RunTools):
    """The tools of all agents of a root. `others`: further tools by their names."""

    def __init__(
        self,
        *,
        roster: Roster,
        items: AgentItems,
        desk: DirectiveDesk,
        records: RunRecords,
        others: Mapping[str, ToolWork],
        skills: SkillDesk,
        starter: AgentStarter,
    ) -> None:
        self._roster = roster
        self._items = items
        self._desk = desk
        self._records = records
        self._skills = skills
        self._starter = starter
        self._written: dict[str, list[Directive]] = {}  # directives so far, by run and attempt
        self._tools: dict[str, ToolWork] = {
            **others,
            "memory_append": self._append_memory,
            "skill_create": self._create_skill,
            "sessions_list": self._list_runs,
            "session_read": self._read_run,
            "message_send": self._send,
            "chat_post": self._post,
            "inbox_read": self._read_inbox,
            "task_list": self._list_tasks,
            "task_complete": self._complete,
            "task_fail": self._fail,
            "task_create": self._create,
            "agents_list": self._list_agents,
            "sessions_spawn": self._spawn,
            "sessions_send": self._continue,
            "wait": self._wait,
        }

    async def call(self, run: Run, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """Run a tool for an agent's run and return its answer. Its effects happen at once.

        Raises `NotAllowed` for a tool that the run does not have, and for one that reaches others if the run has read
        text from outside; `Invalid` for wrong arguments; `Refused` for a write that is refused; and the errors of the
        tool itself.
        """
        found = next((each for each in tool_list.TOOLS if each.name == tool), None)
        if found is None or run.agent is None or found.group not in run.own_tools:
            raise NotAllowed(f"This run has no tool {tool[:100]}.")
        asked = tool_arguments(arguments, found.arguments)
        return ToolAnswer(text=await self._tools[tool](run, run.agent, asked))

    # --- memory ------------------------------------------------------------------------------

    async def _append_memory(self, run: Run, agent: str, asked: tool_list.MemoryAppend) -> str:
        applied = await self._write(run, agent, WORDS[asked.kind], (), asked.text)
        return f"It is in your memory. {applied.reason}".rstrip()

    async def _create_skill(self, run: Run, agent: str, asked: tool_list.SkillCreate) -> str:
        written = WrittenSkill(
            agent=agent,
            name=asked.name,
            description=asked.description,
            instructions=asked.instructions,
            tainted=run.tainted,
        )
        return await self._skills.take(run.id, written)

    # --- earlier runs ------------------------------------------------------------------------

    async def _list_runs(self, run: Run, agent: str, asked: tool_list.SessionsList) -> str:
        wanted = RunFilter(agent=agent, limit=asked.limit + 1)
        found = await self._records.find(wanted, _seeing(run))
        return tool_texts.runs([_past(each) for each in found if each.id != run.id][: asked.limit])

    async def _read_run(self, run: Run, agent: str, asked: tool_list.SessionRead) -> str:
        found = await self._records.get(asked.id, _seeing(run)) if is_foreign_id(asked.id) else None
        if found is None or found.agent != agent:
            raise NotFound(f"You have no earlier run {asked.id}.")
        return tool_texts.run(_past(found), _foreign_in(run))

    # --- messages and tasks ------------------------------------------------------------------

    async def _send(self, run: Run, agent: str, asked: tool_list.MessageSend) -> str:
        await self._write(run, agent, "MESSAGE_TO", (asked.agent,), asked.text)
        return f"The message is in the inbox of {asked.agent}."

    async def _post(self, run: Run, agent: str, asked: tool_list.ChatPost) -> str:
        return (await self._write(run, agent, "CHANNEL", (asked.name,), asked.text)).reason

    async def _read_inbox(self, run: Run, agent: str, asked: tool_list.InboxRead) -> str:
        inbox = await asyncio.to_thread(self._items.inbox, agent)
        known = set(await self._roster.slugs())
        messages = [(each, is_foreign(each, known)) for each in inbox.messages]
        return tool_texts.inbox(messages, _foreign_in(run), inbox.problems, more=inbox.more)

    async def _list_tasks(self, run: Run, agent: str, asked: tool_list.TaskList) -> str:
        found = await asyncio.to_thread(self._items.tasks, agent)
        return tool_texts.tasks(found.tasks, _foreign_in(run), found.problems)

    async def _complete(self, run: Run, agent: str, asked: tool_list.TaskComplete) -> str:
        applied = await self._write(run, agent, "TASK_COMPLETE", (asked.id,), asked.result)
        return f"The task {asked.id} is completed. {applied.reason}".rstrip()

    async def _fail(self, run: Run, agent: str, asked: tool_list.TaskFail) -> str:
        applied = await self._write(run, agent, "TASK_FAIL", (asked.id,), asked.reason)
        return f"The task {asked.id} has ended as failed. {applied.reason}".rstrip()

    async def _create(self, run: Run, agent: str, asked: tool_list.TaskCreate) -> str:
        if "|" in asked.title:
            raise Invalid("A title has no “|” in it.", field="title")
        text = f"{asked.title} | {asked.description}"
        applied = await self._write(run, agent, "TASK_CREATE", (asked.agent, str(asked.priority)), text)
        return f"The task {id_of(applied.key)} was given to {asked.agent}."

    async def _list_agents(self, run: Run, agent: str, asked: tool_list.AgentsList) -> str:
        reachable = await self._roster.reachable(agent)
        found = [each.persona for each in reachable if not each.errors and each.confirmed]
        return tool_texts.agents((each.slug, each.name, each.role) for each in found)

    # --- runs of other agents ----------------------------------------------------------------

    async def _spawn(self, run: Run, agent: str, asked: tool_list.SessionsSpawn) -> str:
        _refuse_tainted(run)
        started = await self._starter.start(run, agent, asked.agent, asked.prompt)
        return f"Run {started.id} of {asked.agent} is queued. Use wait to get its answer."

    async def _continue(self, run: Run, agent: str, asked: tool_list.SessionsSend) -> str:
        _refuse_tainted(run)
        started = await self._starter.go_on(run, agent, asked.run, asked.message)
        return f"Run {started.id} of {started.agent} is queued. Use wait to get its answer."

    async def _wait(self, run: Run, agent: str, asked: tool_list.Wait) -> str:
        found = await self._starter.wait(run, agent, asked.run, asked.seconds)
        return tool_texts.started_run(_past(found), _foreign_in(run))

    # --- inside ------------------------------------------------------------------------------

    async def _write(self, run: Run, agent: str, word: str, arguments: tuple[str, ...], text: str) -> Applied:
        """Apply a directive, announce its events, and return the outcome.

        Raises `Invalid` if this is not a valid directive, `NotAllowed` if it reaches others in a run that has read text
        from outside, and `Refused`.
        """
        written = self._written_by(run)
        directive = _directive(word, arguments, text, position=len(written) + 1)
        if reaches_others(directive):
            _refuse_tainted(run)
        written.append(directive)  # it counts against the run's limits, whatever its outcome
        origin = self._origin(run, agent)
        applied, chats = await self._desk.apply(directive, origin, among=tuple(written))
        if applied.state != "applied":
            raise Refused(applied.reason)
        for event in events_of(directive, origin, chats=chats):
            await self._roster.tell(event)
        return applied

    def _origin(self, run: Run, agent: str) -> Origin:
        return Origin(
            run_id=run.id,
            agent=agent,
            at=self._roster.clock.now(),
            tainted=run.tainted,
            depth=run.trigger.depth,
            chain=run.trigger.chain,
            link=link_of(run),
            prefix=_prefix(run),
            owner=run.owner,
        )

    def _written_by(self, run: Run) -> list[Directive]:
        """Return the run's list of directives so far.

        A run is forgotten once `MOST_REMEMBERED` other runs have written since its last call.
        """
        key = f"{run.id}/{_prefix(run)}"
        written = self._written.pop(key, [])
        self._written[key] = written
        while len(self._written) > MOST_REMEMBERED:
            del self._written[next(iter(self._written))]
        return written


def _prefix(run: Run) -> str:
    """Return the prefix of the keys of this attempt.

    Each attempt counts its own calls, because it may run in another server.
    """
    return "tool-" if run.attempt == 1 else f"tool-{run.attempt}-"


def _directive(word: str, arguments: tuple[str, ...], text: str, *, position: int) -> Directive:
    if len(text.encode(errors="replace")) > MAX_DIRECTIVE_BYTES:
        raise Invalid(f"A text may have at most {MAX_DIRECTIVE_BYTES // 1024} KiB. Write it into a file and name that.")
    found = directive_of(word, arguments, text.strip(), position=position, line=0)
    if isinstance(found, str):
        raise Invalid(found)
    return found


def _refuse_tainted(run: Run) -> None:
    if run.tainted:
        raise NotAllowed(FROM_OUTSIDE)


def _foreign_in(run: Run) -> Foreign:
    """Return how this run sees text from outside: with a marker if it is tainted already, else not at all.

    An untainted run must not receive such text from a tool, because its effects on others need no approval.
    """
    return Foreign(marker=secrets.token_hex(8) if run.tainted else None)


def _seeing(run: Run) -> Principal:
    """Return the principal whose runs are visible: the owner of this run, with no further permissions."""
    return Principal(username=run.owner, display_name=run.owner, origin=AGENT_ORIGIN)


def _past(run: Run) -> PastRun:
    return PastRun(
        id=run.id,
        at=run.queued_at,
        kind=run.kind,
        state=run.state,
        instruction=run.instruction,
        answer=run.result.text if run.result else "",
        agent=run.agent or "",
        reason=run.reason,
        tainted=run.tainted,
    )
