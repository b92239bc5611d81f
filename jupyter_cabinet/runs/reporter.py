"""What an execution tells, brought to its run: output, questions, pauses. The `OrderListener` of one run.

Made by `dispatcher.py`. It decides nothing: `rules/lifecycle.py` says what follows, `approvals/` who may answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from sqlalchemy import Connection

from ..approvals.card import shortened
from ..approvals.model import AskingRun
from ..changes.service import ReportedCall
from ..execution.model import Begun, Deliver, Exchange, StoppedBeforeStart, ToolAnswer, Typed
from ..runtimes.edited_files import edited_files, may_change_anything
from ..runtimes.model import AnyAgentEvent, QuestionAsked, ToolCall, ToolResult
from ..runtimes.requested_actions import Edit, ToolUse
from . import store
from .live import LiveRun
from .model import Run
from .records import RunRecords
from .required_services import RequiredServices
from .rules import lifecycle

LONGEST_REASON = 1000  # characters

# Called with the run in whose CLI somebody typed, and with what was typed.
OnTyped = Callable[[Run, Typed], None]


class RunReporter:
    """`root`: the server's root directory, absolute."""

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
        """Pid and session must be known to whoever comes after a crash, so they are on record before it goes."""
        live, run = self._live, self._live.run
        if live.life.stopping:
            raise StoppedBeforeStart

        def also(connection: Connection) -> None:
            if begun.pid is not None:
                store.note_launcher(connection, run.id, begun.pid, begun.started_at)
            if begun.native_id is not None:
                self._sessions.begin_native(connection, run.session_id, begun.native_id)

        changes = {} if begun.terminal_id is None else {"terminal_id": begun.terminal_id}
        await self._records.put(live, lifecycle.begun(live.life), also, **changes)

    def heard(self, events: list[AnyAgentEvent]) -> None:
        """Into the journal."""
        if not self._live.life.over:
            self._live.take(events)
            run = self._live.run
            for event in events:
                self._report(run, event)

    def _report(self, run: Run, event: AnyAgentEvent) -> None:
        """What it says of files tells its changes from those of a run that works beside it."""
        if isinstance(event, ToolCall):
            edits, anything = edited_files(run.runtime, event), may_change_anything(run.runtime, event)
            self._changes.reported(run.id, ReportedCall(event.call_id, edits, anything))
            self._live.calls.called(event)
        elif isinstance(event, ToolResult) and self._live.calls.ended(event):
            self._changes.refused(run.id, event.call_id)

    def wrote(self, count: int) -> None:
        """It counts for the watchdog."""
        self._live.count(count)

    def asked(self, asked: QuestionAsked, deliver: Deliver) -> bool:
        """The run waits; where there is anything to choose, a person is asked."""
        if self._live.life.over:
            return False
        question = lifecycle.Question(asked.question_id, shortened(asked.question, LONGEST_REASON))
        self._records.put_later(self._live, lifecycle.asked(self._live.life, question))
        if asked.options:
            self._live.calls.asked(asked)
            self._records.later(self._ask(asked, self._noting(asked, deliver)))
        return True

    def _noting(self, asked: QuestionAsked, deliver: Deliver) -> Deliver:
        """A call that is denied changes nothing."""
        denies = {option.id for option in asked.options if option.kind == "deny"}

        async def delivered(option: str, note: str) -> bool:
            if option:  # else it is left to the terminal
                self._live.calls.answered(asked, denied=option in denies)
            return await deliver(option, note)

        return delivered

    async def _ask(self, asked: QuestionAsked, deliver: Deliver) -> None:
        """What it would edit is kept before anybody can allow it."""
        if isinstance(asked.asks, (Edit, ToolUse)):
            await self._changes.about_to_edit(self._live.run.id, asked.asks.paths)
        await self._approvals.ask(self._asking(), asked, deliver)

    def answered(self, question_id: str, how: str) -> None:
        """It continues, or waits for the answer to another question."""
        live = self._live
        if not live.life.stopping:  # else the end of the run has closed it
            live.calls.closed(question_id)
        if all(each.id != question_id for each in live.life.questions):
            return
        self._records.later(self._approvals.withdraw(live.run.id, question_id, how))
        self._records.put_later(live, lifecycle.answered(live.life, question_id))

    def overruled(self, question_id: str, *, done: bool) -> None:
        """The record of the question says what happened in the terminal, also after the run has ended."""
        if done:
            self._live.calls.overruled(question_id)
        self._records.later(self._approvals.overrule(self._live.run.id, question_id, done=done))

    def left_to_terminal(self, question_id: str) -> None:
        """The run keeps waiting: its question is still in the terminal."""
        if not self._live.life.over:
            self._records.later(self._approvals.withdraw(self._live.run.id, question_id, "Left to the terminal"))

    def waits(self, reason: str) -> None:
        """Its CLI was paused, or its instruction cannot be typed."""
        self._records.put_later(self._live, lifecycle.held(self._live.life, reason))

    def goes_on(self, question: str | None) -> None:
        """It is held no longer."""
        self._records.put_later(self._live, lifecycle.released(self._live.life, question))

    def typed(self, typed: Typed) -> None:
        """Somebody typed an instruction into the CLI of this run, which has its answer already."""
        self._on_typed(self._live.run, typed)

    async def earlier(self) -> Sequence[Exchange]:
        """The instructions of this session that were answered."""
        runs = await self._records.of_session(self._live.run.session_id)
        answered = [run for run in runs if run.state == "succeeded"]
        return [Exchange(run.instruction, run.result.text if run.result else "") for run in answered]

    async def call_tool(self, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """For as long as the run works. The CLI itself reports the call, so it is in the journal."""
        live = self._live
        if live.life.over or live.life.stopping:
            return ToolAnswer(text="This run has ended, so its tools can no longer be used.", is_error=True)
        return await self._tools.call(live.run, tool, arguments)

    def _asking(self) -> AskingRun:
        run = self._live.run
        return AskingRun(
            id=run.id,
            session_id=run.session_id,
            terminal_id=run.terminal_id,
            path=run.path,
            runtime=run.runtime,
            runtime_title=run.runtime_title,
            instruction=run.instruction,
            folder=str((self._root / run.cwd).resolve()),
            isolated=run.isolated,
            agent=run.agent,
            owner=run.owner,
            owner_name=run.trigger.display_name if run.trigger.username == run.owner else run.owner,
            visibility=run.visibility,
        )
