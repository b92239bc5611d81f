"""The task lines of a Markdown file, and their marks. Pure.

A task line is a list item with a box: `- [ ] text`, also with `*`, `+`, `1.` or `1)`, at any indent. Lines in fenced
blocks and quotations are none. Marks: a space is open, `~` in progress, `x` done, `!` blocked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from ...core.errors import Conflict, Invalid
from ..model import Checklist, Plan, Step
from .graph import MAX_TITLE, STUCK, UNBEGUN
from .rest import at_rest, resting

OPEN, IN_PROGRESS, DONE, BLOCKED = " ", "~", "x", "!"
MAX_TASKS = 500
NONE_OF_ITS_TASKS = "{path} has none of the tasks of this plan. Choose the file that has them, or create another plan."
_TASK = re.compile(r"(?P<start>[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)(?P<mark>[ xX~!])\](?P<text>[ \t]+[^\r\n]*)")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`\r\n]*\r?$)|~{3,})(.*)", re.DOTALL)


class Task(NamedTuple):
    """A task line. `key` names it by its text, and by its number among lines with the same text."""

    key: str
    text: str
    mark: str
    place: int  # offset of the mark in the file's text


def tasks_of(text: str) -> list[Task]:
    """Return the task lines of a Markdown text, in their order; empty if it has none."""
    found: list[Task] = []
    counts: Counter[str] = Counter()
    fence, offset = "", 0
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence:
            if opening and opening[1][0] == fence[0] and len(opening[1]) >= len(fence) and not opening[2].strip():
                fence = ""
        elif opening:
            fence = opening[1]
        elif task := _TASK.match(line):
            words = task["text"].strip()
            if words:
                counts[words] += 1
                key = f"{words}#{counts[words]}"
                mark = task["mark"].lower()
                found.append(Task(key=key, text=words, mark=mark, place=offset + task.end("start")))
        offset += len(line) + 1
    return found


def with_marks(text: str, marks: Mapping[str, str]) -> str:
    """Return the text with the marks of these tasks, by their keys.

    Nothing else changes, and unknown keys are ignored.
    """
    characters = list(text)
    for task in tasks_of(text):
        if task.key in marks:
            characters[task.place] = marks[task.key]
    return "".join(characters)


class Followed(NamedTuple):
    """A plan that agrees with its checklist, and the marks that the file should get, by the keys of the tasks."""

    plan: Plan
    marks: dict[str, str]


def followed(plan: Plan, checklist: Checklist, text: str, make_id: Callable[[], str]) -> Followed:
    """Return the plan with the tasks of its file as steps, and the marks for the file. Nothing is written.

    New lines become steps, in the order of the file, unless they are checked already; only the first 500 lines count. A
    mark that people have set counts: a checked task is skipped, and one that was opened again is carried out again.
    Steps that have not been done and whose line is gone are skipped.
    """
    tasks = tasks_of(text)[:MAX_TASKS]
    known = {step.task: step for step in plan.steps if step.task is not None}
    wanted = plan.state == "running"
    steps: list[Step] = []
    marks: dict[str, str] = {}
    for task in tasks:
        step = known.pop(task.key, None)
        if step is None and task.mark == DONE:
            continue
        step = _new(task, checklist, make_id(), wanted=wanted) if step is None else _heard(step, task, wanted=wanted)
        mark = _mark_of(step, task.mark)
        if mark != task.mark:
            marks[task.key] = mark
        steps.append(msgspec.structs.replace(step, mark=mark))
    gone = [_without_line(step, checklist) for step in known.values()]
    others = [step for step in plan.steps if step.task is None]
    after = msgspec.structs.replace(plan, steps=(*steps, *others, *gone))
    return Followed(resting(after), marks)


def moved(plan: Plan, checklist: Checklist, text: str) -> Plan:
    """Return the plan with its checklist at another path. `text`: of the file there.

    Raises `Conflict` while it is running, and `Invalid` if the file has none of its tasks: it is another file.
    """
    if plan.state == "running" or any(step.state == "running" for step in plan.steps):
        raise Conflict("This plan is running. Pause it, and wait for the steps that are running.")
    known = {step.task for step in plan.steps if step.task is not None}
    if known and known.isdisjoint(task.key for task in tasks_of(text)):
        raise Invalid(NONE_OF_ITS_TASKS.format(path=checklist.path), field="path")
    after = msgspec.structs.replace(plan, checklist=checklist)
    reason = f"It now works through {checklist.path}. Run the plan to continue."
    return at_rest(after, "paused", reason) if plan.state == "paused" else after


def with_checklist(plan: Plan, after: Checklist | None) -> Plan:
    """Return the plan with other settings of its checklist, which also apply to tasks that have not begun, or have
    failed.

    A task whose verify command or retries somebody has changed keeps them.
    """
    before = plan.checklist
    if before is None or after is None:
        return msgspec.structs.replace(plan, checklist=after)
    steps = (_retold(step, before, after) for step in plan.steps)
    return msgspec.structs.replace(plan, checklist=after, steps=tuple(steps))


def _retold(step: Step, before: Checklist, after: Checklist) -> Step:
    if step.task is None or step.state not in (*UNBEGUN, *STUCK):
        return step
    verify = after.verify if step.verify == before.verify else step.verify
    retries = after.retries if step.retries == before.retries else step.retries
    return msgspec.structs.replace(step, verify=verify, retries=retries)


def _new(task: Task, checklist: Checklist, id: str, *, wanted: bool) -> Step:
    title = task.text if len(task.text) <= MAX_TITLE else f"{task.text[: MAX_TITLE - 1]}…"
    step = Step(
        id=id,
        title=title,
        prompt=task.text,
        task=task.key,
        mark=task.mark,
        verify=checklist.verify,
        retries=checklist.retries,
        state="queued" if wanted else "pending",
    )
    if task.mark == BLOCKED:
        return msgspec.structs.replace(step, **_blocked(checklist))
    return step


def _heard(step: Step, task: Task, *, wanted: bool) -> Step:
    """Return the step after what people have done to its mark since it was last written."""
    if task.mark == step.mark or step.state == "running":
        return step
    if task.mark == DONE and step.state in (*UNBEGUN, "failed", "blocked"):
        return msgspec.structs.replace(step, state="skipped", reason="Somebody has checked it off.", blocker="")
    if task.mark == OPEN and step.state in ("done", "failed", "blocked", "skipped"):
        state = "queued" if wanted else "pending"
        return msgspec.structs.replace(step, state=state, attempts=0, reason="", failure="", blocker="")
    return step


def _mark_of(step: Step, current: str) -> str:
    """Return the mark for a step. Marks that say the same as the step stay as they are."""
    match step.state:
        case "running":
            return IN_PROGRESS
        case "done":
            return DONE
        case "failed" | "blocked":
            return BLOCKED
        case "skipped":
            return current
        case _:
            return OPEN


def _without_line(step: Step, checklist: Checklist) -> Step:
    if step.state in (*UNBEGUN, "failed", "blocked"):
        return msgspec.structs.replace(step, state="skipped", reason=f"Its line is no longer in {checklist.path}.")
    return step


def _blocked(checklist: Checklist) -> dict[str, Any]:
    text = f"It is marked as blocked in {checklist.path}."
    return {"state": "blocked", "reason": text, "blocker": text}
