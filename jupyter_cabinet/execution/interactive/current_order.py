"""The order that an open CLI works on, or the one before: who listens to it, and the future of its outcome.

It has no reference to the CLI: `open_cli.py` passes on whatever the CLI reports. Before the first order there is no
listener, and nothing is reported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ...runtimes.model import AnswerOverruled, AnyAgentEvent, Outcome, Warned
from ..model import Order, OrderListener, Typed

DONE_IN_TERMINAL = "The question was answered with yes in the terminal before it was denied here: the agent did it."
REFUSED_IN_TERMINAL = "The question was answered with no in the terminal before it was allowed here: nothing was done."


class CurrentOrder:
    """The current order of one CLI. `given_up`: called if its outcome is no longer wanted.

    Reports go to the listener of the current order, or of the one before; before the first order they are dropped.
    """

    def __init__(self, given_up: Callable[[], None]) -> None:
        self.order: Order | None = None
        self.listener: OrderListener | None = None
        self._given_up = given_up
        self._outcome: asyncio.Future[Outcome] | None = None

    def assign(self, order: Order, listener: OrderListener) -> asyncio.Future[Outcome]:
        """Report everything to this listener from now on. Return a future for the outcome of the order.

        If the caller cancels the future, `given_up` is called. The future of an earlier order is not changed.
        """
        self.order, self.listener = order, listener
        self._outcome = asyncio.get_running_loop().create_future()
        self._outcome.add_done_callback(self._on_done)
        return self._outcome

    def _on_done(self, outcome: asyncio.Future[Outcome]) -> None:
        if outcome is self._outcome and outcome.cancelled():
            self._given_up()

    @property
    def has_ended(self) -> bool:
        """Return whether there is no order that waits for its outcome."""
        return self._outcome is None or self._outcome.done()

    async def wait(self) -> None:
        """Wait for the outcome of the order without a limit, or until it is no longer wanted.

        Returns at once without an order.
        """
        if self._outcome is not None:
            await asyncio.wait([self._outcome])

    def end(self, outcome: Outcome) -> None:
        """Set the outcome of the order. No effect if it has ended."""
        if self._outcome is not None and not self._outcome.done():
            self._outcome.set_result(outcome)

    # --- what the listener hears -----------------------------------------------------------

    def heard(self, events: list[AnyAgentEvent]) -> None:
        """Report events of the CLI."""
        if events and self.listener is not None:
            self.listener.heard(events)

    def wrote(self, count: int) -> None:
        """Report that the CLI has written so many bytes."""
        if self.listener is not None:
            self.listener.wrote(count)

    def waits(self, reason: str) -> None:
        """Report that the CLI was paused. `reason`: who has paused it, as a sentence."""
        if self.listener is not None:
            self.listener.waits(reason)

    def goes_on(self, question: str | None) -> None:
        """Report that the CLI is no longer paused: it works, or shows a question in its terminal."""
        if self.listener is not None:
            self.listener.goes_on(question)

    def typed(self, typed: Typed) -> None:
        """Report that a person has typed an instruction into the idle CLI."""
        if self.listener is not None:
            self.listener.typed(typed)

    def answered(self, question_id: str) -> None:
        """Report that the CLI no longer asks a question."""
        if self.listener is not None:
            self.listener.answered(question_id, "Answered in the terminal")

    def overruled(self, event: AnswerOverruled) -> Warned:
        """Report that the terminal's answer counted, not the one given here. Return a warning that says so."""
        if self.listener is not None:
            self.listener.overruled(event.question_id, done=event.done)
        return Warned(message=DONE_IN_TERMINAL if event.done else REFUSED_IN_TERMINAL)
