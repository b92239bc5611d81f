"""The SQL of plans. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, delete, insert, select, update

from ..core.people import Principal, may_see
from ..storage import rows
from ..storage.sequence_numbers import next_number
from .model import Artifact, ArtifactKind, Plan, Step
from .rules.waiting import folder_of
from .tables import plan_artifacts, plan_steps, plans

MAX_PLANS = 500  # in a list
KEPT_ARTIFACTS = 20  # of a step and a kind


def insert_plan(connection: Connection, plan: Plan) -> Plan:
    """Insert a new plan with its steps, and return it with its number."""
    plan = msgspec.structs.replace(plan, number=next_number(connection))
    connection.execute(insert(plans).values(**_columns(plan)))
    _insert_steps(connection, plan, enumerate(plan.steps))
    return plan


def save_plan(connection: Connection, before: Plan, plan: Plan) -> Plan:
    """Store what has changed of a plan and its steps, and return it with its new number; the same plan if nothing has.

    `before`: the plan as it is stored. What steps have left that are gone is deleted.
    """
    if plan == before:
        return plan
    plan = msgspec.structs.replace(plan, number=next_number(connection))
    connection.execute(update(plans).where(plans.c.id == plan.id).values(**_columns(plan)))
    former = {step.id: (position, step) for position, step in enumerate(before.steps)}
    moved = plan.cwd != before.cwd
    for position, step in enumerate(plan.steps):
        if step.id in former and (moved or former[step.id] != (position, step)):
            values = _step_columns(plan, position, step)
            connection.execute(update(plan_steps).where(plan_steps.c.id == step.id).values(**values))
    _insert_steps(connection, plan, [(p, s) for p, s in enumerate(plan.steps) if s.id not in former])
    gone = former.keys() - {step.id for step in plan.steps}
    for step_id in gone:
        connection.execute(delete(plan_steps).where(plan_steps.c.id == step_id))
        connection.execute(delete(plan_artifacts).where(plan_artifacts.c.step_id == step_id))
    return plan


def delete_plan(connection: Connection, plan_id: str) -> None:
    """Delete a plan, its steps and what they have left."""
    connection.execute(delete(plan_artifacts).where(plan_artifacts.c.plan_id == plan_id))
    connection.execute(delete(plan_steps).where(plan_steps.c.plan_id == plan_id))
    connection.execute(delete(plans).where(plans.c.id == plan_id))


def load_plan(connection: Connection, plan_id: str) -> Plan | None:
    """Return a plan with its steps; None if there is none."""
    query = select(plans.c.id, plans.c.body, plans.c.number).where(plans.c.id == plan_id)
    plan = rows.first_value(connection, Plan, query)
    return plan if plan is None else _with_steps(connection, [plan])[0]


def list_plans(connection: Connection, principal: Principal, *, archived: bool) -> list[Plan]:
    """Return the plans that the caller may see, with their steps, the last changed first; at most 500.

    `archived`: only those that are archived, instead of only the others.
    """
    query: Select[Any] = select(plans.c.id, plans.c.body, plans.c.number).where(plans.c.archived == archived)
    query = rows.visible_to(query.order_by(plans.c.number.desc()).limit(MAX_PLANS), plans, principal)
    return _with_steps(connection, rows.values(connection, Plan, query))


def plans_with_proposals(connection: Connection, principal: Principal) -> list[Plan]:
    """Return the plans that the caller may see and that are not archived, without their steps, if they have proposals.

    The last changed is first; at most 500. Proposals that are decided count too.
    """
    query: Select[Any] = select(plans.c.id, plans.c.body, plans.c.number).where(~plans.c.archived)
    query = query.where(plans.c.body.contains('"proposals":[{')).order_by(plans.c.number.desc()).limit(MAX_PLANS)
    return rows.values(connection, Plan, rows.visible_to(query, plans, principal))


def plans_at_work(connection: Connection) -> list[Plan]:
    """Return the plans that are running, and those with a running step, oldest change first."""
    with_running = select(plan_steps.c.plan_id).where(plan_steps.c.state == "running")
    at_work = (plans.c.state == "running") | plans.c.id.in_(with_running)
    query = select(plans.c.id, plans.c.body, plans.c.number).where(at_work).order_by(plans.c.number)
    return _with_steps(connection, rows.values(connection, Plan, query))


def plans_asking(connection: Connection) -> list[Plan]:
    """Return the plans for which an agent writes steps."""
    query = select(plans.c.id, plans.c.body, plans.c.number).where(plans.c.body.contains('"breakdown":{"run_id":'))
    found = [plan for plan in rows.values(connection, Plan, query) if plan.breakdown is not None]
    return _with_steps(connection, [p for p in found if p.breakdown is not None and p.breakdown.state == "running"])


def occupied_folders(connection: Connection, principal: Principal | None = None) -> dict[str, str]:
    """Return the working directories in which a step of any plan is running, each with the title of that step.

    `principal`: the title is empty if this caller may not see the plan; None: all titles.
    """
    columns = plan_steps.c
    query = select(columns.folder, columns.title, plans.c.owner, plans.c.visibility)
    query = query.join(plans, plans.c.id == columns.plan_id).where(columns.state == "running")
    found = {}
    for row in connection.execute(query):
        seen = principal is None or may_see(principal, row.owner, row.visibility)
        found[row.folder] = row.title if seen else ""
    return found


def add_artifact(connection: Connection, plan_id: str, artifact: Artifact) -> None:
    """Store something that a step leaves; the oldest of its kind beyond 20 are deleted."""
    values = {"plan_id": plan_id, "step_id": artifact.step_id, "kind": artifact.kind, "at": artifact.at.timestamp()}
    connection.execute(insert(plan_artifacts).values(id=artifact.id, body=rows.encoded(artifact), **values))
    columns = plan_artifacts.c
    same = (columns.step_id == artifact.step_id) & (columns.kind == artifact.kind)
    newest = select(columns.id).where(same).order_by(columns.at.desc(), columns.id.desc()).limit(KEPT_ARTIFACTS)
    kept = list(connection.execute(newest).scalars())
    connection.execute(delete(plan_artifacts).where(same, columns.id.not_in(kept)))


def artifacts_of(connection: Connection, step_id: str) -> list[Artifact]:
    """Return what a step has left, newest first."""
    columns = plan_artifacts.c
    query = select(columns.id, columns.body).where(columns.step_id == step_id)
    return rows.values(connection, Artifact, query.order_by(columns.at.desc(), columns.id.desc()))


def latest_of(connection: Connection, step_ids: Sequence[str], kind: ArtifactKind) -> list[Artifact]:
    """Return the newest artifact of this kind of each step that has one, in the order of the steps."""
    found = [next((a for a in artifacts_of(connection, id) if a.kind == kind), None) for id in step_ids]
    return [artifact for artifact in found if artifact is not None]


def _with_steps(connection: Connection, found: Sequence[Plan]) -> list[Plan]:
    steps = _steps_of(connection, [plan.id for plan in found])
    return [msgspec.structs.replace(plan, steps=tuple(steps.get(plan.id, ()))) for plan in found]


def _steps_of(connection: Connection, plan_ids: Collection[str]) -> dict[str, list[Step]]:
    columns = plan_steps.c
    query = select(columns.id, columns.plan_id, columns.body).where(columns.plan_id.in_(plan_ids))
    found: dict[str, list[Step]] = {}
    for row in connection.execute(query.order_by(columns.plan_id, columns.position)):
        step = rows.decoded(Step, row.id, row.body)
        if step is not None:
            found.setdefault(row.plan_id, []).append(step)
    return found


def _insert_steps(connection: Connection, plan: Plan, steps: Any) -> None:
    values = [_step_columns(plan, position, step) for position, step in steps]
    if values:
        connection.execute(insert(plan_steps), values)


def _columns(plan: Plan) -> dict[str, Any]:
    names = ("id", "number", "state", "owner", "visibility", "archived")
    body = msgspec.structs.replace(plan, steps=(), number=0)
    return {name: getattr(plan, name) for name in names} | {"body": rows.encoded(body)}


def _step_columns(plan: Plan, position: int, step: Step) -> dict[str, Any]:
    return {
        "id": step.id,
        "plan_id": plan.id,
        "position": position,
        "state": step.state,
        "folder": folder_of(plan, step),
        "title": step.title,
        "run_id": step.run_id,
        "body": rows.encoded(step),
    }
