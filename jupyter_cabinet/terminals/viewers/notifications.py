"""Notifies all viewers of a terminal, and its recording, about its programs. Decides nothing.

Made by `terminal.py`; listens to the display and the programs (`DisplayListener`, `ProgramsListener`).
"""

from __future__ import annotations

from collections.abc import Callable

from .. import frames
from ..programs.agent import AgentProcess
from ..recording.switch import RecordingSwitch
from ..screens.screen import Screen
from .connections import Connections


class Notifications:
    """`queued`: the frame about an agent that waits to be started here; None: there is none.

    `on_changed`: lists and events have to show the terminal again. `on_restarted`: a program was started after another
    had ended.
    """

    def __init__(
        self,
        viewers: Connections,
        recording: RecordingSwitch,
        *,
        on_changed: Callable[[], None],
        on_restarted: Callable[[], None],
    ) -> None:
        self.queued: frames.AgentQueued | None = None
        self._viewers = viewers
        self._recording = recording
        self._on_changed = on_changed
        self._on_restarted = on_restarted
        self._told: frames.AgentStateChanged | None = None
        self._title = ""

    def agent_queued(self, frame: frames.AgentQueued | None) -> None:
        """Notify the viewers that an agent will be started here and waits in the queue; None: none waits any more."""
        if frame != self.queued:
            self.queued = frame
            self._viewers.tell(frame or frames.AgentQueued(title=None))

    def problem(self, kind: str, message: str) -> None:
        """Notify all viewers that something went wrong. `message`: a sentence for people."""
        self._viewers.tell(frames.ErrorFrame(kind=kind, message=message))

    # --- the port `ProgramsListener` --------------------------------------------------------------

    def agent_changed(self, agent: AgentProcess | None) -> None:
        frame = agent.frame() if agent is not None else frames.AgentStateChanged(state=None)
        if frame != self._told:
            self._told = frame
            self._viewers.tell(frame)
            self._on_changed()

    def over(self, ended: frames.Exited) -> None:
        self._viewers.tell(ended, after_output=True)
        self._on_changed()

    def restarted(self) -> None:
        self._on_restarted()
        self._on_changed()

    def moved_to(self, folder: str) -> None:
        self._viewers.tell(frames.CwdChanged(path=folder))

    # --- the port `DisplayListener` ---------------------------------------------------------------

    def show(self, screen: Screen) -> None:
        self._viewers.show(screen)
        self.titled(screen.title)
        self._recording.show(screen)

    def titled(self, text: str) -> None:
        if text != self._title:
            self._title = text
            self._viewers.tell(frames.Title(text=text))

    def wake(self) -> None:
        self._viewers.wake()

    def has_primary(self) -> bool:
        return self._viewers.primary is not None

    def primary_slows(self, screen: Screen) -> bool:
        primary = self._viewers.primary
        return primary is not None and primary.stream.slows(screen)
