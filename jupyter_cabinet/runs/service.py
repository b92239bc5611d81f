"""The service of runs: accepts, finds and ends them. Requests become runs only through `submit`.

The rules are in `rules/`; `dispatch/dispatcher.py` takes a run from the queue to its end, and `dispatch/upkeep.py`
stops runs that exceed a limit. Callers: `web/` and `editor/`.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator, Collection
from typing import Protocol

import msgspec
from sqlalchemy import Connection

from ..approvals import store as approval_store
from ..changes import store as change_store
from ..core.errors import AlreadyFinal, Conflict, NotAllowed, QueueFull, ShuttingDown
from ..core.futures import to_its_end
from ..core.paths import moved
from ..core.people import Principal, owns
from ..execution.model import MADE_PRIVATE
from ..runtimes.model import Failure, Outcome
from ..storage.filesystem.private_folders import check_room
from ..terminals.terminal import OpenTerminal
from .dispatch.dispatcher import Dispatcher
from .dispatch.live import LiveRun
from .dispatch.upkeep import Upkeep
from .intake import Intake
from .manual import wanted_terminal
from .model import NewRun, Run, RunFilter, Trigger
from .reconcile import Reconciler
from .records import Also, AlsoOf, RunRecords
from .required_services import RequiredServices
from .rules import lifecycle, queue
from .rules.budgets import Since, Spent
from .rules.lifecycle import is_final
from .rules.runners import chosen_runner
from .run_files import RunFiles
from .settings import RunSettings
from .store import AlsoIs, Latest
from .switch_model import Switch

log = logging.getLogger(__name__)

WITH_STARTER = "The run that had started it was stopped."
MAX_FAILURES = 200  # failed runs that are searched for the newest of each runtime


class Elsewhere(Protocol):
    """Runs that are not in this database. Everyone may read them, and no one may change them."""

    def earlier_run(self, run_id: str) -> Run | None:
        """Return the run, or None if it is unknown. May block."""


class Runs:
    """The operations on runs. All work of agents starts here.

    Methods that read raise `Unavailable` if the database does not answer. Those that store also raise `NoRoom` when the
    disk is full and `LeaseLost` if another server has taken over from this one. Only methods with a `principal` check
    permissions, and only where they say so.
    """

    def __init__(
        self,
        *,
        intake: Intake,
        records: RunRecords,
        services: RequiredServices,
        dispatcher: Dispatcher,
        reconciler: Reconciler,
        elsewhere: Elsewhere,
        settings: RunSettings,
    ) -> None:
        self.kinds = intake.kinds
        self._gate = dispatcher.gate
        self.switch = self._gate.switch
        self._intake = intake
        self._records = records
        self._sessions = services.sessions
        self._approvals = services.approvals
        self._executor = services.executor
        self._trust = services.trust
        self._changes = services.changes
        self._dispatcher = dispatcher
        self._reconciler = reconciler
        self._upkeep = Upkeep(
            records=records,
            services=services,
            dispatcher=dispatcher,
            reconciler=reconciler,
            settings=settings,
        )
        self._elsewhere = elsewhere
        self._remote = services.remote_runs
        self._settings = settings
        self._places = services.executor.places
        self.files = RunFiles(self.get, records, self._remote, self._places)

    # --- life ------------------------------------------------------------------------------

    async def disown(self) -> list[Run]:
        """End the unfinished runs of another server's database, without starting any, and return them.

        Called before `start`.
        """
        return await self._reconciler.disown()

    async def start(self) -> None:
        """Take over the runs that an earlier server left behind, then accept requests and start queued runs.

        Returns before these have ended. Raises `Unavailable` if the database does not answer, and `NoRoom` when the
        disk is full.
        """
        await self._reconciler.take_lease()
        for left in await self._reconciler.take_over():
            self._records.hold(left.run, left.new, on_record=True)
        await self._sessions.forget_open(but_of=await self._reconciler.others())
        await self._approvals.withdraw_orphans(self._records.unfinished_among)
        self._gate.trusted = (await self._trust.state()).confirmed
        await self.switch.read()
        self._gate.accepting = True
        self._upkeep.start()
        self._dispatcher.fill()

    async def stop(self) -> None:
        """Refuse new requests, end the working runs of this server, and close all open CLIs. Queued runs stay queued.

        Waits until their processes have ended, then for at most `stop_seconds` until their end is stored. Removes this
        server's lease. Does not raise if that fails.
        """
        self._gate.accepting = False
        working = [live for live in self._records.live.values() if live.life.claimed]
        for live in working:
            live.follow(lifecycle.shut_down(live.life).life)
        self._changes.close_soon()
        stops = [live.execution.stop() for live in working if live.execution is not None]
        await asyncio.gather(*stops, return_exceptions=True)
        await self._executor.clis.close_all("The server was stopped.")
        finals = [asyncio.create_task(live.finished.wait()) for live in working]
        if finals:
            await asyncio.wait(finals, timeout=self._settings.stop_seconds)
        await self._records.settled()
        for task in (tasks := [*finals, *self._dispatcher.tasks]):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await self._reconciler.release_lease()
        except Exception:
            log.exception("The lease could not be given back; other servers will find this one dead")

    # --- what callers ask ------------------------------------------------------------------

    async def submit(
        self,
        new: NewRun,
        principal: Principal,
        *,
        may_wait: bool = True,
        trigger: Trigger | None = None,
        also: AlsoOf | None = None,
    ) -> Run:
        """Accept a run, store it and return it as queued; it starts as soon as the queue allows.

        Works also while work is paused. `trigger`: what requested it; None: the caller. `also`: writes in the same
        transaction. Raises `ShuttingDown`; `NotTrusted` in an unconfirmed root directory; `NoRoom`; `Invalid` and its
        subclasses for a bad request; `NotAllowed` and `NotFound` as `Intake.resolve`; `Conflict` for an occupied
        terminal or a session of another runtime or document; `NotYourTurn` for a terminal that another person controls;
        `QueueFull` if all slots are taken and `may_wait` is false.
        """
        if not self._gate.accepting:
            raise ShuttingDown
        await self._trust.require()
        self._gate.trusted = True
        check_room(self._places.state_folder)
        run, new = await self._intake.resolve(new, principal, trigger)
        before = (await self._records.latest([run.session_id])).get(run.session_id)
        run = msgspec.structs.replace(run, runner=chosen_runner(run, before.run if before is not None else None))
        terminal_id = wanted_terminal(new)
        if terminal_id is not None and self._records.in_terminal(terminal_id) is not None:
            raise Conflict("Another agent works in this terminal, or is about to.")
        if not may_wait and len(self._records.working()) >= self._settings.max_concurrent_runs:
            raise QueueFull
        live = self._records.hold(run, new, by_administrator=principal.administrator)
        kind = self.kinds.of(run.kind)

        def besides(connection: Connection) -> None:
            self._sessions.take_instruction(connection, run.session_id, run.instruction)
            kind.put_begin(connection, run, new)
            if also is not None:
                also(connection, run)

        # A caller may be cancelled, such as a tool call that is given up: a stored run must start nevertheless.
        await to_its_end(self._enqueue(live, besides))
        return live.run

    async def _enqueue(self, live: LiveRun, besides: Also) -> None:
        await self._records.create(live, besides)
        self._dispatcher.fill()

    async def get(self, run_id: str, principal: Principal) -> Run:
        """Return the run in its current state, also one of another server, or an earlier one that everyone may read.

        Raises `NotFound`, also if the caller may not see it.
        """
        earlier = await asyncio.to_thread(self._elsewhere.earlier_run, run_id)
        return earlier or await self._records.get(run_id, principal)

    async def owned(self, run_id: str, principal: Principal) -> Run:
        """Return a run whose owner's rights the caller has.

        Raises `NotFound` if the caller may not see it, else `NotAllowed`.
        """
        return await self._own(run_id, principal)

    async def find(self, wanted: RunFilter, principal: Principal, *, also: AlsoIs | None = None) -> list[Run]:
        """Return the matching runs that the caller may see, newest first: at most `wanted.limit`, and never over 200.

        `also`: a further condition, in SQL. Runs of `Elsewhere` are not included.
        """
        return await self._records.find(wanted, principal, also)

    async def session_pairs(self, principal: Principal) -> set[tuple[str, str]]:
        """Return runtime and session of every run that the caller may see. A CLI may use our id as its own."""
        return await self._records.session_pairs(principal)

    async def last_failures(self, principal: Principal) -> dict[str, Run]:
        """Return the newest `failed` run of each runtime, among the last `MAX_FAILURES` that the caller may see."""
        failed = await self._records.find(RunFilter(state="failed", limit=MAX_FAILURES), principal)
        return {run.runtime: run for run in reversed(failed)}

    async def of_session(self, session_id: str) -> list[Run]:
        """Return the last 200 runs of a session, oldest first. The caller checks who may see them."""
        return await self._records.of_session(session_id)

    async def all_of_session(self, session_id: str) -> AsyncIterator[Run]:
        """Yield all runs of a session, oldest first. The caller checks who may see them. Reads 200 at once."""
        number = 0
        while page := await self._records.after(session_id, number):
            for run in page:
                yield run
            number = page[-1].number

    async def first_runs(self, session_ids: Collection[str], principal: Principal) -> list[Run]:
        """Return the oldest run of each session, as it is stored, among those that the caller may see.

        They are in no fixed order. A session without such a run is left out.
        """
        return await self._records.first_runs(session_ids, principal)

    async def latest(self, session_ids: Collection[str]) -> dict[str, Latest]:
        """Return the newest run of each session and the number of its runs, by session id, whoever may see them.

        Sessions without a run are left out.
        """
        return await self._records.latest(session_ids)

    async def sessions_with(self, text: str, principal: Principal) -> list[str]:
        """Return the ids of sessions in which a text occurs: see `store.sessions_with`."""
        return await self._records.sessions_with(text, principal)

    async def wait(self, run_id: str, seconds: float) -> None:
        """Wait until the run is final, for at most `seconds`. Returns at once for an unknown run.

        Does not say which happened.
        """
        live = self._records.live.get(run_id)
        if live is None:
            return await self._remote.wait(run_id, seconds)
        ways = [asyncio.create_task(live.finished.wait()), asyncio.create_task(self._places.clock.sleep(seconds))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()

    async def turn_switch(self, *, paused: bool, now: bool, principal: Principal) -> Switch:
        """Pause or resume work in this root directory, for all servers, and return the new state.

        The caller checks who may. `now`: when pausing, also end the current runs of this server. In that case, returns
        when they have ended, or after `stop_seconds` at the latest. If the new state cannot be stored, it counts here
        and is stored later.
        """
        state = await self.switch.turn(paused=paused, principal=principal)
        if paused and now:
            working = [live for live in self._records.live.values() if live.life.claimed and not live.life.over]
            await asyncio.gather(*(self._end(live, principal) for live in working))
            await asyncio.gather(*(self.wait(live.run.id, self._settings.stop_seconds) for live in working))
        self._dispatcher.fill()
        return state

    def is_at_work(self, patience_seconds: float) -> bool:
        """Return whether an agent of this server works or is about to.

        One that waits for a person counts for `patience_seconds`. Queued runs count unless work is paused.
        """
        return self._records.is_at_work(patience_seconds, queue_goes_on=not self.switch.state.paused)

    async def spent(self, agent: str, since: Since, *, before: int | None = None) -> Spent:
        """Return what an agent's runs have used since its day and its month began: see `store.spent`."""
        return await self._records.spent(agent, since, before=before)

    async def cancel(self, run_id: str, principal: Principal) -> Run:
        """End a run, and wait for that for at most `stop_seconds`. Only for its owner.

        Returns the run, which may not be final yet. If it works in an open CLI, its turn is interrupted and the CLI
        stays open. A CLI that cannot be interrupted is closed, and the reason of the run says so. All other processes
        of the run are ended, and so are the runs of other agents that it has started, and those that these have
        started. Raises `NotFound`, `NotAllowed`, `AlreadyFinal` for a run that has ended, and `OnAnotherServer` for one
        of another server.
        """
        live = await self._unfinished(run_id, principal)
        await self._interrupt(live, principal)
        await self._end_started_by(live.run, principal)
        await self.wait(run_id, self._settings.stop_seconds)
        await self._end_started_by(live.run, principal)  # what its agent has started in the last moment
        return live.run

    async def send_now(self, run_id: str, principal: Principal) -> Run:
        """Put a queued run before all others of its session, and interrupt the run that works there.

        Returns the queued run. Waits for the end of that other run for at most `stop_seconds`. Has no effect on a run
        that is already working. Only for the owner of both. Raises `NotFound`, `NotAllowed`, `AlreadyFinal` for a run
        that has ended, and `OnAnotherServer` for one of another server.
        """
        live = await self._unfinished(run_id, principal)
        lives = list(self._records.live.values())
        others = [each for each in lives if each.run.session_id == live.run.session_id and each is not live]
        working = [each for each in others if each.life.claimed and not each.life.over]
        if live.life.claimed:
            return live.run
        if any(not owns(principal, each.run.owner) for each in working):
            raise NotAllowed("Only the owner of the run that works in this session may interrupt it.")
        ahead = queue.ahead_of([each.run for each in others])
        await self._records.put(live, lifecycle.RunTransition(life=live.life), ahead=ahead)
        await asyncio.gather(*(self._interrupt(each, principal) for each in working))
        await asyncio.gather(*(self.wait(each.run.id, self._settings.stop_seconds) for each in working))
        self._dispatcher.fill()
        return live.run

    async def stop_in(self, terminal_id: str, principal: Principal) -> bool:
        """End this server's run that works in a terminal or waits for it, and close the CLI there.

        Return False if there is neither. The caller must have checked that the principal controls the terminal. Waits
        for at most `stop_seconds` for the run.
        """
        live = self._records.in_terminal(terminal_id)
        if live is not None:
            await self._end(live, principal)
            await self.wait(live.run.id, self._settings.stop_seconds)
        closed = await self._executor.clis.close_in(terminal_id, f"Stopped by {principal.display_name}.")
        return closed or live is not None

    def end_hidden(self, terminal: OpenTerminal) -> None:
        """End the run that is queued for a terminal, if the owner of the run may no longer see it. Does not wait."""
        live = self._records.in_terminal(terminal.id)
        if live is not None and live.life.recorded and not live.life.claimed and not terminal.admits(live.owner):
            live.follow(lifecycle.claimed(live.life).life)
            hidden = Outcome(failure=Failure(kind="unknown", message=MADE_PRIVATE))
            self._dispatcher.spawn(self._dispatcher.finish(live, hidden))

    async def delete(self, run_id: str, principal: Principal) -> None:
        """Delete the record, the approvals, the stored changes and the folder of a run that has ended.

        Only for its owner. The output of a CLI in a terminal is kept. Raises `NotFound`, `NotAllowed`, and `Conflict`
        for a run that has not ended.
        """
        run = await self._own(run_id, principal)
        if not is_final(run):
            raise Conflict("This run has not ended yet. Stop it first.")

        def also(connection: Connection) -> None:
            approval_store.delete_of_run(connection, run_id)
            change_store.remove(connection, run_id)

        await self._records.delete(run, also)
        await asyncio.to_thread(shutil.rmtree, self._places.run_folder(run_id), ignore_errors=True)

    async def document_moved(self, old: str, new: str) -> None:
        """Update the paths of sessions and of this server's unfinished runs after a document or folder has moved.

        An agent that is already working learns the new path only with the next instruction. Its run gets a warning.
        """
        await self._sessions.move(old, new)
        for live in list(self._records.live.values()):
            path = live.run.path and moved(live.run.path, old, new)
            if not path:
                continue
            if live.life.claimed:
                live.warnings.append(f"{live.run.path} became {path} while the agent worked on it.")
            step = lifecycle.RunTransition(life=live.life)
            await self._records.put(live, step, path=path, warnings=tuple(live.warnings))

    async def close_session(self, session_id: str, principal: Principal) -> None:
        """Close the CLI of a session, and cancel the session's working and queued runs in this server.

        Only for the session's owner. Waits until the CLI has ended, but not until the runs are final. Raises
        `NotFound`, `NotAllowed`.
        """
        session = await self._sessions.get(session_id, principal)
        if not owns(principal, session.owner):
            raise NotAllowed("Only the owner of a session may close it.")
        lives = [live for live in self._records.live.values() if live.run.session_id == session_id]
        for live in sorted(lives, key=lambda live: live.life.claimed):  # else a queued one takes a freed slot
            await self._end(live, principal, note="The session was ended.")
        await self._executor.clis.close(session_id, f"Closed by {principal.display_name}.")

    async def _end(self, live: LiveRun, principal: Principal, *, note: str = "") -> None:
        """End a run for a person, in any state, with all its processes."""
        await self._follow(live, lifecycle.cancelled(live.life, principal.display_name, note=note))

    async def _end_started_by(self, run: Run, principal: Principal) -> None:
        """End the runs on this server that the agent of a run has started, and those that these have started."""
        started = self._records.started_by(run)
        await asyncio.gather(*(self._end(live, principal, note=WITH_STARTER) for live in started))
        await asyncio.gather(*(self.wait(live.run.id, self._settings.stop_seconds) for live in started))

    async def _interrupt(self, live: LiveRun, principal: Principal) -> None:
        """End a run for a person. An open CLI stays open if it can be interrupted."""
        await self._follow(live, lifecycle.interrupted(live.life, principal.display_name))

    async def _follow(self, live: LiveRun, step: lifecycle.RunTransition) -> None:
        live.follow(step.life)
        if step.end_now:
            self._dispatcher.spawn(self._dispatcher.finish(live, None))
        elif step.stop and live.execution is not None:
            await live.execution.stop()
        elif step.interrupt and live.execution is not None and (why := await live.execution.interrupt()):
            await self._follow(live, lifecycle.not_interrupted(live.life, why))

    async def _unfinished(self, run_id: str, principal: Principal) -> LiveRun:
        run = await self._own(run_id, principal)
        live = self._records.live.get(run_id)
        if is_final(run):
            raise AlreadyFinal
        if live is None:
            raise await self._remote.refusal(run_id)
        return live

    async def _own(self, run_id: str, principal: Principal) -> Run:
        run = await self._records.get(run_id, principal)
        if not owns(principal, run.owner):
            raise NotAllowed("Only the owner of a run may do this.")
        return run
