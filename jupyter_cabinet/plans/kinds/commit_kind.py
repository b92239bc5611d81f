"""Runs of the kind `commit`: the git commit of the files that a step has changed."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Connection

from ...agents.run_kinds.agent_terms import AgentTerms
from ...changes import store as change_store
from ...changes.model import Changes
from ...core.clock import Clock
from ...core.errors import Invalid
from ...core.people import Principal
from ...runs.kinds import Prepared, RunSubject, Skip
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from ...storage.database import Database
from .. import git_commit
from ..model import NewCommitRun, Plan, Step
from ..rules import step_phases
from ..rules.graph import step_of
from ..rules.rest import first_line
from .plan_kind import PlanKind, answer_of, begin_phase, change_plan, end_of, subject

MAX_SUBJECT = 72  # characters of the first line of a message
MAX_FILES, MAX_BYTES = 1_000, 100_000  # of the paths of one commit: they are arguments of a program
MAX_SHOWN = 1_500  # characters of git's output in the reason of a failed step, which its next attempt reads
NOT_COMMITTED, REFUSED = "Not committed: ", "git refused the commit."
NOT_ALL = "The folder is too large to know all changes, so there may be more."
NO_CHANGES = f"{NOT_COMMITTED}the step has changed no file."
TOO_MANY = f"{NOT_COMMITTED}the step has changed more files than one commit takes ({MAX_FILES:,})."


class CommitKind(PlanKind):
    """Starts git with the files of a step, in the step's working directory."""

    request: type[NewRun] = NewCommitRun

    def __init__(self, *, root: Path, database: Database, clock: Clock, agents: AgentTerms) -> None:
        super().__init__(database=database, clock=clock, agents=agents)
        self._root = root

    async def check(self, new: NewCommitRun, principal: Principal) -> RunSubject:
        """Return the subject.

        Raises `Invalid` if the step works isolated, because a hook could execute what it has written, and as
        `AgentTerms.of` if an agent did the work.
        """
        terms = await self._agents.of(new.agent, principal) if new.agent is not None else None
        if new.isolate or (terms is not None and terms.isolate):
            raise Invalid("The step works isolated, and commits cannot be isolated.", field="isolate")
        return subject(None, "", plan_id=new.plan_id, step_id=new.step_id)

    def put_begin(self, connection: Connection, run: Run, new: NewCommitRun) -> None:
        """Store that the commit has begun. Raises `Conflict` if the step does not wait for it."""
        begin_phase(connection, run, "commit")

    async def prepare(self, run: Run, new: NewCommitRun) -> Prepared:
        """Return the command, with the files that the step's work has changed since its last commit.

        Raises `Skip` if there are none or more than one commit takes, or if the plan or the step is gone. Files that
        were reverted, or that another run may have changed, are left out.
        """
        _, step = await self._plan_and_step(new)
        changes = await self._database.read(lambda c: _changes(c, step))
        paths = _paths(changes)
        if not paths:
            raise Skip(_why_none(changes))
        if len(paths) > MAX_FILES or sum(len(path.encode(errors="surrogateescape")) for path in paths) > MAX_BYTES:
            raise Skip(TOO_MANY)
        mark = step.work_run_id or step.id  # the same one if a commit that was interrupted is tried again
        program = (sys.executable, "-I", "-S", str(git_commit.__file__), mark, message_of(step.title))
        return Prepared(prompt="", command=(*program, *(str(self._root / path) for path in paths)))

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Store what was committed, or why nothing was."""
        output = answer_of(run).strip()
        said, problem = _result(run, output)

        def change(plan: Plan) -> Plan:
            step_id = run.step_id or ""
            known = any(each.partial for each in _changes(connection, step_of(plan, step_id)))
            text = f"{said} {NOT_ALL}" if known and run.state == "succeeded" else said
            after = step_phases.commit_ended(plan, step_id, end_of(run), said=text, problem=problem, now=self.now)
            if after is not plan:
                self._leave(connection, run, "commit", "" if output == said else output)
            return after

        change_plan(connection, run, change)


def message_of(title: str) -> str:
    """Return the message of a commit: the title of its step, and in full below if the first line is too short for it.

    Characters that cannot be printed become spaces.
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in title).split()) or "A step of a plan"
    if len(text) <= MAX_SUBJECT:
        return text
    start = text[: MAX_SUBJECT - 1].rpartition(" ")[0] or text[: MAX_SUBJECT - 1]
    return f"{start}…\n\n{text}"


def _result(run: Run, output: str) -> tuple[str, str]:
    """Return what the run has said at last, or why it has ended; and what is wrong, if the step has failed."""
    last = (output.splitlines() or [""])[-1]
    if run.state == "skipped":
        return run.reason, ""
    if run.state == "succeeded" or last.startswith(NOT_COMMITTED):
        return last, ""
    why = run.failure.message if run.failure else run.reason
    if run.state == "failed" and run.failure is not None and run.failure.kind == "crashed":
        shown = output.removesuffix(REFUSED).strip()[-MAX_SHOWN:]
        return REFUSED, f"{REFUSED}\n\n{shown}".strip()
    if run.state == "failed":
        return f"{NOT_COMMITTED}{why}", ""  # it could not be started, and more work of an agent would not help
    said = f"The commit was stopped. {first_line(why)} Look in git whether it was made."
    return said, said


def _changes(connection: Connection, step: Step) -> list[Changes]:
    """Return what the work of a step has changed since its last commit."""
    return [record.shown() for record in change_store.of_runs(connection, _work_since_commit(step))]


def _why_none(changes: Iterable[Changes]) -> str:
    found = list(changes)
    if any(file.uncertain for each in found for file in each.files):
        return f"{NOT_COMMITTED}another run worked here at the same time, and may have changed these files instead."
    if any(each.partial or each.state != "ready" for each in found):
        return f"{NOT_COMMITTED}it is not known what the step has changed. {first_line(found[-1].reason)}".strip()
    return NO_CHANGES


def _work_since_commit(step: Step) -> list[str]:
    """Return the ids of the runs of a step's work since its last commit: a failed attempt may have left changes too."""
    found: list[str] = []
    for run in step.runs:
        if run.phase == "work":
            found.append(run.run_id)
        elif run.phase == "commit" and run.state == "succeeded":
            found.clear()
    return found


def _paths(changes: Iterable[Changes]) -> list[str]:
    """Return the files that these runs have changed, without those that another run may have changed instead, and those
    that were reverted since."""
    found: dict[str, None] = {}
    for each in changes:
        for file in each.files:
            reverted = file.decision is not None and file.decision.decision == "reverted"
            if not (file.folder or file.uncertain or reverted):
                found |= dict.fromkeys(path for path in (file.old_path, file.path) if path is not None)
    return list(found)
