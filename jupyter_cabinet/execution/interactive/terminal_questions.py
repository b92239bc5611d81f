"""The open questions of a CLI, the hooks that wait for them, and the delivery of answers to the hooks.

Called by `open_cli.py`, which shows in its terminal that there is a question.
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
    """The open questions of one CLI. `listener`: returns the listener of the CLI's current order, else of its previous
    one.

    `take`: called with the event that a question was answered here.
    """

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
        self._open: dict[str, str] = {}  # text of the question, by its id

    @property
    def any_open(self) -> bool:
        """Return whether a question is open now."""
        return bool(self._open)

    @property
    def current(self) -> str:
        """Return the text of the oldest open question; empty if there is none."""
        return next(iter(self._open.values()), "")

    def is_heard(self, question_id: str) -> bool:
        """Return whether a hook still waits for the answer."""
        return self._hooks.listens(question_id)

    def expect(self, events: Sequence[AnyAgentEvent]) -> dict[str, Reply]:
        """Return the replies that will answer a hook's questions. Call it before `take` receives the events.

        Only questions with options that no hook waits for yet; empty if there are none.
        """
        asked = [each.question_id for each in events if isinstance(each, QuestionAsked) and each.options]
        return self._hooks.expect(asked)

    async def replies(self, expected: dict[str, Reply], gone: asyncio.Event) -> bytes:
        """Return what the hook prints, once everything is answered. Waits without a limit.

        `gone`: set when the hook stops waiting. Questions that a hook no longer waits for are left to the terminal.
        """
        return await self._hooks.all_of(expected, gone)

    def ask(self, asked: QuestionAsked) -> None:
        """Pass a question to the listener. If nobody will answer it, release its hook."""
        self._open[asked.question_id] = asked.question
        listener = self._listener()
        if listener is None or not listener.asked(asked, partial(self.answer, asked.question_id)):
            self._hooks.let_go(asked.question_id)

    async def answer(self, question_id: str, option: str, note: str) -> bool:
        """Deliver a person's answer to the waiting hook.

        Return False, without effect, if no hook waits for it any more. An empty reply leaves the question to the
        terminal: it stays open there, and True is returned.
        """
        if not self._hooks.listens(question_id):
            return False
        data = self._conversation.answer(question_id, option, note)
        self._hooks.reply(question_id, data)
        if data:
            self._take([QuestionAnswered(question_id=question_id)])
        return True

    def answered(self, question_id: str) -> None:
        """Close a question, and release its hook."""
        self._hooks.let_go(question_id)
        self._open.pop(question_id, None)

    def let_go(self) -> None:
        """Release every hook without an answer: each question is left to the dialog in the terminal."""
        self._hooks.let_all_go()

    def forget(self) -> None:
        """Forget all open questions, because the answer is complete. Nobody is notified, and no hook is released."""
        self._open.clear()

    def close(self) -> None:
        """Release every hook without an answer, because the CLI has ended."""
        self._hooks.let_all_go()

    def _left(self, question_id: str) -> None:
        self._conversation.answer(question_id, "")  # an empty option leaves the question to the terminal
        listener = self._listener()
        if listener is not None:
            listener.left_to_terminal(question_id)
