"""What a run of a step's work has achieved: its report, its block, else its outcome. Pure."""

from __future__ import annotations

from typing import NamedTuple

from ..model import StepReport
from .answer_blocks import step_block
from .rest import first_line
from .step_phases import NO_RESULT, WorkEnd


class Finished(NamedTuple):
    """A run of a step's work that has ended."""

    succeeded: bool
    reason: str  # how it ended, as a sentence
    failure: str  # kind of the failure, or the final state if it has none
    text: str  # its answer
    changed_files: int | None  # None: not compared
    is_command: bool = False


def judged(run: Finished, report: StepReport | None, *, nonce: str) -> WorkEnd:
    """Return the result of the work. What the step reported through its tool counts most, then the block at the end of
    its answer, then the outcome of the run.

    An answer that says nothing and changed nothing has failed. A command needs no output: its exit code counts.
    """
    text, found = run.text, None
    if run.succeeded and not run.is_command:
        found, text = step_block(run.text, nonce=nonce)
    report = report or found
    if report is not None:
        return _of_report(report, text)
    if not run.succeeded:
        return WorkEnd(status="failed", reason=run.reason, failure=run.failure, answer=text)
    if not run.is_command and not text.strip() and not run.changed_files:
        return WorkEnd(status="failed", reason=NO_RESULT, failure="no_result")
    return WorkEnd(status="done", answer=text)


def _of_report(report: StepReport, text: str) -> WorkEnd:
    failure = "reported" if report.status == "failed" else ""
    said = report.blocker or report.summary if report.status == "blocked" else report.summary
    default = {"done": "", "failed": "The step reported that it failed.", "blocked": "The step is blocked."}
    return WorkEnd(
        status=report.status,
        reason=first_line(said) or default[report.status],
        failure=failure,
        blocker=report.blocker if report.status == "blocked" else "",
        answer=text,
        report=report,
    )
