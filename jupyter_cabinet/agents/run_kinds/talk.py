"""Runs of the kinds `message` and `reply`: somebody talks with an agent, or has mentioned it. They have no effects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from ...core.errors import Conflict
from ...core.people import Principal
from ...runs.kinds import Prepared, RunKind, RunSubject, check_instruction
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from ...sessions.model import AgentSubject
from ...sessions.service import Sessions
from ...storage.outbox import Effect
from ..model import NewMessageRun, NewReply
from ..prompts import talk_prompt
from ..prompts.briefing import Briefing
from .agent_runs import AgentRuns
from .run_terms import talk_terms


class MessageKind(RunKind):
    """A person, or one of their programs, instructs an agent, and may continue a session."""

    request: type[NewRun] = NewMessageRun

    def __init__(self, *, runs: AgentRuns, briefing: Briefing, sessions: Sessions) -> None:
        self._runs = runs
        self._briefing = briefing
        self._sessions = sessions

    async def check(self, new: NewMessageRun, principal: Principal) -> RunSubject:
        """Raises `Invalid`, `NotFound`, `OutOfService`, `OverBudget`, `Conflict` for another agent's session."""
        check_instruction(new.instruction)
        standing = await self._runs.may_ask(new.agent, principal)
        await self._runs.check_budget(standing.persona, heartbeat=False)
        terms = talk_terms(standing.persona, standing.record, principal, seconds=None)
        await self._runs.make_workdir(terms)
        session = await self._sessions.get(new.session_id, principal) if new.session_id else None
        if session is not None and session.subject != AgentSubject(slug=new.agent):
            raise Conflict("This session belongs to somebody else.", field="session_id")
        if session is None:
            runtime = new.runtime or terms.runtime or await self._runs.default_runtime()
            subject = AgentSubject(slug=new.agent)
            session = await self._sessions.create(
                principal, subject=subject, runtime=runtime, visibility=standing.record.visibility
            )
        return RunSubject(terms=terms, session=session, mode="headless")

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Who it is and what it remembers, as system text; the instruction as it is."""
        gathered = await self._briefing.gathered(await self._runs.still_may(run))
        return Prepared(
            prompt=new.instruction,
            system=talk_prompt.system(gathered),
            warnings=gathered.warnings,
            tainted=await self._runs.is_tainted(run.session_id),  # its CLI still knows what was said before
        )

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Nothing is compared."""
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Nothing follows from it."""
        return ()


class ReplyKind(RunKind):
    """One short answer to a mention, with context, learnings and goals."""

    request: type[NewRun] = NewReply

    def __init__(self, *, runs: AgentRuns, briefing: Briefing) -> None:
        self._runs = runs
        self._briefing = briefing

    async def check(self, new: NewReply, principal: Principal) -> RunSubject:
        """Raises as a message does."""
        check_instruction(new.instruction)
        standing = await self._runs.may_ask(new.agent, principal)
        await self._runs.check_budget(standing.persona, heartbeat=False)
        seconds = self._runs.roster.settings.reply_seconds
        terms = talk_terms(standing.persona, standing.record, principal, seconds=seconds)
        terms = msgspec.structs.replace(terms, own_tools=())  # a short answer has no effects
        await self._runs.make_workdir(terms)
        return RunSubject(terms=terms, mode="headless", fixed_mode=True)

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """What it was mentioned in, and the request."""
        gathered = await self._briefing.gathered(await self._runs.still_may(run))
        prompt = talk_prompt.reply(new.instruction, about=new.about)
        return Prepared(prompt=prompt, system=talk_prompt.system(gathered), warnings=gathered.warnings)

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Nothing is compared."""
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Nothing follows from it."""
        return ()
