"""Applies what follows from the end of an agent's run: directives, acknowledgements, counts and pauses.

The transaction that ends a run also stores a report on each directive and puts the effects into the outbox. Effects on
files come from the outbox; a repetition after a crash changes nothing. The directives of an unsuccessful run are not
applied. Called by the kinds of runs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from ...core.errors import Conflict, Invalid, Malformed, NoRoom, NotAllowed, NotFound, OutsideRoot, Refused
from ...core.people import Principal
from ...runs.model import Run
from ...runs.rules.trigger_chain import link_of
from ...runtimes.model import Outcome
from ...storage.commits import Commits, ScopedEvent
from ...storage.database import Database
from ...storage.outbox import Effect
from .. import store
from ..directive_desk import Carried, DirectiveDesk
from ..directives.answer_block import (
    MAX_DIRECTIVE_BYTES,
    Directive,
    MessageTo,
    Parsed,
    Post,
    TaskComplete,
    TaskCreate,
    TaskFail,
    ok_answer,
    parse,
    reaches_others,
    render,
    without_blocks,
)
from ..directives.effects.doer import DirectiveDoer
from ..directives.effects.heartbeat_records import HeartbeatRecord
from ..directives.effects.model import Applied, Origin
from ..model import (
    AgentChanged,
    AgentEvent,
    AgentPaused,
    AgentRecord,
    EffectReport,
    EffectsApplied,
    EffectState,
    GoalAlert,
    MessageReceived,
    Posted,
    TaskChanged,
)
from ..prompts.text_trimming import cut_end
from ..reflection import due
from ..roster.roster import Roster
from . import failure_streak
from .briefings import Briefed
from .play_notices import follow_ups

log = logging.getLogger(__name__)

DIRECTIVES, ENDED = "agents.directives", "agents.ended"
LOOK_AGAIN_SECONDS = 0.1  # polling, because another server may apply the directives
MAX_SHOWN = 500  # characters of a directive or a summary
MAX_HELD = 1_000  # directives that are read to list what waits for a person


class HeldDirectives(NamedTuple):
    """The directives of one run that wait for a person. `agent`: slug. `since`: when the run ended."""

    run_id: str
    agent: str
    number: int
    since: datetime


class PendingDirectives(msgspec.Struct, frozen=True, kw_only=True):
    """Directives of a run that are to be applied. `among`: all directives of the run."""

    origin: Origin
    directives: tuple[Directive, ...]
    among: tuple[Directive, ...]


class RunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """What the outbox stores about a run that has ended."""

    run_id: str
    agent: str
    heartbeat: bool
    reflection: bool = False
    state: str
    reason: str
    at: datetime
    duration_seconds: float
    text: str
    message_ids: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    briefed_at: datetime | None = None


def parsed_of(run: Run, outcome: Outcome, briefed: Briefed) -> Parsed:
    """Return the parsed directives of a successful run; an empty `Parsed` for any other run.

    An answer that goes to a chat counts as one more post, so that the rules of posts hold for it. There is no such post
    if the answer has nothing to report.
    """
    if run.state != "succeeded":
        return Parsed()
    parsed = parse(outcome.text, nonce=briefed.nonce)
    text = without_blocks(outcome.text)
    if not briefed.post_to or not text or ok_answer(text):
        return parsed
    position = len(parsed.directives) + len(parsed.problems) + 1
    text, _ = cut_end(text, MAX_DIRECTIVE_BYTES)
    answer = Post(channel=briefed.post_to, text=text, position=position, line=1)
    return msgspec.structs.replace(parsed, directives=(*parsed.directives, answer))


def put_reports(connection: Connection, run: Run, parsed: Parsed) -> None:
    """Store a report on each directive: pending, held for a person, or refused because it cannot be read.

    Call it inside the transaction that ends the run.
    """
    for problem in parsed.problems:
        report = _report(run, problem.position, problem.line, problem.text, "refused", problem.reason)
        store.insert_effect(connection, report)
    for directive in parsed.directives:
        held = run.tainted and reaches_others(directive)
        state: EffectState = "held" if held else "pending"
        reason = "Its run has read text from outside. A person must allow it." if held else ""
        report = _report(run, directive.position, directive.line, render([directive]), state, reason)
        wanted = _wanted(run, (directive,), parsed) if held else None
        store.insert_effect(connection, report, wanted)


def effects_of(run: Run, parsed: Parsed, outcome: Outcome, briefed: Briefed) -> Iterable[Effect]:
    """Yield the effects of a run's end, which the outbox applies in this order for each agent."""
    agent = run.agent or ""
    now = tuple(each for each in parsed.directives if not (run.tainted and reaches_others(each)))
    if parsed.directives:  # if all are held, only their number is announced
        yield Effect(topic=DIRECTIVES, key=agent, body=_wanted(run, now, parsed))
    yield Effect(topic=ENDED, key=agent, body=_encoded(_end_of(run, outcome, briefed)))


