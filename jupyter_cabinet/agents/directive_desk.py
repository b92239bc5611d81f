"""Carries out a directive and what follows from it: posts go to chats, and ended tasks are reported.

`run_completion.py` calls it after a run, and `agent_tools.py` while a run is active.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from .directives.answer_block import Directive, Post, TaskComplete, TaskFail
from .directives.effects.doer import DirectiveDoer
from .directives.effects.model import Applied, Origin
from .directives.post_office import PostOffice
from .roster.roster import Roster
from .task_reports import TaskReports


class Carried(NamedTuple):
    """The outcome of a directive. `chats`: the number of chats that a post is sent to."""

    applied: Applied
    chats: int = 0


class DirectiveDesk:
    """Carries out the directives of all agents of a root."""

    def __init__(self, *, roster: Roster, doer: DirectiveDoer, posts: PostOffice, reports: TaskReports) -> None:
        self._roster = roster
        self._doer = doer
        self._posts = posts
        self._reports = reports

    async def apply(self, directive: Directive, origin: Origin, *, among: Sequence[Directive]) -> Carried:
        """Apply a directive as `DirectiveDoer.apply` does, then send its post or report its ended task.

        Each happens only once for each key. Check `applied.state`: most refusals are returned as "refused", not raised.
        Raises `Refused` if the agent may not reach the recipient or may not post, or if the list of channels cannot be
        read; and `Malformed`, `NoRoom` and `Unavailable` for the files. Nothing is announced here.
        """
        await self._roster.must_reach(origin.agent, directive)
        applied = await asyncio.to_thread(self._doer.apply, directive, origin, among=among)
        if applied.state != "applied":
            return Carried(applied)
        chats = 0
        match directive:
            case Post():
                sent = await self._posts.take(directive, origin, await self._roster.scope_of(origin.agent))
                reason, chats = sent.sentence, sent.chats
            case TaskComplete() | TaskFail():
                reason = await self._reports.tell(directive, origin)
            case _:
                return Carried(applied)
        return Carried(msgspec.structs.replace(applied, reason=reason), chats)
