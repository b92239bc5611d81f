"""The data types of plans: plans, steps, proposals, handoffs, requests and events. Also the wire format.

The transitions are in `rules/transitions.py` and `rules/step_phases.py`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..core.events import Event
from ..core.people import Visibility
from ..runs.model import NewRun
from ..runtimes.model import PermissionMode

MAX_STEPS = 500  # of a plan, whatever its own limit says
DEFAULT_STEPS = 100

# failed and blocked: nothing can continue without a person. blocked: no step has failed, but some are blocked
PlanState = Literal["draft", "running", "paused", "done", "failed", "blocked"]
StepState = Literal["pending", "queued", "running", "done", "failed", "blocked", "skipped"]
# What a running step is doing: its work, the verify command, a git commit, the handoff, or the evaluation of the rest
Phase = Literal["work", "verify", "commit", "handoff", "evaluate"]
Execution = Literal["primary", "retry", "continuation"]
ReportStatus = Literal["done", "failed", "blocked"]
# off: the plan stays as it is. propose: a person decides on each proposal. auto: proposals are applied at once
Evaluation = Literal["off", "propose", "auto"]
ProposalState = Literal["open", "applied", "refused", "undone"]
Verdict = Literal["COMPLETE", "NEEDS_REFINEMENT", "HAS_BLOCKER"]


class StepReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a step says about its own result. Also the body of `POST plans/{id}/steps/{id}/report`."""

    status: ReportStatus
    summary: str = ""  # for the steps that depend on it: what was done, what was decided, what they need
    blocker: str = ""  # what a person has to do, for the status `blocked`


# How the work of a step ended although its run succeeded: by the report of the step, or because it did nothing
WorkProblem = Literal["reported_failed", "reported_blocked", "no_result"]


class StepRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that belonged to a step."""

    run_id: str
    phase: Phase
    execution: Execution = "primary"
    state: str = ""  # its final state; empty: it has not ended
    problem: WorkProblem | None = None  # why its work was not done, if the state does not say so
    at: datetime


class StepFields(msgspec.Struct, frozen=True, kw_only=True):
    """What people and agents write about a step."""

    title: str
    description: str = ""
    prompt: str = ""  # the instruction; empty: the title and the description are the instruction
    depends_on: tuple[str, ...] = ()  # ids of steps; in a request also keys of the same request
    runtime: str | None = None  # None: that of the plan
    agent: str | None = None  # slug of the agent that carries it out; None: that of the plan
    cwd: str | None = None  # relative to the server's root; None: that of the plan
    command: tuple[str, ...] = ()  # a program and its arguments, instead of an agent CLI
    verify: tuple[str, ...] = ()  # a program that must succeed before the step counts as done
    retries: int = 1  # further attempts after a failure where another one may help


class Step(StepFields, frozen=True, kw_only=True):
    """One step of a plan."""

    id: str
    state: StepState = "pending"
    reason: str = ""  # how it ended, or why the last attempt failed, as a sentence
    failure: str = ""  # kind of the failure of the last attempt: that of its run, or no_result, verify, reported
    blocker: str = ""  # what a person has to do, if it is blocked
    phase: Phase | None = None  # only while it is running
    run_id: str | None = None  # the run of this phase; None: it is about to be queued
    work_run_id: str | None = None  # the last run that did its work
    execution: Execution = "primary"  # of the next or current run of its work
    attempts: int = 0  # runs of its work since a person has started it
    report: StepReport | None = None  # by the current or last run of its work
    answer: str = ""  # the end of the answer of the last run of its work
    runs: tuple[StepRun, ...] = ()  # oldest first
    lost: tuple[str, ...] = ()  # titles of removed steps on which it depended
    cost_usd: float | None = None  # of all its runs; None: unknown
    changed_files: int | None = None  # by the last run of its work; None: not compared
    commit: str = ""  # what was committed to git, or why nothing was, as a sentence
    added_by: str | None = None  # the step after which an evaluation has added it
    task: str | None = None  # key of its line in the plan's checklist
    mark: str = ""  # of that line, as it was last read or written
    started_at: datetime | None = None
    finished_at: datetime | None = None


class InsertBetween(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="INSERT_BETWEEN"):
    """A new step after the evaluated one: the steps that depended on that one now depend on the new one."""

    title: str
    description: str = ""
    prompt: str = ""


class AddSibling(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="ADD_SIBLING"):
    """A new step beside the evaluated one: with its dependencies, and added to the dependencies of its dependents."""

    title: str
    description: str = ""
    prompt: str = ""


Mutation = InsertBetween | AddSibling


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """What the evaluation of a step suggests."""

    id: str
    step_id: str
    run_id: str
    verdict: Verdict
    comment: str = ""
    mutations: tuple[Mutation, ...] = ()
    state: ProposalState = "open"
    reason: str = ""  # who decided, or why it could not be applied
    added: tuple[str, ...] = ()  # ids of the steps that it has added
    before: dict[str, tuple[str, ...]] = {}  # dependencies that it has changed, by step: for undoing
    at: datetime


BreakdownState = Literal["running", "refused", "failed", "added"]


class BreakdownStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent fares that was asked for the steps of a plan. `refused`: it is asked once more, with the problem."""

    run_id: str
    state: BreakdownState = "running"
    problem: str = ""  # why its answer added no steps, as a sentence
    corrected: bool = False  # this is the second time
    added: int = 0  # steps


