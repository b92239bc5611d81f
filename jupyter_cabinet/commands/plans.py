"""`jupyter cabinet plans`."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path, PurePosixPath
from typing import Any

from ..client import plan_text
from ..client.api import Api, converted
from ..client.errors import RequestRefused
from ..core.plain_text import one_line
from ..plans.model import PlanFields, PlanLine, PlanView, QueuedStep
from .printing import Printed
from .problems import CommandFailed

ID_CHARACTERS = 26
MAX_TITLE = 200
LOOK_AGAIN_SECONDS = 0.5
MAX_FILE_BYTES = 2_000_000
NONE = "There are no plans yet. `jupyter cabinet plans import FILE` makes one from a YAML file."


def listed(api: Api, given: argparse.Namespace) -> Printed:
    """`plans`, `plans list`: the last changed first."""
    value = api.get("plans", archived="true" if given.archived else "false")
    lines = plan_text.listed(converted(value["items"], list[PlanLine]))
    return Printed(value=value, lines=tuple(lines or [NONE]))


def shown(api: Api, given: argparse.Namespace) -> Printed:
    """`plans show PLAN`: its state and its steps."""
    value = api.get(f"plans/{_whole_id(api, given.id)}")
    return Printed(value=value, lines=tuple(plan_text.described(converted(value, PlanView))))


def queued(api: Api, given: argparse.Namespace) -> Printed:
    """`plans queue`: what all plans do next."""
    value = api.get("plan-queue")
    lines = plan_text.queued(converted(value["items"], list[QueuedStep]))
    return Printed(value=value, lines=tuple(lines or ["No step is running or queued."]))


def imported(api: Api, given: argparse.Namespace) -> Printed:
    """`plans import FILE`: create a plan from a YAML file, and start it if asked to."""
    try:
        with Path(given.file).open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        text = content.decode()
    except (OSError, UnicodeDecodeError) as error:
        problem = f"{given.file} cannot be read: {error}."
        raise CommandFailed(problem, "Name a YAML file in UTF-8.", kind="file") from None
    if len(content) > MAX_FILE_BYTES:
        raise CommandFailed(f"{given.file} is larger than 2 MB.", "Make it shorter.", kind="file")
    value = api.post("plans/import", {"text": text})
    if given.run or given.wait:
        return _begun(api, value["id"], wait=given.wait)
    return Printed(value=value, lines=tuple(plan_text.described(converted(value, PlanView))))


def exported(api: Api, given: argparse.Namespace) -> Printed:
    """`plans export PLAN`: print it as YAML."""
    value = api.get(f"plans/{_whole_id(api, given.id)}/export")
    return Printed(value=value, lines=tuple(str(value["text"]).splitlines()))


def started(api: Api, given: argparse.Namespace) -> Printed:
    """`plans run PLAN [STEP]`: start what is left of it, or one step, again if it has ended."""
    if given.step is None and given.resume:
        raise CommandFailed("--continue needs a step.", "Name the step after the plan.", kind="invalid")
    plan_id = _whole_id(api, given.id)
    if given.step is None:
        return _begun(api, plan_id, wait=given.wait)
    step_id = _step_id(api, plan_id, given.step)
    return _followed(api, _act(api, plan_id, step_id, "run", {"resume": given.resume}), step_id, wait=given.wait)


def skipped(api: Api, given: argparse.Namespace) -> Printed:
    """`plans skip PLAN STEP`: the steps that depend on it can begin without it."""
    plan_id = _whole_id(api, given.id)
    value = _act(api, plan_id, _step_id(api, plan_id, given.step), "skip")
    return Printed(value=value, lines=tuple(plan_text.described(converted(value, PlanView))))


def worked(api: Api, given: argparse.Namespace) -> Printed:
    """`work --plan FILE`: make a plan of a checklist, or continue the one that exists, and start it."""
    path = _below_root(api, given.plan)
    listed = next((plan["id"] for plan in api.get("plans")["items"] if plan["checklist"] == path), None)
    found = api.get(f"plans/{listed}") if listed is not None else None
    if found is None:
        body = {"title": f"Work through {path}"[:MAX_TITLE], "cwd": str(PurePosixPath(path).parent)}
        committed = {"commit": given.domain == "coding"}  # unless the options say otherwise
        plan = api.post("plans", body | committed | {"checklist": {"path": path}} | _chosen(given, {"path": path}))
    else:
        kept = {name: found[name] for name in PlanFields.__struct_fields__}
        chosen = _chosen(given, found["checklist"])
        plan = api.put(f"plans/{found['id']}", kept | chosen) if chosen else found
    try:
        return _begun(api, plan["id"], wait=given.wait)
    except RequestRefused:
        value = api.get(f"plans/{plan['id']}")  # with what the file says now
        if any(step["state"] not in ("done", "skipped") for step in value["steps"]):
            raise
        return Printed(value=value, lines=(f"No task of {path} is open.",))


def _chosen(given: argparse.Namespace, checklist: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a plan that the options choose. `checklist`: its settings as they are."""
    settings = {
        "agent": given.agent,
        "runtime": given.runtime,
        "commit": given.commit,
        "max_cost_usd": given.max_cost,
        "max_runs": given.max_runs,
        "max_minutes": given.max_minutes,
    }
    chosen = {name: value for name, value in settings.items() if value is not None}
    of_tasks: dict[str, Any] = {"domain": given.domain} if given.domain else {}
    if given.verify:
        of_tasks["verify"] = _words(given.verify)
    return chosen | {"checklist": checklist | of_tasks} if of_tasks else chosen


