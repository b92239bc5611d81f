"""Tells all viewers of a terminal what happens on its stage, and whoever follows along for another reason.

The stage's `Host`; made by `terminal.py`. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from ..core.clock import Clock
from ..sandboxes.port import ProcessExit
from . import model
from .agent import AgentProcess
from .audience import Audience
from .screen import Screen


class Announcer:
    """`on_changed`: the terminal is another one in lists and events."""

    def __init__(
        self, audience: Audience, *, clock: Clock, on_changed: Callable[[], None], on_again: Callable[[], None]
    ) -> None:
        self.exit: ProcessExit | None = None
        self.exited: model.Exited | None = None
        self.queued: model.AgentQueued | None = None
        self._clock = clock
        self.on_shown: list[Callable[[Screen], None]] = []
        self.recheck_keys: Callable[[], None] = lambda: None
        self._audience = audience
        self._on_changed = on_changed
        self._on_again = on_again
        self._told: model.AgentStateChanged | None = None
        self._title = ""

    def show(self, screen: Screen) -> None:
        self._audience.show(screen)
        self.titled(screen.title)
        for callback in list(self.on_shown):
            callback(screen)

    def agent_changed(self, agent: AgentProcess | None) -> None:
        self.keys_changed()
        frame = agent.frame() if agent is not None else model.AgentStateChanged(state=None)
        if frame != self._told:
            self._told = frame
            self._audience.tell(frame)
            self._on_changed()

    def agent_queued(self, frame: model.AgentQueued | None) -> None:
        """An agent waits to be started here; None: none any more."""
        if frame != self.queued:
            self.queued = frame
            self._audience.tell(frame or model.AgentQueued(title=None))

    def keys_changed(self) -> None:
        self.recheck_keys()

    def over(self, ended: ProcessExit | None) -> None:
        if ended is None and self.exit is None:
            return
        self.exit, self.exited = ended, None
        if ended is not None:
            self.exited = model.Exited(code=ended.code, signal=ended.signal, ended_at=self._clock.now())
            self._audience.tell(self.exited, after_output=True)
        else:
            self._on_again()
        self._on_changed()

    def titled(self, text: str) -> None:
        if text != self._title:
            self._title = text
            self._audience.tell(model.Title(text=text))

    def moved_to(self, folder: str) -> None:
        self._audience.tell(model.CwdChanged(path=folder))

    def wake(self) -> None:
        self._audience.wake()

    def has_primary(self) -> bool:
        return self._audience.primary is not None

    def primary_slows(self, screen: Screen) -> bool:
        primary = self._audience.primary
        return primary is not None and primary.stream.slows(screen)
