"""Which queued run starts next."""

from harness.values import example_run as run
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runs.queue import positions, startable

RUNS = st.lists(st.tuples(st.sampled_from(["ada", "ben", "cy"]), st.sampled_from("stuvwxyz")), max_size=12).map(
    lambda rows: [run(id=f"{n:02}", owner=o, session_id=s) for n, (o, s) in enumerate(rows)]
)


@given(queued=RUNS, limit=st.integers(1, 6))
def test_the_limit_holds_and_no_session_works_twice(queued: list, limit: int) -> None:
    chosen = startable(queued, [], limit)
    sessions = [r.session_id for r in queued if r.id in chosen]
    assert len(chosen) <= limit and len(sessions) == len(set(sessions))
    assert len(chosen) == min(limit, len({r.session_id for r in queued}))


def test_who_has_fewer_runs_working_goes_before() -> None:
    queued = [run(id=f"a{n}", owner="ada", session_id=f"a{n}") for n in range(3)] + [
        run(id="b0", owner="ben", session_id="b0")
    ]
    assert startable(queued, [], 2) == ["a0", "b0"]
    assert positions(queued) == {"a0": 1, "a1": 2, "a2": 3, "b0": 4}


def test_a_run_waits_for_the_one_before_in_its_session() -> None:
    working = [run(id="w", session_id="s", state="running")]
    assert startable([run(id="q", session_id="s")], working, 5) == []
