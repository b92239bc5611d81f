"""The text frames of the WebSocket `cabinet.terminal.v1`; its binary messages are raw PTY bytes, both ways.

Described for clients in `docs/reference/terminal-wire.md`. Times in seconds, offsets in bytes since the PTY was opened.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..core.people import Person
from ..sandboxes.port import SignalName, Size
from .model import AgentState, ScreenSource, Terminal

SUBPROTOCOL = "cabinet.terminal.v1"

# --- server → client -------------------------------------------------------------------------


class Frame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of the text frames."""


class You(msgspec.Struct, frozen=True, kw_only=True):
    """The reader's role and rights at this terminal, in a `hello`."""

    username: str
    display_name: str
    can_execute: bool
    primary: bool
    may_manage: bool = False  # may pause, stop and close, whoever has control: they started it, or may administer
    may_share: bool = False  # may share the terminal or make it private: they started it


class Hello(Frame, frozen=True, kw_only=True, tag="hello"):
    """First frame after `attach`. `offset`: the current end of the PTY's stream.

    `grace_seconds`: how long control is still kept for a controller who is away; None: nobody is away.
    """

    terminal: Terminal
    you: You
    controller: Person | None
    grace_seconds: float | None = None
    requests: tuple[Person, ...] = ()
    agent_state: AgentState | None
    size: Size
    viewers: tuple[Person, ...]
    offset: int


class Replay(Frame, frozen=True, kw_only=True, tag="replay"):
    """The bytes that follow start at offset `from_` of `source`; with `reset` the screen is cleared first.

    Bytes up to `until` are a replay: queries in them are replaced by NUL bytes, so that offsets still count.
    """

    source: ScreenSource
    from_: int = msgspec.field(name="from")
    until: int  # the replay ends at this offset; the following bytes are live
    reset: bool
    prelude: str = ""  # to be drawn after the clearing: the modes at `from`. Does not count as output


class ControlTaken(Frame, frozen=True, kw_only=True, tag="control_taken"):
    """Somebody has taken control that was free."""

    controller: Person


class ControlRequested(Frame, frozen=True, kw_only=True, tag="control_requested"):
    """Somebody asks the controller for control. `requests`: everybody who is asking now, in order."""

    by: Person
    requests: tuple[Person, ...]


class ControlWithdrawn(Frame, frozen=True, kw_only=True, tag="control_withdrawn"):
    """Somebody has stopped asking, or has left. `requests`: everybody who is still asking, in order."""

    by: Person
    requests: tuple[Person, ...]


class ControlGranted(Frame, frozen=True, kw_only=True, tag="control_granted"):
    """The controller has given control to somebody else. `requests`: everybody who is still asking, in order."""

    controller: Person
    requests: tuple[Person, ...]


class ControlDenied(Frame, frozen=True, kw_only=True, tag="control_denied"):
    """The controller has refused. `requests`: everybody who is still asking, in order."""

    to: Person
    requests: tuple[Person, ...]


class ControlRevoked(Frame, frozen=True, kw_only=True, tag="control_revoked"):
    """Control is free: the controller gave it back, or an administrator, `by`, took it away."""

    by: Person


class ControlExpired(Frame, frozen=True, kw_only=True, tag="control_expired"):
    """Control is free, without anybody's action."""

    reason: Literal["away", "idle", "not_allowed"]  # not_allowed: the controller lost the right to execute


class ControllerAway(Frame, frozen=True, kw_only=True, tag="controller_away"):
    """The controller's last connection has dropped. Control becomes free `grace_seconds` from now."""

    controller: Person
    grace_seconds: float


class ControllerBack(Frame, frozen=True, kw_only=True, tag="controller_back"):
    """The controller has come back in time."""

    controller: Person


class AgentStateChanged(Frame, frozen=True, kw_only=True, tag="agent_state"):
    """The current state of the agent. Without a `state` there is no agent, or it is no longer shown."""

    state: AgentState | None
    title: str | None = None
    reason: str = ""
    by: Person | None = None  # who paused, resumed or stopped it
    since: datetime | None = None  # when the agent was started
    code: int | None = None  # only for `stopped`: how and when it ended, as in `exited`
    signal: int | None = None
    ended_at: datetime | None = None