def _words(command: str) -> list[str]:
    """Return a command as a program and its arguments."""
    try:
        return shlex.split(command)
    except ValueError as error:
        problem = f"--verify cannot be read: {error}."
        raise CommandFailed(problem, "Close each quotation mark.", kind="invalid") from None


def _below_root(api: Api, written: str) -> str:
    """Return the path of a file relative to the server's root, for a path relative to the current directory."""
    if not api.server.root:
        return written
    real = Path(written).resolve()
    try:
        return real.relative_to(Path(api.server.root).resolve()).as_posix()
    except ValueError:
        problem = f"{written} is outside the server's folder {api.server.root}."
        raise CommandFailed(problem, "Name a file below it.", kind="outside_root") from None


def paused(api: Api, given: argparse.Namespace) -> Printed:
    """`plans pause PLAN`: the steps that are running finish."""
    value = api.post(f"plans/{_whole_id(api, given.id)}/pause")
    return Printed(value=value, lines=("Paused. Steps that are running finish.",))


def chosen(api: Api, given: argparse.Namespace) -> Printed:
    """`plans checklist PLAN FILE`: continue with the file at its new path."""
    path = _below_root(api, given.file)
    value = api.post(f"plans/{_whole_id(api, given.id)}/checklist", {"path": path})
    return Printed(value=value, lines=(f"It now works through {path}. Run the plan to continue.",))


def _begun(api: Api, plan_id: str, *, wait: bool) -> Printed:
    return _followed(api, api.post(f"plans/{plan_id}/run"), None, wait=wait)


def _act(api: Api, plan_id: str, step_id: str, action: str, body: Any = None) -> dict[str, Any]:
    value: dict[str, Any] = api.post(f"plans/{plan_id}/steps/{step_id}/{action}", body)
    return value


def _followed(api: Api, value: dict[str, Any], step_id: str | None, *, wait: bool) -> Printed:
    """Wait until a plan rests, or one of its steps has ended. The exit status is 1 unless what was started is done."""
    plan_id, told = value["id"], ""
    while wait:
        plan = converted(value, PlanView)
        states = {step.id: step.state for step in plan.steps}
        state = plan.state if step_id is None else states.get(step_id, "failed")  # it was removed
        if _rests(plan) or (step_id is not None and state not in ("queued", "running")):
            lines = tuple(plan_text.described(plan))
            return Printed(value=value, lines=lines, status=0 if state == "done" else 1)
        if plan.reason != told:
            told = plan.reason
            sys.stderr.write(f"{one_line(told)}\n" if told else "")  # otherwise, nobody knows that it needs a person
            sys.stderr.flush()
        time.sleep(LOOK_AGAIN_SECONDS)
        value = api.get(f"plans/{plan_id}")
    return Printed(value=value, lines=tuple(plan_text.described(converted(value, PlanView))))


def _rests(plan: PlanView) -> bool:
    return plan.state != "running" and not plan.counts.running


def _step_id(api: Api, plan_id: str, written: str) -> str:
    """Return the id of a step that is named by its id, its title, or its number in the list."""
    steps = converted(api.get(f"plans/{plan_id}"), PlanView).steps
    found = [step.id for step in steps if written in (step.id, step.title)]
    if not found and written.isdecimal():
        found = [step.id for number, step in enumerate(steps, start=1) if number == int(written)]
    if len(found) != 1:
        problem = f"More than one step is named {written}." if found else f"The plan has no step {written}."
        action = "`jupyter cabinet plans show` lists the steps with their numbers. Name one of them."
        raise CommandFailed(problem, action, kind="not_found")
    return found[0]


def _whole_id(api: Api, written: str) -> str:
    """Return the id of a plan that is named by its id, the end of it, its title, or its checklist.

    An archived one is found if no other has this name.
    """
    if len(written) == ID_CHARACTERS:
        return written
    found: list[str] = []
    for archived in ("false", "true"):
        plans = converted(api.get("plans", archived=archived)["items"], list[PlanLine])
        found = found or [each.id for each in plans if _is_named(each, written)]
    if len(found) != 1:
        problem = f"More than one plan is named {written}." if found else f"There is no plan {written}."
        raise CommandFailed(problem, "List them with `jupyter cabinet plans`.", kind="not_found")
    return found[0]


def _is_named(plan: PlanLine, written: str) -> bool:
    return plan.id.endswith(written.lower()) or written in (plan.title, plan.checklist)
