"""The listener of an order in a test: keeps everything that is reported about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from jupyter_cabinet.core.errors import NotAllowed
from jupyter_cabinet.execution.model import Begun, Deliver, Exchange, ToolAnswer, Typed
from jupyter_cabinet.runtimes.model import AnyAgentEvent, QuestionAsked

Answers = Callable[[QuestionAsked], tuple[str, str]]  # option and note for a question


class KeepingListener:
    """`events`: all that was heard. `answers`: answers each question at once; None: nobody answers here."""

    def __init__(self, answers: Answers | None = None) -> None:
        self.events: list[AnyAgentEvent] = []
        self.overruled_answers: list[tuple[str, bool]] = []  # questions, and whether what they asked for was done
        self._answers = answers
        self._answering: set[asyncio.Task[bool]] = set()

    async def begun(self, begun: Begun) -> None:
        """Nothing is put on record."""

    def heard(self, events: list[AnyAgentEvent]) -> None:
        self.events += events

    def wrote(self, count: int) -> None:
        """Nobody counts."""

    def asked(self, asked: QuestionAsked, deliver: Deliver) -> bool:
        if self._answers is None:
            return False

        async def answer(answers: Answers) -> bool:
            return await deliver(*answers(asked))

        self._answering.add(asyncio.get_running_loop().create_task(answer(self._answers)))
        return True

    def answered(self, question_id: str, how: str) -> None:
        """The run no longer waits."""

    def overruled(self, question_id: str, *, done: bool) -> None:
        """The terminal was answered first."""
        self.overruled_answers.append((question_id, done))

    def left_to_terminal(self, question_id: str) -> None:
        """It is answered there, or nowhere."""

    def waits(self, reason: str) -> None:
        """A test looks at the events."""

    def waits_to_start(self, reason: str) -> None:
        """A test looks at the events."""

    def goes_on(self, question: str | None) -> None:
        """As it should."""

    def typed(self, typed: Typed) -> None:
        """Nobody types."""

    async def earlier(self) -> Sequence[Exchange]:
        return ()

    async def call_tool(self, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        raise NotAllowed("There are no tools here.")
