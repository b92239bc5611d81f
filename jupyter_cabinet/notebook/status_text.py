"""The output of `%cabinet`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..agents.model import AgentView
from ..approvals.model import Approval
from ..client.model import CabinetStatus, RuntimeStatus
from ..core.durations import short
from ..core.plain_text import one_line, table
from ..runs.model import Run
from ..terminals.model import Terminal
from .fallback import LABELS

ABOUT_CHARACTERS = 60
MAKE_ONE = "There are no agents yet. Create one with `jupyter cabinet agents new NAME --template research`."
ANSWER_WHERE = "Answer them in JupyterLab: below the cell, or in the panel Approvals."


def status(value: CabinetStatus) -> Iterator[str]:
    """Yield everything in a few lines, and the next steps."""
    yield f"Jupyter Cabinet {value.version} in {value.root or 'its folder'}"
    if not value.trusted:
        yield "Nobody has confirmed this folder yet, so nothing in it runs. Confirm it in JupyterLab."
    if value.switch is not None and value.switch.paused:
        yield f"Everything is paused by {one_line(value.switch.by)}. %cabinet resume starts work again."
    yield from _section("Agents", agents(value.agents), MAKE_ONE)
    yield from _section("Runs", runs((*value.working, *value.queued)), "Nothing is running.")
    yield from _section("Approvals", approvals(value.approvals), "")
    yield from _section("Runtimes", runtimes(value.runtimes), "")


def agents(views: Iterable[AgentView]) -> list[str]:
    """Return a table with a line for each agent; empty if there are none."""
    rows = [(each.slug, each.name, each.status, each.schedule, each.role, each.reason) for each in views]
    return list(table(("AGENT", "NAME", "STATUS", "SCHEDULE", "ROLE", ""), rows)) if rows else []


def runs(found: Iterable[Run]) -> list[str]:
    """Return a table with a line for each run; empty if there are none."""
    rows = [
        (
            each.id,
            LABELS.get(each.state, each.state),
            each.agent or each.runtime_title,
            short(each.duration_seconds),
            one_line(each.instruction, most=ABOUT_CHARACTERS),
        )
        for each in found
    ]
    return list(table(("RUN", "STATE", "WHO", "TOOK", "ABOUT"), rows)) if rows else []


def approvals(waiting: Iterable[Approval]) -> list[str]:
    """Return a table with a line for each, and a last line that says where to answer them; empty if there are none."""
    rows = [(each.run_id, each.title, one_line(_asked(each), most=ABOUT_CHARACTERS)) for each in waiting]
    return [*table(("RUN", "ASKS", ""), rows), ANSWER_WHERE] if rows else []


def runtimes(found: Iterable[RuntimeStatus], *, reasons: bool = False) -> list[str]:
    """Return the lines of a table: headings, and a row for each runtime that was found.

    `reasons`: also a row for each that was not, with the reason; otherwise a last line names those. Without rows there
    are no headings.
    """
    all_of_them = list(found)
    rows = [
        (each.name, each.title, each.version or "", "default" if each.is_default else "", each.reason or each.warning)
        for each in all_of_them
        if each.found or reasons
    ]
    missing = ", ".join(each.name for each in all_of_them if not each.found)
    lines = list(table(("RUNTIME", "TITLE", "VERSION", "", ""), rows)) if rows else []
    return [*lines, f"Not found: {missing}. %cabinet doctor shows the reasons."] if missing and not reasons else lines


def terminals(opened: Iterable[Terminal]) -> list[str]:
    """Return a table with a line for each terminal whose program has not ended; empty if there are none."""
    rows = [
        (each.name, each.agent_title or each.program, each.controller.display_name if each.controller else "nobody")
        for each in opened
        if not each.exited
    ]
    return list(table(("TERMINAL", "PROGRAM", "CONTROLLED BY"), rows)) if rows else []


def _section(heading: str, lines: list[str], nothing: str) -> Iterator[str]:
    if lines or nothing:
        yield ""
        yield heading
        yield from (f"  {line}" for line in (lines or [nothing]))


def _asked(approval: Approval) -> str:
    return approval.parts[0].text if approval.parts else approval.question
