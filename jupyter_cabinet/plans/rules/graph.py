"""The graph of a plan's steps: dependencies, cycles, readiness, and steps that are added or removed. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ...core.errors import Conflict, Invalid
from ..model import MAX_STEPS, Checklist, NewStep, Plan, Step, StepFields

SETTLED = frozenset({"done", "skipped"})  # a step may begin when all its dependencies are in one of these states
STUCK = frozenset({"failed", "blocked"})  # a step may not be queued while a dependency is in one of these states
UNBEGUN = frozenset({"pending", "queued"})

MAX_TITLE, MAX_TEXT, MAX_DEPENDENCIES, MAX_RETRIES = 200, 50_000, 100, 5
MAX_COMMAND_BYTES = 20_000


def step_of(plan: Plan, step_id: str) -> Step:
    """Return a step of a plan. Raises `Conflict` if the plan has no such step."""
    for step in plan.steps:
        if step.id == step_id:
            return step
    raise Conflict("The plan has no such step any more.")


def with_step(plan: Plan, step_id: str, **changes: Any) -> Plan:
    """Return the plan with some fields of one step changed. Nothing changes if the plan has no such step."""
    return with_steps(plan, {step_id: changes})


def with_steps(plan: Plan, changes: Mapping[str, Mapping[str, Any]]) -> Plan:
    """Return the plan with some steps changed. `changes`: new values of fields, by step id. Unknown ids are ignored."""
    steps = (msgspec.structs.replace(s, **changes[s.id]) if s.id in changes else s for s in plan.steps)
    return msgspec.structs.replace(plan, steps=tuple(steps))


def dependents(plan: Plan, step_id: str) -> tuple[Step, ...]:
    """Return the steps that depend directly on this one."""
    return tuple(step for step in plan.steps if step_id in step.depends_on)


def obstacle_to_queue(plan: Plan, step: Step) -> str:
    """Return why a step may not be queued, as a sentence; empty if it may.

    A direct or indirect dependency has failed, is blocked or does not exist. One that has not begun is no obstacle.
    """
    by_id = {each.id: each for each in plan.steps}
    needed = list(step.depends_on)
    for dependency in needed:
        found = by_id.get(dependency)
        if found is None:
            return f"“{step.title}” waits for a step that does not exist any more. Change its dependencies."
        if found.state in STUCK:
            how = "failed" if found.state == "failed" else "is blocked"
            return f"“{step.title}” waits for “{found.title}”, which {how}. Run that step again, or skip it."
        if found.state not in SETTLED:
            needed.extend(id for id in found.depends_on if id not in needed)  # a list is walked to what is added
    return ""


def settled_ids(plan: Plan) -> frozenset[str]:
    """Return the ids of the steps that are done or skipped."""
    return frozenset(step.id for step in plan.steps if step.state in SETTLED)


def is_ready(step: Step, settled: Collection[str]) -> bool:
    """Return whether all dependencies of a step are done or skipped. `settled`: see `settled_ids`."""
    return all(dependency in settled for dependency in step.depends_on)


def find_cycle(depends_on: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return the ids of a cycle of dependencies, each once; empty if there is none.

    Unknown ids are ignored. Linear, and without recursion.
    """
    finished: set[str] = set()
    for start in depends_on:
        path: list[str] = []
        on_path: set[str] = set()
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                path.pop()
                on_path.discard(node)
                finished.add(node)
            elif node in on_path:
                return tuple(path[path.index(node) :])
            elif node not in finished and node in depends_on:
                path.append(node)
                on_path.add(node)
                stack.append((node, True))
                stack.extend((other, False) for other in depends_on[node])
    return ()


def check_acyclic(plan: Plan) -> None:
    """Raise `Invalid` if the dependencies form a cycle."""
    if cycle := find_cycle({step.id: step.depends_on for step in plan.steps}):
        titles = " → ".join(f"“{step_of(plan, id).title}”" for id in (*cycle, cycle[0]))
        raise Invalid(f"The dependencies form a cycle: {titles}. Remove one of them.", field="depends_on")


