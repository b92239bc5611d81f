"""Approval requests and questions of agents: asked, answered once, closed. The only writer of approvals.

`card.py` makes the content of a question. Called by `runs/` (ask, withdraw, expire, withdraw_orphans) and
`web/handlers/approvals.py` (find, get, answer).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Collection
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..core.clock import Clock
from ..core.errors import CabinetError, Conflict, Invalid, NotAllowed, NotFound
from ..core.events import Scope
from ..core.ids import new_id
from ..core.paths import open_below
from ..core.people import Person, Principal, may_see, owns
from ..core.redaction import Redactor
from ..runtimes.model import AnswerOption, QuestionAsked
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from . import card, edits, outcomes, store
from .model import (
    Approval,
    ApprovalClosed,
    ApprovalFilter,
    ApprovalRequested,
    AskingRun,
    NewAnswer,
    ProposedEdit,
)
from .open_questions import Deliver, OpenQuestion, OpenQuestions
from .rule_evaluation import Decision
from .rulebook import Doing, Rulebook, doing_of
from .rules import NewRule, spelled

log = logging.getLogger(__name__)

LONGEST_FILE = 1 << 20  # bytes of a file whose change is drawn
NOT_ON_RECORD = "The question could not be recorded."
RUN_ENDED = "The run ended before anybody answered"


Refusal = Callable[[str], Awaitable[CabinetError]]  # receives the id of a run


class ByRule(NamedTuple):
    """An answer of a rule."""

    decision: Decision
    doing: Doing
    deliver: Deliver


class ApprovalSettings(NamedTuple):
    """The server's root folder, and how long a question waits for an answer."""

    root: Path
    seconds: float


