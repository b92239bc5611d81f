"""Runs of kind `reflection`: an agent without tools reads its soul and its memory, and may propose another soul."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection

from ...core.errors import CabinetError, Conflict, Invalid
from ...core.people import Principal
from ...runs.kinds import Prepared, RunKind, RunSubject, Skip
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from ...storage.outbox import Effect
from .. import store
from ..directives.answer_block import Parsed
from ..model import EffectReport, NewReflection
from ..prompts import reflection_prompt
from ..prompts.briefing import Briefing
from ..reflection.soul_answer import NOT_CARRIED_OUT, SoulAnswer, soul_in
from ..reflection.soul_file import SOUL, SoulFile, soul_of
from ..roster.roster import RosterEntry
from .agent_runs import AgentRuns, check_left_open, must_own
from .briefings import Briefed
from .run_completion import effects_of
from .run_terms import reflection_terms

REFLECTED = "agents.reflected"
MOST_KEPT = 500
MAX_SHOWN = 500  # characters of a block that was not carried out
TAINTED = "The run has read text from outside, so it may propose nothing."
FORGOTTEN = "The server restarted while the run worked, so nothing is proposed. Start another reflection."
ANOTHER = "A proposal of this agent waits for a person. Accept or refuse it first."
AT_WORK = "This agent already reflects."


class Reflected(msgspec.Struct, frozen=True, kw_only=True):
    """What the outbox stores about a reflection that proposes a soul. `base`: the etag of the soul that it has read."""

    report_id: str
    run_id: str
    agent: str
    at: datetime
    text: str
    base: str | None


class ReflectionKind(RunKind):
    """The kind `reflection`. `is_pending`: whether a proposal of an agent waits for a person."""

    request: type[NewRun] = NewReflection
    by_request = False

    def __init__(self, *, runs: AgentRuns, briefing: Briefing, is_pending: Callable[[str], Awaitable[bool]]) -> None:
        self._runs = runs
        self._briefing = briefing
        self._is_pending = is_pending
        self._read: dict[str, SoulFile] = {}  # by run

    async def check(self, new: NewReflection, principal: Principal) -> RunSubject:
        """Check a request before it is queued.

        Raises `NotAllowed` for whoever does not own the agent, `Conflict` if the agent already reflects or a proposal
        waits, and `NotFound`, `OutOfService`, `OverBudget`, `Invalid`, `OutsideRoot`.
        """
        if new.instruction or new.session_id:
            raise Invalid("A reflection takes no instruction and no session.", field="kind")
        check_left_open(new, "A reflection has no tools, and the agent's persona says how it runs. Leave this out.")
        entry = await self._runs.may_ask(new.agent, principal)
        must_own(entry, principal)
        if await self._runs.reflects(new.agent):
            raise Conflict(AT_WORK)
        if await self._is_pending(new.agent):
            raise Conflict(ANOTHER)
        await self._runs.check_budget(entry.persona, heartbeat=True)
        terms = reflection_terms(entry.persona, entry.record, self._runs.roster.settings, principal)
        await self._runs.make_workdir(terms)
        title = f"Reflection of {entry.persona.name}"
        return RunSubject(terms=terms, mode="headless", fixed_mode=True, title=title)

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Build the prompt from the agent's soul and memory as they are now.

        Raises `Skip` if the agent may no longer run, a proposal waits, or its soul cannot be read or has just been
        changed.
        """
        entry = await self._runs.still_may(run)
        if await self._is_pending(entry.slug):
            raise Skip(ANOTHER)
        soul = await self._soul(entry)
        self._keep(run, soul)
        gathered = await self._briefing.gathered(entry)
        return Prepared(
            prompt=reflection_prompt.reflection(gathered, soul.text, now=self._runs.roster.clock.now()),
            system=reflection_prompt.system(gathered),
            warnings=gathered.warnings,
            equipped=False,
        )

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return no warnings: it has no tools to change files."""
        return ()

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Store a report on the proposal, and on each block that is not carried out."""
        if run.state != "succeeded":
            return
        answer, refused = self._answer(run, outcome)
        state, reason = ("refused", refused) if refused else ("pending", "")
        store.insert_effect(connection, _report(run, 1, SOUL, state, reason))
        for position, block in enumerate(answer.others, start=2):
            store.insert_effect(connection, _report(run, position, block[:MAX_SHOWN], "refused", NOT_CARRIED_OUT))

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Yield the proposal, if there is one, and the end of the run."""
        answer, refused = self._answer(run, outcome)
        if run.state == "succeeded" and answer.text is not None and not refused:
            reflected = Reflected(
                report_id=f"{run.id}/1",
                run_id=run.id,
                agent=run.agent or "",
                at=run.finished_at or run.queued_at,
                text=answer.text,
                base=self._read[run.id].etag,
            )
            yield Effect(topic=REFLECTED, key=run.agent or "", body=msgspec.json.encode(reflected).decode())
        yield from effects_of(run, Parsed(), outcome, Briefed())

    def _answer(self, run: Run, outcome: Outcome) -> tuple[SoulAnswer, str]:
        """Return what a run proposes, and why it may not; the reason is empty if it may."""
        answer = soul_in(outcome.text)
        if run.tainted:
            return answer, TAINTED
        return answer, answer.problem or ("" if run.id in self._read else FORGOTTEN)

    async def _soul(self, entry: RosterEntry) -> SoulFile:
        """Return the soul of an agent that a person has confirmed. Raises `Skip`."""
        try:
            soul = await asyncio.to_thread(soul_of, self._runs.roster.folders, entry.slug)
        except CabinetError as error:
            raise Skip(error.message) from None
        if soul.text != entry.files.texts.get(SOUL, ""):
            raise Skip(f"{SOUL} has just been changed. Start the reflection again.")
        return soul

    def _keep(self, run: Run, soul: SoulFile) -> None:
        self._read.pop(run.id, None)
        self._read[run.id] = soul
        while len(self._read) > MOST_KEPT:
            del self._read[next(iter(self._read))]


def _report(run: Run, position: int, shown: str, state: Any, reason: str) -> EffectReport:
    return EffectReport(
        id=f"{run.id}/{position}",
        run_id=run.id,
        position=position,
        line=1,
        agent=run.agent or "",
        directive=shown,
        state=state,
        reason=reason,
        at=run.finished_at or run.queued_at,
    )
