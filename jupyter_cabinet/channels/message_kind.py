"""Runs of the kind `channel_message`: an agent answers a message of a channel, and the answer goes back there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from ..agents.run_kinds.agent_runs import AgentRuns
from ..agents.run_kinds.agent_terms import AgentTerms
from ..core.people import Principal
from ..runs.intake import visibility_for
from ..runs.kinds import Prepared, RunKind, RunSubject, Skip, check_instruction
from ..runs.model import CHANNEL, NewRun, Run
from ..runtimes.model import Outcome
from ..sessions.service import Sessions
from ..storage.outbox import Effect
from .model import NewChannelMessage
from .setup.book import ChannelBook

ENDED = "channels.ended"  # topic of the outbox; its body is the id of the run

IN_A_CHAT = (
    "{about} Your answer is sent there as a message, perhaps to a phone. So be brief, and use no tables. The person "
    "cannot see files, only what you write."
)


class ChannelMessageKind(RunKind):
    """The kind `channel_message`. It has no effects but its answer."""

    request: type[NewRun] = NewChannelMessage
    by_request = False

    def __init__(self, *, book: ChannelBook, agents: AgentTerms, runs: AgentRuns, sessions: Sessions) -> None:
        self._book = book
        self._agents = agents
        self._runs = runs
        self._sessions = sessions

    async def check(self, new: NewChannelMessage, principal: Principal) -> RunSubject:
        """Check a request before it is queued.

        Raises `Invalid`, `NotFound`, `OutOfService`, `OverBudget`, `OutsideRoot`.
        """
        check_instruction(new.instruction)
        terms = await self._agents.of(new.agent, principal)
        terms = msgspec.structs.replace(terms, priority=CHANNEL, visibility=visibility_for(principal))
        session = await self._sessions.get(new.session_id, principal) if new.session_id else None
        return RunSubject(terms=terms, session=session, mode="headless", fixed_mode=True)

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Return the message, with the agent's identity and where the message comes from.

        Raises `Skip` if the agent may no longer run, or if the account was disconnected since.
        """
        await self._book.refresh()
        pairing = self._book.pairing_of(new.channel_id, new.sender_id)
        if pairing is None or "ask" not in pairing.may:
            raise Skip("The account that has written this may not ask agents any more.")
        told = await self._agents.told(run)
        return Prepared(
            prompt=new.instruction,
            system=f"{told.system}\n\n{IN_A_CHAT.format(about=new.about)}",
            warnings=told.warnings,
            tainted=await self._runs.is_tainted(run.session_id),
        )

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return no warnings: files are compared in any case."""
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return the effect that sends the answer."""
        return (Effect(topic=ENDED, key=run.session_id, body=run.id),)
