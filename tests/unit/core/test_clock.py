"""The clocks, and that nobody beside them looks at one where something waits for time to pass."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

import jupyter_cabinet
from jupyter_cabinet.core.clock import Clock, SystemClock
from jupyter_cabinet.testing.manual_clock import ManualClock

PACKAGE = Path(jupyter_cabinet.__file__).parent
OF_ITS_OWN = re.compile(
    r"\btime\.(?:time|monotonic|sleep)\(|asyncio\.(?:sleep|timeout|wait_for)\(|loop(?:\(\))?\.(?:time|call_later|call_at)\("
)
# What bounds the wait for an operating system, or paces bytes: see `core/clock.py`.
ON_THE_LOOP = {
    "terminals/input/text.py",
    "terminals/programs/agent.py",
    "terminals/programs/input.py",
    "terminals/screens/intervals.py",
    "terminals/screens/screen.py",
}


@pytest.mark.parametrize("room", ["terminals", "web"])
def test_what_waits_waits_for_the_clock_that_it_is_given(room: str) -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in (PACKAGE / room).rglob("*.py")
        if OF_ITS_OWN.search(path.read_text())
    }
    assert found == {path for path in ON_THE_LOOP if path.startswith(f"{room}/")}


@pytest.mark.parametrize("clock", [SystemClock(), ManualClock()], ids=lambda clock: type(clock).__name__)
async def test_timers_ring_in_the_order_of_their_times_and_a_cancelled_one_never(clock: Clock) -> None:
    rung: list[str] = []
    start = clock.monotonic()
    clock.call_at(start + 0.02, lambda: rung.append("late"))
    clock.call_at(start + 0.01, lambda: rung.append("soon"))
    clock.call_at(start - 1, lambda: rung.append("overdue"))
    cancelled = clock.call_at(start + 0.01, lambda: rung.append("never"))
    cancelled.cancel()
    cancelled.cancel()
    sleeping = asyncio.create_task(clock.sleep(0.03))
    if isinstance(clock, ManualClock):
        await clock.advance(0.03)
    await sleeping
    assert rung == ["overdue", "soon", "late"]
    assert clock.monotonic() >= start + 0.03
