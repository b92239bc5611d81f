"""Applies the reports of an execution (output, questions, pauses) to its run: the `OrderListener` of one run.

Made by `dispatcher.py`. It decides nothing: `rules/lifecycle.py` defines the transitions, and `approvals/` who may
answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from ...approvals.card import shortened
from ...changes.service import ReportedCall
from ...execution.model import Begun, Deliver, Exchange, StoppedBeforeStart, ToolAnswer, Typed
from ...execution.order_runner import HERE
from ...runtimes.edited_files import edited_files, may_change_anything
from ...runtimes.model import AnyAgentEvent, QuestionAsked, ToolCall, ToolResult
from ...runtimes.requested_actions import Edit, ToolUse
from .. import store
from ..model import Run
from ..records import RunRecords
from ..required_services import RequiredServices
from ..rules import lifecycle
from ..tools.tool_questions import asking_run
from .live import LiveRun

LONGEST_REASON = 1000  # characters

# Called with the run whose CLI a person typed into, and with the typed instruction.
OnTyped = Callable[[Run, Typed], None]


class RunReporter:
    """The listener of one run's execution. `root`: the server's root directory, absolute."""

    def __init__(
        self,
        live: LiveRun,
        *,
        records: RunRecords,
        services: RequiredServices,
        root: Path,
        on_typed: OnTyped,
    ) -> None:
        self._live = live
        self._records = records
        self._approvals = services.approvals
        self._sessions = services.sessions
        self._changes = services.changes
        self._tools = services.tools
        self._root = root
        self._on_typed = on_typed

    async def begun(self, begun: Begun) -> None:
        """Store the process id and the session id before the process is released, so that they are known after a crash.

        The run becomes `running`. Waits while the database does not answer, without a limit. Raises
        `StoppedBeforeStart` if the run is being stopped.
        """
        await self._records.database_back()
        live, run = self._live, self._live.run
        if live.life.stopping:
            raise StoppedBeforeStart

        def also(connection: Connection) -> None:
            if begun.pid is not None:
                store.note_launcher(connection, run.id, begun.pid, begun.started_at)
            if begun.native_id is not None:
                self._sessions.begin_native(connection, run.session_id, begun.native_id)

        changes: dict[str, Any] = {"isolated": begun.isolated, "where": begun.where or HERE}
        if begun.terminal_id is not None:
            changes["terminal_id"] = begun.terminal_id
        await self._records.put(live, lifecycle.begun(live.life), also, **changes)

    def heard(self, events: list[AnyAgentEvent]) -> None:
        """Append the events to the journal, and report the file edits among them. Ignored once the run is over."""
        if not self._live.life.over:
            self._live.take(events)
            run = self._live.run
            for event in events:
                self._report(run, event)

    def _report(self, run: Run, event: AnyAgentEvent) -> None:
        """Report an edit of a file, to distinguish this run's changes from those of another run in the same folder."""
        if isinstance(event, ToolCall):
            edits, anything = edited_files(run.runtime, event), may_change_anything(run.runtime, event)
            self._changes.reported(run.id, ReportedCall(event.call_id, edits, anything))
            self._live.calls.called(event)
        elif isinstance(event, ToolResult) and self._live.calls.ended(event):
            self._changes.refused(run.id, event.call_id)

    def wrote(self, count: int) -> None:
        """Count output, in bytes, for the watchdog."""
        self._live.count(count)

    def asked(self, asked: QuestionAsked, deliver: Deliver) -> bool:
        """Put the run into the state waiting, and ask a person in the background if the question has options.

        Return False, without effect, if the run is over; else True, also for a question without options.
        """
        if self._live.life.over:
            return False
        question = lifecycle.Question(asked.question_id, shortened(asked.question, LONGEST_REASON))
        self._records.put_later(self._live, lifecycle.asked(self._live.life, question))
        if asked.options:
            self._live.calls.asked(asked)
            self._records.later(self._ask(asked, self._noting(asked, deliver)))
        return True

    def _noting(self, asked: QuestionAsked, deliver: Deliver) -> Deliver:
        """Wrap `deliver` to note whether the call was denied: a denied call changes no files."""
        denies = {option.id for option in asked.options if option.kind == "deny"}

        async def delivered(option: str, note: str) -> bool:
            if option:  # empty: the question is left to the terminal
                self._live.calls.answered(asked, denied=option in denies)
            return await deliver(option, note)

        return delivered

    async def _ask(self, asked: QuestionAsked, deliver: Deliver) -> None:
        """Ask a person. The files that the call would edit are saved first, before the call can be approved."""
        if isinstance(asked.asks, (Edit, ToolUse)):
            await self._changes.about_to_edit(self._live.run.id, asked.asks.paths)
        await self._approvals.ask(asking_run(self._live.run, self._root), asked, deliver)

    def answered(self, question_id: str, how: str) -> None:
        """Close a question of the CLI. The run continues, or waits for the answer to another question.

        `how`: a text for people that is stored with a question that is still open. Unknown questions are ignored.
        """
        live = self._live
        if not live.life.stopping:  # while it is being stopped, the question was closed by that and not by an answer
            live.calls.closed(question_id)
        if all(each.id != question_id for each in live.life.questions):
            return
        self._records.later(self._approvals.withdraw(live.run.id, question_id, how))
        self._records.put_later(live, lifecycle.answered(live.life, question_id))

    def overruled(self, question_id: str, *, done: bool) -> None:
        """Store what was decided in the terminal in the record of the question, also after the run has ended.

        `done`: the action was carried out, although it was denied here; false: it was not, although it was allowed.
        """
        if done:
            self._live.calls.overruled(question_id)
        self._records.later(self._approvals.overrule(self._live.run.id, question_id, done=done))

    def left_to_terminal(self, question_id: str) -> None:
        """Withdraw the question here. The run keeps waiting, because the terminal still shows the question."""
        if not self._live.life.over:
            self._records.later(self._approvals.withdraw(self._live.run.id, question_id, "Left to the terminal"))

    def waits(self, reason: str) -> None:
        """Put the run into the state waiting: its CLI was paused, or its instruction cannot be typed.

        `reason`: a sentence.
        """
        self._records.put_later(self._live, lifecycle.held(self._live.life, reason))

    def waits_to_start(self, reason: str) -> None:
        """Show why the run has not started yet; it stays `starting`. `reason`: a sentence."""
        self._records.put_later(self._live, lifecycle.waits_to_start(self._live.life, reason))

    def goes_on(self, question: str | None) -> None:
        """End the waiting for a paused CLI.

        `question`: one that the terminal shows and that was not reported: the run then keeps waiting, for that reason.
        """
        self._records.put_later(self._live, lifecycle.released(self._live.life, question))

    def typed(self, typed: Typed) -> None:
        """Hand over an instruction that a person typed into the CLI of this run, after the CLI had answered."""
        self._on_typed(self._live.run, typed)

    async def earlier(self) -> Sequence[Exchange]:
        """Return the instructions of this session that succeeded, with their answers, oldest first.

        Only those among the last 200 runs of the session. An answer is empty if the run had none.
        """
        runs = await self._records.of_session(self._live.run.session_id)
        answered = [run for run in runs if run.state == "succeeded"]
        return [Exchange(run.instruction, run.result.text if run.result else "") for run in answered]

    async def call_tool(self, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """Call one of Cabinet's tools. If the run has ended, the answer is an error. Raises the tool's `CabinetError`.

        Nothing is added to the journal, because the CLI itself reports the call.
        """
        live = self._live
        if live.life.over or live.life.stopping:
            return ToolAnswer(text="This run has ended, so its tools can no longer be used.", is_error=True)
        return await self._tools.call(live.run, tool, arguments)
