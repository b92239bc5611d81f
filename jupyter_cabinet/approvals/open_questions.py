"""The open questions of this server's runs: equal ones of a run are merged, and their number per run is limited.

In memory only. Called by `service.py`, which records questions and closes them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from ..runtimes.requested_actions import AnyAction
from .model import Approval

MOST_OPEN = 5  # of one run; further ones wait

# Delivers an answer (option's id, note) to the CLI; False: nobody waits for it any more.
Deliver = Callable[[str, str], Awaitable[bool]]


class OpenQuestion(msgspec.Struct, kw_only=True):
    """A question that a person is asked, or that waits. `hearers`: by the CLI's own id of the question."""

    approval: Approval
    asks: AnyAction
    hearers: dict[str, Deliver]
    until: float = 0.0  # monotonic: `Approval.expires_at` is for people

    async def deliver(self, option: str, note: str) -> bool:
        """Deliver the answer to every CLI that waits for it. Return whether at least one has accepted it.

        Records nothing.
        """
        return any([await deliver(option, note) for deliver in list(self.hearers.values())])

    def is_same(self, other: OpenQuestion) -> bool:
        """Return whether one answer answers both."""
        mine, theirs = self.approval, other.approval
        return (self.asks, mine.run_id, mine.tool, mine.question, mine.why, mine.options, mine.in_terminal) == (
            other.asks,
            theirs.run_id,
            theirs.tool,
            theirs.question,
            theirs.why,
            theirs.options,
            theirs.in_terminal,
        )


class OpenQuestions:
    """By the id of the approval, and in the order in which they were asked."""

    def __init__(self) -> None:
        self._open: dict[str, OpenQuestion] = {}
        self._later: dict[str, OpenQuestion] = {}

    def get(self, approval_id: str) -> OpenQuestion | None:
        """Return one that is open now; None if there is none in this server, or it still waits."""
        return self._open.get(approval_id)

    def has(self, run_id: str, question_id: str) -> bool:
        """Return whether a question is known, open or not yet."""
        return any(question_id in each.hearers for each in self._of(run_id))

    def take(self, new: OpenQuestion) -> bool:
        """Add a question. Return False if it must not be opened now: an equal one is open, or it waits.

        If an equal one of the run is known, its answer goes to this CLI too. A run has at most `MOST_OPEN` open
        questions; `next_of` opens the waiting ones.
        """
        same = next((each for each in self._of(new.approval.run_id) if each.is_same(new)), None)
        if same is not None:
            same.hearers.update(new.hearers)
            return False
        if sum(each.approval.run_id == new.approval.run_id for each in self._open.values()) >= MOST_OPEN:
            self._later[new.approval.id] = new
            return False
        self._open[new.approval.id] = new
        return True

    def next_of(self, run_id: str) -> OpenQuestion | None:
        """Open the run's next waiting question, and return it; None if there is no room or none waits."""
        waiting = next((each for each in self._later.values() if each.approval.run_id == run_id), None)
        if waiting is None or sum(each.approval.run_id == run_id for each in self._open.values()) >= MOST_OPEN:
            return None
        del self._later[waiting.approval.id]
        self._open[waiting.approval.id] = waiting
        return waiting

    def remove(self, approval_id: str) -> None:
        """Remove a question, because it is no longer open. Does nothing if it is unknown or still waits."""
        self._open.pop(approval_id, None)

    def withdraw(self, run_id: str, question_id: str | None) -> list[OpenQuestion]:
        """Remove the CLI's wait for a question; None: for all of a run. Return the open questions that must be closed.

        Those stay until `remove` is called. Waiting ones are removed and not returned. A question that other CLIs wait
        for stays open.
        """
        gone = []
        for each in self._of(run_id):
            if question_id is not None and question_id not in each.hearers:
                continue
            if question_id is not None and len(each.hearers) > 1:
                del each.hearers[question_id]
            elif self._later.pop(each.approval.id, None) is None:
                gone.append(each)
        return gone

    def expired(self, now: float) -> list[OpenQuestion]:
        """Return the open ones that nobody has answered in time. They stay until `remove` is called.

        `now`: monotonic seconds.
        """
        return [each for each in self._open.values() if each.until <= now]

    def _of(self, run_id: str) -> list[OpenQuestion]:
        every = (*self._open.values(), *self._later.values())
        return [each for each in every if each.approval.run_id == run_id]