def check_fields(fields: StepFields, *, name: str = "steps") -> None:
    """Raise `Invalid` if the fields of a step are empty, too long or contradict each other."""
    if not fields.title.strip():
        raise Invalid("A step needs a title.", field=name)
    if len(fields.title) > MAX_TITLE or not is_one_line(fields.title):
        raise Invalid(f"A title is one line of at most {MAX_TITLE} characters.", field=name)
    if max(len(fields.description), len(fields.prompt)) > MAX_TEXT:
        raise Invalid(f"The text of “{fields.title}” is longer than {MAX_TEXT} characters.", field=name)
    if len(fields.depends_on) > MAX_DEPENDENCIES:
        raise Invalid(f"“{fields.title}” has more than {MAX_DEPENDENCIES} dependencies.", field=name)
    if not 0 <= fields.retries <= MAX_RETRIES:
        raise Invalid(f"“{fields.title}”: retries is a number from 0 to {MAX_RETRIES}.", field=name)
    for command in (fields.command, fields.verify):
        if command:
            _check_command(command, fields.title, name)
    if fields.command and (fields.agent or fields.runtime):
        raise Invalid(
            f"“{fields.title}” has a command, so it cannot have an agent or a runtime. Remove one of them.", field=name
        )


def check_checklist(checklist: Checklist) -> None:
    """Raise `Invalid` for settings that the steps of a checklist could not have."""
    check_fields(StepFields(title="checklist", verify=checklist.verify, retries=checklist.retries), name="checklist")


def is_one_line(title: str) -> bool:
    """Return whether a title has no line break of any kind and no control character, which a prompt could obey."""
    return not any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") for each in title)


def _check_command(command: Sequence[str], title: str, name: str) -> None:
    if not command[0].strip() or any("\0" in part for part in command):
        raise Invalid(f"The command of “{title}” is empty or has a NUL character.", field=name)
    if sum(len(part.encode(errors="replace")) for part in command) > MAX_COMMAND_BYTES:
        raise Invalid(f"The command of “{title}” is longer than {MAX_COMMAND_BYTES // 1000} kB.", field=name)


def with_new_steps(plan: Plan, new: Sequence[NewStep], make_id: Callable[[], str]) -> Plan:
    """Return the plan with all of the new steps added at its end, pending.

    A dependency is the id of a step of the plan, or the key of a step in `new`. Raises `Invalid` for invalid fields, an
    unknown dependency, a repeated key, a cycle, or more than 500 steps. The plan's `max_steps` does not count here.
    """
    if len(plan.steps) + len(new) > MAX_STEPS:
        raise Invalid(f"A plan has at most {MAX_STEPS} steps.", field="steps")
    existing = {step.id for step in plan.steps}
    ids = [make_id() for _ in new]
    keys: dict[str, str] = {}
    for each, id in zip(new, ids, strict=True):
        check_fields(each)
        if each.key is None:
            continue
        if each.key in keys or each.key in existing:
            raise Invalid(f"Two steps have the key {each.key}.", field="steps")
        keys[each.key] = id
    added = tuple(_made(each, id, keys, existing) for each, id in zip(new, ids, strict=True))
    after = msgspec.structs.replace(plan, steps=(*plan.steps, *added))
    check_acyclic(after)
    return after


def _made(new: NewStep, id: str, keys: Mapping[str, str], existing: set[str]) -> Step:
    depends_on = []
    for name in dict.fromkeys(new.depends_on):
        found = keys.get(name) or (name if name in existing else None)
        if found is None:
            raise Invalid(
                f"“{new.title}” depends on {name[:100]}, which is not a step of this plan. Name the step by its key.",
                field="steps",
            )
        depends_on.append(found)
    return Step(**fields_of(new) | {"depends_on": tuple(depends_on)}, id=id)


def fields_of(fields: StepFields) -> dict[str, Any]:
    """Return what people write about a step, without its key or its state."""
    return {name: getattr(fields, name) for name in StepFields.__struct_fields__}


def edited(plan: Plan, step_id: str, fields: StepFields) -> Plan:
    """Return the plan with another text, other settings or other dependencies of a step.

    Raises `Conflict` if there is no such step, while it is running, and for other dependencies of a step that has
    begun; `Invalid` for invalid fields, an unknown dependency or a cycle.
    """
    step = step_of(plan, step_id)
    if step.state == "running":
        raise Conflict("This step is running. Change it when it has ended.")
    check_fields(fields)
    existing = {each.id for each in plan.steps}
    unknown = [each for each in fields.depends_on if each not in existing]
    if unknown:
        raise Invalid("It depends on a step that this plan does not have.", field="depends_on")
    if step_id in fields.depends_on:
        raise Invalid("A step cannot depend on itself.", field="depends_on")
    values = fields_of(fields) | {"depends_on": tuple(dict.fromkeys(fields.depends_on))}
    if values["depends_on"] != step.depends_on and step.state not in UNBEGUN:
        raise Conflict("This step has begun, so its dependencies cannot be changed.")
    after = with_step(plan, step_id, **values, lost=())
    check_acyclic(after)
    return after


