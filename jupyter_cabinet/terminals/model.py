"""The values of the room: a terminal as others see it, a recording, the bodies of requests, the events.

The frames of the WebSocket are in `frames.py`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..core.errors import Invalid
from ..core.events import Event
from ..core.people import Person, Visibility
from ..sandboxes.port import Size

SHELL = "shell"  # the program that is not a runtime

AgentState = Literal["running", "waiting", "paused", "ending", "stopped"]
ScreenSource = Literal["shell", "agent"]


class About(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of an open terminal. Only `visibility` can change."""

    id: str
    name: str
    owner: Person
    visibility: Visibility
    program: str = SHELL
    lasting: bool = False  # a person opened it: a shell takes over when its agent ends
    record: bool | None = None  # whether its opener wants it recorded; None: the server's setting
    cwd: str
    created_at: datetime


class Terminal(msgspec.Struct, frozen=True, kw_only=True):
    """A PTY that many can watch and one can control."""

    id: str
    name: str
    owner: str
    visibility: Visibility
    program: str = SHELL  # the program it was opened with: "shell", a runtime's name, or the command's first word
    agent_title: str | None = None  # the runtime's name while an agent is there
    agent_state: AgentState | None = None
    agent_since: datetime | None = None  # when the agent was started
    run_id: str | None = None  # the run that works in it, else the last one
    controller: Person | None = None
    size: Size
    cwd: str
    created_at: datetime
    exited: bool = False
    recording: bool = False  # the screen is being recorded
    recorded: bool = False  # there is a recording to play


class RecordingPart(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a recording: asciicast v2, playable by itself."""

    number: int
    seconds: float
    bytes: int


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """The recorded output of a terminal, kept for playing back. Its id is the terminal's."""

    id: str
    number: int = 0  # grows from recording to recording, whatever the clock says: the order of the list
    name: str
    owner: str
    visibility: Visibility
    started_at: datetime
    ended_at: datetime | None = None  # None: still being written
    parts: tuple[RecordingPart, ...] = ()  # oldest first; the oldest are dropped when it grows too large
    dropped_parts: int = 0


SIDES = range(1, 1001)  # characters: the allowed sizes


def checked_size(cols: int, rows: int) -> Size:
    """Return a requested size. Raises `Invalid` if it has not 1 to 1000 columns and rows."""
    if cols not in SIDES or rows not in SIDES:
        raise Invalid("A terminal has 1 to 1000 columns and rows.", field="cols")
    return Size(cols=cols, rows=rows)


# --- bodies of requests ----------------------------------------------------------------------


class NewTerminal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST terminals`."""

    program: str = SHELL  # "shell", or the name of a runtime whose CLI is opened in it
    command: tuple[str, ...] | None = None  # instead of a shell: a program and its arguments
    name: str | None = None  # default: "Terminal 1", "Terminal 2", …
    cwd: str | None = None  # relative to the server's root
    cols: int | None = None
    rows: int | None = None
    visibility: Visibility = "server"
    record: bool | None = None  # None: the server's setting (agents' terminals are recorded)
    isolate: bool | None = None  # an agent in it: true: in a sandbox or not at all; None: as the server's setting says


class TerminalPatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `PATCH terminals/{id}`."""

    visibility: Visibility


class TypedInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST terminals/{id}/input`: typed for the caller, under the same rules as keys."""

    text: str
    submit: bool = False  # Enter follows when the program has read the text


class SetRecording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `PUT terminals/{id}/recording`."""

    on: bool


# --- events ----------------------------------------------------------------------------------


class TerminalOpened(Event, frozen=True, kw_only=True, tag="terminal_opened"):
    """A terminal was opened, and can be watched."""

    resource = "cabinet-terminals"

    terminal: Terminal


class TerminalChanged(Event, frozen=True, kw_only=True, tag="terminal_changed"):
    """The agent's state, the end, the recording or the visibility has changed: the terminal as it is now."""

    resource = "cabinet-terminals"

    terminal: Terminal


class TerminalClosed(Event, frozen=True, kw_only=True, tag="terminal_closed"):
    """A terminal was closed. `reason`: a sentence for people."""

    resource = "cabinet-terminals"

    terminal_id: str
    reason: str


class TerminalHidden(Event, frozen=True, kw_only=True, tag="terminal_hidden"):
    """The owner of a terminal has made it private. `reason`: a sentence for people who no longer see it."""

    resource = "cabinet-terminals"

    terminal_id: str
    owner: str
    reason: str


class TurnChanged(Event, frozen=True, kw_only=True, tag="turn_changed"):
    """Control moved. `why` is the name of the frame that the viewers received."""

    resource = "cabinet-terminals"

    terminal_id: str
    controller: Person | None
    why: str
    by: str | None = None


class RecordingClosed(Event, frozen=True, kw_only=True, tag="recording_closed"):
    """A recording is complete: nothing more is written to it, and all of it can be played."""

    resource = "cabinet-terminals"

    recording: Recording
