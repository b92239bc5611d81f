"""Asks a person before one of Cabinet's own tools does something for a run. Called by `notebook_tools/`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...approvals.card import shortened
from ...approvals.model import AskingRun
from ...approvals.service import Approvals
from ...core.errors import Refused
from ...runtimes.model import QuestionAsked
from ..model import Run
from ..records import RunRecords
from ..rules import lifecycle

LONGEST_REASON = 1000  # characters
ENDED = "This run has ended, so its tools can no longer be used."


class GivenAnswer(NamedTuple):
    """The answer to a question. `option`: the id of one of its options. `note`: what the person wrote."""

    option: str
    note: str


class ToolQuestions:
    """The questions of Cabinet's own tools. `root`: the server's root directory."""

    def __init__(self, *, records: RunRecords, approvals: Approvals, root: Path) -> None:
        self._records = records
        self._approvals = approvals
        self._root = root

    async def ask(
        self, run_id: str, asked: QuestionAsked, *, in_sandbox: bool, is_allowed: bool = False
    ) -> GivenAnswer:
        """Return the answer of a rule or a person, which may be a denial. The run waits in the meantime.

        `asked`: needs an option of the kind `allow_once`. `in_sandbox`: whether the action stays in the sandbox of the
        run, if it has one. `is_allowed`: a person has allowed such actions before, so only a rule that denies them or
        requires asking leads to a question. Raises `Refused` if the run has ended or is being stopped. If the caller is
        cancelled, the question is withdrawn.
        """
        live = self._records.live.get(run_id)
        if live is None or live.life.over or live.life.stopping:
            raise Refused(ENDED)
        given: asyncio.Future[GivenAnswer] = asyncio.get_running_loop().create_future()

        async def deliver(option: str, note: str) -> bool:
            if given.done() or live.life.over or live.life.stopping:
                return False
            given.set_result(GivenAnswer(option, note))
            return True

        about = asking_run(live.run, self._root)
        about = msgspec.structs.replace(about, isolated=about.isolated and in_sandbox)
        if is_allowed and not await self._approvals.has_objection(about, asked):
            return GivenAnswer(next(each.id for each in asked.options if each.kind == "allow_once"), "")
        question = lifecycle.Question(asked.question_id, shortened(asked.question, LONGEST_REASON))
        self._records.put_later(live, lifecycle.asked(live.life, question))
        try:
            await self._approvals.ask(about, asked, deliver)
            return await given
        finally:
            if not given.done() or given.cancelled():
                await self._approvals.withdraw(run_id, asked.question_id, "The agent no longer asks this")
            if not live.life.over:
                self._records.put_later(live, lifecycle.answered(live.life, asked.question_id))


def asking_run(run: Run, root: Path) -> AskingRun:
    """Return the facts about a run that its questions show. Reads the disk.

    `root`: what `cwd` of the run is relative to. `folder` of the result is absolute, with links resolved.
    """
    return AskingRun(
        id=run.id,
        session_id=run.session_id,
        terminal_id=run.terminal_id,
        path=run.path,
        runtime=run.runtime,
        runtime_title=run.runtime_title,
        instruction=run.instruction,
        folder=str((root / run.cwd).resolve()),
        isolated=run.isolated,
        agent=run.agent,
        owner=run.owner,
        owner_name=run.trigger.display_name if run.trigger.username == run.owner else run.owner,
        visibility=run.visibility,
    )
