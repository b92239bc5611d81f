"""Which queued run starts next."""

from datetime import timedelta

from harness.values import NOW
from harness.values import example_run as run
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runs.rules.queue import ahead_of, next_wake, positions, startable

RUNS = st.lists(st.tuples(st.sampled_from(["ada", "ben", "cy"]), st.sampled_from("stuvwxyz")), max_size=12).map(
    lambda rows: [run(id=f"{n:02}", owner=o, session_id=s) for n, (o, s) in enumerate(rows)]
)


@given(queued=RUNS, limit=st.integers(1, 6))
def test_the_limit_holds_and_no_session_works_twice(queued: list, limit: int) -> None:
    chosen = startable(queued, [], limit, NOW)
    sessions = [r.session_id for r in queued if r.id in chosen]
    assert len(chosen) <= limit and len(sessions) == len(set(sessions))
    assert len(chosen) == min(limit, len({r.session_id for r in queued}))


AGENTS = st.lists(
    st.tuples(
        st.sampled_from([None, "ada", "ben"]), st.integers(1, 3), st.booleans(), st.integers(0, 3), st.booleans()
    ),
    max_size=12,
).map(
    lambda rows: [
        run(id=f"{n:02}", number=n, session_id=f"{n}", agent=a, parallel=p, exclusive=e, priority=prio)
        if not working
        else run(id=f"{n:02}", number=n, session_id=f"{n}", agent=a, parallel=p, exclusive=e, state="running")
        for n, (a, p, e, prio, working) in enumerate(rows)
    ]
)


@given(runs=AGENTS, limit=st.integers(1, 9))
def test_no_agent_has_more_runs_than_it_allows_and_two_never_write_its_memory(runs: list, limit: int) -> None:
    working, queued = [r for r in runs if r.state == "running"], [r for r in runs if r.state == "queued"]
    chosen = [r for id in startable(queued, working, limit, NOW) for r in queued if r.id == id]
    for place, one in enumerate(chosen):
        if one.agent is not None:
            beside = [r for r in (*working, *chosen[:place]) if r.agent == one.agent]
            assert len(beside) < one.parallel
            assert not (one.exclusive and any(r.exclusive for r in beside))
    if len(working) + len(chosen) < limit:  # there was room: whoever still waits must not run beside these
        for one in queued:
            same = [r for r in (*working, *chosen) if r.agent == one.agent]
            blocked = len(same) >= one.parallel or (one.exclusive and any(r.exclusive for r in same))
            assert one in chosen or (one.agent is not None and blocked)


def test_a_person_goes_before_a_schedule_that_has_waited_longer() -> None:
    queued = [
        run(id="tick", number=1, session_id="t", agent="ada", priority=3),
        run(id="task", number=2, session_id="k", agent="ben", priority=2),
        run(id="person", number=3, session_id="p"),
    ]
    assert startable(queued, [], 2, NOW) == ["person", "task"]
    assert positions(queued) == {"person": 1, "task": 2, "tick": 3}


def test_an_agent_with_many_runs_waits_for_the_others() -> None:
    queued = [run(id=f"a{n}", number=n, session_id=f"a{n}", agent="ada", parallel=9, owner="owner") for n in range(3)]
    queued.append(run(id="b", number=9, session_id="b", agent="ben", owner="owner"))
    assert startable(queued, [], 2, NOW) == ["a0", "b"]


def test_another_attempt_waits_for_its_time_but_not_for_a_clock_that_was_set_back() -> None:
    soon, later, never = (NOW + timedelta(seconds=s) for s in (30, 120, 60 * 60 * 24))
    queued = [run(id="later", session_id="l", not_before=later), run(id="soon", session_id="s", not_before=soon)]
    assert startable(queued, [], 5, NOW) == []
    assert next_wake(queued, NOW) == soon
    assert startable(queued, [], 5, soon) == ["soon"]
    assert startable([run(id="back", not_before=never)], [], 5, NOW) == ["back"]
    assert next_wake([run(id="x")], NOW) is None


def test_who_has_fewer_runs_working_goes_before() -> None:
    queued = [run(id=f"a{n}", owner="ada", session_id=f"a{n}") for n in range(3)] + [
        run(id="b0", owner="ben", session_id="b0")
    ]
    assert startable(queued, [], 2, NOW) == ["a0", "b0"]
    assert positions(queued) == {"a0": 1, "a1": 2, "a2": 3, "b0": 4}


def test_a_run_waits_for_the_one_before_in_its_session() -> None:
    working = [run(id="w", session_id="s", state="running")]
    assert startable([run(id="q", session_id="s")], working, 5, NOW) == []


def test_what_was_put_ahead_goes_first_in_its_session_and_before_no_other_session() -> None:
    queued = [
        run(id="a1", number=1, session_id="a", owner="ada"),
        run(id="b1", number=2, session_id="b", owner="ada"),
        run(id="a2", number=3, session_id="a", owner="ada"),
        run(id="a3", number=4, session_id="a", owner="ada"),
    ]
    queued[3] = run(id="a3", number=4, session_id="a", owner="ada", ahead=ahead_of(queued[:3]))
    assert startable(queued, [], 5, NOW) == ["a3", "b1"]
    assert positions(queued) == {"a3": 1, "b1": 2, "a1": 3, "a2": 4}
    queued[2] = run(id="a2", number=3, session_id="a", owner="ada", ahead=ahead_of(queued))
    assert startable(queued, [], 5, NOW) == ["a2", "b1"]
    assert positions(queued) == {"a2": 1, "b1": 2, "a3": 3, "a1": 4}


def test_what_was_put_ahead_goes_before_what_is_more_urgent_in_its_session() -> None:
    queued = [run(id="person", number=1, session_id="a"), run(id="tick", number=2, session_id="a", priority=3, ahead=1)]
    assert startable(queued, [], 5, NOW) == ["tick"]
    assert ahead_of([]) == 1
