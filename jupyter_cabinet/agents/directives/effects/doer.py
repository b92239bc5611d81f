"""Checks a directive and applies it once. The kinds of runs call it off the loop.

Servers, threads or a repetition after a crash may apply the same directive at the same time: it takes effect once, and
no other change is lost. The caller handles everything in the database: approvals for tainted runs, and reports.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import assert_never

from ....core.errors import Invalid, NotFound
from ...files.agent_folders import AgentFolders
from ...goals.progress import Goals
from ...memory.entries import Entry
from ..answer_block import (
    ContextUpdate,
    Decision,
    Directive,
    GoalUpdate,
    Learning,
    MessageTo,
    Post,
    TaskComplete,
    TaskCreate,
    TaskFail,
    reaches_others,
)
from ..posts import PostLine, mentions
from . import goal_files, inbox, task_files
from .agent_data import AgentData
from .heartbeat_records import HeartbeatRecord, record_heartbeat
from .memory_files import remember
from .model import MAX_CHAIN, Applied, DirectiveRefused, KnownAgent, Origin

MAX_TO_OTHERS = 10

_MEMORY_FILES = {ContextUpdate: "context", Decision: "decisions", Learning: "learnings"}


class DirectiveDoer:
    """Applies directives to the files below `root`.

    `folders`: the agents' folders of this root; a thread that holds an agent's lock may call. `known`: returns the
    agent with a slug, or None if it does not exist. `max_to_others`: the limit on messages, tasks and posts of one run;
    further ones are refused. Every method may block on a lock and on the disk.
    """

    def __init__(
        self,
        *,
        root: Path,
        folders: AgentFolders,
        known: Callable[[str], KnownAgent | None],
        max_to_others: int = MAX_TO_OTHERS,
    ) -> None:
        self._places = AgentData(root=root, folders=folders)
        self._known = known
        self._max_to_others = max_to_others

    def check(self, directive: Directive, origin: Origin, *, among: Sequence[Directive]) -> str | None:
        """Return why a directive is refused, as a sentence, or None if it may be applied. Nothing is written.

        `among`: all directives of the run; earlier ones count against `max_to_others`. Whether the agent may reach the
        recipient is not checked.
        """
        match directive:
            case MessageTo() | TaskCreate() if self._known(directive.agent) is None:
                return f"There is no agent “{directive.agent}”."
            case TaskComplete() | TaskFail() if not self._has_task(origin.agent, directive.task_id):
                return task_files.no_such_task(directive)
            case Post():
                places = (self._known(origin.agent) or KnownAgent()).channels
                if places and directive.channel not in places:
                    return f"This agent may post only to {', '.join(places)}."
        return self._check_reach(directive, origin, among) if reaches_others(directive) else None

    def apply(self, directive: Directive, origin: Origin, *, among: Sequence[Directive]) -> Applied:
        """Apply a directive once for each run id and position. A repetition changes nothing and has the same result.

        A directive is refused if `check` refuses it, and if a file that it needs is malformed or a link; the file is
        left as it is. Raises `NoRoom` and `Unavailable`; the directive can then be tried again.
        """
        key = origin.key_of(directive)
        try:
            refusal = self.check(directive, origin, among=among)
            if refusal is not None:
                raise DirectiveRefused(refusal)
            reason = self._do(directive, origin)
        except DirectiveRefused as refused:
            return Applied(key=key, state="refused", reason=str(refused), at=origin.at)
        except (Invalid, NotFound) as error:
            return Applied(key=key, state="refused", reason=error.message, at=origin.at)
        return Applied(key=key, state="applied", reason=reason, at=origin.at)

    def acknowledge(self, agent: str, message_ids: Collection[str]) -> None:
        """Move only these messages of an agent's inbox to `.read/`. It can be repeated; unknown ids are ignored.

        Raises `NotFound` if the agent does not exist, and `OutsideRoot`, `NoRoom` or `Unavailable` if they cannot be
        moved.
        """
        with self._places.holding(agent):
            inbox.acknowledge(self._places, agent, message_ids)

    def record_heartbeat(self, agent: str, record: HeartbeatRecord) -> None:
        """Store a heartbeat's output, its line of history and the count, each once for the run.

        Raises as `acknowledge`, and `Malformed` if `stats.json` cannot be read; the rest is written then.
        """
        known = self._known(agent) or KnownAgent()
        with self._places.holding(agent):
            record_heartbeat(self._places, agent, record, zone=known.zone)

    def goals(self, agent: str, *, now: datetime, known: KnownAgent | None = None) -> Goals:
        """Return an agent's goals in their current periods; none for an agent without goals.

        `known`: the agent, if the caller has it. Nothing is written. Raises `Malformed`.
        """
        known = known or self._known(agent) or KnownAgent()
        return goal_files.read_goals(self._places, agent, known=known, now=now)

    def alert_floors(self, agent: str, *, now: datetime) -> Sequence[str]:
        """Return the metrics that need an alert now, each once in a period: they are marked in `goals.json`.

        Raises as `acknowledge`, and `Malformed` if that file cannot be read.
        """
        with self._places.holding(agent):
            return goal_files.alert_floors(self._places, agent, known=self._known(agent) or KnownAgent(), now=now)

    def _has_task(self, agent: str, task_id: str) -> bool:
        return self._places.exists(task_files.task_file(agent, task_id))

    def _check_reach(self, directive: Directive, origin: Origin, among: Sequence[Directive]) -> str | None:
        if origin.depth + 1 > MAX_CHAIN:
            return f"A chain of more than {MAX_CHAIN} runs that lead to each other ends here."
        earlier = sum(reaches_others(each) and each.position < directive.position for each in among)
        if earlier >= self._max_to_others:
            return f"Message storm: a run may send at most {self._max_to_others} messages, tasks and posts."
        return None

    def _do(self, directive: Directive, origin: Origin) -> str:
        """Apply the directive and return a sentence for people about it, which is usually empty."""
        match directive:
            case ContextUpdate() | Decision() | Learning():
                return self._remember(directive, origin)
            case GoalUpdate():
                self._update_goal(directive, origin)
            case MessageTo():
                with self._places.holding(directive.agent):
                    inbox.send(self._places, directive, origin)
            case TaskCreate():
                with self._places.holding(directive.agent):
                    task_files.create_task(self._places, directive, origin)
            case TaskComplete() | TaskFail():
                with self._places.holding(origin.agent):
                    task_files.end_task(self._places, directive, origin)
            case Post():
                self._post(directive, origin)
            case _:
                assert_never(directive)
        return ""

    def _remember(self, directive: ContextUpdate | Decision | Learning, origin: Origin) -> str:
        key, text = origin.key_of(directive), directive.text
        entry = Entry(key=key, at=origin.at, text=text, tainted=origin.tainted)
        with self._places.holding(origin.agent):
            return remember(self._places, origin.agent, _MEMORY_FILES[type(directive)], entry)

    def _update_goal(self, directive: GoalUpdate, origin: Origin) -> None:
        known, key = self._known(origin.agent) or KnownAgent(), origin.key_of(directive)
        with self._places.holding(origin.agent):
            goal_files.update_goal(self._places, origin.agent, directive, known=known, key=key, at=origin.at)

    def _post(self, directive: Post, origin: Origin) -> None:
        line = PostLine(
            id=origin.id_of(directive),
            channel=directive.channel,
            agent=origin.agent,
            content=directive.text,
            mentions=mentions(directive.text),
            timestamp=origin.timestamp,
            origin=origin.key_of(directive),
            depth=origin.depth + 1,
            chain=origin.chain_on,
            tainted=origin.tainted,
        )
        with self._places.holding(origin.agent):
            self._places.append(f".slack/{directive.channel}.jsonl", line, key="id", value=line.id)
