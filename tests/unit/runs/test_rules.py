"""The pure rules of runs: who starts next, when enough is enough, what an outcome means."""

from harness.values import example_run as run
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runs.ending import ending
from jupyter_cabinet.runs.history import MAX_HISTORY_BYTES, with_history
from jupyter_cabinet.runs.model import RunResult
from jupyter_cabinet.runs.queue import positions, startable
from jupyter_cabinet.runs.watchdog import Limits, Progress, verdict
from jupyter_cabinet.runtimes.model import Failure, Outcome

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


LIMITS = Limits(working_seconds=100, silent_seconds=10, output_bytes=1000)


def test_silence_working_time_and_output_have_limits() -> None:
    assert verdict(Progress(started=0, last_output=0), LIMITS, 10) is None
    assert verdict(Progress(started=0, last_output=0), LIMITS, 10.1).kind == "stalled"  # type: ignore[union-attr]
    assert verdict(Progress(started=0, last_output=100), LIMITS, 100.1).kind == "timeout"  # type: ignore[union-attr]
    flooded = Progress(started=0, last_output=0, output_bytes=1001)
    assert verdict(flooded, LIMITS, 1).kind == "output_limit"  # type: ignore[union-attr]


def test_waiting_for_a_person_counts_for_nothing() -> None:
    progress = Progress(started=0, last_output=0)
    progress.waits(5)
    assert verdict(progress, LIMITS, 5000) is None
    progress.works(5000)
    assert verdict(progress, LIMITS, 5009) is None
    assert verdict(progress, LIMITS, 5011).kind == "stalled"  # type: ignore[union-attr]


def test_a_cli_that_would_try_for_ever_is_ended_unless_its_service_answers_meanwhile() -> None:
    progress = Progress(started=0, last_output=0)
    for attempt in range(1, Limits().retries + 1):
        progress.retried(attempt, "Rate limit reached.")
        assert verdict(progress, Limits(), 1) is None
    progress.retried(Limits().retries + 1, "Rate limit reached.")
    passed = verdict(progress, Limits(), 1)
    assert passed is not None
    assert passed.message.endswith("12 times in a row. It said: Rate limit reached.")
    progress.got_on()
    assert verdict(progress, Limits(), 1) is None


def test_the_cli_itself_knows_best_why_its_service_did_not_answer() -> None:
    gave_up = Failure(kind="model_unavailable", message="12 times in a row.")
    nobody = {"cancelled_by": None, "interrupted": False, "limit_passed": gave_up}
    named = Outcome(failure=Failure(kind="rate_limited", message="The limit is reached."))
    stopped = Outcome(failure=Failure(kind="cancelled", message="It was stopped."))
    assert (ending(named, **nobody).state, ending(named, **nobody).reason) == ("failed", "The limit is reached.")
    assert ending(stopped, **nobody).reason == "12 times in a row."


def test_why_a_run_ended_counts_in_order() -> None:
    late = Failure(kind="timeout", message="It worked for 30 min and was stopped.")
    crashed = Outcome(failure=Failure(kind="crashed", message="It crashed."))
    nobody = {"cancelled_by": None, "interrupted": False, "limit_passed": None}
    assert ending(crashed, **{**nobody, "cancelled_by": "Ada"}).reason == "Cancelled by Ada."
    assert ending(crashed, **{**nobody, "limit_passed": late}).state == "timed_out"
    assert ending(crashed, **{**nobody, "interrupted": True}).state == "interrupted"
    assert ending(crashed, **nobody).reason == "It crashed."
    assert ending(Outcome(text="done"), **{**nobody, "cancelled_by": "Ada"}).state == "succeeded"


@given(st.lists(st.text(max_size=3000), max_size=20))
def test_the_history_for_a_lost_session_is_bounded_and_keeps_the_newest(answers: list[str]) -> None:
    runs = [run(state="succeeded", instruction=f"do {n}", result=RunResult(text=a)) for n, a in enumerate(answers)]
    prompt = with_history("now this", runs)
    assert prompt.endswith("now this") and len(prompt.encode()) < MAX_HISTORY_BYTES + 6000
    if runs:
        assert f"do {len(runs) - 1}" in prompt
