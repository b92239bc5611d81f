"""One run without a terminal: pipes and structured events. It ends with the CLI, or soon after its answer.

Called by `executor.py`; starts the process under the launcher, feeds the conversation, reports events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from typing import Final

from ..core.clock import Clock
from ..runtimes.model import (
    AnswerFinished,
    AnyAgentEvent,
    Launch,
    Outcome,
    QuestionAnswered,
    QuestionAsked,
    Retrying,
    TextBlock,
    TextDelta,
    Thinking,
    ToolCall,
    ToolResult,
    Warned,
)
from ..runtimes.port import Conversation, Dialogue, Exit
from ..runtimes.shared import exit_failures
from ..sandboxes.port import PipedProcess, ProcessExit
from .model import OrderListener, StoppedBeforeStart
from .raw_log import RawLog
from .temporary import written

LEAVE_SECONDS: Final = 10  # for a CLI that has answered to exit by itself
SOON_SECONDS: Final = 1  # for a CLI that would not exit
# These show that it continues to work: a further instruction that it gives itself, when a background task has ended.
WORK: Final = (Thinking, TextDelta, TextBlock, ToolCall, ToolResult, QuestionAsked, Retrying)


class HeadlessExecution:
    """Work on one instruction.

    `start` returns its process, which waits to be released. `stop` may be called at any time.
    """

    def __init__(
        self,
        *,
        launch: Launch,
        title: str,
        conversation: Conversation,
        start: Callable[[], Awaitable[PipedProcess]],
        raw: RawLog,
        listener: OrderListener,
        clock: Clock,
    ) -> None:
        self._launch = launch
        self._title = title
        self._conversation = conversation
        self._start = start
        self._raw = raw
        self._listener = listener
        self._clock = clock
        self.exit: ProcessExit | None = None
        self._starting: asyncio.Future[PipedProcess] | None = None
        self._launched: PipedProcess | None = None
        self._stopped = False
        self._leaving: asyncio.Task[None] | None = None
        self._overstayed = False  # it had answered, and we ended it
        self._dialogue = conversation if launch.keep_stdin_open and isinstance(conversation, Dialogue) else None
        self._outbox: asyncio.Queue[bytes | None] = asyncio.Queue()  # None: no more comes

    async def work(self, on_process: Callable[[int, str], Awaitable[None]]) -> Outcome:
        """Run to the end, and return the outcome. Call it once.

        `on_process` must have recorded the pid when it returns: the process is released only then. Its errors are
        raised, after the process has been ended. Raises `StoppedBeforeStart` if `stop` was called before there was a
        process. A CLI that has answered and does not exit is ended after `LEAVE_SECONDS`, or after `SOON_SECONDS` if
        the launch says so.
        """
        with closing(self._raw), written(self._launch.files):
            self._starting = asyncio.ensure_future(self._start())
            try:
                launched = self._launched = await self._starting
            except asyncio.CancelledError:
                if self._stopped:
                    raise StoppedBeforeStart from None
                raise
            try:
                await on_process(launched.pid, launched.started_at)
                if self._stopped:
                    await launched.stop()
                else:
                    await launched.go()
                    await self._converse(launched)
                exit = self.exit = await launched.wait()
            except BaseException:
                await launched.stop()
                raise
            finally:
                self._stay()
        # an end that we caused does not decide whether its answer was a success
        end = None if self._overstayed else Exit(code=exit.code, signal=exit.signal)
        outcome = self._conversation.finish(end)
        is_usual = self._stopped or (self._overstayed and self._launch.outlives_answer)
        warning = "" if is_usual else exit_failures.after_answer(end, self._title, seconds=LEAVE_SECONDS)
        if warning and outcome.failure is None:
            self._listener.heard([Warned(message=warning)])
        return outcome

    async def _answer(self, question_id: str, option: str, note: str) -> bool:
        """Deliver a person's answer to the CLI, which then continues without a report.

        Return False if it no longer asks.
        """
        data = self._conversation.answer(question_id, option, note)
        if data:
            self._outbox.put_nowait(data)
            self._listener.answered(question_id, "")
        return bool(data)

    async def stop(self) -> None:
        """End the process and all its descendants, confirmed. One that is being started is given up without waiting."""
        self._stopped = True
        if self._launched is not None:
            await self._launched.stop()
        elif self._starting is not None:
            self._starting.cancel()  # it may wait long for a worker of a cluster

    async def _converse(self, launched: PipedProcess) -> None:
        writing = asyncio.create_task(self._write(launched))
        try:
            async for source, data in launched.output():
                self._listener.wrote(len(data))
                self._raw.write(data, source)
                events = self._conversation.feed(source, data)
                self._take(events)
                self._watch_for_answer(events, launched)
                self._ask_for_more()
            if self._dialogue is None:
                await writing
        finally:
            writing.cancel()

    def _take(self, events: list[AnyAgentEvent]) -> None:
        self._listener.heard(events)
        for event in events:
            if isinstance(event, QuestionAsked):
                self._listener.asked(event, partial(self._answer, event.question_id))
            elif isinstance(event, QuestionAnswered):
                self._listener.answered(event.question_id, "The agent no longer asks")

    def _ask_for_more(self) -> None:
        """Put the conversation's new output into the outbox: reading never waits for writing."""
        piece = self._dialogue.outgoing() if self._dialogue is not None else b""
        if piece != b"":
            self._outbox.put_nowait(piece)

    async def _write(self, launched: PipedProcess) -> None:
        await launched.write(self._launch.stdin + self._conversation.start())
        self._ask_for_more()
        while self._dialogue is not None and (piece := await self._outbox.get()) is not None:
            await launched.write(piece)
        launched.close_stdin()
        if self._dialogue is not None:
            self._let_leave(launched)

    # --- after the answer ------------------------------------------------------------------

    def _watch_for_answer(self, events: list[AnyAgentEvent], launched: PipedProcess) -> None:
        for event in events:
            if isinstance(event, AnswerFinished):
                self._let_leave(launched)
            elif isinstance(event, WORK):
                self._stay()

    def _let_leave(self, launched: PipedProcess) -> None:
        if self._leaving is None:
            self._leaving = asyncio.create_task(self._see_off(launched))

    def _stay(self) -> None:
        if self._leaving is not None and not self._overstayed:
            self._leaving.cancel()
            self._leaving = None

    async def _see_off(self, launched: PipedProcess) -> None:
        """A tool server or a background task may keep the CLI running forever."""
        await self._clock.sleep(SOON_SECONDS if self._launch.outlives_answer else LEAVE_SECONDS)
        self._overstayed = True
        await launched.stop()
