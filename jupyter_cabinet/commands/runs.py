"""`jupyter cabinet runs`, and the output about a run that another command has started."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from ..agents.model import EffectReport
from ..client.api import Api, converted
from ..core import durations
from ..core.plain_text import one_line, plain, table
from ..runs.model import Run
from ..runs.rules.lifecycle import is_final
from .printing import Printed, local_time

WAIT_SECONDS = 60  # how long the server may wait, each time
ASK_AGAIN_SECONDS = 1
EFFECTS_SECONDS = 20  # until the effects of a run are done
EFFECTS_STEP_SECONDS = 0.25
INSTRUCTION_CHARACTERS = 60
MOST_LISTED = 200  # the server's own limit


def listed(api: Api, given: argparse.Namespace) -> Printed:
    """`runs`: newest first."""
    wanted = {"agent": given.agent, "state": given.state, "limit": str(given.limit)}
    reply = api.get("runs", **{name: value for name, value in wanted.items() if value})
    runs = converted(reply["items"], list[Run])
    if not runs:
        return Printed(value=reply, lines=("No runs match these filters.",))
    headings = ("RUN", "STATE", "KIND", "AGENT", "ASKED", "TOOK", "ABOUT")
    return Printed(value=reply, lines=tuple(table(headings, [_row(run) for run in runs])))


def shown(api: Api, given: argparse.Namespace) -> Printed:
    """`runs show ID`"""
    value = api.get(f"runs/{given.id}")
    effects = _effects(api, given.id)
    lines = tuple(described(converted(value, Run), converted(effects, list[EffectReport])))
    return Printed(value={**value, "effects": effects}, lines=lines)


def cancelled(api: Api, given: argparse.Namespace) -> Printed:
    """`runs cancel ID`: answers when all its processes have ended."""
    value = api.post(f"runs/{given.id}/cancel")
    return Printed(value=value, lines=(_ended(converted(value, Run)),))


def started(api: Api, value: dict[str, object], *, wait: bool) -> Printed:
    """Report a run that a command has just started. `wait`: until its end, and the results of its directives."""
    run = converted(value, Run)
    if not wait:
        return Printed(
            value=value, lines=(f"{run.id}: {_ended(run)}", (f"`jupyter cabinet runs show {run.id}` shows it."))
        )
    while not is_final(run):
        asked = time.monotonic()
        value = api.get(f"runs/{run.id}", wait=WAIT_SECONDS)
        run = converted(value, Run)
        if not is_final(run) and time.monotonic() - asked < ASK_AGAIN_SECONDS:
            time.sleep(ASK_AGAIN_SECONDS)  # another server on this folder works on it, and this one does not wait
    effects = _settled_effects(api, run.id)
    lines = tuple(described(run, converted(effects, list[EffectReport])))
    return Printed(value={**value, "effects": effects}, lines=lines, status=0 if run.state == "succeeded" else 1)


def described(run: Run, effects: list[EffectReport]) -> Iterator[str]:
    """Yield the lines that describe a run to people: its state, cost, warnings, directives and answer."""
    about = [run.kind, f"agent {run.agent}" if run.agent else "", run.runtime_title]
    yield f"{run.id}: {_ended(run)}"
    yield f"  {', '.join(one_line(each) for each in about if each)}"
    cost = "" if run.cost_usd is None else f"{run.cost_usd:.4f} USD"
    took = [
        f"asked {local_time(run.queued_at)} by {one_line(run.trigger.display_name)}",
        durations.short(run.duration_seconds),
    ]
    yield f"  {', '.join(each for each in [*took, cost] if each)}"
    if not run.isolated:
        yield "  not isolated: it had the power of the server's user"
    if run.where is not None and run.where.worker:
        yield f"  on the worker {one_line(run.where.worker)}, machine {one_line(run.where.machine)}"
    if run.tainted:
        yield "  tainted: its prompt contained text from outside"
    yield from (f"  {one_line(warning)}" for warning in run.warnings)
    for each in effects:
        yield from _effect(each)
    if run.result is not None and run.result.text.strip():
        yield ""
        yield plain(run.result.text.strip())


def unfinished(api: Api, agent: str) -> list[Run]:
    """Return the runs of an agent that work or wait in the queue."""
    runs = converted(api.get("runs", agent=agent, limit=MOST_LISTED)["items"], list[Run])
    return [run for run in runs if not is_final(run)]


def _row(run: Run) -> tuple[str, ...]:
    text = run.instruction or (run.result.text if run.result else "")
    about = one_line(text if run.state == "succeeded" else run.reason or text, most=INSTRUCTION_CHARACTERS)
    asked = local_time(run.queued_at)
    return (run.id, run.state, run.kind, run.agent or "", asked, durations.short(run.duration_seconds), about)


def _ended(run: Run) -> str:
    return f"{run.state}. {one_line(run.reason)}".strip()


def _effect(report: EffectReport) -> Iterator[str]:
    yield f"  {report.position}. {report.state}: {one_line(report.directive, most=100)}"
    if report.reason:
        yield f"     {one_line(report.reason)}"


def _effects(api: Api, run_id: str) -> list[dict[str, object]]:
    return list(api.get(f"runs/{run_id}/effects")["items"])


def _settled_effects(api: Api, run_id: str) -> list[dict[str, object]]:
    """They follow the end of the run a moment later."""
    until = time.monotonic() + EFFECTS_SECONDS
    while True:
        effects = _effects(api, run_id)
        if time.monotonic() > until or all(each["state"] != "pending" for each in effects):
            return effects
        time.sleep(EFFECTS_STEP_SECONDS)
