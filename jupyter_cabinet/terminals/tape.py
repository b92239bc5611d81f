"""Whether one terminal is recorded: as the server is set, as its opener wanted, as somebody has switched it.

Made by `hub.Terminals` for each terminal, follows it through its `on_…` lists, and drives its `Recorder`.
By default only an agent's screen goes on record, never a person's shell; switched on by hand everything does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import CabinetError, Unavailable
from ..storage.places import check_room
from .model import Size
from .recorder import Recorder
from .recordings import Recordings
from .screen import Screen

if TYPE_CHECKING:
    from .terminal import OpenTerminal

log = logging.getLogger(__name__)


class Tape:
    """`recordings` None: nothing is recorded on this server. `on_changed`: it was switched, or began by itself."""

    def __init__(self, terminal: OpenTerminal, recordings: Recordings | None, on_changed: Callable[[], None]) -> None:
        wish = terminal.about.record
        default = terminal.settings.record
        self._everything = wish if wish is not None else default == "all"
        self._agents = wish is not False and default != "none"
        self._terminal = terminal
        self._recordings = recordings
        self._on_changed = on_changed
        self._recorder: Recorder | None = None
        self._label = ""
        if recordings is not None:
            terminal.on_shown.append(self._shown)
            terminal.on_resized.append(self._resized)
            terminal.on_mark.append(self._mark)

    @property
    def on(self) -> bool:
        return self._recorder is not None and self._recorder.on

    @property
    def recorded(self) -> bool:
        """Whether there is anything to play."""
        return self._recorder is not None and self._recorder.recorded

    def switch(self, on: bool) -> None:
        """Somebody wants it so. Raises `Unavailable`, `NoRoom`."""
        self._everything = self._agents = on
        if on:
            self._resume()
        elif self._recorder is not None:
            self._recorder.pause()

    def follow(self) -> None:
        """The agent's state has changed, or the terminal has ended."""
        over = self._terminal.exited or not (self._everything or self._terminal.occupied)
        if over and self._recorder is not None:
            self._recorder.pause()

    async def end(self) -> None:
        """The terminal is closed."""
        if self._recordings is not None:
            await self._recordings.end(self._terminal.id)

    def _shown(self, screen: Screen) -> None:
        wanted = self._everything or (self._agents and screen.source == "agent")
        if self.on and self._recorder is not None:
            self._recorder.show(screen if wanted else None)
        elif wanted:
            try:
                self._resume()
            except CabinetError as error:  # costs the recording, never the terminal
                log.error("Terminal %s is not recorded: %s", self._terminal.id, error.message)

    def _resume(self) -> None:
        if self._recordings is None:
            raise Unavailable("Nothing is recorded on this server.")
        check_room(self._recordings.place)
        about = self._terminal.about
        if self._recorder is None:
            self._recorder = self._recordings.begin(
                about.id,
                name=about.name,
                owner=about.owner.username,
                visibility=about.visibility,
                size=self._terminal.size,
                on_changed=self._changed,
            )
        self._recorder.resume(self._terminal.screen)
        if self._label:
            self._recorder.mark(self._label)

    def _changed(self) -> None:
        if self._recorder is not None and self._recorder.problem:
            self._terminal.complain("recording", self._recorder.problem)
        self._on_changed()

    def _resized(self, size: Size) -> None:
        if self._recorder is not None:
            self._recorder.resized(size)

    def _mark(self, label: str) -> None:
        """A run begins, maybe just before its screen is shown."""
        self._label = label
        if self._recorder is not None and self.on:
            self._recorder.mark(label)