class AgentQueued(Frame, frozen=True, kw_only=True, tag="agent_queued"):
    """An agent will be started here, and waits in the queue of runs. Without a `title`, none is waiting any more."""

    title: str | None
    by: Person | None = None  # who requested it
    position: int | None = None  # position in the queue, from 1
    paused_by: str | None = None  # display name of the person who has paused all work, and with it the queue


class Resized(Frame, frozen=True, kw_only=True, tag="resized"):
    """The PTY has another size, in characters."""

    cols: int
    rows: int


class Viewers(Frame, frozen=True, kw_only=True, tag="viewers"):
    """The current viewers. Each person appears once."""

    viewers: tuple[Person, ...]


class InputRejected(Frame, frozen=True, kw_only=True, tag="input_rejected"):
    """The reader's keys were not passed on, and why."""

    reason: Literal["agent_running", "not_controller", "busy", "ending", "exited", "read_only"]


class CwdChanged(Frame, frozen=True, kw_only=True, tag="cwd"):
    """The shell has changed its folder."""

    path: str  # absolute


class RecordingChanged(Frame, frozen=True, kw_only=True, tag="recording"):
    """The recording was switched, or has started or ended by itself."""

    on: bool
    recorded: bool  # there is a recording to play


class RightChanged(Frame, frozen=True, kw_only=True, tag="right"):
    """The reader's own right to type was given or taken while connected."""

    can_execute: bool


class Title(Frame, frozen=True, kw_only=True, tag="title"):
    """The program has set the window's title."""

    text: str  # at most 256 characters


class Exited(Frame, frozen=True, kw_only=True, tag="exited"):
    """The last program has ended; one of `code` and `signal` says how. All its output was sent before."""

    code: int | None
    signal: int | None
    ended_at: datetime


class Pong(Frame, frozen=True, kw_only=True, tag="pong"):
    """The answer to `ping`."""


class ErrorFrame(Frame, frozen=True, kw_only=True, tag="error"):
    """The reader's request was refused, or something went wrong. `message`: a sentence for people."""

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
    """Base of the frames that a client may send."""


class Attach(ClientFrame, frozen=True, kw_only=True, tag="attach"):
    """First frame. With `since` and `source` the client has the bytes before that offset."""

    cols: int
    rows: int
    since: int | None = None
    source: ScreenSource | None = None


class Resize(ClientFrame, frozen=True, kw_only=True, tag="resize"):
    """The size of the client's pane, in characters. Only the controller's counts."""

    cols: int
    rows: int


class RequestControl(ClientFrame, frozen=True, kw_only=True, tag="request_control"):
    """Take control if it is free, else ask the controller for it."""


class WithdrawRequest(ClientFrame, frozen=True, kw_only=True, tag="withdraw_request"):
    """Stop asking for control."""


class GrantControl(ClientFrame, frozen=True, kw_only=True, tag="grant_control"):
    """The controller gives control to the user `to`, who is connected and may execute."""

    to: str


class DenyControl(ClientFrame, frozen=True, kw_only=True, tag="deny_control"):
    """The controller refuses the user `to`."""

    to: str


class RevokeControl(ClientFrame, frozen=True, kw_only=True, tag="revoke_control"):
    """Give control back; an administrator takes it away."""


class Ack(ClientFrame, frozen=True, kw_only=True, tag="ack"):
    """Everything before `offset` is drawn. The server then sends more, and paces the program by the primary viewer."""

    offset: int


class Reply(ClientFrame, frozen=True, kw_only=True, tag="reply"):
    """An automatic answer of the emulator to a program's query; not typing."""

    data: str


class Signal(ClientFrame, frozen=True, kw_only=True, tag="signal"):
    """Signal the foreground process group, as the key would."""

    name: SignalName


class Ping(ClientFrame, frozen=True, kw_only=True, tag="ping"):
    """The client is still there."""


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
