"""How often a cell's output is sent again while a run works, and what an interrupt does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from harness.cell_run import RESULT, RUN

from jupyter_cabinet.client.errors import RunFailed
from jupyter_cabinet.client.model import RunResult
from jupyter_cabinet.notebook.asking import LONGEST_SECONDS, RunOutput, checked, follow
from jupyter_cabinet.notebook.bundles import MIME_TYPE, Bundle
from jupyter_cabinet.runtimes.model import TextBlock, TextDelta
from jupyter_cabinet.testing.manual_clock import ManualClock


class Shown:
    """An output of a notebook: everything that was sent for it."""

    def __init__(self) -> None:
        self.sent: list[Bundle] = []

    def show(self, bundle: Bundle) -> Shown:
        self.sent.append(bundle)
        return self

    def update(self, bundle: Any, **named: Any) -> None:
        self.sent.append(bundle)


class Talking:
    """A run that says many words, one each millisecond; `interrupts`: how often the person interrupts."""

    id = RUN.id
    run = RUN

    def __init__(self, clock: ManualClock, words: int, interrupts: int = 0) -> None:
        self._clock = clock
        self._words = words
        self._interrupts = interrupts
        self.cancelled = False

    def __iter__(self) -> Iterator[object]:
        for number in range(self._words):
            if number % 100 == 0:
                asyncio.run(self._clock.advance(0.1))
            yield TextDelta(text=f"word {number} ")
        self._interrupt()
        yield TextBlock(text="The whole.")

    def cancel(self) -> None:
        self.cancelled = True
        self._interrupt()

    def result(self, *, check: bool) -> RunResult:
        assert not check
        return RESULT

    def _interrupt(self) -> None:
        if self._interrupts:
            self._interrupts -= 1
            raise KeyboardInterrupt


def output(run: Any, clock: ManualClock, attached: tuple[str, ...] = ()) -> tuple[RunOutput, Shown]:
    shown = Shown()
    return RunOutput(run, shown.show, attached=attached, clock=clock), shown


def test_ten_thousand_pieces_of_text_are_sent_a_few_times_and_stay_small() -> None:
    clock = ManualClock()
    run: Any = Talking(clock, 10_000)
    kept, shown = output(run, clock, ("df, 3 × 2",))
    follow(run, kept)
    assert len(shown.sent) == 4  # at the start, after 2 s, after 4 s more, at the end
    assert all(len(str(bundle)) < 50_000 for bundle in shown.sent)
    assert {str(bundle[MIME_TYPE]) for bundle in shown.sent} == {
        "{'view': 'run', 'run_id': '01m8run', 'attached': ['df, 3 × 2']}"
    }
    assert "Running" in shown.sent[1]["text/plain"] and "No day is missing" in shown.sent[-1]["text/plain"]


def test_an_hour_of_work_is_sent_about_every_half_minute() -> None:
    clock = ManualClock()
    run: Any = Talking(clock, 0)
    kept, shown = output(run, clock)
    for _ in range(720):
        asyncio.run(clock.advance(5))
        kept.take(TextDelta(text="x"))
    assert 3600 / LONGEST_SECONDS <= len(shown.sent) <= 3600 / LONGEST_SECONDS + 6


def test_an_interrupt_cancels_and_the_end_is_shown() -> None:
    clock = ManualClock()
    run: Any = Talking(clock, 3, interrupts=1)
    kept, shown = output(run, clock)
    assert follow(run, kept) == RESULT
    assert run.cancelled and "Succeeded" not in shown.sent[0]["text/plain"] and len(shown.sent) == 2


def test_a_second_interrupt_ends_the_waiting() -> None:
    clock = ManualClock()
    run: Any = Talking(clock, 3, interrupts=2)
    kept, shown = output(run, clock)
    with pytest.raises(KeyboardInterrupt):
        follow(run, kept)
    assert "Asked to stop; its end was not awaited" in shown.sent[-1]["text/plain"]


CASES = [("failed", True, True), ("failed", False, False), ("cancelled", False, True), ("succeeded", True, False)]


@pytest.mark.parametrize(("state", "raises", "fails"), CASES)
def test_a_cell_fails_with_its_run(state: Any, raises: bool, fails: bool) -> None:
    result = RunResult(run_id="x", state=state, reason="It did.")
    if fails:
        with pytest.raises(RunFailed, match=r"It did\."):
            checked(result, raises=raises)
    else:
        assert checked(result, raises=raises) is result
