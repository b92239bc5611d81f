"""Runs of kind `play`: an agent carries out a play, and its directives have effects as those of a heartbeat."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from ..agents.directives.answer_block import template
from ..agents.prompts.briefing import Briefing
from ..agents.roster.roster import RosterEntry
from ..agents.run_kinds.agent_runs import AgentRuns, check_left_open
from ..agents.run_kinds.briefings import Briefed, Briefings
from ..agents.run_kinds.guarded_files import change_warnings
from ..agents.run_kinds.run_completion import effects_of, parsed_of, put_reports
from ..agents.run_kinds.run_terms import play_terms
from ..core.errors import CabinetError, Conflict, Invalid, NotFound
from ..core.people import Principal
from ..runs import store as run_store
from ..runs.kinds import Prepared, RunKind, RunSubject, Skip
from ..runs.model import UNATTENDED, NewRun, Run
from ..runtimes.model import Outcome
from ..storage.outbox import Effect
from . import play_prompt
from .completion import completed_of, history_of
from .model import MAX_ABOUT_BYTES, NewPlayRun
from .play import MAX_INPUTS, Play, check_inputs, filled_in
from .play_files import file_of
from .play_prompt import PlayRequest
from .playbook import Playbook

BUSY = "It works or waits in the queue already."
MAX_INPUT_BYTES = 64 * 1024


class PlayKind(RunKind):
    """Chooses the agent of a play, builds its prompt, and applies its answer."""

    request: type[NewRun] = NewPlayRun

    def __init__(self, *, runs: AgentRuns, briefing: Briefing, playbook: Playbook) -> None:
        self._runs = runs
        self._briefing = briefing
        self._playbook = playbook
        self._briefings = Briefings()

    async def check(self, new: NewPlayRun, principal: Principal) -> RunSubject:
        """Check a request for a play, choose its agent, and create the folder in which it works.

        Raises `NotFound`, also if the caller may not see the play or its agent; `OutOfService` if the play has errors
        or is not confirmed, or if the agent may not start runs; `Conflict` if no agent carries it out; `Invalid` for a
        field that a play does not take, and for an input that it does not have; `OverBudget`.
        """
        _check_request(new)
        standing = await self._playbook.get(new.play, principal)
        play = standing.require()
        check_inputs(play, new.inputs)
        slug = new.agent or play.agent or (standing.carrier.slug if standing.carrier else None)
        if slug is None:
            raise Conflict("No active agent lists this play. Name one in its field agent, or in an agent's plays.")
        agent = await self._runs.may_ask(slug, principal)
        await self._runs.check_budget(agent.persona, heartbeat=False)
        terms = play_terms(agent.persona, agent.record, principal, seconds=play.timeout_seconds, tools=play.tools)
        await self._runs.make_workdir(terms)
        return RunSubject(terms=terms, path=file_of(play.slug), mode="headless", fixed_mode=True, title=play.shown)

    def put_begin(self, connection: Connection, run: Run, new: Any) -> None:
        """Raise `Conflict` if a run of this play is unfinished. This holds for every caller."""
        if run_store.is_unfinished(connection, kind=run.kind, path=run.path or "", but=run.id):
            raise Conflict(BUSY)

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Read the play, its agent and the agent's memory again, and build the prompt.

        Raises `Skip` if the play or the agent may no longer work, or if no person has started the run and it was queued
        with more tools than the play has now.
        """
        agent = await self._runs.still_may(run)
        play = await self._still_may_act(run, new, agent)
        nonce = secrets.token_hex(8)
        gathered = await self._briefing.gathered(agent)
        told = PlayRequest(
            title=play.shown,
            text=filled_in(play, new.inputs),
            source=_source(run),
            about=new.about,
            foreign=new.foreign,
        )
        assembled = play_prompt.assemble(gathered, told, nonce=nonce, template=template)
        marks = await self._runs.look_around()
        nonce_of_block = nonce if assembled.tainted else None
        self._briefings.keep(run, Briefed(nonce=nonce_of_block, marks=marks, post_to=play.post_to))
        return Prepared(
            prompt=assembled.prompt,
            system=assembled.system,
            warnings=assembled.warnings,
            tainted=assembled.tainted,
        )

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return warnings about changed files that an agent must not write."""
        before = self._briefings.of(run).marks
        return change_warnings(before, await self._runs.look_around()) if before else ()

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Store the report on the answer's directives."""
        put_reports(connection, run, parsed_of(run, outcome, self._briefings.of(run)))

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return the effects of its directives, its line of history, and the notice for the plays that follow it."""
        briefed = self._briefings.of(run)
        yield from effects_of(run, parsed_of(run, outcome, briefed), outcome, briefed)
        yield from history_of(run, outcome)
        yield from completed_of(run, outcome)

    async def _still_may_act(self, run: Run, new: NewPlayRun, agent: RosterEntry) -> Play:
        try:
            play = (await self._playbook.get(new.play)).require()
        except (NotFound, CabinetError) as error:
            raise Skip(error.message) from None
        if run.trigger.kind in UNATTENDED and not _is_within(run, play):
            raise Skip("The play has lost tools since this run was queued.")
        return play


def _is_within(run: Run, play: Play) -> bool:
    if play.tools is None:
        return True
    return run.allowed_tools is not None and set(run.allowed_tools) <= set(play.tools)


def _source(run: Run) -> str:
    trigger = run.trigger
    return trigger.source or f"{trigger.display_name} has started it."


def _check_request(new: NewPlayRun) -> None:
    if new.instruction or new.session_id:
        raise Invalid("A play takes no instruction and no session. Its text says what to do.", field="kind")
    size = sum(len(value.encode(errors="replace")) for value in new.inputs.values())
    if len(new.inputs) > MAX_INPUTS or size > MAX_INPUT_BYTES:
        raise Invalid(f"At most {MAX_INPUTS} inputs of {MAX_INPUT_BYTES // 1024} KiB together.", field="inputs")
    if len(new.about.encode(errors="replace")) > MAX_ABOUT_BYTES:
        raise Invalid(f"The data is too large. The limit is {MAX_ABOUT_BYTES // 1024} KiB.", field="about")
    check_left_open(new, "The play and its agent say how it runs. Leave this out.")
