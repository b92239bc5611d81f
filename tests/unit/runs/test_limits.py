"""When enough is enough."""

from jupyter_cabinet.runs.rules.limits import Progress, RunLimits, verdict

LIMITS = RunLimits(working_seconds=100, silent_seconds=10, output_bytes=1000)


def test_silence_working_time_and_output_have_limits() -> None:
    assert verdict(Progress(started=0, last_output=0), LIMITS, 10) is None
    assert verdict(Progress(started=0, last_output=0), LIMITS, 10.1).kind == "stalled"  # type: ignore[union-attr]
    assert verdict(Progress(started=0, last_output=100), LIMITS, 100.1).kind == "timeout"  # type: ignore[union-attr]
    flooded = Progress(started=0, last_output=0, output_bytes=1001)
    assert verdict(flooded, LIMITS, 1).kind == "output_limit"  # type: ignore[union-attr]


def test_waiting_for_a_person_counts_for_nothing() -> None:
    progress = Progress(started=0, last_output=0)
    progress.waits(5)
    progress.waits(4000)  # it has waited already
    assert verdict(progress, LIMITS, 5000) is None
    progress.works(5000)
    progress.works(5008)  # it did not wait
    assert verdict(progress, LIMITS, 5009) is None
    assert verdict(progress, LIMITS, 5011).kind == "stalled"  # type: ignore[union-attr]


def test_a_cli_that_would_try_for_ever_is_ended_unless_its_service_answers_meanwhile() -> None:
    progress = Progress(started=0, last_output=0)
    for attempt in range(1, RunLimits().retries + 1):
        progress.retried(attempt, "Rate limit reached.")
        assert verdict(progress, RunLimits(), 1) is None
    progress.retried(RunLimits().retries + 1, "Rate limit reached.")
    passed = verdict(progress, RunLimits(), 1)
    assert passed is not None
    assert passed.message.endswith("12 times in a row. It said: Rate limit reached.")
    progress.got_on()
    assert verdict(progress, RunLimits(), 1) is None