def removed(plan: Plan, step_id: str) -> Plan:
    """Return the plan without a step. Its dependents lose this dependency, and their `lost` names it.

    Raises `Conflict` if there is no such step, and while it is running.
    """
    step = step_of(plan, step_id)
    if step.state == "running":
        raise Conflict("This step is running. Stop its run first.")
    changes = {
        each.id: {
            "depends_on": tuple(id for id in each.depends_on if id != step_id),
            "lost": (*each.lost, step.title) if each.state in UNBEGUN else each.lost,
        }
        for each in dependents(plan, step_id)
    }
    return without(with_steps(plan, changes), {step_id})


def without(plan: Plan, gone: Collection[str]) -> Plan:
    """Return the plan without these steps. What their runs have cost still counts."""
    for step in plan.steps:
        if step.id in gone:
            plan = with_other_cost(plan, step.cost_usd)
    return msgspec.structs.replace(plan, steps=tuple(step for step in plan.steps if step.id not in gone))


def with_other_cost(plan: Plan, cost: float | None) -> Plan:
    """Return the plan with the cost of runs that belong to none of its steps. `cost`: in US dollars; None: unknown."""
    return plan if cost is None else msgspec.structs.replace(plan, other_cost_usd=(plan.other_cost_usd or 0.0) + cost)


def split(plan: Plan, step_id: str, new: Sequence[NewStep], make_id: Callable[[], str], *, in_order: bool) -> Plan:
    """Return the plan with a step replaced by several, which are placed behind it. The original is skipped.

    The new steps have the original's dependencies, and its dependents depend on the new ones. Of the dependencies that
    the new steps name, only those on each other count. `in_order`: each new step depends on the one before instead.
    Raises `Conflict` if there is no such step, for one that is running, done or a task of a checklist, and if a
    dependent has begun; `Invalid` for fewer than two steps, and as `with_new_steps`.
    """
    step = step_of(plan, step_id)
    if step.state in ("running", "done"):
        raise Conflict("Only a step that is not running and not done can be split.")
    if len(new) < 2:
        raise Invalid("Give at least two steps.", field="steps")
    if step.task is not None:
        raise Conflict("This step is a task of a checklist. Edit the file instead.")
    begun = [each for each in dependents(plan, step_id) if each.state not in UNBEGUN]
    if begun:
        raise Conflict(f"“{begun[0].title}” depends on this step and has begun already.")
    count = len(plan.steps)
    inherited = {"runtime": step.runtime, "agent": step.agent, "cwd": step.cwd}
    full = [_inheriting(each, inherited) for each in new]
    after = with_new_steps(plan, full, make_id)
    made = list(after.steps[count:])
    keyed = {each.id for each in made}
    for index, each in enumerate(made):
        own = tuple(id for id in each.depends_on if id in keyed)
        before = (made[index - 1].id,) if in_order and index else own
        made[index] = msgspec.structs.replace(each, depends_on=before or step.depends_on)
    needed = {id for each in made for id in each.depends_on}
    ends = tuple(each.id for each in made if each.id not in needed)
    changes: dict[str, dict[str, Any]] = {
        each.id: {"depends_on": tuple(dict.fromkeys((*(i for i in each.depends_on if i != step_id), *ends)))}
        for each in dependents(plan, step_id)
    }
    changes[step_id] = {"state": "skipped", "reason": "It was split into other steps."}
    if step.state == "queued":
        made = [msgspec.structs.replace(each, state="queued") for each in made]
    after = with_steps(msgspec.structs.replace(after, steps=after.steps[:count]), changes)
    after = msgspec.structs.replace(after, steps=placed_after(after.steps, step_id, made))
    check_acyclic(after)
    return after


def _inheriting(new: NewStep, inherited: Mapping[str, Any]) -> NewStep:
    if new.command:
        return msgspec.structs.replace(new, cwd=new.cwd or inherited["cwd"])
    return msgspec.structs.replace(new, **{name: getattr(new, name) or value for name, value in inherited.items()})


def placed_after(steps: Sequence[Step], step_id: str, new: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps with new ones right behind this one, which must be one of `steps`."""
    at = next(index for index, each in enumerate(steps) if each.id == step_id) + 1
    return (*steps[:at], *new, *steps[at:])
