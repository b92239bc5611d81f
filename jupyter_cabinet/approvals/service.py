"""Questions of agents that wait for a person: asked, answered once, closed. The one writer of approvals.

What a question shows is made in `card.py`. Called by `runs/` (ask, withdraw, expire, withdraw_orphans) and
`web/approvals.py` (find, get, answer).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..core.clock import Clock
from ..core.errors import Conflict, Invalid, NotAllowed, NotFound
from ..core.events import Scope
from ..core.ids import new_id
from ..core.paths import open_below
from ..core.people import Person, Principal, may_see, owns
from ..core.redaction import Redactor
from ..runtimes.model import QuestionAsked
from ..storage.commits import Commits, Told
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

log = logging.getLogger(__name__)

LONGEST_FILE = 1 << 20  # bytes, that a change is drawn in
RUN_ENDED = "The run ended before anybody answered"

# Hands an answer (option's id, note) to the CLI; False: nobody is there any more who asked.
Deliver = Callable[[str, str], Awaitable[bool]]


class Asked(NamedTuple):
    """An open question."""

    approval: Approval
    deliver: Deliver
    until: float  # monotonic: `Approval.expires_at` is for people


class Approvals:
    """Every open question of this server's runs, and the record of all."""

    def __init__(
        self,
        *,
        database: Database,
        commits: Commits,
        clock: Clock,
        redactor: Redactor,
        root: Path,
        seconds: float,
    ) -> None:
        self._database = database
        self._commits = commits
        self._clock = clock
        self._redactor = redactor
        self._root = str(root)
        self._seconds = seconds
        self._open: dict[str, Asked] = {}

    # --- for runs --------------------------------------------------------------------------

    async def ask(self, run: AskingRun, asked: QuestionAsked, deliver: Deliver) -> None:
        """Put a question on record. One that is open already is not asked twice."""
        if self._find(run.id, asked.question_id) is not None:
            return
        try:
            await self._put(run, asked, deliver)
        except Exception:
            log.exception("A question of run %s cannot be put on record: nobody can answer it here", run.id)
            await deliver(outcomes.unanswered(asked), "The question could not be put on record.")

    async def _put(self, run: AskingRun, asked: QuestionAsked, deliver: Deliver) -> None:
        asked = self._clean(asked)
        approval = card.approval_of(
            run,
            asked,
            id=new_id(),
            root=self._root,
            now=self._clock.now(),
            seconds=self._seconds,
            edits=await self._edits(run, asked),
        )
        until = self._clock.monotonic() + self._seconds
        self._open[approval.id] = Asked(approval, deliver, until)
        try:
            numbered = await self._commits.commit(
                lambda c: store.insert_approval(c, approval), lambda put: [_told(ApprovalRequested(approval=put))]
            )
        except BaseException:
            del self._open[approval.id]
            raise
        if approval.id in self._open:  # nobody has closed it meanwhile
            self._open[approval.id] = Asked(numbered, deliver, until)

    async def _edits(self, run: AskingRun, asked: QuestionAsked) -> tuple[ProposedEdit, ...]:
        path = edits.path_of(asked.asks, root=self._root, folder=run.folder)
        if path is None:
            return ()
        present = await asyncio.to_thread(_text_below, Path(self._root), path)
        cleaned = None if present is None else self._redactor.redact(present)
        return edits.edits_of(asked.asks, path, cleaned)

    async def withdraw(self, run_id: str, question_id: str | None, outcome: str) -> None:
        """A question is gone without an answer from here; None: all of the run."""
        for approval in [each.approval for each in self._open.values()]:
            if approval.run_id == run_id and question_id in (None, approval.question_id):
                await self._close(approval, state="withdrawn", outcome=outcome)

    async def withdraw_orphans(self, unfinished: Callable[[Collection[str]], Awaitable[Collection[str]]]) -> None:
        """Close the questions of runs that ended with an earlier server, or with one beside this.

        `unfinished` gives those of some runs that have not ended.
        """
        waiting = await self._database.read(store.waiting_approvals)
        asking = await unfinished({approval.run_id for approval in waiting})
        for approval in waiting:
            if approval.run_id not in asking:
                await self._close(approval, state="withdrawn", outcome=RUN_ENDED)

    async def expire(self) -> None:
        """Answer with no what nobody has answered in time; what stands in a terminal too is left to it."""
        now = self._clock.monotonic()
        for approval, deliver, _ in [each for each in self._open.values() if each.until <= now]:
            option, outcome = outcomes.unanswered(approval), outcomes.expired(approval, self._seconds)
            if await self._close(approval, state="expired", outcome=outcome, option=option or None):
                await deliver(option, f"{outcome}.")

    # --- for people ------------------------------------------------------------------------

    async def find(self, wanted: ApprovalFilter, principal: Principal) -> list[Approval]:
        """What the caller may see, newest first."""
        return await self._database.read(lambda c: store.list_approvals(c, wanted, principal))

    async def get(self, approval_id: str, principal: Principal) -> Approval:
        """Raises `NotFound`, also for one that is not the caller's to see."""
        approval = await self._database.read(lambda c: store.load_approval(c, approval_id))
        if approval is None or not may_see(principal, approval.owner, approval.visibility):
            raise NotFound("There is no such question.")
        return approval

    async def answer(self, approval_id: str, new: NewAnswer, principal: Principal) -> Approval:
        """Answer a question, once. Raises `NotAllowed` for a program and for who does not own the run, `Conflict`
        when it is no longer open or nobody hears the answer, `Invalid` for an answer that it does not take."""
        approval = await self.get(approval_id, principal)
        if not principal.in_browser:
            raise NotAllowed("Only a person at a browser may answer this.")
        if not owns(principal, approval.owner):
            raise NotAllowed("Only the owner of the run may answer this.")
        option = outcomes.option_of(approval, new.option)
        if option is None:
            raise Invalid("This question has no such answer.", field="option")
        if len(new.note) > outcomes.LONGEST_NOTE:
            raise Invalid(f"The note is longer than {outcomes.LONGEST_NOTE} characters.", field="note")
        if outcomes.needs_words(option) and not new.note.strip():
            raise Invalid("This answer needs words.", field="note")
        held = self._open.get(approval_id)
        if held is None:
            raise Conflict(_why_closed(approval))
        note = self._redactor.redact(new.note.strip())
        closed = await self._close(
            held.approval,
            state="answered",
            outcome=outcomes.outcome_of(option, note),
            option=option.id,
            note=note,
            answered_by=Person(username=principal.username, display_name=principal.display_name),
        )
        if closed is None:  # somebody was faster
            raise Conflict(_why_closed(await self.get(approval_id, principal)))
        if not await held.deliver(option.id, note):
            raise Conflict(_why_closed(await self._unheard(closed)))
        return closed

    # --- the record --------------------------------------------------------------------------

    def _find(self, run_id: str, question_id: str) -> Approval | None:
        mine = (each.approval for each in self._open.values() if each.approval.run_id == run_id)
        return next((approval for approval in mine if approval.question_id == question_id), None)

    async def _close(self, approval: Approval, **changes: Any) -> Approval | None:
        """Put the end of a question on record: the first end counts, None for a later one.

        Where the record cannot be written the question stays open.
        """
        closed = msgspec.structs.replace(approval, closed_at=self._clock.now(), **changes)
        first = await self._commits.commit(
            lambda c: store.close_approval(c, closed),
            lambda first: [_told(ApprovalClosed(approval=closed))] if first else [],
        )
        self._open.pop(approval.id, None)
        return closed if first else None

    async def _unheard(self, answered: Approval) -> Approval:
        """The agent was gone, or asked no longer, when the answer came: it has allowed nothing."""
        outcome = "Nobody was there any more to hear the answer"
        closed = msgspec.structs.replace(
            answered, state="withdrawn", outcome=outcome, option=None, note="", answered_by=None
        )
        await self._commits.commit(
            lambda c: store.correct_approval(c, closed), lambda _: [_told(ApprovalClosed(approval=closed))]
        )
        return closed

    def _clean(self, asked: QuestionAsked) -> QuestionAsked:
        """Without the server's secrets: it goes into records and events."""
        text = self._redactor.redact(msgspec.json.encode(asked).decode())
        return msgspec.json.decode(text, type=QuestionAsked)


def _told(event: ApprovalRequested | ApprovalClosed) -> Told:
    return Told(event, Scope(owner=event.approval.owner, visibility=event.approval.visibility))


def _why_closed(approval: Approval) -> str:
    if approval.state == "waiting":
        return "Another server works in this folder and asks this. Answer it there."
    by = f" by {approval.answered_by.display_name}" if approval.answered_by else ""
    return f"This question is no longer open. {approval.outcome}{by}."


def _text_below(root: Path, path: str) -> str | None:
    """What a file holds; None where there is none, it is no text, or too long to be drawn."""
    try:
        with os.fdopen(open_below(root, path), "rb") as file:
            content = file.read(LONGEST_FILE + 1)
        return None if len(content) > LONGEST_FILE else content.decode()
    except (OSError, UnicodeDecodeError, NotFound, Invalid):  # `Invalid`: also a path out of the root
        return None
