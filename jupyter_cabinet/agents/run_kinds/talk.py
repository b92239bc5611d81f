"""Runs of the kinds `message` and `reply`: a person talks with an agent, or mentions it. They have no effects."""

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
    """The kind `message`: a person, or one of their programs, instructs an agent and may continue a session."""

    request: type[NewRun] = NewMessageRun

    def __init__(self, *, runs: AgentRuns, briefing: Briefing, sessions: Sessions) -> None:
        self._runs = runs
        self._briefing = briefing
        self._sessions = sessions

    async def check(self, new: NewMessageRun, principal: Principal) -> RunSubject:
        """Check a request before it is queued, and create its session if it names none.

        Raises `Invalid` for an empty or too long instruction, `NotFound`, also if the caller may not see the agent or
        the session, `OutOfService`, `OverBudget`, `OutsideRoot`, and `Conflict` for another agent's session.
        """
        check_instruction(new.instruction)
        entry = await self._runs.may_ask(new.agent, principal)
        await self._runs.check_budget(entry.persona, heartbeat=False)
        terms = talk_terms(entry.persona, entry.record, principal, seconds=None)
        await self._runs.make_workdir(terms)
        session = await self._sessions.get(new.session_id, principal) if new.session_id else None
        if session is not None and session.subject != AgentSubject(slug=new.agent):
            raise Conflict("This session belongs to another person.", field="session_id")
        if session is None:
            runtime = new.runtime or terms.runtime or await self._runs.default_runtime()
            subject = AgentSubject(slug=new.agent)
            session = await self._sessions.create(
                principal, subject=subject, runtime=runtime, visibility=entry.record.visibility
            )
        return RunSubject(terms=terms, session=session, mode="headless")

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Return the instruction, with the agent's identity and memory as system text.

        An instruction of another agent says so, because only people may decide some things. Raises `Skip` if the agent
        may no longer run.
        """
        gathered = await self._briefing.gathered(await self._runs.still_may(run))
        starter = run.trigger.chain[-1] if run.trigger.run_id and run.trigger.chain else ""
        return Prepared(
            prompt=talk_prompt.from_agent(starter, new.instruction) if starter else new.instruction,
            system=talk_prompt.system(gathered),
            warnings=gathered.warnings,
            tainted=await self._runs.is_tainted(run.session_id),  # the session still contains its earlier runs
        )

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return no warnings: files are not compared."""
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return no effects."""
        return ()


class ReplyKind(RunKind):
    """The kind `reply`: one short answer to a mention, with context, learnings and goals."""

    request: type[NewRun] = NewReply
    by_request = False

    def __init__(self, *, runs: AgentRuns, briefing: Briefing) -> None:
        self._runs = runs
        self._briefing = briefing

    async def check(self, new: NewReply, principal: Principal) -> RunSubject:
        """Check a request before it is queued.

        Raises as `MessageKind.check`, without `Conflict`. It creates no session.
        """
        check_instruction(new.instruction)
        entry = await self._runs.may_ask(new.agent, principal)
        await self._runs.check_budget(entry.persona, heartbeat=False)
        seconds = self._runs.roster.settings.reply_seconds
        terms = talk_terms(entry.persona, entry.record, principal, seconds=seconds)
        terms = msgspec.structs.replace(terms, own_tools=())  # a short answer has no effects
        await self._runs.make_workdir(terms)
        return RunSubject(terms=terms, mode="headless", fixed_mode=True)

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Build the prompt from the text around the mention and the instruction.

        Raises `Skip` if the agent may no longer run.
        """
        gathered = await self._briefing.gathered(await self._runs.still_may(run))
        prompt = talk_prompt.reply(new.instruction, about=new.about)
        return Prepared(prompt=prompt, system=talk_prompt.system(gathered), warnings=gathered.warnings)

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return no warnings: files are not compared."""
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return no effects."""
        return ()
