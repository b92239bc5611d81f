"""What an open CLI asks now, the hooks that wait for it, and the way of an answer back to them.

Called by `open_cli.py`, which says in its terminal that a question stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from ...core.clock import Clock
from ...runtimes.model import AnyAgentEvent, QuestionAnswered, QuestionAsked
from ...runtimes.port import Conversation
from ..model import OrderListener
from .waiting_hooks import Reply, WaitingHooks


class TerminalQuestions:
    """`listener`: gives the listener of the order that the CLI works on now, or worked on last. `take`: takes in that
    a question was answered from here."""

    def __init__(
        self,
        conversation: Conversation,
        clock: Clock,
        *,
        listener: Callable[[], OrderListener | None],
        take: Callable[[list[AnyAgentEvent]], None],
    ) -> None:
        self._conversation = conversation
        self._listener = listener
        self._take = take
        self._hooks = WaitingHooks(self._left, clock)
        self._open: dict[str, str] = {}  # question in words, by its id

    @property
    def any_open(self) -> bool:
        """Whether it asks anything now."""
        return bool(self._open)

    @property
    def current(self) -> str:
        """The oldest question that is open, in words; empty: none is."""
        return next(iter(self._open.values()), "")

    def is_heard(self, question_id: str) -> bool:
        """Whether a hook still waits for the answer."""
        return self._hooks.listens(question_id)

    def expect(self, events: Sequence[AnyAgentEvent]) -> dict[str, Reply]:
        """The replies to come for what a hook has asked. To be called before the events are taken in."""
        asked = [each.question_id for each in events if isinstance(each, QuestionAsked) and each.options]
        return self._hooks.expect(asked)

    async def replies(self, expected: dict[str, Reply], gone: asyncio.Event) -> bytes:
        """What the hook is to print, once all is answered. `gone`: set when it waits no more."""
        return await self._hooks.all_of(expected, gone)

    def ask(self, asked: QuestionAsked) -> None:
        """Hand a question to whoever listens; where nobody will answer, its hook goes."""
        self._open[asked.question_id] = asked.question
        listener = self._listener()
        if listener is None or not listener.asked(asked, partial(self.answer, asked.question_id)):
            self._hooks.let_go(asked.question_id)

    async def answer(self, question_id: str, option: str, note: str) -> bool:
        """Hand a person's answer to the hook that waits for it. False: it waits no longer.

        An empty reply leaves the question to the terminal: it stays open there.
        """
        if not self._hooks.listens(question_id):
            return False
        data = self._conversation.answer(question_id, option, note)
        self._hooks.reply(question_id, data)
        if data:
            self._take([QuestionAnswered(question_id=question_id)])
        return True

    def answered(self, question_id: str) -> None:
        """It is open no more."""
        self._hooks.let_go(question_id)
        self._open.pop(question_id, None)

    def let_go(self) -> None:
        """Let every hook end without a word: each question is left to the box in the terminal."""
        self._hooks.let_all_go()

    def forget(self) -> None:
        """None of them is open any more: the answer is complete."""
        self._open.clear()

    def close(self) -> None:
        """Let every hook end without a word: the CLI has ended."""
        self._hooks.let_all_go()

    def _left(self, question_id: str) -> None:
        self._conversation.answer(question_id, "")  # no option: it is left to the terminal
        listener = self._listener()
        if listener is not None:
            listener.left_to_terminal(question_id)
