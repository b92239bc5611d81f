"""An hour of a queue with its limits, its questions and its watchdog, by a clock that a test moves on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from harness.backend import ADA, Place, submit

from jupyter_cabinet.approvals.model import ApprovalFilter
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.clock import Clock
from jupyter_cabinet.execution.model import Begun, Order, OrderListener
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runs.settings import RunSettings
from jupyter_cabinet.runtimes.model import Failure, Outcome, QuestionAsked
from jupyter_cabinet.runtimes.shared.question_hook import PLAIN
from jupyter_cabinet.testing.manual_clock import ManualClock

MINUTE = 60.0


class TimedExecution:
    """Works for as long as its order says, in simulated seconds: `work SECONDS EVERY`, where it says something every so
    often; `ask`, until it is answered."""

    has_agent = False
    pid = None

    def __init__(self, order: Order, listener: OrderListener, clock: Clock) -> None:
        self._words = order.label.split()
        self._listener = listener
        self._clock = clock
        self._stopped = asyncio.Event()

    async def interrupt(self) -> str:
        await self.stop()
        return ""

    async def work(self) -> Outcome:
        await self._listener.begun(Begun())
        doing = asyncio.create_task(self._ask() if self._words[0] == "ask" else self._talk())
        stopping = asyncio.create_task(self._stopped.wait())
        await asyncio.wait([doing, stopping], return_when=asyncio.FIRST_COMPLETED)
        for task in (doing, stopping):
            task.cancel()
        if self._stopped.is_set():
            return Outcome(failure=Failure(kind="cancelled", message="It was stopped."))
        return Outcome(text="Done.")

    async def _talk(self) -> None:
        seconds, every = float(self._words[1]), float(self._words[2])
        for _ in range(int(seconds // every)):
            await self._clock.sleep(every)
            self._listener.wrote(1)

    async def _ask(self) -> None:
        answered = asyncio.Event()

        async def deliver(option: str, note: str) -> bool:
            answered.set()
            self._listener.answered("q", "")
            return True

        self._listener.asked(QuestionAsked(question_id="q", question="May I?", options=PLAIN), deliver)
        await answered.wait()

    async def stop(self, *, at_once: bool = False) -> None:
        self._stopped.set()


async def opened(place: Place, clock: ManualClock, **settings: int) -> Backend:
    backend = await place.open(clock=clock, runs=RunSettings(**settings))  # type: ignore[arg-type]
    execution = lambda order, listener: TimedExecution(order, listener, clock)  # noqa: E731
    backend.executor.execution = execution  # type: ignore[method-assign,assignment]
    return backend


@pytest.mark.long(reason="simulates an hour of work")
async def test_an_hour_of_work_silence_and_waiting_passes_as_it_should(tmp_path: Path) -> None:
    clock = ManualClock()
    backend = await opened(Place(tmp_path), clock, max_concurrent_runs=2)

    async def ask_for(instruction: str) -> Run:
        return await submit(backend, instruction, kind="manual", path=None, mode="headless")

    async def pass_minutes(minutes: float) -> None:
        await clock.advance(minutes * MINUTE, busy=lambda: backend.database.busy > 0)

    short = [await ask_for("work 300 30") for _ in range(4)]
    endless, silent, asks = await ask_for("work 7200 60"), await ask_for("work 3600 1200"), await ask_for("ask")
    await pass_minutes(5.1)
    states = [(await backend.runs.get(run.id, ADA)).state for run in short]
    assert states == ["succeeded", "succeeded", "running", "running"]
    await pass_minutes(54.9)
    over = {run.id: await backend.runs.get(run.id, ADA) for run in (*short, endless, silent, asks)}
    assert [over[run.id].state for run in short] == ["succeeded"] * 4
    assert [round(over[run.id].duration_seconds or 0) for run in short] == [300] * 4
    assert (over[endless.id].state, over[endless.id].reason) == ("timed_out", "It worked for 30 min and was stopped.")
    assert over[silent.id].reason == "It wrote nothing for 10 min and was stopped."
    (question,) = await backend.approvals.find(ApprovalFilter(run_id=asks.id), ADA)
    assert (question.state, question.outcome) == ("expired", "Denied, nobody answered in 10 min")
    assert over[asks.id].state == "succeeded"
    assert round((question.closed_at - question.asked_at).total_seconds()) in range(600, 603)  # type: ignore[operator]
    await backend.close()
