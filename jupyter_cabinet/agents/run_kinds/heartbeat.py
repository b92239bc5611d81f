"""Runs of kind `heartbeat`: an agent works through all that it knows, and its directives have effects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import Connection

from ...core.errors import Invalid
from ...core.people import Principal
from ...runs.kinds import Prepared, RunKind, RunSubject
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from ...sessions.model import AgentSubject, Session
from ...sessions.service import Sessions
from ...storage.outbox import Effect
from ..model import NewHeartbeat
from ..prompts.briefing import Briefing
from ..roster.roster import RosterEntry
from .agent_runs import AgentRuns, check_left_open
from .briefings import Briefed, Briefings
from .guarded_files import change_warnings
from .run_completion import effects_of, parsed_of, put_reports
from .run_terms import heartbeat_terms, principal_of


class HeartbeatKind(RunKind):
    """The kind `heartbeat`: builds the prompt, and turns the answer into effects."""

    request: type[NewRun] = NewHeartbeat
    by_request = False

    def __init__(self, *, runs: AgentRuns, briefing: Briefing, sessions: Sessions) -> None:
        self._runs = runs
        self._briefing = briefing
        self._sessions = sessions
        self._briefings = Briefings()

    async def check(self, new: NewHeartbeat, principal: Principal) -> RunSubject:
        """Check a request before it is queued, and create the working directory and, if it keeps one, the session.

        Raises `NotFound`, also if the caller may not see the agent, `OutOfService`, `OverBudget`, `Invalid` for an
        instruction, a session or a field that the persona decides, and `OutsideRoot`.
        """
        if new.instruction or new.session_id:
            raise Invalid("A heartbeat takes no instruction and no session. Talk with the agent instead.", field="kind")
        check_left_open(new, "The agent's persona says how it runs. Leave this out.")
        entry = await self._runs.may_ask(new.agent, principal)
        persona = entry.persona
        await self._runs.check_budget(persona, heartbeat=True)
        terms = heartbeat_terms(persona, entry.record, self._runs.roster.settings, principal)
        await self._runs.make_workdir(terms)
        return RunSubject(
            terms=terms,
            session=await self._kept_session(entry),
            mode="headless",
            title=f"Heartbeat of {persona.name}",
        )

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Build the prompt from the agent's files as they are now.

        Raises `Skip` if the agent may no longer run, has lost permissions since the run was queued, or has used up its
        budget.
        """
        entry = await self._runs.still_may(run)
        assembled, nonce, checks = await self._briefing.heartbeat(entry)
        marks = await self._runs.look_around()
        briefed = Briefed(
            nonce=nonce if assembled.tainted else None,
            message_ids=assembled.message_ids,
            marks=marks,
            post_to=entry.persona.post_to,
            checks=checks,
            at=self._runs.roster.clock.now(),
        )
        self._briefings.keep(run, briefed)
        return Prepared(
            prompt=assembled.prompt,
            system=assembled.system,
            warnings=assembled.warnings,
            tainted=assembled.tainted,
            chain=await self._briefing.chain_of(entry.slug, assembled.message_ids),
        )

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return a warning if files changed that an agent must not write."""
        before = self._briefings.of(run).marks
        return change_warnings(before, await self._runs.look_around()) if before else ()

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Store the reports on the run's directives."""
        put_reports(connection, run, parsed_of(run, outcome, self._briefings.of(run)))

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return the effects of the run's directives, and of its end."""
        briefed = self._briefings.of(run)
        return effects_of(run, parsed_of(run, outcome, briefed), outcome, briefed)

    async def _kept_session(self, entry: RosterEntry) -> Session | None:
        """Return the session to continue; None if each heartbeat starts a fresh one.

        Creates a new session if the runtime has changed, or if the old one contains text from outside, which the next
        run would not recognise as such.
        """
        persona, record = entry.persona, entry.record
        if persona.heartbeat_session == "fresh":
            return None
        runtime = persona.runtime or await self._runs.default_runtime()
        session = await self._sessions.load(record.session_id) if record.session_id else None
        if session is not None and session.runtime == runtime and not await self._runs.is_tainted(session.id):
            return session
        subject = AgentSubject(slug=entry.slug)
        session = await self._sessions.create(
            principal_of(record), subject=subject, runtime=runtime, visibility=record.visibility
        )
        await self._runs.roster.change(
            entry.slug, lambda record: msgspec.structs.replace(record, session_id=session.id)
        )
        return session
