"""What people do with reflections: start one, and decide about the soul that it proposes.

A proposal is bound to the bytes of `SOUL.md` that its run has read. Accepting it saves the file like the editor does,
so the same locks, versions and confirmation apply. Only the owner of the agent decides, in the browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

import msgspec

from ...core.errors import CabinetError, Conflict, NotAllowed, NotFound, Refused
from ...core.people import Principal
from ...runs.model import Run, Trigger
from ...storage.commits import Commits
from .. import store
from ..model import NewReflection, SoulProposal, SoulProposalClosed, SoulProposed
from ..roster.roster import Roster, RosterEntry
from ..run_kinds.agent_runs import must_own
from ..run_kinds.reflection import ANOTHER, Reflected
from ..run_kinds.run_terms import principal_of
from ..service import Agents
from .due import is_due
from .proposal_files import Proposal, ProposalFiles
from .soul_answer import in_the_form_of
from .soul_file import SOUL, soul_of
from .soul_rules import refusal

if TYPE_CHECKING:
    from ...runs.service import Runs

log = logging.getLogger(__name__)

EXCHANGED = "This is not the proposal that you have seen. Look at it as it is now."
STALE = f"{SOUL} has changed since the agent read it. Compare the proposal with it again."
WAITS = "A person decides about it, on the agent's page."


class Reflections:
    """Reflections of all agents, and the proposals that wait. Call `begin` first."""

    def __init__(self, *, roster: Roster, agents: Agents, proposals: ProposalFiles, commits: Commits) -> None:
        self._roster = roster
        self._agents = agents
        self._proposals = proposals
        self._commits = commits
        self._runs: Runs | None = None
        self._starting = asyncio.Lock()  # so that each request finds the reflection of the one before
        self._lock = asyncio.Lock()  # a decision and a new proposal must not overlap

    def begin(self, runs: Runs) -> None:
        """Accept reflections from now on."""
        self._runs = runs

    async def start(self, slug: str, principal: Principal) -> Run:
        """Start a reflection, and return its run as queued. Raises as `ReflectionKind.check` and `Runs.submit`."""
        assert self._runs is not None, "`begin` was called first"
        async with self._starting:
            return await self._runs.submit(NewReflection(agent=slug), principal)

    async def start_if_due(self, slug: str) -> None:
        """Start a reflection of an agent that reflects by itself, if enough runs have ended since the last one.

        Nothing happens if its persona says `off`, it is not active, or all work is paused. Errors such as `NotFound`
        are only logged.
        """
        assert self._runs is not None, "`begin` was called first"
        try:
            entry = await self._roster.get(slug)
            if entry.persona.reflection == "off" or not entry.persona.active or self._runs.switch.state.paused:
                return
            if not is_due(entry.record, self._roster.clock.now()):
                return
            owner, source = entry.record.owner, f"Reflection after {entry.record.finished} runs"
            trigger = Trigger(kind="schedule", username=owner, display_name=entry.persona.name, source=source)
            async with self._starting:
                await self._runs.submit(NewReflection(agent=slug), principal_of(entry.record), trigger=trigger)
        except CabinetError as error:  # such as a proposal that waits: the next run that ends tries again
            log.info("%s does not reflect: %s", slug, error.message)

    # --- proposals ---------------------------------------------------------------------------

    async def get(self, slug: str, principal: Principal) -> SoulProposal | None:
        """Return the proposal of an agent beside its present soul; None if none waits.

        Raises `NotFound`, also if the caller may not see the agent, and `Malformed` if the present soul cannot be read.
        """
        await self._roster.get(slug, principal)
        proposal = await asyncio.to_thread(self._proposals.load, slug)
        return None if proposal is None else await asyncio.to_thread(self._beside, slug, proposal)

    async def waiting(self, principal: Principal) -> list[tuple[RosterEntry, Proposal]]:
        """Return all proposals with their agents, of those that the caller may see, by the slug of the agent."""
        found = []
        for slug, proposal in (await asyncio.to_thread(self._proposals.load_all)).items():
            with contextlib.suppress(NotFound):
                found.append((await self._roster.get(slug, principal), proposal))
        return found

    async def accept(
        self, slug: str, digest: str, etag: str | None, principal: Principal, *, text: str | None = None
    ) -> None:
        """Save a proposed soul, close the proposal, and announce it.

        `digest`, `etag`: of the proposal and the present soul as the caller has seen them. `text`: saved instead, if
        the caller has edited the proposal; their own words are not checked against the rules. Raises `NotFound` if none
        waits; `NotAllowed` unless the agent's owner or an administrator calls it in the browser; `Conflict` if the
        proposal or the soul has changed; `Refused` if the rules forbid it; `Malformed` if the present soul cannot be
        read; and as `Agents.write_file`.
        """
        async with self._lock:
            seen = await self._seen(slug, digest, principal)
            if seen.stale or etag != seen.etag:
                raise Conflict(STALE, etag=seen.etag)
            if text in (None, seen.text) and seen.problem:
                raise Refused(seen.problem)
            edited = ", edited" if text is not None and text != seen.text else ""
            await self._agents.write_file(
                slug,
                SOUL,
                (seen.text if text is None else text).encode(),
                etag,
                principal,
                source=f"proposed by run {seen.run_id}{edited}",
            )
            await self._close(seen, principal.display_name, accepted=True)

    async def refuse(self, slug: str, digest: str, principal: Principal) -> None:
        """Drop a proposal, and announce it.

        Raises `NotFound` if none waits, `NotAllowed` unless the agent's owner or an administrator calls it in the
        browser, `Conflict` if it is another proposal than `digest`, and `Malformed` if the present soul cannot be read.
        """
        async with self._lock:
            await self._close(await self._seen(slug, digest, principal), principal.display_name, accepted=False)

    async def compare_again(self, slug: str, digest: str, principal: Principal) -> SoulProposal:
        """Bind a proposal to the soul as it is now, and return it beside that. Nothing is saved in `SOUL.md`.

        Raises `Refused` with the reason if the rules forbid it for this soul, and as `refuse`.
        """
        async with self._lock:
            seen = await self._seen(slug, digest, principal)
            if seen.problem:
                raise Refused(seen.problem)
            proposal = Proposal(run_id=seen.run_id, at=seen.at, text=seen.text, base=seen.etag)
            await asyncio.to_thread(self._proposals.save, slug, proposal)
            return await asyncio.to_thread(self._beside, slug, proposal)

    async def forget(self, slug: str) -> None:
        """Drop the proposal of an agent that was renamed, archived or deleted, if there is one.

        Nothing is announced.
        """
        await asyncio.to_thread(self._proposals.remove, slug)

    async def do_reflected(self, body: str) -> None:
        """Handle the outbox topic `REFLECTED`: keep a proposal that the rules allow, and announce it.

        A proposal that the rules forbid, or that comes while another one waits, is stored as refused. A repetition
        changes nothing.
        """
        reflected = msgspec.json.decode(body, type=Reflected)
        async with self._lock:
            report = await self._commits.commit(lambda c: store.load_effect(c, reflected.report_id))
            if report is None or report.state != "pending":
                return  # done before a crash: a person may have decided about it
            reason = await self._kept(reflected)
            state = "refused" if reason else "applied"
            after = msgspec.structs.replace(report, state=state, reason=reason or WAITS, at=self._roster.clock.now())
            await self._commits.commit(lambda c: store.save_effect(c, after))
        if not reason:
            await self._roster.tell(SoulProposed(agent=reflected.agent, run_id=reflected.run_id))

    # --- inside ------------------------------------------------------------------------------

    async def _kept(self, reflected: Reflected) -> str:
        """Keep a proposal, or return why not, as a sentence."""
        try:
            await self._roster.get(reflected.agent)
            waiting = await asyncio.to_thread(self._proposals.load, reflected.agent)
            if waiting is not None:
                return "" if waiting.run_id == reflected.run_id else ANOTHER
            return await asyncio.to_thread(self._judged, reflected)
        except CabinetError as error:
            return error.message

    def _judged(self, reflected: Reflected) -> str:
        soul = soul_of(self._roster.folders, reflected.agent)
        if soul.etag != reflected.base:
            return f"{SOUL} was changed while the agent reflected. Start another reflection."
        text = in_the_form_of(soul.text, reflected.text)
        if refused := refusal(soul.text, text):
            return refused
        proposal = Proposal(run_id=reflected.run_id, at=reflected.at, text=text, base=reflected.base)
        self._proposals.save(reflected.agent, proposal)
        return ""

    async def _seen(self, slug: str, digest: str, principal: Principal) -> SoulProposal:
        """Return the proposal about which the caller may decide and that they have seen."""
        must_own(await self._roster.get(slug, principal), principal)
        proposal = await asyncio.to_thread(self._proposals.load, slug)
        if proposal is None:
            raise NotFound("No proposal of this agent waits. Somebody may have decided about it already.")
        if not principal.in_browser:
            raise NotAllowed("Only a person can decide about a proposal, in the browser. Open JupyterLab to decide.")
        if proposal.hash != digest:
            raise Conflict(EXCHANGED)
        return await asyncio.to_thread(self._beside, slug, proposal)

    def _beside(self, slug: str, proposal: Proposal) -> SoulProposal:
        soul = soul_of(self._roster.folders, slug)
        return SoulProposal(
            agent=slug,
            run_id=proposal.run_id,
            at=proposal.at,
            text=proposal.text,
            hash=proposal.hash,
            present=soul.text,
            etag=soul.etag,
            stale=proposal.base != soul.etag,
            problem=refusal(soul.text, proposal.text) or "",
        )

    async def _close(self, seen: SoulProposal, by: str, *, accepted: bool) -> None:
        await asyncio.to_thread(self._proposals.remove, seen.agent)
        await self._roster.tell(SoulProposalClosed(agent=seen.agent, run_id=seen.run_id, accepted=accepted, by=by))
