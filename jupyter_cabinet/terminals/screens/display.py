"""Decides which of a terminal's PTYs viewers see, in which size, and who answers the queries of its program.

`programs/programs.py` decides which PTY is shown when. Knows no people.
"""

from __future__ import annotations

from typing import Protocol

from ...core.clock import Clock
from ...sandboxes.port import Pty, Size
from ..model import ScreenSource
from ..settings import TerminalSettings
from ..vt.queries import Query
from .screen import Screen, Watchers

PRIMARY_ANSWERS_SECONDS = 1.0


class DisplayListener(Watchers, Protocol):
    """Receives what is shown."""

    def show(self, screen: Screen) -> None:
        """Called when another PTY is shown."""

    def titled(self, text: str) -> None:
        """Called when the shown program has set the window's title."""

    def has_primary(self) -> bool:
        """Whether there is a viewer whose emulator answers queries."""


class Display:
    """`shown` is the screen that viewers see, None before the first; `size` is the terminal's."""

    def __init__(self, listener: DisplayListener, *, size: Size, clock: Clock, settings: TerminalSettings) -> None:
        self.shown: Screen | None = None
        self.size = size
        self._listener = listener
        self._clock = clock
        self._settings = settings
        self._last_output = clock.monotonic()  # of the programs that are forgotten
        self._latest: dict[ScreenSource, Screen] = {}
        self._firsts: dict[ScreenSource, int] = {}  # where the stream of the next PTY of each kind starts

    @property
    def quiet_seconds(self) -> float:
        """Return the seconds since any of its programs last wrote something, including one that is not shown."""
        forgotten = self._clock.monotonic() - self._last_output
        return min([forgotten, *(screen.quiet_seconds for screen in self._latest.values())])

    def add(self, pty: Pty, source: ScreenSource, *, size: Size) -> Screen:
        """Make a screen for a PTY that was opened in `size`; it is read from now on, and not shown yet.

        The earlier screen of this source is forgotten.
        """
        before = self._latest.get(source)
        if before is not None:
            self.forget(before)
        first = self._firsts.get(source, 0)
        self._latest[source] = Screen(
            pty, source, listener=self, size=size, clock=self._clock, settings=self._settings, first=first
        )
        return self._latest[source]

    def forget(self, screen: Screen) -> None:
        """Forget its program.

        A client may come back with an offset of this PTY: it must never fit the stream of the next one.
        """
        self._firsts[screen.source] = screen.ring.end + 1
        self._last_output = max(self._last_output, self._clock.monotonic() - screen.quiet_seconds)
        if self._latest.get(screen.source) is screen:
            del self._latest[screen.source]

    def show(self, screen: Screen) -> None:
        """Show `screen` to all viewers from now on."""
        if screen is self.shown:
            return
        if self.shown is not None:
            self.shown.hide()
        self.shown = screen
        screen.show(self._listener)
        if screen.size != self.size:  # changed while it was hidden, or while the launcher started
            screen.resize(self.size)
        self._listener.show(screen)

    def resize(self, size: Size) -> None:
        """Set the terminal's size. A hidden screen gets it when it is shown."""
        self.size = size
        if self.shown is not None:
            self.shown.resize(size)

    # --- the port `ScreenListener` ---------------------------------------------------------------

    def titled(self, screen: Screen, text: str) -> None:
        if screen is self.shown:
            self._listener.titled(text)

    def asked(self, screen: Screen, query: Query) -> None:
        """Let the primary viewer answer a query of the program.

        Without one, or when it is silent for a second (replaying, in a hidden tab), the server does.
        """
        if screen is not self.shown or not self._listener.has_primary():
            screen.input.answer(query.answer)
            return
        screen.queries.expect(query)
        if query.answer:
            at = self._clock.monotonic() + PRIMARY_ANSWERS_SECONDS
            self._clock.call_at(at, lambda: self._answer_instead(screen, query))

    def _answer_instead(self, screen: Screen, query: Query) -> None:
        if screen.queries.give_up(query):
            screen.input.answer(query.answer)