Domain = Literal["general", "coding", "research", "ops"]


class Checklist(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Markdown file that a plan works through: its task lines are the steps, and their marks show the progress."""

    path: str  # relative to the server's root
    domain: Domain = "general"  # of the guidelines that each task receives
    verify: tuple[str, ...] = ()  # a program that must succeed before a task counts as done
    retries: int = 2  # further attempts at each task


class PlanFields(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a plan."""

    title: str
    description: str = ""
    cwd: str = "."  # relative to the server's root
    runtime: str | None = None  # None: the server's default, or that of the agent
    model: str | None = None
    agent: str | None = None
    permission_mode: PermissionMode | None = None  # None: the server's default, or that of the agent
    isolate: bool | None = None  # true: its runs work in a sandbox or not at all
    evaluation: Evaluation = "off"
    max_steps: int = DEFAULT_STEPS  # evaluations add no step beyond this number
    commit: bool = False  # the files that a step has changed are committed to git when it has passed
    # The plan pauses at these limits; None: no limit. Runs of the steps' work and time count since a person started it.
    max_cost_usd: float | None = None
    max_runs: int | None = None
    max_minutes: float | None = None
    checklist: Checklist | None = None


class Plan(PlanFields, frozen=True, kw_only=True):
    """A plan with its steps, in the order in which people see them."""

    id: str
    number: int = 0  # of its last change: the order of lists
    state: PlanState = "draft"
    reason: str = ""  # why it rests, as a sentence
    begun_at: datetime | None = None  # when a person last started it
    begun_runs: int = 0  # runs of its steps' work since then
    owner: str
    owner_name: str
    visibility: Visibility
    archived: bool = False
    steps: tuple[Step, ...] = ()
    proposals: tuple[Proposal, ...] = ()  # oldest first
    other_cost_usd: float | None = None  # of breakdowns, and of steps that were removed; None: of none, or unknown
    breakdown: BreakdownStatus | None = None  # of the last time that an agent was asked for steps
    created_at: datetime
    updated_at: datetime


ArtifactKind = Literal["handoff", "test_report", "commit"]


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a step has left for later."""

    id: str
    step_id: str
    kind: ArtifactKind
    run_id: str
    text: str
    at: datetime


# --- requests ----------------------------------------------------------------------------------


class NewStep(StepFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A step in a request. `depends_on` may name steps of the same request by their `key`."""

    key: str | None = None


class NewPlan(PlanFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plans`."""

    steps: tuple[NewStep, ...] = ()


class AddSteps(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plans/{id}/steps`. All of them are added, or none."""

    steps: tuple[NewStep, ...]


class SplitStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plans/{id}/steps/{id}/split`. `in_order`: each new step depends on the one before."""

    steps: tuple[NewStep, ...]
    in_order: bool = True


class Breakdown(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plans/{id}/breakdown`."""

    instruction: str
    runtime: str | None = None
    agent: str | None = None


class ChooseChecklist(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plans/{id}/checklist`. `path`: of the renamed or moved file, relative to the server's root."""

    path: str


class NewStepRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="step"):
    """The work of a step. Only plans request it."""

    plan_id: str
    step_id: str
    agent: str | None = None
    command: tuple[str, ...] = ()


class NewVerifyRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="verify"):
    """The verify command of a step. Only plans request it."""

    plan_id: str
    step_id: str
    command: tuple[str, ...]


class NewCommitRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="commit"):
    """The git commit of what a step has changed. Only plans request it."""

    plan_id: str
    step_id: str
    agent: str | None = None  # who did the work
    command: tuple[str, ...] = ("git", "commit")  # as it is shown; the files are known when the run starts


class NewHandoffRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="handoff"):
    """A short run that writes what the next steps need to know. Only plans request it."""

    plan_id: str
    step_id: str
    agent: str | None = None


class NewEvaluateRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="evaluate"):
    """A short run that looks at a step's result and proposes changes of the plan. Only plans request it."""

    plan_id: str
    step_id: str
    agent: str | None = None


class NewBreakdownRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="breakdown"):
    """A run that answers with the steps of a plan. Only plans request it."""

    plan_id: str
    agent: str | None = None
    correction: str = ""  # why the first answer was refused


# --- views -------------------------------------------------------------------------------------


class StepView(Step, frozen=True, kw_only=True):
    """A step as people see it."""

    waits: str = ""  # why a queued step has not begun, or what the run of a running one waits for


class PlanCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many of a plan's steps are in each state. `waiting`: the running steps whose run waits, also in `running`."""

    pending: int = 0
    queued: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    blocked: int = 0
    skipped: int = 0
    waiting: int = 0


class PlanLine(msgspec.Struct, frozen=True, kw_only=True):
    """A plan in a list."""

    id: str
    title: str
    description: str
    state: PlanState
    reason: str
    cwd: str
    owner: str
    owner_name: str
    archived: bool
    may_change: bool
    counts: PlanCounts
    cost_usd: float | None
    open_proposals: int
    checklist: str | None  # the path of the file that it works through
    created_at: datetime
    updated_at: datetime


class PlanView(Plan, frozen=True, kw_only=True):
    """A plan as people see it."""

    steps: tuple[StepView, ...] = ()
    checklist_missing: bool = False  # its file was renamed, moved or deleted: `POST plans/{id}/checklist`
    counts: PlanCounts
    cost_usd: float | None
    may_change: bool


class StepDetail(msgspec.Struct, frozen=True, kw_only=True):
    """A step with what it has left and what it receives."""

    step: StepView
    artifacts: tuple[Artifact, ...]  # newest first
    receives: tuple[Artifact, ...]  # the latest handoff of each direct dependency


class QueuedStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step of any plan that is queued or running."""

    plan_id: str
    plan_title: str
    step: StepView
    cwd: str


# --- events ------------------------------------------------------------------------------------


class PlanChanged(Event, frozen=True, kw_only=True, tag="plan_changed"):
    """A plan or one of its steps has changed, or a plan was created."""

    resource = "cabinet-runs"

    plan_id: str
    title: str
    state: PlanState
    reason: str = ""
    checklist: str | None = None  # path of its file, whose marks may have changed


class PlanDeleted(Event, frozen=True, kw_only=True, tag="plan_deleted"):
    """A plan was deleted."""

    resource = "cabinet-runs"

    plan_id: str
