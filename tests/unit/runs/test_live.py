"""What a server knows of a run that works here."""

from __future__ import annotations

from harness.values import example_run

from jupyter_cabinet.runs.dispatch.live import LiveRun
from jupyter_cabinet.runs.model import NewManualRun
from jupyter_cabinet.runs.rules.lifecycle import Life
from jupyter_cabinet.testing.manual_clock import ManualClock


async def test_the_time_worked_is_that_of_all_attempts_without_the_wait_between_them() -> None:
    clock, starting, running = ManualClock(), Life(state="starting"), Life(state="running")
    live = LiveRun(example_run(), NewManualRun(instruction="x"), starting, clock, by_administrator=False)
    live.follow(running)
    await clock.advance(10)
    live.prepare_again()
    live.follow(starting)
    await clock.advance(30)
    live.follow(running)
    await clock.advance(5)
    assert live.worked_seconds == 15
