"""An interactive CLI that stays open in a terminal and receives one instruction after another.

It belongs to its terminal. Between two instructions, its agent state is `waiting`, and it does not count in the queue.
Each instruction is an order; an instruction that a person types into the CLI becomes an order through `typed`. Called
by `terminal_execution.py`. It owns the agent's process, the conversation, and the run directory with the hooks' socket.
`cli_life.py` defines the states and when an order ends; this module does the steps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from functools import partial

from ...core.errors import NotAllowed
from ...runners.port import Where
from ...runtimes.model import (
    AnswerOverruled,
    AnyAgentEvent,
    Failure,
    Launch,
    Outcome,
    PromptSubmitted,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    Warned,
)
from ...runtimes.port import Conversation, Exit, InputState, Interruptible, ReportsWork
from ...sandboxes.port import PtySandbox
from ...terminals.model import AgentState
from ...terminals.programs.agent import AgentProcess
from ...terminals.terminal import OpenTerminal
from ..model import Order, OrderListener, ToolAnswer, Typed
from ..run_directory import RunDirectory
from ..sandbox.isolation import Isolation
from ..temporary import written
from ..tools.tool_door import ToolDoor
from . import cli_life
from .cli_life import CliLife, CliTransition
from .cli_raw_output import CliRawOutput
from .cli_setup import Setup
from .current_order import CurrentOrder
from .event_reader import EventReader
from .instruction_typing import GivenUp, InstructionTyping, Tell
from .interruption import NOT_INTERRUPTED, Interruption
from .screen_timers import Stillness
from .terminal_questions import TerminalQuestions
from .transcript import TranscriptReader
from .typed_execution import TypedExecution

LABEL_CHARACTERS = 200  # longest label of a run in a recording, from its instruction


class OpenCli:
    """One live interactive CLI of a session."""

    def __init__(
        self,
        *,
        setup: Setup,
        terminal: OpenTerminal,
        conversation: Conversation,
        directory: RunDirectory,
        transcript: TranscriptReader,
        raw: CliRawOutput,
        opens_only: bool,
    ) -> None:
        """`opens_only`: there is no first instruction, so the first order is answered once the CLI's session has
        started.
        """
        self.session_id = setup.session_id
        self.setup = setup
        self.terminal = terminal
        self._conversation = conversation
        self._events = EventReader(conversation, transcript, terminal.clock, self._take)
        self._directory = directory
        self._raw = raw
        self.isolation: Isolation | None = None  # set before its start, if it is in a sandbox
        self.sandbox: PtySandbox | None = None  # the same, if it does not start beside the server
        self.where: Where | None = None  # set when that is known; None: beside the server
        self._tools = ToolDoor(self.call_tool)
        self._stillness = Stillness(terminal.clock, self._rested, self._is_blind)
        self.questions = TerminalQuestions(
            conversation, terminal.clock, listener=lambda: self._current.listener, take=self._take
        )
        self._cleanup = ExitStack()
        self._life = CliLife(opens_only=opens_only)
        self._current = CurrentOrder(self._on_given_up)
        self._agent: AgentProcess | None = None
        self._typing: InstructionTyping | None = None
        self._interrupting: asyncio.Task[str] | None = None
        self._ended: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """Return whether the CLI can take a further instruction.

        A CLI that is being closed does not answer, and nothing is typed into a CLI whose screen cannot be read.
        """
        readable = self.started and self._events.screen_reader is not None
        return readable and not self.closing_reason and self._agent is not None and not self._agent.ended

    @property
    def pid(self) -> int | None:
        """Return the process id of its launcher; None if it was not started yet. It stays after the end."""
        return self._agent.pid if self._agent is not None else None

    @property
    def started(self) -> bool:
        """Return whether the CLI's process was released and is watched."""
        return self._ended is not None

    @property
    def isolated(self) -> bool:
        """Return whether the CLI is in a sandbox."""
        return self.isolation is not None

    @property
    def input_state(self) -> InputState:
        """Return the state of the input box, as far as the runtime can read it from the screen."""
        return self._events.input_state

    @property
    def at_work(self) -> bool:
        """Return whether an order waits for its answer."""
        return self._life.at_work

    @property
    def held(self) -> str:
        """Return who has paused the CLI, as a sentence; empty if it is not paused."""
        return self._life.held

    @property
    def closing_reason(self) -> str:
        """Return why the CLI is being closed, or was closed; empty if it is open."""
        return self._life.closing_reason

    @property
    def left_unheard(self) -> bool:
        """Return whether the CLI ended by itself before it had read the instruction."""
        return self._life.left_unheard

    # --- start and end ---------------------------------------------------------------------

    async def start(
        self,
        launch: Launch,
        *,
        cwd: str,
        environment: dict[str, str],
        title: str,
        has_tools: bool,
        on_process: Callable[[int, str], Awaitable[None]],
        on_end: Callable[[OpenCli], Awaitable[None]],
    ) -> None:
        """Start the CLI with the order that was passed to `expect`, and return once it runs.

        Then watch it in the background. The process is released after `on_process` has returned. `on_end` is called
        when it has ended by itself or was closed. `has_tools`: the CLI starts Cabinet's tool server. If anything fails,
        the process is ended and the error raised; `on_end` is not called then.
        """
        assert self._current.order is not None
        if not has_tools:
            self._tools.known.set()
        self._cleanup.enter_context(written(launch.files))
        self._events.look_for_transcript(launch.transcript)
        try:
            agent = self._agent = await self.terminal.programs.start_agent(
                launch.argv,
                cwd=cwd,
                environment=environment,
                title=title,
                by=self._current.order.by,
                sandbox=self.sandbox,
                view=self.isolation.view if self.isolation is not None else None,
            )
            await self._directory.listen(self.on_hook, on_tool=self._tools.serve, launcher=agent.pid)
            agent.subscribe(self._on_screen)
            agent.on_state(self._on_state)
            if (reader := self._events.screen_reader) is not None:
                self._typing = InstructionTyping(agent, reader, lambda: self._life.submitted, self.terminal.clock)
                agent.on_submit(lambda person: self._on_enter())
            await on_process(agent.pid, agent.started_at)
            await agent.go()
            self._do(cli_life.went(self._life))
        except BaseException:
            if self._agent is not None:
                await self._agent.stop()
            await self._tear_down()
            raise
        self._ended = asyncio.create_task(self._watch(agent, on_end))

    async def close(self, reason: str) -> None:
        """End the CLI and all processes that it started. Returns when that is confirmed. The terminal stays open.

        `reason`: a sentence. Only the first reason is kept. Calling it again is fine.
        """
        self._do(cli_life.closing(self._life, reason))
        if self._interrupting is not None:
            self._interrupting.cancel()
        if self._agent is not None:
            await self._agent.stop()
        if self._ended is not None:
            await asyncio.shield(self._ended)

    async def _watch(self, agent: AgentProcess, on_end: Callable[[OpenCli], Awaitable[None]]) -> None:
        exit = await agent.wait()
        self._events.read_transcript()
        outcome = self._conversation.finish(Exit(code=exit.code, signal=exit.signal))
        closed = self.terminal.closed_because
        self._do(cli_life.exited(self._life, outcome, code=exit.code, terminal_closed=closed))
        await self._tear_down()
        await on_end(self)

    async def _tear_down(self) -> None:
        self._stillness.close()
        self.questions.close()
        self._cleanup.close()
        self._raw.close()
        if self.isolation is not None:
            warnings = await self.isolation.close()
            self._current.heard([Warned(message=warning) for warning in warnings])
        await self._directory.close()

    # --- instructions ----------------------------------------------------------------------

    def expect(self, order: Order, listener: OrderListener) -> asyncio.Future[Outcome]:
        """Assign an order: everything that happens from now on belongs to it. Return a future for its outcome.

        Types nothing.
        """
        self._raw.begin(order)
        outcome = self._current.assign(order, listener)
        label = order.label.strip().partition("\n")[0][:LABEL_CHARACTERS]
        self.terminal.begin_run(order.run_id, label, order.by)
        self._do(cli_life.expected(self._life))
        return outcome

    def _on_given_up(self) -> None:
        self._do(cli_life.given_up(self._life))

    async def until_free(self, tell: Tell) -> None:
        """Wait, without a limit, until an instruction can be typed. `tell` receives the reason if that takes long.

        Two instructions would share one answer, so an instruction that a person typed meanwhile is answered first.
        Raises `Conflict` if the CLI has ended. Call it only while `alive`.
        """
        assert self._typing is not None
        while True:
            await self._typing.until_empty(tell)
            if self._current.has_ended:
                return
            await self._current.wait()

    async def instruct(self, prompt: str, tell: Tell, may_type: Callable[[], bool]) -> None:
        """Type a further instruction into the open CLI, once its input box is empty. Does not wait for the answer.

        Returns also if the instruction is given up because of an interruption, or refused by `may_type`: then the order
        has failed. `tell` receives why it waits. Raises `Conflict` if the CLI has ended. Call it only while `alive`.
        """
        assert self._typing is not None
        self._do(cli_life.instructed(self._life))

        def held_up(reason: str) -> None:
            self._do(cli_life.held_up(self._life, reason))
            tell(reason)

        try:
            with suppress(GivenUp):  # it is being interrupted, which determines the outcome
                await self._typing.put(prompt, held_up, may_type)
        except NotAllowed as error:  # nothing was typed, so the CLI is free again
            self._do(cli_life.turn_ended(self._life, Outcome(failure=Failure(kind="unknown", message=error.message))))

    async def interrupt(self) -> str:
        """End the current turn with all its processes. The CLI stays open and waits with its empty input box.

        Return "" on success, and also if no order waits or the CLI is being closed. Otherwise return the reason, at the
        latest after some seconds, and the order has no outcome yet. The caller must then close the CLI: the reason, in
        sentences for people, already says that it was closed.
        """
        if not self.at_work:
            return ""
        if self._interrupting is None:
            self._interrupting = asyncio.create_task(self._interrupt())
        interrupting = self._interrupting
        await asyncio.wait([interrupting])
        return "" if interrupting.cancelled() else interrupting.result()  # cancelled: the CLI is being closed

    async def _interrupt(self) -> str:
        conversation, typing, agent = self._conversation, self._typing, self._agent
        if not isinstance(conversation, Interruptible) or typing is None or agent is None:
            self._interrupting = None
            return NOT_INTERRUPTED.format(agent.title if agent is not None else self.setup.runtime)
        typing.give_up()
        unsent, had_question = typing.unsent, self.questions.any_open
        self.questions.let_go()
        self._do(cli_life.interrupting(self._life))
        self._stillness.stir()
        interruption = Interruption(
            agent, conversation, self.terminal.clock, over=lambda: unsent or self._life.cut_short is not None
        )
        try:
            reason = await interruption.carry_out()
            if not reason:
                self._do(cli_life.interrupted(self._life, asked=had_question))
            return reason
        finally:
            self._interrupting = None
            self._do(cli_life.not_interrupted(self._life))  # without effect after a successful interruption

    # --- what comes in ---------------------------------------------------------------------

    async def on_hook(self, payload: bytes, gone: asyncio.Event) -> bytes:
        """Handle a hook's JSON, and return what the hook must print; possibly nothing.

        For a question, wait until a person has answered or the hook is gone. At the start of a session, wait for up to
        ten seconds until the CLI knows Cabinet's tools.
        """
        if isinstance(self._conversation, ReportsWork) and (refusal := self._conversation.refusal(payload)):
            return refusal
        events = await self._events.of_hook(payload)
        replies = self.questions.expect(events)
        self._take(events)
        self._stillness.stir()
        if any(isinstance(event, SessionStarted) for event in events):
            await self._tools.until_known()
        return await self.questions.replies(replies, gone)

    async def call_tool(self, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """Call one of Cabinet's tools for the current order. Raises as `OrderListener.call_tool`.

        While no order waits for an answer, nothing is done and the answer is an error.
        """
        listener = self._current.listener
        if listener is None or not self.at_work:
            return ToolAnswer(text="No instruction is being worked on, so no tool can be used.", is_error=True)
        return await listener.call_tool(tool, arguments)

    def _on_screen(self, data: bytes) -> None:
        assert self._agent is not None
        waits_to_be_typed = self._typing is not None and self._typing.unsent
        self._raw.write(data, at_work=self.at_work and not waits_to_be_typed)
        self._current.wrote(len(data))
        self._events.screen_drawn(data, self._agent.screen.size)
        self._stillness.stir()

    def _rested(self, seconds: float) -> None:
        if self._events.screen_reader is None:
            return
        self._events.screen_rested(seconds)
        self._tell_news()
        self._do(cli_life.rested(self._life, seconds, self.input_state, self.questions.current))

    def _is_blind(self) -> bool:
        return bool(self.held) or self._agent is None or not self._agent.screen.is_read

    def _on_enter(self) -> None:
        self._do(cli_life.entered(self._life))
        self._stillness.stir()

    def _on_state(self, state: AgentState, reason: str) -> None:
        self._stillness.stir()
        self._tell_news()
        if state == "paused":
            self._do(cli_life.paused(self._life, reason))
            self._current.waits(reason)
        elif self.held:
            self._do(cli_life.resumed(self._life))
            self._current.goes_on(reason if state == "waiting" else None)

    def _tell_news(self) -> None:
        if self._typing is not None:
            self._typing.news()

    # --- events ----------------------------------------------------------------------------

    def _take(self, events: list[AnyAgentEvent]) -> None:
        self._tell_news()
        self._do(cli_life.came(self._life, events))
        reported = [each for event in events if (each := self._take_one(event)) is not None]
        self._current.heard(reported)
        if cli_life.has_ended_turn(self._life, reported):
            self.questions.forget()
            outcome = self._conversation.finish(None) if self.at_work else None
            opened = any(isinstance(event, SessionStarted) for event in reported)
            self._do(cli_life.turn_ended(self._life, outcome, opened=opened))

    def _take_one(self, event: AnyAgentEvent) -> AnyAgentEvent | None:
        """Handle an event, and return the event to report to the listener; None if there is none."""
        match event:
            case PromptSubmitted(text=text):
                was_free = not self.at_work
                self._do(cli_life.prompt_submitted(self._life))
                if was_free:
                    typist = self.terminal.input.last_typist
                    self._current.typed(Typed(text, typist, self.terminal.id, partial(TypedExecution, self)))
                return None
            case QuestionAsked():
                self._do(cli_life.asks(self._life, event.question))
                self.questions.ask(event)
            case QuestionAnswered(question_id=question_id):
                self.questions.answered(question_id)
                next_question = self.questions.current if self.questions.any_open else None
                self._do(cli_life.answered(self._life, next_question))
                self._current.answered(question_id)
            case AnswerOverruled():
                return self._current.overruled(event)
        return event

    # --- steps -------------------------------------------------------------------------------

    def _do(self, step: CliTransition) -> None:
        """Do the steps of a transition. The new life is set first, because a step may cause another input."""
        self._life = step.life
        if self._agent is not None and step.begins_turn:
            self._agent.begin_turn()
        if self._agent is not None and step.shown is not None:
            self._agent.set_state(*step.shown)
        if step.outcome is not None:
            self._current.end(step.outcome)
