"""Proposals of an evaluation: applying them to a plan, refusing and undoing them. Pure."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ...core.errors import Conflict, Invalid
from ..model import AddSibling, InsertBetween, Plan, Proposal, Step
from .graph import UNBEGUN, check_acyclic, check_fields, dependents, placed_after, step_of, with_steps, without

MAX_MUTATIONS = 5  # of one proposal
MAX_PROPOSALS = 100  # that a plan keeps


def proposed(plan: Plan, proposal: Proposal) -> Plan:
    """Return the plan with a new proposal; the oldest decided ones beyond 100 are forgotten, else the oldest of all."""
    kept = [*plan.proposals, proposal]
    while len(kept) > MAX_PROPOSALS:
        old = next((each for each in kept if each.state != "open"), kept[0])
        kept.remove(old)
    return msgspec.structs.replace(plan, proposals=tuple(kept))


def proposal_of(plan: Plan, proposal_id: str) -> Proposal:
    """Return a proposal of the plan. Raises `Conflict` if there is none."""
    found = next((each for each in plan.proposals if each.id == proposal_id), None)
    if found is None:
        raise Conflict("The plan has no such proposal any more.")
    return found


def applied(plan: Plan, proposal_id: str, make_id: Callable[[], str], *, by: str) -> Plan:
    """Return the plan with a proposal carried out, in the order of its mutations: two inserts make a chain.

    Only steps that have not begun get other dependencies. `by`: who decided, as a sentence. Raises `Conflict` if there
    is no such proposal, it is not open, its step is gone, or a step that it would change has begun; `Invalid` beyond
    `max_steps`, and for a title or text that a step cannot have.
    """
    proposal = proposal_of(plan, proposal_id)
    if proposal.state != "open":
        raise Conflict("This proposal has been decided already.")
    step_of(plan, proposal.step_id)
    if len(plan.steps) + len(proposal.mutations) > plan.max_steps:
        raise Invalid(f"The plan would have more than its limit of {plan.max_steps} steps.", field="max_steps")
    before: dict[str, tuple[str, ...]] = {}
    added: list[str] = []
    after, anchor = plan, proposal.step_id
    for mutation in proposal.mutations:
        made = _made(after, mutation, make_id(), anchor=anchor, source=proposal.step_id)
        after, changed = _with(after, mutation, made, anchor=anchor)
        for id, depends_on in changed.items():
            before.setdefault(id, depends_on)
        added.append(made.id)
        if isinstance(mutation, InsertBetween):
            anchor = made.id
    before = {id: depends_on for id, depends_on in before.items() if id not in added}
    check_acyclic(after)
    return _decided(after, proposal, state="applied", reason=by, added=tuple(added), before=before)


def _made(plan: Plan, mutation: InsertBetween | AddSibling, id: str, *, anchor: str, source: str) -> Step:
    check_fields(_fields(mutation))
    beside = step_of(plan, source)
    depends_on = (anchor,) if isinstance(mutation, InsertBetween) else beside.depends_on
    step = _fields(mutation)
    return msgspec.structs.replace(
        step,
        id=id,
        depends_on=depends_on,
        runtime=beside.runtime,
        agent=beside.agent,
        cwd=beside.cwd,
        added_by=source,
    )


def _fields(mutation: InsertBetween | AddSibling) -> Step:
    return Step(id="", title=mutation.title, description=mutation.description, prompt=mutation.prompt)


def _with(
    plan: Plan, mutation: InsertBetween | AddSibling, made: Step, *, anchor: str
) -> tuple[Plan, dict[str, tuple[str, ...]]]:
    """Return the plan with this step, and the former dependencies of the steps that it changes."""
    following = dependents(plan, anchor)
    begun = next((each for each in following if each.state not in UNBEGUN), None)
    if begun is not None:
        raise Conflict(f"“{begun.title}” has begun already, so nothing can be put before it.")
    replaced = isinstance(mutation, InsertBetween)
    changes = {
        each.id: {
            "depends_on": tuple(made.id if id == anchor else id for id in each.depends_on)
            if replaced
            else (*each.depends_on, made.id)
        }
        for each in following
    }
    wanted = any(each.state == "queued" for each in following) or plan.state == "running"
    made = msgspec.structs.replace(made, state="queued" if wanted else "pending")
    after = with_steps(plan, changes)
    after = msgspec.structs.replace(after, steps=placed_after(after.steps, anchor, [made]))
    return after, {each.id: each.depends_on for each in following}


def refused(plan: Plan, proposal_id: str, *, reason: str) -> Plan:
    """Return the plan with a proposal refused. Raises `Conflict` if there is no such proposal, or it is not open."""
    proposal = proposal_of(plan, proposal_id)
    if proposal.state != "open":
        raise Conflict("This proposal has been decided already.")
    return _decided(plan, proposal, state="refused", reason=reason)


def undone(plan: Plan, proposal_id: str, *, by: str) -> Plan:
    """Return the plan without the steps and dependencies that a proposal has added; later changes of the plan are kept.

    Raises `Conflict` if there is no such proposal, it is not applied, or a step that it has added has begun or was
    removed.
    """
    proposal = proposal_of(plan, proposal_id)
    if proposal.state != "applied":
        raise Conflict("Only a proposal that was applied can be undone.")
    steps = {each.id: each for each in plan.steps}
    for id in proposal.added:
        if id not in steps:
            raise Conflict("A step that it has added was removed, so it cannot be undone.")
        if steps[id].state not in UNBEGUN:
            raise Conflict(f"“{steps[id].title}” has begun already, so it cannot be undone.")
    gone = set(proposal.added)
    changes = {}
    for step in plan.steps:
        if step.id in gone or not gone & set(step.depends_on):
            continue
        former = tuple(id for id in proposal.before.get(step.id, ()) if id in steps)
        own = tuple(id for id in step.depends_on if id not in gone)
        changes[step.id] = {"depends_on": tuple(dict.fromkeys((*former, *own)))}
    after = without(with_steps(plan, changes), gone)
    return _decided(after, proposal, state="undone", reason=by)


def _decided(plan: Plan, proposal: Proposal, **changes: object) -> Plan:
    after = msgspec.structs.replace(proposal, **changes)
    kept = tuple(after if each.id == proposal.id else each for each in plan.proposals)
    return msgspec.structs.replace(plan, proposals=kept)


def open_proposals(plan: Plan) -> dict[str, Proposal]:
    """Return the proposals that wait for a decision, by the id of the step that was evaluated.

    Of several for one step, only the newest is included.
    """
    return {each.step_id: each for each in plan.proposals if each.state == "open"}
