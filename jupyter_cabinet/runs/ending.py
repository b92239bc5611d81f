"""What a run's outcome makes of it: its final state and the reason people read. Pure."""

from __future__ import annotations

import msgspec

from ..runtimes.model import Failure, Outcome
from .model import RunState

SERVICE = ("not_logged_in", "rate_limited", "model_unavailable")


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """A final state and why."""

    state: RunState
    reason: str
    failure: Failure | None = None


def without_launcher(outcome: Outcome, title: str, *, left: bool) -> tuple[Outcome, str]:
    """The outcome of a run whose launcher was killed, with what is worth a warning where the outcome does not tell it.

    `left`: processes of it had to be found and ended.
    """
    told = f"{title} was ended: something has killed its launcher."
    if left:
        told += " What was left of it was found and ended."
    if outcome.failure is None or outcome.failure.kind != "crashed":
        return outcome, told
    failure = msgspec.structs.replace(outcome.failure, message=told)
    return msgspec.structs.replace(outcome, failure=failure), ""


def ending(
    outcome: Outcome | None, *, cancelled_by: str | None, interrupted: bool, limit_passed: Failure | None
) -> Ending:
    """Why it ended counts in this order: a person, a limit, the server's stop, the CLI itself.

    An answer that was complete before anybody stopped the run stays a success: `outcome` without a failure wins.
    """
    if outcome is not None and outcome.failure is None:
        return Ending(state="succeeded", reason="Finished.")
    if cancelled_by is not None:
        failure = Failure(kind="cancelled", message=f"Cancelled by {cancelled_by}.")
        return Ending(state="cancelled", reason=failure.message, failure=failure)
    named = outcome.failure if outcome else None
    if limit_passed is not None and limit_passed.kind == "model_unavailable" and named and named.kind in SERVICE:
        limit_passed = named  # the CLI itself knows better why its service did not answer
    if limit_passed is not None:
        state: RunState = "timed_out" if limit_passed.kind in ("timeout", "stalled") else "failed"
        return Ending(state=state, reason=limit_passed.message, failure=limit_passed)
    if interrupted:
        return Ending(state="interrupted", reason="The server was stopped while this run was working.")
    failure = (
        outcome.failure
        if outcome and outcome.failure
        else Failure(kind="unknown", message="It ended for an unknown reason.")
    )
    return Ending(state="failed", reason=failure.message, failure=failure)
