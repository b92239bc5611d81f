"""Decides whether one terminal is recorded: by the server's setting, its opener's wish, and manual switching.

Made by `terminal.py`, which reports the shown screen; controls the terminal's `Recorder`. By default only an agent's
screen is recorded, never a person's shell; once switched on manually, everything is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from ...core.errors import CabinetError, Unavailable
from ...core.people import Visibility
from ...sandboxes.port import Size
from ...storage.filesystem.private_folders import check_room
from ..model import About
from ..screens.screen import Screen
from ..settings import TerminalSettings
from .recorder import Recorder
from .recordings import Recordings

log = logging.getLogger(__name__)


class RecordingSwitch:
    """`recordings` None: nothing is recorded on this server.

    `on_changed`: it was switched, or started by itself.
    """

    def __init__(
        self,
        about: About,
        recordings: Recordings | None,
        *,
        size: Size,
        settings: TerminalSettings,
        on_changed: Callable[[], None],
    ) -> None:
        wish, default = about.record, settings.record_terminals
        self._everything = wish if wish is not None else default == "all"
        self._agents = wish is not False and default != "none"
        self._about = about
        self._recordings = recordings
        self._on_changed = on_changed
        self._recorder: Recorder | None = None
        self._screen: Screen | None = None
        self._size = size
        self._label = ""

    @property
    def on(self) -> bool:
        """Whether the screen is being recorded."""
        return self._recorder is not None and self._recorder.on

    @property
    def recorded(self) -> bool:
        """Whether there is anything to play."""
        return self._recorder is not None and self._recorder.recorded

    @property
    def problem(self) -> str:
        """The reason why it stopped by itself, as a sentence; empty if it did not."""
        return self._recorder.problem if self._recorder is not None else ""

    def switch(self, on: bool) -> None:
        """Switch it for a person. Raises `Unavailable` if nothing is recorded on this server, and `NoRoom`.

        From then on everything is recorded, also a person's shell, or nothing.
        """
        self._everything = self._agents = on
        if on:
            self._resume()
        elif self._recorder is not None:
            self._recorder.pause()

    def set_visibility(self, visibility: Visibility) -> None:
        """Let the recording follow when the owner has shared the terminal, or made it private."""
        self._about = msgspec.structs.replace(self._about, visibility=visibility)
        if self._recorder is not None:
            self._recorder.set_visibility(visibility)

    def changed(self, *, exited: bool, occupied: bool) -> None:
        """Pause the recording if there is nothing more to record: the agent's state has changed, or the terminal has
        ended.
        """
        over = exited or not (self._everything or occupied)
        if over and self._recorder is not None:
            self._recorder.pause()

    def show(self, screen: Screen) -> None:
        """Record the screen that viewers see from now on, if it is to be recorded. A failure is only logged."""
        self._screen = screen
        if self._recordings is None:
            return
        wanted = self._everything or (self._agents and screen.source == "agent")
        if self.on and self._recorder is not None:
            self._recorder.show(screen if wanted else None)
        elif wanted:
            try:
                self._resume()
            except CabinetError as error:  # costs the recording, never the terminal
                log.error("Terminal %s is not recorded: %s", self._about.id, error.message)

    def resize(self, size: Size) -> None:
        """Record that the size of the terminal has changed."""
        self._size = size
        if self._recorder is not None:
            self._recorder.resized(size)

    def mark(self, label: str) -> None:
        """Add a marker because a run starts, perhaps just before its screen is shown."""
        self._label = label
        if self._recorder is not None and self.on:
            self._recorder.mark(label)

    async def end(self) -> None:
        """Complete the recording, because the terminal is closed."""
        if self._recordings is not None:
            await self._recordings.end(self._about.id)

    def _resume(self) -> None:
        if self._recordings is None:
            raise Unavailable("Recording is turned off on this server.")
        check_room(self._recordings.place)
        if self._recorder is None:
            self._recorder = self._recordings.begin(
                self._about.id,
                name=self._about.name,
                owner=self._about.owner.username,
                visibility=self._about.visibility,
                size=self._size,
                on_changed=self._on_changed,
            )
        self._recorder.resume(self._screen)
        if self._label:
            self._recorder.mark(self._label)