class Approvals:
    """Every open question of this server's runs, and the record of all.

    Methods raise `Unavailable` if the database does not answer. Those that store also raise `NoRoom` when the disk is
    full and `LeaseLost` if another server has taken over from this one.
    """

    def __init__(
        self,
        *,
        database: Database,
        commits: Commits,
        clock: Clock,
        redactor: Redactor,
        rules: Rulebook,
        settings: ApprovalSettings,
        refusal: Refusal,
    ) -> None:
        """`refusal` returns the error for a question of a run that another server has."""
        self._database = database
        self._commits = commits
        self._clock = clock
        self._redactor = redactor
        self._rules = rules
        self._root = str(settings.root)
        self._seconds = settings.seconds
        self._refusal = refusal
        self._open = OpenQuestions()
        self._deciding: set[tuple[str, str]] = set()  # run and question that are being checked against the rules

    # --- for runs --------------------------------------------------------------------------

    async def ask(self, run: AskingRun, asked: QuestionAsked, deliver: Deliver) -> None:
        """Answer a question by the rules, or record it for a person.

        Does not wait for a person: `deliver` receives the answer. One that is already open is not asked twice; an equal
        one is answered together with it. A run has a few open questions at a time; further ones wait. Never raises
        because of the record or the rules: if the question cannot be recorded, it is denied, or left to its terminal.
        """
        key = (run.id, asked.question_id)
        if key in self._deciding or self._open.has(*key):
            return
        self._deciding.add(key)
        try:
            await self._ask(run, asked, deliver)
        except Exception:
            log.exception("A question of run %s could not be recorded, so nobody can answer it here", run.id)
            await deliver(outcomes.unanswered(asked), NOT_ON_RECORD)
        finally:
            self._deciding.discard(key)

    async def _ask(self, run: AskingRun, asked: QuestionAsked, deliver: Deliver) -> None:
        """It may be withdrawn while the rules are checked: then it is not in `_deciding` any more."""
        decision = await self._decide(doing_of(run, asked))
        option = outcomes.by_rule(asked, decision.effect, cut=card.is_cut(asked.asks))
        always = await self._always_rules(run, asked, decision) if option is None else ()
        approval = await self._approval(run, asked, decision, always)
        if (run.id, asked.question_id) not in self._deciding:
            return
        if option is None:
            hearers = {asked.question_id: deliver}
            question = OpenQuestion(approval=approval, asks=asked.asks, hearers=hearers)
            if self._open.take(question):
                await self._put(question)
        elif not await self._answer_by_rule(approval, option, ByRule(decision, doing_of(run, asked), deliver)):
            await self._ask(run, asked, deliver)

    async def has_objection(self, run: AskingRun, asked: QuestionAsked) -> bool:
        """Return whether a rule denies this, or requires that a person is asked. False if the rules cannot be read."""
        decision = await self._decide(doing_of(run, asked))
        return decision.effect == "deny" or (decision.effect == "ask" and decision.rule is not None)

    async def _decide(self, doing: Doing) -> Decision:
        try:
            return await self._rules.decide(doing)
        except Exception:
            log.exception("The approval rules could not be checked")
            return Decision(effect="ask", because="Asked because the rules could not be read")

    async def _always_rules(self, run: AskingRun, asked: QuestionAsked, decision: Decision) -> tuple[NewRule, ...]:
        """Return None if it would not help, if not all of it is shown, or if a secret would be in the rule."""
        cut = card.is_cut(asked.asks)
        useless = decision.rule is not None or outcomes.by_rule(asked, "allow", cut=cut) is None
        if useless or self._clean(asked).asks != asked.asks:
            return ()
        return await self._rules.always_rules(doing_of(run, asked))

    async def _approval(
        self, run: AskingRun, asked: QuestionAsked, decision: Decision, always: tuple[NewRule, ...] = ()
    ) -> Approval:
        clean = self._clean(asked)
        made = card.approval_of(
            run,
            clean,
            id=new_id(),
            root=self._root,
            now=self._clock.now(),
            seconds=self._seconds,
            edits=await self._edits(run, clean),
        )
        return msgspec.structs.replace(
            made,
            because=self._redactor.redact(outcomes.why_by_rule(asked, decision, cut=card.is_cut(asked.asks))),
            rule_id=decision.rule.id if decision.rule else None,
            rule=self._redactor.redact(spelled(decision.rule.action)) if decision.rule else "",
            always=always,
        )

    async def _answer_by_rule(self, approval: Approval, option: AnswerOption, by_rule: ByRule) -> bool:
        """Record the answer of a rule, then give it. Return False if the rules have changed by now."""
        closed = msgspec.structs.replace(
            approval, state="answered", option=option.id, outcome=approval.because, closed_at=self._clock.now()
        )
        closed = await self._commits.commit(
            lambda c: store.insert_approval(c, closed), lambda put: [_told(ApprovalClosed(approval=put))]
        )
        if (await self._decide(by_rule.doing)).effect != by_rule.decision.effect:
            await self._correct(closed, "The rule ended before it could answer")
            return False
        if not await by_rule.deliver(option.id, f"{closed.outcome}." if option.kind == "deny" else ""):
            await self._unheard(closed)
        return True

    async def _put(self, question: OpenQuestion) -> None:
        """Its time limit starts now."""
        now = self._clock.now()
        approval = msgspec.structs.replace(
            question.approval, asked_at=now, expires_at=now + timedelta(seconds=self._seconds)
        )
        question.until = self._clock.monotonic() + self._seconds
        try:
            question.approval = await self._commits.commit(
                lambda c: store.insert_approval(c, approval), lambda put: [_told(ApprovalRequested(approval=put))]
            )
        except BaseException:
            self._open.remove(approval.id)
            raise

    async def _ask_next(self, run_id: str) -> None:
        """Ask the question that has waited until the run had fewer open questions."""
        while (question := self._open.next_of(run_id)) is not None:
            try:
                await self._put(question)
            except Exception:
                log.exception("A question of run %s could not be recorded, so nobody can answer it here", run_id)
                await question.deliver(outcomes.unanswered(question.approval), NOT_ON_RECORD)

    async def _edits(self, run: AskingRun, asked: QuestionAsked) -> tuple[ProposedEdit, ...]:
        path = edits.path_of(asked.asks, root=self._root, folder=run.folder)
        if path is None:
            return ()
        present = await asyncio.to_thread(_text_below, Path(self._root), path)
        cleaned = None if present is None else self._redactor.redact(present)
        return edits.edits_of(asked.asks, path, cleaned)

    async def withdraw(self, run_id: str, question_id: str | None, outcome: str) -> None:
        """Close a question that ended without an answer given here; None: all of the run.

        Unknown questions are ignored. `outcome`: text for people. Nothing is delivered to the CLI.
        """
        self._deciding -= {key for key in self._deciding if key[0] == run_id and question_id in (None, key[1])}
        for question in self._open.withdraw(run_id, question_id):
            await self._close(question.approval, state="withdrawn", outcome=outcome)

    async def overrule(self, run_id: str, question_id: str, *, done: bool) -> None:
        """Correct the record of a question that was answered differently in its terminal, before the answer given here.

        `done`: the action was carried out. Without effect if no answer is recorded.
        """
        asked = await self._database.read(lambda c: store.of_runs(c, (run_id,)))
        answered = [each for each in asked if each.question_id == question_id and each.state == "answered"]
        for approval in answered[-1:]:
            await self._correct(approval, outcomes.overruled(done=done))

    async def denied_of(self, run_id: str) -> int:
        """Return how many questions of a run were denied: by a person, a rule, the time limit, or in the terminal."""
        asked = await self._database.read(lambda c: store.of_runs(c, (run_id,)))
        return sum(map(outcomes.was_denied, asked))

    async def withdraw_orphans(self, unfinished: Callable[[Collection[str]], Awaitable[Collection[str]]]) -> None:
        """Close the questions of runs that ended with an earlier server, or with another one on this folder.

        `unfinished` returns those of some runs that have not ended.
        """
        waiting = await self._database.read(store.waiting_approvals)
        asking = await unfinished({approval.run_id for approval in waiting})
        for approval in waiting:
            if approval.run_id not in asking:
                await self._close(approval, state="withdrawn", outcome=RUN_ENDED)

    async def expire(self) -> None:
        """Deny questions that nobody has answered in time; those that a terminal also shows are left to it.

        The agent receives the denial. Only questions of this server's runs.
        """
        now = self._clock.monotonic()
        for question in self._open.expired(now):
            approval = question.approval
            option, outcome = outcomes.unanswered(approval), outcomes.expired(approval, self._seconds)
            if await self._close(approval, state="expired", outcome=outcome, option=option or None):
                await question.deliver(option, f"{outcome}.")

    # --- for people ------------------------------------------------------------------------

    async def find(self, wanted: ApprovalFilter, principal: Principal) -> list[Approval]:
        """Return what the caller may see and `wanted` selects, newest first. At most `wanted.limit`, never over 200."""
        found = await self._database.read(lambda c: store.list_approvals(c, wanted, principal))
        return [self._as_asked(approval) for approval in found]

    async def get(self, approval_id: str, principal: Principal) -> Approval:
        """Return the approval with this id. Raises `NotFound`, also if the caller may not see it."""
        approval = await self._database.read(lambda c: store.load_approval(c, approval_id))
        if approval is None or not may_see(principal, approval.owner, approval.visibility):
            raise NotFound("There is no such question.")
        return self._as_asked(approval)

    async def servers_of(self, approvals: Collection[Approval]) -> dict[str, str]:
        """Return the name of the server where an open question of another server can be answered, by the question's id.

        Questions that are closed, or that can be answered here, are left out.
        """
        elsewhere = [each for each in approvals if each.state == "waiting" and self._open.get(each.id) is None]
        refusals = {run_id: await self._refusal(run_id) for run_id in {each.run_id for each in elsewhere}}
        names = {run_id: str(each.detail.get("server", "")) for run_id, each in refusals.items()}
        return {each.id: name for each in elsewhere if (name := names[each.run_id])}

    def _as_asked(self, approval: Approval) -> Approval:
        """Show an open question as it was asked: an agent without a sandbox can write to the database."""
        held = self._open.get(approval.id)
        return held.approval if held and approval.state == "waiting" else approval

    async def answer(self, approval_id: str, new: NewAnswer, principal: Principal) -> Approval:
        """Answer a question, once, perhaps with rules for the next time. Returns it as closed.

        Raises `NotFound` if the caller may not see it; `NotAllowed` for a program, for a caller who does not own the
        run, and for new rules from outside the browser; `Invalid` for an impossible answer; `OnAnotherServer` for a run
        of another server; and `Conflict` when it is no longer open, the agent asks something other than `shown`, or
        nobody waits for the answer. If it raises, no rule is stored.
        """
        approval = await self.get(approval_id, principal)
        if not principal.in_person:
            raise NotAllowed("Only a person in the browser may answer this. Open JupyterLab to answer it.")
        if not owns(principal, approval.owner):
            raise NotAllowed("Only the owner of the run may answer this.")
        option = outcomes.chosen(approval, new)
        held = self._open.get(approval_id)
        if held is None:
            raise (
                await self._refusal(approval.run_id) if approval.state == "waiting" else Conflict(_why_closed(approval))
            )
        if new.shown is not None and new.shown != card.shown_of(held.approval):
            raise Conflict("The agent now asks something other than what you have seen. Check the question again.")
        if new.always is None:
            return await self._close_and_deliver(held, option, new, principal)
        until = self._clock.now() + timedelta(days=new.always.days)
        made = await self._rules.add(
            [msgspec.structs.replace(rule, expires_at=until) for rule in held.approval.always], principal
        )
        try:
            return await self._close_and_deliver(held, option, new, principal)
        except BaseException:
            await self._rules.remove(made, principal)
            raise

    async def _close_and_deliver(
        self, held: OpenQuestion, option: AnswerOption, new: NewAnswer, principal: Principal
    ) -> Approval:
        note = self._redactor.redact(new.note.strip())
        days = new.always.days if new.always else 0
        closed = await self._close(
            held.approval,
            state="answered",
            outcome=outcomes.outcome_of(option, note, days=days),
            option=option.id,
            note=note,
            always_days=days,
            answered_by=Person(username=principal.username, display_name=principal.display_name),
        )
        if closed is None:  # somebody else was first
            raise Conflict(_why_closed(await self.get(held.approval.id, principal)))
        if not await held.deliver(option.id, note):
            raise Conflict(_why_closed(await self._unheard(closed)))
        return closed

    # --- the record --------------------------------------------------------------------------

    async def _close(self, approval: Approval, **changes: Any) -> Approval | None:
        """Record the end of a question: the first end counts, None for a later one.

        If the record cannot be written, the question stays open.
        """
        closed = msgspec.structs.replace(approval, closed_at=self._clock.now(), **changes)
        first = await self._commits.commit(
            lambda c: store.close_approval(c, closed),
            lambda first: [_told(ApprovalClosed(approval=closed))] if first else [],
        )
        self._open.remove(approval.id)
        await self._ask_next(approval.run_id)
        return closed if first else None

    async def _unheard(self, answered: Approval) -> Approval:
        """The agent was gone, or asked no longer, when the answer came: it has allowed nothing."""
        return await self._correct(answered, "Nobody was waiting for the answer any more")

    async def _correct(self, answered: Approval, outcome: str) -> Approval:
        closed = msgspec.structs.replace(
            answered, state="withdrawn", outcome=outcome, option=None, note="", answered_by=None, always_days=0
        )
        await self._commits.commit(
            lambda c: store.correct_approval(c, closed), lambda _: [_told(ApprovalClosed(approval=closed))]
        )
        return closed

    def _clean(self, asked: QuestionAsked) -> QuestionAsked:
        """Return the note without the server's secrets: it goes into records and events."""
        text = self._redactor.redact(msgspec.json.encode(asked).decode())
        return msgspec.json.decode(text, type=QuestionAsked)


def _told(event: ApprovalRequested | ApprovalClosed) -> ScopedEvent:
    return ScopedEvent(event, Scope(owner=event.approval.owner, visibility=event.approval.visibility))


def _why_closed(approval: Approval) -> str:
    by = f" by {approval.answered_by.display_name}" if approval.answered_by else ""
    return f"This question is no longer open. {approval.outcome}{by}."


def _text_below(root: Path, path: str) -> str | None:
    """Return a file's content; None if it does not exist, is not text, or is too long to be drawn."""
    try:
        with os.fdopen(open_below(root, path), "rb") as file:
            content = file.read(LONGEST_FILE + 1)
        return None if len(content) > LONGEST_FILE else content.decode()
    except (OSError, UnicodeDecodeError, NotFound, Invalid):  # `Invalid`: also a path out of the root
        return None
