"""The state table of a run: one final state, once, with a reason."""

from typing import get_args

import pytest
from harness.values import NOW
from harness.values import example_run as run
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import AlreadyFinal, Conflict
from jupyter_cabinet.runs.model import RunState
from jupyter_cabinet.runs.states import ALLOWED, FINAL, is_final, move

STATES: list[RunState] = list(get_args(RunState))


def test_the_table_knows_every_state() -> None:
    assert set(ALLOWED) == set(STATES)
    assert {"succeeded", "failed", "timed_out", "cancelled", "interrupted", "skipped"} == FINAL


@given(st.lists(st.sampled_from(STATES), max_size=12))
def test_whatever_is_asked_a_run_ends_at_most_once_and_with_a_reason(path: list[RunState]) -> None:
    now, ends = run(), 0
    for state in path:
        try:
            moved = move(now, state, now=NOW, reason="Because.")
        except Conflict:
            continue
        assert not is_final(now)
        ends += is_final(moved)
        now = moved
    assert ends <= 1
    assert not is_final(now) or (now.reason and now.finished_at == NOW)


def test_a_final_state_needs_a_reason_and_is_never_left() -> None:
    working = move(move(run(), "starting", now=NOW, reason=""), "running", now=NOW, reason="")
    with pytest.raises(Conflict):
        move(working, "succeeded", now=NOW, reason="")
    done = move(working, "succeeded", now=NOW, reason="Finished.")
    with pytest.raises(AlreadyFinal):
        move(done, "failed", now=NOW, reason="No.")
