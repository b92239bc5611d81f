"""A CLI that is not logged in is not tried for every tick."""

from __future__ import annotations

from typing import Any

from harness.values import example_run

from jupyter_cabinet.runs.model import Run, Trigger
from jupyter_cabinet.runs.rules.breakers import TRY_AGAIN_SECONDS, Breakers
from jupyter_cabinet.runtimes.model import Failure, Outcome
from jupyter_cabinet.testing.manual_clock import ManualClock

NO_LOGIN = Outcome(failure=Failure(kind="not_logged_in", message="Log in."))
DONE = Outcome(text="done")


def run(kind: Any = "schedule", runtime: str = "claude") -> Run:
    return example_run(runtime=runtime, trigger=Trigger(kind=kind, username="owner", display_name="Owner"))


def test_after_a_failed_login_nothing_is_tried_but_what_a_person_asks_for() -> None:
    breakers = Breakers(ManualClock())
    breakers.saw(run(), NO_LOGIN, logged_in=False)
    assert "is not logged in since 2026-" in (breakers.refusal(run(), logged_in=False) or "")
    assert breakers.refusal(run("person"), logged_in=False) is None
    assert breakers.refusal(run(runtime="codex"), logged_in=False) is None
    breakers.saw(run("person"), DONE, logged_in=False)
    assert breakers.refusal(run(), logged_in=False) is None


def test_a_login_that_the_cli_tells_of_closes_it_and_one_that_it_told_of_all_along_does_not() -> None:
    breakers = Breakers(ManualClock())
    breakers.saw(run(), NO_LOGIN, logged_in=False)
    assert breakers.refusal(run(), logged_in=True) is None
    breakers.saw(run(), NO_LOGIN, logged_in=True)  # it has credentials, and they are no longer taken
    assert breakers.refusal(run(), logged_in=True) is not None
    breakers.saw(run(), Outcome(failure=Failure(kind="crashed", message="Crashed.")), logged_in=True)
    assert breakers.names == {"claude"}


async def test_one_run_may_try_after_some_hours() -> None:
    clock = ManualClock()
    breakers = Breakers(clock)
    breakers.saw(run(), NO_LOGIN, logged_in=False)
    await clock.advance(TRY_AGAIN_SECONDS + 1)
    assert breakers.refusal(run(), logged_in=False) is None
    assert breakers.refusal(run(), logged_in=False) is not None
