"""An interactive CLI that stays open in a terminal and gets one instruction after the other.

It belongs to its terminal: between two instructions its agent state is `waiting` and it holds no place in the
queue. Each instruction is an order of its own; one that a person types into the CLI becomes one by `typed`.
Called by `executor.py`; owns the agent's process, the conversation, and the run directory with the hooks' door.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Literal

import msgspec

from ..runtimes.model import (
    AnswerFinished,
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
from ..runtimes.port import Conversation, Exit, InputState, Interruptible, LateTranscript, ReportsWork, ScreenReader
from ..sandboxes.port import ProcessExit
from ..terminals.model import AgentState
from ..terminals.programs.agent import AgentProcess
from ..terminals.terminal import OpenTerminal
from .instruction_typing import GivenUp, InstructionTyping, Tell
from .interruption import Interruption
from .model import Order, OrderListener, ToolAnswer, Typed
from .raw_log import RawLog
from .run_directory import RunDirectory
from .screen_timers import Stillness
from .temporary import written
from .terminal_questions import TerminalQuestions
from .tool_door import ToolDoor
from .transcript import TranscriptReader

log = logging.getLogger(__name__)

TOOLS_SECONDS = 5.0  # for our tool server to be there; the hook that waits for it has 15
ENTERED_SECONDS = 1.0  # a CLI that has not moved so long after a person's Enter has taken it for nothing to do
UNSENT = Outcome(failure=Failure(kind="cancelled", message="It was stopped before its instruction was sent."))
WITHDRAWN = Failure(kind="cancelled", message="It was stopped while it asked.")
DONE_IN_TERMINAL = "The question was answered with yes in the terminal before it was denied here: the agent did it."
REFUSED_IN_TERMINAL = "The question was answered with no in the terminal before it was allowed here: nothing was done."
NOT_INTERRUPTED = "{} could not be interrupted, so its session was closed. The next instruction resumes it."
LEFT_AT_WORK = "{} left something at work that did not end, so its session was closed. The next instruction resumes it."
LABEL_CHARACTERS = 200  # of the instruction: names the run in a recording


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What a CLI was started with; an order that wants something else needs another one."""

    session_id: str
    runtime: str
    model: str | None
    permission_mode: str
    allowed_tools: tuple[str, ...] | None
    own_tools: tuple[str, ...]
    cwd: str

    @classmethod
    def of(cls, order: Order) -> Setup:
        """What this order needs: its CLI may serve another order whose setup is equal."""
        return cls(**{name: getattr(order, name) for name in cls.__struct_fields__})


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
        raw: RawLog,
        opens_only: bool,
    ) -> None:
        """`opens_only`: there is no first instruction, so it is answered when the CLI's session has begun."""
        self.session_id = setup.session_id
        self.setup = setup
        self.terminal = terminal
        self._conversation = conversation
        self._reader = conversation if isinstance(conversation, ScreenReader) else None
        self._stillness = Stillness(terminal.clock, self._rested, self._is_blind)
        self._instruction_typing: InstructionTyping | None = None
        self._entered = False  # a person has pressed Enter, and nothing has come of it yet
        self._directory = directory
        self._transcript = transcript
        self._raw = raw
        self._order: Order | None = None  # that it works on, else the one before
        self._listener: OrderListener | None = None  # of that order
        self._opens_only = opens_only
        self.held = ""  # who has paused it, in a sentence
        self._agent: AgentProcess | None = None
        self._answer: asyncio.Future[Outcome] | None = None
        self._interrupting: asyncio.Task[str] | None = None
        self._cut_short: Outcome | None = None  # of the turn that is being interrupted: it has ended
        self._ended: asyncio.Task[None] | None = None
        self._cleanup = ExitStack()
        self.questions = TerminalQuestions(
            conversation, terminal.clock, listener=lambda: self._listener, take=self._take
        )
        self.closing_reason = ""
        self._tools = ToolDoor(self.call_tool)
        self._knows_tools = True  # it has been told which tools of ours there are, or there are none
        self._submitted = False  # it has told that it has the last instruction
        self._in_turn = False  # what its process starts is the work of a turn
        self._unheard = False  # nothing has come since the instruction was typed
        self.left_unheard = False  # it went of its own accord, before it had read the instruction

    @property
    def alive(self) -> bool:
        """Whether it can take a further instruction. One that is being closed answers no more, and one whose screen
        nobody can read is typed into by nobody."""
        readable = self.started and self._reader is not None
        return readable and not self.closing_reason and self._agent is not None and not self._agent.ended

    @property
    def started(self) -> bool:
        """Whether its process has got its go."""
        return self._ended is not None

    @property
    def input_state(self) -> InputState:
        """What has the cursor on its screen, as far as its runtime can read it."""
        return self._reader.input() if self._reader is not None else "other"

    @property
    def at_work(self) -> bool:
        """Whether an order waits for its answer."""
        return self._answer is not None and not self._answer.done()

    # --- life ------------------------------------------------------------------------------

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
        """Start the CLI with the order that it is `expect`ed to answer. It goes when `on_process` has returned.

        `has_tools`: it starts our tool server.
        """
        assert self._order is not None
        self._knows_tools = not has_tools
        self._cleanup.enter_context(written(launch.files))
        self._transcript.look_for(launch.transcript)
        try:
            self._agent = await self.terminal.programs.start_agent(
                launch.argv, cwd=cwd, environment=environment, title=title, by=self._order.by
            )
            await self._directory.listen(self.on_hook, on_tool=self._tools.serve, launcher=self._agent.pid)
            self._agent.subscribe(self._on_screen)
            self._agent.on_state(self._on_state)
            if self._reader is not None:
                self._instruction_typing = InstructionTyping(
                    self._agent, self._reader, lambda: self._submitted, self.terminal.clock
                )
                self._agent.on_submit(lambda person: self._on_enter())
            await on_process(self._agent.pid, self._agent.started_at)
            await self._agent.go()
            self._agent.set_state("running")
        except BaseException:
            if self._agent is not None:
                await self._agent.stop()
            await self._tear_down()
            raise
        self._ended = asyncio.create_task(self._watch(on_end))

    async def close(self, reason: str) -> None:
        """End the CLI and everything it started, confirmed."""
        self.closing_reason = self.closing_reason or reason
        if self._interrupting is not None:
            self._interrupting.cancel()
        if self._agent is not None:
            await self._agent.stop()
        if self._ended is not None:
            await asyncio.shield(self._ended)

    async def _watch(self, on_end: Callable[[OpenCli], Awaitable[None]]) -> None:
        assert self._agent is not None
        exit = await self._agent.wait()
        self._read_transcript()
        self.left_unheard = self._unheard and exit.code == 0 and not self.closing_reason
        self._give(self._cut_short or self._outcome_of(exit))
        await self._tear_down()
        await on_end(self)

    def _on_state(self, state: AgentState, reason: str) -> None:
        self._stillness.stir()
        self._tell_news()
        if state == "paused":
            self.held = reason
            if self._listener is not None:
                self._listener.waits(reason)
        elif self.held:
            self.held = ""
            if self._listener is not None:
                self._listener.goes_on(reason if state == "waiting" else None)

    def _outcome_of(self, exit: ProcessExit) -> Outcome:
        outcome = self._conversation.finish(Exit(code=exit.code, signal=exit.signal))
        if outcome.failure is None or self.closing_reason or not self.terminal.closed_because:
            return outcome
        self.closing_reason = self.terminal.closed_because
        failure = Failure(kind="cancelled", message=f"Its terminal was closed. {self.closing_reason}")
        return msgspec.structs.replace(outcome, failure=failure)

    async def _tear_down(self) -> None:
        self._stillness.close()
        self.questions.close()
        self._cleanup.close()
        self._raw.close()
        await self._directory.close()

    # --- instructions ----------------------------------------------------------------------

    def expect(self, order: Order, listener: OrderListener) -> asyncio.Future[Outcome]:
        """From now on, what happens belongs to this order; the future gives its outcome."""
        self._order, self._listener = order, listener
        label = order.label.strip().partition("\n")[0][:LABEL_CHARACTERS]
        self.terminal.begin_run(order.run_id, label, order.by)
        self._answer = asyncio.get_running_loop().create_future()
        return self._answer

    async def until_free(self, tell: Tell) -> None:
        """Wait until an instruction can be typed. `tell` hears what for, where that takes longer.

        Two instructions would share one answer: what a person has typed meanwhile is answered first. Raises `Conflict`
        when the CLI has ended.
        """
        assert self._instruction_typing is not None
        while True:
            await self._instruction_typing.until_empty(tell)
            if self._answer is None or self._answer.done():
                return
            await asyncio.wait([self._answer])

    async def instruct(self, prompt: str, tell: Tell) -> None:
        """Type a further instruction into the open CLI. Raises `Conflict` when it has ended."""
        assert self._agent is not None
        assert self._instruction_typing is not None
        self._agent.set_state("running")
        self._unheard, self._submitted = True, False
        self._begin_turn()

        def held_up(reason: str) -> None:
            self._set_state("waiting" if reason else "running", reason)
            tell(reason)

        with suppress(GivenUp):  # it is being interrupted: the outcome follows from that
            await self._instruction_typing.put(prompt, held_up)

    async def interrupt(self) -> str:
        """End the turn that it works on, with all that this has started; it stays open then, and waits with its empty
        input box. Where that was not confirmed within some seconds: why, and the order has no outcome yet."""
        if not self.at_work:
            return ""
        if self._interrupting is None:
            self._interrupting = asyncio.create_task(self._interrupt())
        interrupting = self._interrupting
        await asyncio.wait([interrupting])
        return "" if interrupting.cancelled() else interrupting.result()  # cancelled: it is being closed

    async def _interrupt(self) -> str:
        conversation, typing, agent = self._conversation, self._instruction_typing, self._agent
        if not isinstance(conversation, Interruptible) or typing is None or agent is None:
            return NOT_INTERRUPTED.format(agent.title if agent is not None else self.setup.runtime)
        typing.give_up()
        unsent, asked = typing.unsent, self.questions.any_open
        self.questions.let_go()
        self._set_state("running", "")  # nobody's keys come between
        self._stillness.stir()
        interruption = Interruption(
            agent, conversation, self.terminal.clock, over=lambda: unsent or self._cut_short is not None
        )
        try:
            if not await interruption.carry_out():
                return NOT_INTERRUPTED.format(agent.title)
            if isinstance(conversation, ReportsWork):
                conversation.work_ends()
            if not await agent.end_turn():
                return LEFT_AT_WORK.format(agent.title)
        finally:
            self._interrupting = None
        self._set_state("waiting", "")
        outcome = self._cut_short or UNSENT
        if asked and outcome.failure is None:  # pi takes a question without an answer for a no, and goes on
            outcome = msgspec.structs.replace(outcome, failure=WITHDRAWN)
        self._give(outcome)
        self._cut_short = None
        return ""

    # --- what comes in ---------------------------------------------------------------------

    async def on_hook(self, payload: bytes, gone: asyncio.Event) -> bytes:
        """Take a hook's JSON. Returns what the hook is to print: a question's waits for a person, or until the
        hook is gone."""
        if isinstance(self._conversation, ReportsWork) and (refusal := self._conversation.refusal(payload)):
            return refusal
        self._transcript.learn(payload)
        events = self._conversation.feed("hook", payload)
        # what the transcript tells happened before the hook: read it before the hook's news counts
        if any(isinstance(event, AnswerFinished) for event in events):
            await self._transcript.wait_for_end(self._read_transcript, self._owes_text, self.terminal.clock)
        else:
            self._read_transcript()
        replies = self.questions.expect(events)
        self._take(events)
        self._stillness.stir()
        if any(isinstance(event, SessionStarted) for event in events):
            await self._until_tools_known()
        return await self.questions.replies(replies, gone)

    async def _until_tools_known(self) -> None:
        """Claude Code 2.1.329 begins its first answer before tool servers are there, and then without their tools, but
        not before the hook of its session's start has returned."""
        if self._knows_tools:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._tools.known.wait(), TOOLS_SECONDS)
        self._knows_tools = True

    async def call_tool(self, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """Take a call of a tool of our own, for the order that it works on. Raises as the order's listener does."""
        if self._listener is None or not self.at_work:
            return ToolAnswer(text="No instruction is being worked on, so no tool can be used.", is_error=True)
        return await self._listener.call_tool(tool, arguments)

    def _on_screen(self, data: bytes) -> None:
        self._raw.write(data)
        if self._listener is not None:
            self._listener.wrote(len(data))
        if self._transcript.follows_screen:
            self._read_transcript()
        if self._reader is not None and self._agent is not None:
            self._reader.resized(self._agent.screen.size.cols, self._agent.screen.size.rows)
        self._take(self._conversation.feed("screen", data))
        self._stillness.stir()

    def _rested(self, seconds: float) -> None:
        """The screen has been still for so long. What the transcript tells is more exact, so it is read before."""
        if self._reader is None:
            return
        self._read_transcript()
        self._take(self._reader.rested(seconds))
        self._tell_news()
        shown = self.input_state
        if self._entered and (shown == "other" or (shown != "busy" and seconds >= ENTERED_SECONDS)):
            self._set_state("waiting", self.questions.current)

    def _is_blind(self) -> bool:
        return bool(self.held) or self._agent is None or not self._agent.screen.is_read

    def _on_enter(self) -> None:
        """A person has submitted something: keys that follow at once must not reach what comes of it."""
        if not self.at_work:
            self._begin_turn()
        self._set_state("running", "")
        self._entered = True
        self._stillness.stir()

    def _tell_news(self) -> None:
        if self._instruction_typing is not None:
            self._instruction_typing.news()

    def _read_transcript(self) -> bool:
        """Take what the transcript has gained; whether it was anything."""
        gained = False
        for chunk in self._transcript.read():
            gained = True
            self._take(self._conversation.feed("transcript", chunk))
        return gained

    def _owes_text(self) -> bool:
        return isinstance(self._conversation, LateTranscript) and self._conversation.owes_text()

    def _take(self, events: list[AnyAgentEvent]) -> None:
        told: list[AnyAgentEvent] = []
        self._unheard = self._unheard and not events
        self._tell_news()
        self._look_for_turn(events)
        for event in events:
            match event:
                case PromptSubmitted(text=text):
                    self._submitted = True
                    if not self.at_work:
                        self._set_state("running", "")
                        self._tell_typed(text)
                    continue
                case QuestionAsked():
                    self._set_state("waiting", event.question)
                    self.questions.ask(event)
                case QuestionAnswered():
                    self._answered(event.question_id)
                case AnswerOverruled():
                    told.append(self._overruled(event))
                    continue
            told.append(event)
        if told and self._listener is not None:
            self._listener.heard(told)
        finished = any(isinstance(event, AnswerFinished) for event in told)
        if self._opens_only and any(isinstance(event, SessionStarted) for event in told):
            finished, self._opens_only = True, False
        if finished:
            self._finish()

    def _finish(self) -> None:
        """The turn has ended. One that is being interrupted is over when its input box is back."""
        self.questions.forget()
        if self._interrupting is not None:
            self._cut_short = self._conversation.finish(None)
            return
        self._in_turn = False
        self._set_state("waiting", "")
        if self.at_work:
            self._give(self._conversation.finish(None))

    def _look_for_turn(self, events: list[AnyAgentEvent]) -> None:
        """With its session the CLI itself is there: what it needs it has started before."""
        if not self._in_turn and any(isinstance(event, SessionStarted | PromptSubmitted) for event in events):
            self._begin_turn()

    def _begin_turn(self) -> None:
        self._in_turn = True
        if self._agent is not None:
            self._agent.begin_turn()

    def _give(self, outcome: Outcome) -> None:
        self._in_turn = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(outcome)

    def _tell_typed(self, text: str) -> None:
        if self._listener is not None:
            typist = self.terminal.input.last_typist
            self._listener.typed(Typed(text, typist, self.terminal.id, partial(TypedExecution, self)))

    def _answered(self, question_id: str) -> None:
        """It works on, or waits for the answer to another question: then people may type."""
        self.questions.answered(question_id)
        self._set_state("waiting" if self.questions.any_open else "running", self.questions.current)
        if self._listener is not None:
            self._listener.answered(question_id, "Answered in the terminal")

    def _overruled(self, overruled: AnswerOverruled) -> Warned:
        """The record must say what happened, and the run that it was not what the answer from here said."""
        if self._listener is not None:
            self._listener.overruled(overruled.question_id, done=overruled.done)
        return Warned(message=DONE_IN_TERMINAL if overruled.done else REFUSED_IN_TERMINAL)

    def _set_state(self, state: Literal["running", "waiting"], reason: str) -> None:
        self._entered = False
        if self._agent is not None:
            self._agent.set_state(state, reason)


class TypedExecution:
    """An instruction that a person typed into an open CLI: it is worked on already."""

    has_agent = True

    def __init__(self, cli: OpenCli, order: Order, listener: OrderListener) -> None:
        self._cli = cli
        self._answer = cli.expect(order, listener)

    async def work(self) -> Outcome:
        """Wait for the answer."""
        return await self._answer

    async def stop(self) -> None:
        """Close the CLI, confirmed."""
        await self._cli.close("The run was stopped.")

    async def interrupt(self) -> str:
        """End the turn; the CLI stays open."""
        return await self._cli.interrupt()