def events_of(directive: Directive, origin: Origin, *, chats: int = 0) -> list[AgentEvent]:
    """Return the events that announce an applied directive; none for memory and goals.

    `chats`: to which a post is sent.
    """
    id = origin.id_of(directive)
    match directive:
        case MessageTo():
            return [MessageReceived(agent=directive.agent, sender=origin.agent, message_id=id, chain=origin.chain_on)]
        case TaskCreate():
            return [TaskChanged(agent=directive.agent, task_id=id, status="pending", title=directive.title)]
        case TaskComplete():
            return [TaskChanged(agent=origin.agent, task_id=directive.task_id, status="completed", title="")]
        case TaskFail():
            return [TaskChanged(agent=origin.agent, task_id=directive.task_id, status="failed", title="")]
        case Post():
            text = directive.text[:MAX_SHOWN]
            return [Posted(agent=origin.agent, channel=directive.channel, text=text, post_id=id, chats=chats)]
    return []


class Aftermath:
    """Applies the effects from the outbox, and lets a person allow or refuse held directives."""

    def __init__(
        self,
        *,
        roster: Roster,
        doer: DirectiveDoer,
        desk: DirectiveDesk,
        database: Database,
        commits: Commits,
        failures_before_pause: int,
    ) -> None:
        self._roster = roster
        self._doer = doer
        self._desk = desk
        self._database = database
        self._commits = commits
        self._failures = failures_before_pause
        self.followers: list[Callable[[str], Awaitable[None]]] = []  # called with the agent of each run that ended

    async def do_directives(self, body: str) -> None:
        """Handle the outbox topic `DIRECTIVES`: apply each pending directive, store its outcome, and announce it.

        A repetition applies none twice. Raises errors that may have passed later, such as `NoRoom`, and is then called
        again.
        """
        wanted = msgspec.json.decode(body, type=PendingDirectives)
        for directive in wanted.directives:
            await self._do(directive, wanted)
        await self._tell_applied(wanted.origin)

    async def do_end(self, body: str) -> None:
        """Handle the outbox topic `ENDED`: count the run, and record what it has done.

        That is the record of a heartbeat, the messages that a successful run has received, and alerts about goals.
        Several failed runs in a row pause the agent. A malformed file is only logged. Raises errors that may have
        passed later, such as `NoRoom`, and is then called again.
        """
        end = msgspec.json.decode(body, type=RunEnd)
        await self._count(end)
        if end.heartbeat:
            await self._note(lambda: self._doer.record_heartbeat(end.agent, _record(end)))
        if end.message_ids and end.state == "succeeded":
            await self._note(lambda: self._doer.acknowledge(end.agent, end.message_ids))
            await self._roster.tell(AgentChanged(agent=end.agent))  # its inbox has changed since `_count` announced it
        await self._alert(end.agent)
        for follow in self.followers:
            await follow(end.agent)

    async def reports(self, run_id: str) -> list[EffectReport]:
        """Return the outcomes of the directives of a run, in their order; empty if it has none.

        Who may see them is not checked.
        """
        return await self._database.read(lambda c: store.effects_of(c, run_id))

    async def held(self) -> list[HeldDirectives]:
        """Return the runs whose directives wait for a person, newest first, whoever may see them."""
        found: dict[str, HeldDirectives] = {}
        for report in await self._database.read(lambda c: store.held_effects(c, most=MAX_HELD)):
            before = found.get(report.run_id)
            number = before.number + 1 if before else 1
            found[report.run_id] = HeldDirectives(report.run_id, report.agent, number, report.at)
        return list(found.values())

    async def wait(self, run_id: str, seconds: float) -> None:
        """Wait until no directive of an ended run is pending, for at most this many seconds. It does not raise then.

        Held directives do not count.
        """
        clock = self._roster.clock
        ends = clock.monotonic() + seconds
        while any(each.state == "pending" for each in await self.reports(run_id)) and clock.monotonic() < ends:
            await clock.sleep(LOOK_AGAIN_SECONDS)

    async def decide(self, run_id: str, position: int, *, allow: bool, principal: Principal) -> EffectReport:
        """Allow or refuse a held directive. Only a person in a browser may do this; whose run it is, the caller checks.

        Returns its report: `refused`, or `pending` if it was allowed, because it is carried out later. Raises
        `NotAllowed` for other callers, `NotFound`, and `Conflict` if the directive is not held.
        """
        if not principal.in_browser:
            raise NotAllowed(
                "Only a person in the browser may approve directives of a run that has read text from outside."
            )
        now = self._roster.clock.now()

        def change(connection: Connection) -> tuple[EffectReport, str]:
            report = store.load_effect(connection, f"{run_id}/{position}")
            held = store.held_of(connection, f"{run_id}/{position}")
            if report is None:
                raise NotFound("There is no such directive.")
            if report.state != "held" or held is None:
                raise Conflict("This directive is not waiting for approval.")
            state: EffectState = "pending" if allow else "refused"
            reason = f"{'Allowed' if allow else 'Refused'} by {principal.display_name}."
            after = msgspec.structs.replace(report, state=state, reason=reason, at=now)
            store.save_effect(connection, after)
            return after, held

        def effects(changed: tuple[EffectReport, str]) -> list[Effect]:
            report, body = changed
            return [Effect(topic=DIRECTIVES, key=report.agent, body=body if allow else _without_directives(body))]

        return (await self._commits.commit(change, effects=effects))[0]

    # --- inside ------------------------------------------------------------------------------

    async def _do(self, directive: Directive, wanted: PendingDirectives) -> None:
        key = wanted.origin.key_of(directive)
        report = await self._database.read(lambda c: store.load_effect(c, key))
        if report is None or report.state != "pending":
            return  # applied before a crash, or its run was deleted
        applied, chats = await self._applied(directive, wanted)
        reason = " ".join(part for part in (report.reason, applied.reason) if part)
        after = msgspec.structs.replace(report, state=applied.state, reason=reason, at=self._roster.clock.now())
        events = events_of(directive, wanted.origin, chats=chats) if applied.state == "applied" else []
        scopes = {event.agent: (await self._roster.scope_of(event.agent)) for event in events}
        await self._commits.commit(
            lambda c: store.save_effect(c, after),
            lambda _: [ScopedEvent(event, scopes[event.agent]) for event in events],
            lambda _: follow_ups(events),
        )

    async def _applied(self, directive: Directive, wanted: PendingDirectives) -> Carried:
        """Apply a directive. Return the outcome, and the number of chats that a post is sent to.

        Raises an error that may have passed later, such as `NoRoom`.
        """
        origin = wanted.origin
        try:
            return await self._desk.apply(directive, origin, among=wanted.among)
        except NoRoom:
            raise  # the outbox tries again
        except (Refused, Invalid) as refused:
            return Carried(Applied(key=origin.key_of(directive), state="refused", reason=refused.message, at=origin.at))

    async def _tell_applied(self, origin: Origin) -> None:
        states_now = [report.state for report in await self.reports(origin.run_id)]
        counts = {name: states_now.count(name) for name in ("applied", "refused", "held")}
        await self._roster.tell(EffectsApplied(agent=origin.agent, run_id=origin.run_id, **counts))

    async def _count(self, end: RunEnd) -> None:
        now = self._roster.clock.now()

        def change(record: AgentRecord) -> AgentRecord:
            if end.run_id in record.counted:
                return record
            record = due.counted(record, reflection=end.reflection, succeeded=end.state == "succeeded", at=now)
            after = failure_streak.ended(
                record, end.run_id, end.state, reason=end.reason, now=now, limit=self._failures
            )
            if end.heartbeat and end.state == "succeeded":
                after = failure_streak.heard(
                    after, quiet=ok_answer(end.text), at=end.at, checks=end.checks, began=end.briefed_at
                )
            return after

        def event(before: AgentRecord, after: AgentRecord) -> AgentEvent:
            if after.paused and not before.paused:
                return AgentPaused(agent=end.agent, reason=after.paused_because)
            return AgentChanged(agent=end.agent)

        await self._roster.change(end.agent, change, event)

    async def _alert(self, agent: str) -> None:
        metrics: list[str] = []
        await self._note(lambda: metrics.extend(self._doer.alert_floors(agent, now=self._roster.clock.now())))
        for metric in metrics:
            await self._roster.tell(GoalAlert(agent=agent, metric=metric))

    async def _note(self, work: Callable[[], object]) -> None:
        """Run a function off the loop and log its error.

        A malformed file is left as it is and shown with its agent; it must not prevent the remaining effects.
        """
        try:
            await asyncio.to_thread(work)
        except (Malformed, NotFound, OutsideRoot) as error:
            log.warning("%s", error.message)


