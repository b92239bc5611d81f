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
