"""Starts runs of agents for other agents, continues their conversations, and waits for their ends.

Called by `agent_tools.py`. A run is queued like every other one, for the owner of the run that starts it, and with the
limits of the agent that is started.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.clock import Clock
from ..core.errors import NotAllowed, NotFound, Refused, Unavailable
from ..core.ids import is_foreign_id
from ..core.people import Principal
from ..runs.model import MAX_DEPTH, Run, Trigger
from ..runs.records import RunRecords
from ..runs.rules.lifecycle import is_final
from ..runs.rules.trigger_chain import link_of
from .model import NewMessageRun
from .roster.roster import Roster
from .run_kinds.run_terms import AGENT_ORIGIN
from .run_quota import RunQuota

if TYPE_CHECKING:
    from ..runs.service import Runs

MOST_STARTED = 5  # runs that one run may start
LOOK_AGAIN_SECONDS = 1.0  # for a run on another server


class AgentStarter:
    """The runs that agents start. `begin` must be called first."""

    def __init__(self, *, roster: Roster, records: RunRecords, clock: Clock) -> None:
        self._roster = roster
        self._records = records
        self._clock = clock
        self._runs: Runs | None = None
        self._quota = RunQuota(MOST_STARTED, f"A run may start at most {MOST_STARTED} runs of other agents.")
        self._waits: dict[str, list[str]] = {}  # the ids of the runs that a run waits for, by its id

    def begin(self, runs: Runs) -> None:
        """Accept calls from now on."""
        self._runs = runs

    async def start(self, run: Run, agent: str, target: str, prompt: str, *, session_id: str | None = None) -> Run:
        """Queue a run of another agent and return it as queued.

        `run`: the run of `agent` that starts it. `session_id`: the session to continue. Raises `NotAllowed` if the
        agent may not start others, `Refused` with the reason (such as an unknown target, a circle, a pause, or more
        than five runs), `Unavailable` before `begin`, and what a request for a talk with the target raises.
        """
        if self._runs is None:
            raise Unavailable("Agents cannot be started yet.")
        starter = await self._must_be_allowed(agent)
        if target == agent or not await self._is_reachable(agent, target):
            raise Refused(f"There is no other agent “{target[:100]}”.")
        chain = _chain_on(run, agent)
        if reason := _refusal(chain, target):
            raise Refused(reason)
        if self._runs.switch.state.paused:
            raise Refused(f"All agents are paused by {self._runs.switch.state.by}.")
        self._quota.take(run.id)  # also if it is then refused
        # an isolated agent must not get out by asking one that is not
        isolate = True if run.isolate or run.isolated else None
        new = NewMessageRun(agent=target, instruction=prompt, session_id=session_id, isolate=isolate)
        trigger = Trigger(
            kind="run",
            username=run.owner,
            display_name=starter,
            source=f"Started by the agent {starter}.",
            chain=chain,
            run_id=run.id,
            ancestors=(*run.trigger.ancestors, run.id),
        )
        return await self._runs.submit(new, _owner_of(run), trigger=trigger)

    async def go_on(self, run: Run, agent: str, earlier: str, message: str) -> Run:
        """Queue a run that continues the conversation of an earlier run that this agent has started, and return it.

        Raises `NotFound` if it has not started such a run, and as `start`.
        """
        found = await self._started_by(run, agent, earlier)
        return await self.start(run, agent, found.agent or "", message, session_id=found.session_id)

    async def wait(self, run: Run, agent: str, awaited: str, seconds: float) -> Run:
        """Wait until a run that this agent has started has ended, for at most `seconds`, and return it as it is then.

        It may not have ended: check its state. Raises `NotFound` if the agent has not started such a run, or it was
        deleted meanwhile, and `Refused` if that run waits for this one, or is in its session.
        """
        found = await self._started_by(run, agent, awaited)
        if found.session_id == run.session_id or self._is_waiting(found.id, run.id):
            raise Refused("That run waits for this one, so this one cannot wait for it.")
        waits = self._waits.setdefault(run.id, [])
        waits.append(found.id)
        try:
            return await self._until_final(found, run, seconds)
        finally:
            waits.remove(found.id)
            if not waits:
                self._waits.pop(run.id, None)

    # --- inside ------------------------------------------------------------------------------

    async def _must_be_allowed(self, agent: str) -> str:
        """Return the agent's name if it may start others as it is now: its persona may have changed meanwhile."""
        persona = (await self._roster.get(agent)).require()
        if not persona.starts_agents:
            raise NotAllowed("This agent may not start other agents.")
        return persona.name

    async def _is_reachable(self, agent: str, target: str) -> bool:
        return any(each.slug == target for each in await self._roster.reachable(agent))

    async def _started_by(self, run: Run, agent: str, wanted: str) -> Run:
        """Return the run with the id `wanted`. Raises `NotFound` unless this agent has started it for the same owner.

        The agent may have started it in `run` or in an earlier one.
        """
        found = await self._record(wanted, run)
        parent = await self._record(found.trigger.run_id, run) if found else None
        if found is None or parent is None or parent.agent != agent or found.owner != run.owner:
            raise NotFound(f"You have started no run {wanted[:100]}.")
        return found

    async def _record(self, id: str, run: Run) -> Run | None:
        """Return a run that the owner of another one may see, or None."""
        if not is_foreign_id(id):
            return None
        try:
            return await self._records.get(id, _owner_of(run))
        except NotFound:
            return None

    def _is_waiting(self, run_id: str, other: str) -> bool:
        """Return whether a run waits for another one, also by way of further runs."""
        seen: set[str] = set()
        left = [run_id]
        while left:
            current = left.pop()
            if current == other:
                return True
            if current not in seen:
                seen.add(current)
                left += self._waits.get(current, [])
        return False

    async def _until_final(self, found: Run, run: Run, seconds: float) -> Run:
        assert self._runs is not None, "it has started the run"
        ends = self._clock.monotonic() + seconds
        while not is_final(found) and (left := ends - self._clock.monotonic()) > 0:
            if found.id in self._records.live:
                await self._runs.wait(found.id, left)
            else:
                await self._clock.sleep(min(left, LOOK_AGAIN_SECONDS))
            found = await self._records.get(found.id, _owner_of(run))
        return found


def _owner_of(run: Run) -> Principal:
    """Return the owner of a run as a principal, with no permissions beyond the owner's."""
    return Principal(username=run.owner, display_name=run.owner, origin=AGENT_ORIGIN)


def _chain_on(run: Run, agent: str) -> tuple[str, ...]:
    """Return the chain of a run that this run starts. It always names the agent, also after its play."""
    return (*run.trigger.chain, *dict.fromkeys((link_of(run), agent)))


def _refusal(chain: Sequence[str], target: str) -> str:
    """Return why an agent is not started after this chain, as a sentence; empty if it may be started."""
    if target in chain:
        return f"The agents would start each other in a circle: {' → '.join([*chain, target])}."
    if len(chain) > MAX_DEPTH:
        return f"A chain of more than {MAX_DEPTH} runs that lead to each other ends here."
    return ""
