"""The values of the room: a terminal as others see it, the frames of `cabinet.terminal.v1`, the events.

Binary WebSocket messages are raw PTY bytes both ways; the structs below are the text frames.
Times in seconds, offsets in bytes since the PTY was opened.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..core.events import Event
from ..core.people import Person, Visibility

SUBPROTOCOL = "cabinet.terminal.v1"

AgentState = Literal["running", "waiting", "paused", "ending", "stopped"]
ScreenSource = Literal["shell", "agent"]
SignalName = Literal["INT", "QUIT", "TSTP"]


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """Of the PTY, in characters."""

    cols: int
    rows: int


class Terminal(msgspec.Struct, frozen=True, kw_only=True):
    """A PTY that many can watch and one can control."""

    id: str
    name: str
    owner: str
    visibility: Visibility
    program: str = "shell"  # what was opened: "shell", a runtime's name, or the command's first word
    agent_title: str | None = None  # the runtime's name while an agent is there
    agent_state: AgentState | None = None
    agent_since: datetime | None = None  # when the agent was started
    run_id: str | None = None  # the run that works in it, else the last one
    controller: Person | None = None
    size: Size
    cwd: str
    created_at: datetime
    exited: bool = False
    recording: bool = False  # what is shown is being recorded
    recorded: bool = False  # there is a recording to play


class RecordingPart(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a recording: asciicast v2, playable by itself."""

    number: int
    seconds: float
    bytes: int


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """What a terminal showed, kept for playing back. Its id is the terminal's."""

    id: str
    number: int = 0  # grows from recording to recording, whatever the clock says: the order of the list
    name: str
    owner: str
    visibility: Visibility
    started_at: datetime
    ended_at: datetime | None = None  # None: still being written
    parts: tuple[RecordingPart, ...] = ()  # oldest first; the oldest are dropped when it grows too large
    dropped_parts: int = 0


# --- server → client -------------------------------------------------------------------------


class Frame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of the text frames."""


class You(msgspec.Struct, frozen=True, kw_only=True):
    """What the reader of a `hello` is here."""

    username: str
    display_name: str
    can_execute: bool
    primary: bool
    may_manage: bool = False  # may pause, stop and close, whoever controls: started it, or may administer


class Hello(Frame, frozen=True, kw_only=True, tag="hello"):
    """First frame after `attach`. `offset`: where the PTY's stream stands now."""

    terminal: Terminal
    you: You
    controller: Person | None
    requests: tuple[Person, ...] = ()
    agent_state: AgentState | None
    size: Size
    viewers: tuple[Person, ...]
    offset: int


class Replay(Frame, frozen=True, kw_only=True, tag="replay"):
    """The bytes that follow begin at offset `from_` of `source`; with `reset` the screen is cleared first.

    Up to `until` they are what was: queries in them are blanked out (by NUL bytes, so that offsets still count).
    """

    source: ScreenSource
    from_: int = msgspec.field(name="from")
    until: int  # the replay ends at this offset; what follows is live
    reset: bool
    prelude: str = ""  # to be drawn after the clearing: the modes that held at `from`. Does not count as output


class ControlTaken(Frame, frozen=True, kw_only=True, tag="control_taken"):
    controller: Person


class ControlRequested(Frame, frozen=True, kw_only=True, tag="control_requested"):
    by: Person
    requests: tuple[Person, ...]


class ControlWithdrawn(Frame, frozen=True, kw_only=True, tag="control_withdrawn"):
    by: Person
    requests: tuple[Person, ...]


class ControlGranted(Frame, frozen=True, kw_only=True, tag="control_granted"):
    controller: Person
    requests: tuple[Person, ...]


class ControlDenied(Frame, frozen=True, kw_only=True, tag="control_denied"):
    to: Person
    requests: tuple[Person, ...]


class ControlRevoked(Frame, frozen=True, kw_only=True, tag="control_revoked"):
    by: Person


class ControlExpired(Frame, frozen=True, kw_only=True, tag="control_expired"):
    reason: Literal["away", "idle", "not_allowed"]  # not_allowed: the controller lost the right to execute


class ControllerAway(Frame, frozen=True, kw_only=True, tag="controller_away"):
    controller: Person
    grace_seconds: float


class ControllerBack(Frame, frozen=True, kw_only=True, tag="controller_back"):
    controller: Person


class AgentStateChanged(Frame, frozen=True, kw_only=True, tag="agent_state"):
    state: AgentState | None
    title: str | None = None
    reason: str = ""
    by: Person | None = None  # who paused, resumed or stopped it
    since: datetime | None = None  # when the agent was started
    code: int | None = None  # `stopped` alone: how and when it ended, as in `exited`
    signal: int | None = None
    ended_at: datetime | None = None


