"""What a person is notified of, in one sentence each: of runs that have ended, of requests, of plans. Pure.

Texts of people and agents are cut to their first line and made harmless.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from ...core.plain_text import one_line
from ...runs.model import Run, RunState, TriggerKind
from ..model import Severity

LONGEST_TITLE = 80
LONGEST_REASON = 160
FAILED: frozenset[RunState] = frozenset({"failed", "timed_out", "interrupted"})
Ending = Literal["done", "waits", "failed"]
_ENDINGS: dict[Ending, tuple[Severity, str]] = {
    "done": ("info", "is done"),
    "waits": ("warn", "needs you"),
    "failed": ("error", "has failed"),
}
IN_BACKGROUND: frozenset[TriggerKind] = frozenset({"schedule", "run", "event", "webhook"})


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a person may be notified of. `key`: the same for the same thing. `owner`: the person's user name.

    `run_id`: the run that it is about, because the chat from which that run was started hears of it anyway.
    """

    key: str
    severity: Severity
    text: str
    owner: str
    run_id: str = ""


def notice_of_run(run: Run) -> Notice | None:
    """Return what to say about a run that has ended; None if nobody needs to hear of it.

    Runs of plans are left out: a plan is reported when it stops.
    """
    if run.plan_id is not None:
        return None
    who, title = f"@{run.agent}" if run.agent else harmless(run.runtime_title), title_of(run.instruction)
    of = f" on {title}" if title else ""
    if run.state in FAILED:
        why = harmless(first_line(run.reason), most=LONGEST_REASON)
        text = f"The work of {who}{of} has failed{': ' + why if why else '.'}"
        return Notice(key=f"run/{run.id}", severity="error", text=text, owner=run.owner, run_id=run.id)
    if run.state == "succeeded" and run.agent and run.trigger.kind in IN_BACKGROUND:
        text = f"{who} has finished its work{of}."
        return Notice(key=f"run/{run.id}", severity="info", text=text, owner=run.owner, run_id=run.id)
    return None


def notice_of_plan(*, key: str, title: str, how: Ending, reason: str, owner: str) -> Notice:
    """Return what to say about a plan that has stopped. `key`: the same for the same stop."""
    named, why = f"The plan “{harmless(title, most=LONGEST_TITLE)}”", harmless(reason, most=LONGEST_REASON)
    severity, words = _ENDINGS[how]
    text = f"{named} {words}: {why}" if why and how != "done" else f"{named} {words}."
    return Notice(key=f"plan/{key}", severity=severity, text=text, owner=owner)


def title_of(instruction: str) -> str:
    """Return the first line of an instruction in quotation marks; empty if it has none."""
    title = harmless(first_line(instruction), most=LONGEST_TITLE)
    return f"“{title}”" if title else ""


def first_line(text: str) -> str:
    """Return the first line that is not empty; "" if there is none."""
    return next((line for line in text.splitlines() if line.strip()), "")


def harmless(text: str, *, most: int = 0) -> str:
    """Return a text in one line that cannot begin a code block. `most`: characters; 0: all."""
    return one_line(text, most=most).replace("`", "'").replace("~", "-")