def _report(run: Run, position: int, line: int, text: str, state: EffectState, reason: str) -> EffectReport:
    lines = text.strip().splitlines()
    shown = "\n".join(lines[1:-1] if text.startswith("```") else lines)
    return EffectReport(
        id=f"{run.id}/{position}",
        run_id=run.id,
        position=position,
        line=line,
        agent=run.agent or "",
        directive=shown if state == "held" else shown[:MAX_SHOWN],  # a person must see all that they allow
        state=state,
        reason=reason,
        at=run.finished_at or run.queued_at,
    )


def _wanted(run: Run, directives: tuple[Directive, ...], parsed: Parsed) -> str:
    origin = Origin(
        run_id=run.id,
        agent=run.agent or "",
        at=run.finished_at or run.queued_at,
        tainted=run.tainted,
        depth=run.trigger.depth,
        chain=run.trigger.chain,
        link=link_of(run),
        owner=run.owner,
    )
    return _encoded(PendingDirectives(origin=origin, directives=directives, among=parsed.directives))


def _without_directives(body: str) -> str:
    """Return the same body without directives: it only announces the states of those of the run."""
    wanted = msgspec.json.decode(body, type=PendingDirectives)
    return _encoded(msgspec.structs.replace(wanted, directives=()))


def _end_of(run: Run, outcome: Outcome, briefed: Briefed) -> RunEnd:
    return RunEnd(
        run_id=run.id,
        agent=run.agent or "",
        heartbeat=run.kind == "heartbeat",
        reflection=run.kind == "reflection",
        state=run.state,
        reason=run.reason,
        at=run.finished_at or run.queued_at,
        duration_seconds=run.duration_seconds or 0.0,
        text=outcome.text or run.reason,
        message_ids=briefed.message_ids,
        checks=briefed.checks,
        briefed_at=briefed.at,
    )


def _record(end: RunEnd) -> HeartbeatRecord:
    return HeartbeatRecord(
        run_id=end.run_id,
        at=end.at,
        duration_seconds=end.duration_seconds,
        completed=end.state == "succeeded",
        summary=end.text[:MAX_SHOWN],
        output=end.text if end.state == "succeeded" else None,
    )


def _encoded(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()
