"""Follows a run for the cell that started it: updates its output; an interrupt of the kernel ends the run.

The browser draws the run by itself from its id. The updates from here are for readers without the extension, and for
the saved notebook, so they are rare.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from ..client.errors import CabinetError, RunFailed
from ..client.model import RunEvent, RunResult
from ..client.runs.live_run import LiveRun, cancel_soon
from ..core.clock import Clock, SystemClock
from ..runtimes.model import TextBlock, TextDelta, ToolCall
from . import fallback
from .bundles import Bundle, run_bundle

log = logging.getLogger(__name__)

FIRST_SECONDS = 2.0  # until the output is updated for the first time, and then at growing intervals
LONGEST_SECONDS = 30.0


class Handle(Protocol):
    """An output in the notebook: IPython's `DisplayHandle`."""

    def update(self, obj: Any, **named: Any) -> None:
        """Show this instead."""


ShowBundle = Callable[[Bundle], Handle]


class RunOutput:
    """The output of one run. Sent again while the run works, and when it has ended."""

    def __init__(
        self, run: LiveRun, show: ShowBundle, *, attached: Sequence[str] = (), clock: Clock | None = None
    ) -> None:
        """Show it. `attached`: titles of the context sent with it. Raises what the run's submission has raised."""
        self._run = run
        self._attached = attached
        self._clock = clock or SystemClock()
        self._texts: list[str] = []
        self._pieces: list[str] = []  # of a text that is being written
        self._calls: list[ToolCall] = []
        self._pause = FIRST_SECONDS
        self._due = self._clock.monotonic() + FIRST_SECONDS
        self._handle = show(self._bundle())

    def take(self, event: RunEvent) -> None:
        """Take in an event of the run.

        The output is updated at most after 2 seconds, and then at growing intervals up to 30.
        """
        if isinstance(event, TextDelta):
            self._pieces.append(event.text)
        elif isinstance(event, TextBlock):
            self._texts.append(event.text)
            self._pieces.clear()
        elif isinstance(event, ToolCall):
            self._calls.append(event)
        now = self._clock.monotonic()
        if now >= self._due:
            self._pause = min(2 * self._pause, LONGEST_SECONDS)
            self._due = now + self._pause
            self._handle.update(self._bundle(), raw=True)

    def leave(self) -> None:
        """Show that the run was asked to stop, and that nobody waits for its end."""
        self._handle.update(self._bundle(left=True), raw=True)

    def end(self, result: RunResult) -> None:
        """Show the result of the run, which has ended."""
        markdown, text = fallback.ended(self._run.run, result)
        self._handle.update(run_bundle(result.run_id, markdown, text, attached=self._attached), raw=True)

    def _bundle(self, *, left: bool = False) -> Bundle:
        text = "\n\n".join([*self._texts, "".join(self._pieces)])
        markdown, words = fallback.live(self._run.run, text, self._calls, left=left)
        return run_bundle(self._run.id, markdown, words, attached=self._attached)


@contextmanager
def ended_by_interrupt(run: LiveRun) -> Iterator[None]:
    """Cancel the run if an interrupt (`KeyboardInterrupt`) ends the body, and raise it again.

    It does not wait for the end.
    """
    try:
        yield
    except KeyboardInterrupt:
        cancel_soon(run)
        raise


def follow(run: LiveRun, output: RunOutput) -> RunResult:
    """Wait for the end, updating `output`, and return the result. A run without success raises nothing.

    An interrupt cancels the run, whose result is returned like that of any other; a second interrupt is raised. Raises
    `RequestRefused` and `Unreachable`.
    """
    try:
        for event in run:
            output.take(event)
        result = run.result(check=False)
    except KeyboardInterrupt:
        try:
            run.cancel()
            result = run.result(check=False)
        except KeyboardInterrupt:
            output.leave()
            raise
    output.end(result)
    return result


def follow_behind(run: LiveRun, output: RunOutput) -> threading.Thread:
    """Start a thread that waits like `follow`, for a cell that returns at once, and return it.

    Its errors are only logged.
    """

    def work() -> None:
        try:
            follow(run, output)
        except CabinetError as error:  # the browser follows the run by itself
            log.warning("The output of run %s is no longer updated: %s", run.id, error)

    thread = threading.Thread(target=work, name=f"cabinet-run-{run.id}", daemon=True)
    thread.start()
    return thread


def checked(result: RunResult, *, raises: bool) -> RunResult:
    """Return the result, or raise `RunFailed` for a run without success if `raises` is true.

    An interrupted cell always fails, so that the following cells are not run.
    """
    if result.state != "succeeded" and (raises or result.state == "cancelled"):
        raise RunFailed(result)
    return result
