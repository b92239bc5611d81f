"""Markdown and plain text of a run, an agent, a terminal or a goal, for readers without the extension. Pure.

It is part of the saved notebook: on nbviewer, in nbconvert's pages, and in a diff. So it is short, contains nothing
that changes all the time, and an agent's text in it is harmless Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..agents.model import AgentView, GoalView
from ..client.model import RunResult
from ..core.durations import short
from ..core.plain_text import one_line, plain
from ..core.safe_markdown import escaped, safe_markdown
from ..runs.model import Run
from ..runtimes.model import ToolCall

MAX_TEXT_BYTES = 60_000
MAX_LIVE_BYTES = 16_000  # while it is written: the end of the text
MAX_CALLS = 12  # tool calls that are named
CALL_CHARACTERS = 80
CUT = "\n\n(The rest is left out here.)"
LABELS = {
    "queued": "Queued",
    "starting": "Starting",
    "running": "Running",
    "waiting": "Waiting for you",
    "succeeded": "Succeeded",
    "failed": "Failed",
    "timed_out": "Timed out",
    "cancelled": "Cancelled",
    "interrupted": "Interrupted",
    "skipped": "Skipped",
}


def live(run: Run, text: str, calls: Sequence[ToolCall], *, left: bool = False) -> tuple[str, str]:
    """Return Markdown and plain text that describe an unfinished run.

    `text`: its output so far, of which at most the last `MAX_LIVE_BYTES` are shown. `left`: the run was asked to stop,
    and no one waits for its end.
    """
    data = text.strip().encode(errors="replace")
    said = data[-MAX_LIVE_BYTES:].decode(errors="ignore")
    if len(data) > MAX_LIVE_BYTES:
        said = f"…{said}"
    state = "Asked to stop; its end was not awaited" if left else LABELS.get(run.state, run.state)
    return _both(_title(run), state, said, [_calls(calls)])


def ended(run: Run, result: RunResult) -> tuple[str, str]:
    """Return Markdown and plain text of a run that has ended. Its text is cut after 60,000 bytes."""
    parts = (LABELS.get(run.state, run.state), short(run.duration_seconds), _cost(run.cost_usd))
    state = ", ".join(each for each in parts if each)
    reason = "" if run.state == "succeeded" else run.reason
    changed = f"Changed: {_listed(result.changed_files)}." if result.changed_files else ""
    return _both(_title(run), state, _cut(result.text), [reason, _calls(result.tool_calls), changed, *run.warnings])


def agent(view: AgentView, goals: Iterable[GoalView]) -> tuple[str, str]:
    """Return Markdown and plain text of an agent's card."""
    about = ", ".join(each for each in (view.role, view.runtime or "") if each)
    lines = [view.schedule, *(_goal(each) for each in goals)]
    return _both(view.name, about, "", [each for each in lines if each])


def goal(name: str, view: GoalView) -> tuple[str, str]:
    """Return Markdown and plain text of a goal: a table of its periods."""
    heading = _both(f"{name}, {view.metric}", _goal(view).partition(": ")[2], "", [])
    rows = [(one_line(past.period), f"{past.actual:g}", _number(past.target)) for past in view.history]
    if not rows:
        return heading
    table = [
        "| Period | Reached | Target |",
        "| --- | --- | --- |",
        *(f"| {' | '.join(map(escaped, row))} |" for row in rows),
    ]
    plain_rows = ["  ".join(each for each in row if each) for row in rows]
    return f"{heading[0]}\n\n" + "\n".join(table), "\n".join([heading[1], *plain_rows])


def terminal(name: str) -> tuple[str, str]:
    """Return Markdown and plain text of a shared terminal."""
    return _both(name, "shared terminal", "", ["Run this cell in JupyterLab with Jupyter Cabinet to see it."])


def _both(title: str, state: str, text: str, notes: Iterable[str]) -> tuple[str, str]:
    title, state = one_line(title), one_line(state)
    shown = [one_line(each) for each in notes if each]
    first = f"**{escaped(title)}**: {escaped(state)}" if state else f"**{escaped(title)}**"
    markdown = [first, safe_markdown(text).strip("\n"), *(f"*{escaped(each)}*" for each in shown)]
    words = [f"{title}: {state}" if state else title, plain(text).strip("\n"), *shown]
    return "\n\n".join(each for each in markdown if each), "\n\n".join(each for each in words if each)


def _title(run: Run) -> str:
    return f"{run.agent} ({run.runtime_title})" if run.agent else run.runtime_title


def _calls(calls: Sequence[ToolCall]) -> str:
    if not calls:
        return ""
    named = [one_line(f"{call.tool} {call.summary}", most=CALL_CHARACTERS) for call in calls[:MAX_CALLS]]
    more = f" and {len(calls) - MAX_CALLS} more" if len(calls) > MAX_CALLS else ""
    count = "1 tool call" if len(calls) == 1 else f"{len(calls)} tool calls"
    return f"{count}: {', '.join(named)}{more}."


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_CALLS} more" if len(names) > MAX_CALLS else ""
    return ", ".join(one_line(name, most=CALL_CHARACTERS) for name in names[:MAX_CALLS]) + more


def _goal(view: GoalView) -> str:
    target = f" of {view.target:g}" if view.target is not None else ""
    unit = f" {view.unit}" if view.unit else ""
    return f"{view.metric}: {view.current:g}{target}{unit}{f', {view.label}' if view.label else ''}"


def _cut(text: str) -> str:
    data = text.strip().encode(errors="replace")
    return text.strip() if len(data) <= MAX_TEXT_BYTES else data[:MAX_TEXT_BYTES].decode(errors="ignore") + CUT


def _cost(usd: float | None) -> str:
    if usd is None:
        return ""
    return "< $0.01" if 0 < usd < 0.005 else f"${usd:.2f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