class AgentQueued(Frame, frozen=True, kw_only=True, tag="agent_queued"):
    """An agent is to be started here, and waits in the queue of runs. Without a `title` none does any more."""

    title: str | None
    by: Person | None = None  # who has asked for it
    position: int | None = None  # place in line, from 1


class Resized(Frame, frozen=True, kw_only=True, tag="resized"):
    cols: int
    rows: int


class Viewers(Frame, frozen=True, kw_only=True, tag="viewers"):
    viewers: tuple[Person, ...]


class InputRejected(Frame, frozen=True, kw_only=True, tag="input_rejected"):
    reason: Literal["agent_running", "not_controller", "busy", "ending", "exited", "read_only"]


class CwdChanged(Frame, frozen=True, kw_only=True, tag="cwd"):
    """The shell has gone to another folder."""

    path: str  # absolute


class RecordingChanged(Frame, frozen=True, kw_only=True, tag="recording"):
    on: bool
    recorded: bool  # there is something to play


class RightChanged(Frame, frozen=True, kw_only=True, tag="right"):
    """The reader's own right to type was given or taken while connected."""

    can_execute: bool


class Title(Frame, frozen=True, kw_only=True, tag="title"):
    text: str  # at most 256 characters


class Exited(Frame, frozen=True, kw_only=True, tag="exited"):
    code: int | None
    signal: int | None
    ended_at: datetime


class Pong(Frame, frozen=True, kw_only=True, tag="pong"):
    pass


class ErrorFrame(Frame, frozen=True, kw_only=True, tag="error"):
    kind: str
    message: str


ServerFrame = (
    Hello
    | Replay
    | ControlTaken
    | ControlRequested
    | ControlWithdrawn
    | ControlGranted
    | ControlDenied
    | ControlRevoked
    | ControlExpired
    | ControllerAway
    | ControllerBack
    | AgentStateChanged
    | AgentQueued
    | Resized
    | Viewers
    | InputRejected
    | CwdChanged
    | RecordingChanged
    | RightChanged
    | Title
    | Exited
    | Pong
    | ErrorFrame
)

# --- client → server -------------------------------------------------------------------------


class ClientFrame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    """Base of what a client may say."""


class Attach(ClientFrame, frozen=True, kw_only=True, tag="attach"):
    """First frame. With `since` and `source` the client has the bytes before that offset."""

    cols: int
    rows: int
    since: int | None = None
    source: ScreenSource | None = None


class Resize(ClientFrame, frozen=True, kw_only=True, tag="resize"):
    cols: int
    rows: int


class RequestControl(ClientFrame, frozen=True, kw_only=True, tag="request_control"):
    pass


class WithdrawRequest(ClientFrame, frozen=True, kw_only=True, tag="withdraw_request"):
    pass


class GrantControl(ClientFrame, frozen=True, kw_only=True, tag="grant_control"):
    to: str


class DenyControl(ClientFrame, frozen=True, kw_only=True, tag="deny_control"):
    to: str


class RevokeControl(ClientFrame, frozen=True, kw_only=True, tag="revoke_control"):
    pass


class Ack(ClientFrame, frozen=True, kw_only=True, tag="ack"):
    offset: int


class Reply(ClientFrame, frozen=True, kw_only=True, tag="reply"):
    """An automatic answer of the emulator to a program's query; not typing."""

    data: str


class Signal(ClientFrame, frozen=True, kw_only=True, tag="signal"):
    name: SignalName


class Ping(ClientFrame, frozen=True, kw_only=True, tag="ping"):
    pass


AnyClientFrame = (
    Attach
    | Resize
    | RequestControl
    | WithdrawRequest
    | GrantControl
    | DenyControl
    | RevokeControl
    | Ack
    | Reply
    | Signal
    | Ping
)

# --- events ----------------------------------------------------------------------------------


class TerminalOpened(Event, frozen=True, kw_only=True, tag="terminal_opened"):
    terminal: Terminal


class TerminalChanged(Event, frozen=True, kw_only=True, tag="terminal_changed"):
    """The agent's state, the end, or the recording: the terminal as it is now."""

    terminal: Terminal


class TerminalClosed(Event, frozen=True, kw_only=True, tag="terminal_closed"):
    terminal_id: str
    reason: str


class TurnChanged(Event, frozen=True, kw_only=True, tag="turn_changed"):
    """Control moved. `why` is the name of the frame that told the viewers."""

    terminal_id: str
    controller: Person | None
    why: str
    by: str | None = None


class RecordingClosed(Event, frozen=True, kw_only=True, tag="recording_closed"):
    """Nothing more is written to this recording; it can be played whole."""

    recording: Recording
