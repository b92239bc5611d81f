"""Reports at a few fixed times that a CLI's screen has been still. Independent of the CLI.

Called by `open_cli.py`. While the screen is not read or the CLI is paused, nothing is reported.
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.clock import Clock, Timer

STEPS_SECONDS = (0.3, 1.0, 5.0)


class Stillness:
    """Measures how long a screen has been still. `blind`: returns whether the screen cannot be read now.

    `rested`: called at each time in `STEPS_SECONDS` that passes without a `stir`.
    """

    def __init__(self, clock: Clock, rested: Callable[[float], None], blind: Callable[[], bool]) -> None:
        self._rested = rested
        self._blind = blind
        self._clock = clock
        self._since = clock.monotonic()
        self._step = 0
        self._timer: Timer | None = None
        self._closed = False

    def stir(self) -> None:
        """Restart the time, because something has happened."""
        self._since, self._step = self._clock.monotonic(), 0
        if self._timer is None and not self._closed:
            self._timer = self._clock.call_at(self._since + STEPS_SECONDS[0], self._look)

    def close(self) -> None:
        """Stop calling `rested`, whatever happens."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        self._timer = None
        if self._blind():
            self._since, self._step = self._clock.monotonic(), 0
        passed = self._clock.monotonic() - self._since
        if passed >= STEPS_SECONDS[self._step]:
            step = STEPS_SECONDS[self._step]
            self._step += 1
            self._rested(step)  # may call `stir`
        if self._timer is None and not self._closed and self._step < len(STEPS_SECONDS):
            self._timer = self._clock.call_at(self._since + STEPS_SECONDS[self._step], self._look)
