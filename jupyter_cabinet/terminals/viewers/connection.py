"""One client of one terminal: reads its frames, checks its rights, and passes the frames on.

`web/` gets it from `OpenTerminal.connect` and gives it every frame; the answers go through `stream.py`.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from ...core.clock import Clock, Timer
from ...core.errors import CabinetError, Invalid, NotAllowed, NotYourTurn
from ...core.ids import new_id
from ...core.json_input import decoded
from ...core.people import Principal
from ...sandboxes.port import SignalName, Size
from .. import frames
from ..input.submissions import Submissions
from ..model import ScreenSource, checked_size
from ..programs.input import ProgramInput
from ..settings import TerminalSettings
from ..turns.control import TurnControl
from ..turns.gate import InputGate
from ..turns.lock import Refusal
from .connections import Connections
from .stream import Stream
from .transport import MAX_FRAME_BYTES, PROTOCOL_VIOLATED, TOO_LARGE, AskRights, ViewerTransport

RIGHTS_KEPT_SECONDS = 1.0  # how long an answer about a connection's rights counts
ACK_CHARACTERS = 60

_decoder: msgspec.json.Decoder[frames.AnyClientFrame] = msgspec.json.Decoder(frames.AnyClientFrame)
_ack_decoder: msgspec.json.Decoder[frames.Ack] = msgspec.json.Decoder(frames.Ack)


# These need only the right to watch; before everything else the right to execute is checked again.
UNPRIVILEGED = (frames.Attach, frames.Ack, frames.Ping, frames.WithdrawRequest)


class SharedTerminal(Protocol):
    """The interface of the terminal that a connection needs."""

    clock: Clock
    settings: TerminalSettings
    control: TurnControl
    gate: InputGate
    input: ProgramInput
    viewers: Connections

    def attach(self, connection: Connection, *, since: int | None, source: ScreenSource | None) -> None:
        """Greet it and show it the screen. `since`, `source`: it has the bytes of that PTY before that offset."""

    def disconnect(self, connection: Connection) -> None:
        """Remove a connection that is gone."""

    def right_changed(self, connection: Connection) -> None:
        """Take into account that its `can_execute` has changed."""

    def resize(self, size: Size) -> None:
        """Set the size for all."""


class Connection:
    """The operations of a client at a terminal. Its methods never raise because of the client's data."""

    def __init__(
        self,
        terminal: SharedTerminal,
        transport: ViewerTransport,
        principal: Principal,
        *,
        can_execute: bool,
        ask: AskRights | None = None,
    ) -> None:
        settings = terminal.settings
        self.id = new_id()
        self.person = principal.person
        self.can_execute = can_execute
        self.attached = False
        self.size: Size | None = None
        self.stream = Stream(transport, clock=terminal.clock, settings=settings, on_lost=self.drop)
        self.principal = principal
        self._terminal = terminal
        self._ask = ask
        self._clock = terminal.clock
        self._asked_at = self._clock.monotonic()
        self._dropped = False
        self._submissions = Submissions()
        self._silence_seconds = settings.silence_seconds
        self._silence: Timer | None = None
        self._silence_at = 0.0  # when that timer fires
        self._heard_until = 0.0
        self._watch(settings.attach_seconds)

    def receive_ack(self, data: str | bytes) -> bool:
        """Take a text frame if it is an ack, and return True: there are many, and none has to wait for anything.

        Return False for any other frame, for `receive_text`.
        """
        if not self.attached or len(data) > ACK_CHARACTERS:
            return False
        try:
            offset = decoded(_ack_decoder, data).offset
        except Invalid:
            return False
        self.heard()
        self.stream.acked(offset)
        return True

    async def receive_text(self, data: str | bytes) -> None:
        """Take a text frame. If it needs the right to execute, rights are asked for again if the last answer is older
        than a second; raises what the way to ask raises.

        A frame that is refused or invalid is answered with an `error` frame, a refused signal with `input_rejected`. A
        first frame that is no `attach`, and any frame over 1 MiB, closes the connection.
        """
        frame = self._decode(data)
        if frame is None:
            return
        if not isinstance(frame, UNPRIVILEGED):
            await self._ask_again()
        try:
            if not self._dropped:
                self._obey(frame)
        except CabinetError as error:
            self._complain(error)

    def receive_keys(self, data: str | bytes) -> bool:
        """Take a binary frame at once if nothing has to be checked first: a key should not wait for the loop.

        Return False if it was not taken, for `receive_bytes`.
        """
        if isinstance(data, str) or not self.attached or not self._rights_are_known():
            return False
        if self._accepts(len(data)):
            self._take_keys(data)
        return True

    async def receive_bytes(self, data: bytes) -> None:
        """Take a binary frame: typed keys. Keys that may not be typed are answered with an `input_rejected` frame.

        A frame before the attach, and one over 1 MiB, closes the connection.
        """
        if not self._accepts(len(data)):
            return
        if not self.attached:
            self.close(PROTOCOL_VIOLATED, "attach first")
            return
        await self._ask_again()
        if not self._dropped:
            self._take_keys(data)

    def _take_keys(self, data: bytes) -> None:
        reason = self.refusal()
        if reason is None and not self._type(data):
            reason = "busy"
        if reason is not None:
            self.reject(reason)
        elif self._submissions.feed(data):
            self._terminal.input.submitted(self.person)

    def _type(self, data: bytes) -> bool:
        self._terminal.viewers.primary = self
        return self._terminal.input.type(self.person, data, can_execute=lambda: self.can_execute, rejected=self.reject)

    async def check_rights(self) -> None:
        """Ask for the rights of this connection again. Without a way to ask, nothing happens.

        If the right to execute has changed, the terminal notifies the client, and updates who has control. Raises what
        the way to ask raises.
        """
        if self._ask is None or self._dropped:
            return
        self._asked_at = self._clock.monotonic()
        rights = await self._ask()
        self.principal = msgspec.structs.replace(self.principal, administrator=rights.administrator)
        if rights.can_execute != self.can_execute and not self._dropped:
            self.can_execute = rights.can_execute
            self._terminal.right_changed(self)

    def heard(self) -> None:
        """Restart the timeout of an attached client, because a sign of life has arrived (a WebSocket pong)."""
        if self.attached and not self._dropped:
            self._watch(self._silence_seconds)

    def drop(self) -> None:
        """Remove the client, which is gone. May be called twice. The transport is not closed."""
        if not self._dropped:
            self._dropped = True
            self._stop_watching()
            self.stream.abandon()
            self._terminal.disconnect(self)

    def close(self, code: int, reason: str) -> None:
        """Disconnect the client, without its remaining output. `code`: one of `transport.py`."""
        self.stream.close(code, reason)
        self.drop()

    def refusal(self) -> Refusal | None:
        """Return why keys from here are refused now; None: they pass."""
        return self._terminal.gate.refusal(self.person, can_execute=self.can_execute)

    def reject(self, reason: Refusal) -> None:
        """Notify the client why its keys were not passed on."""
        self.stream.tell(frames.InputRejected(reason=reason))

    async def _ask_again(self) -> None:
        if not self._rights_are_known():
            await self.check_rights()

    def _rights_are_known(self) -> bool:
        return self._clock.monotonic() < self._asked_at + RIGHTS_KEPT_SECONDS

    def _decode(self, data: str | bytes) -> frames.AnyClientFrame | None:
        if not self._accepts(len(data)):
            return None
        try:
            frame = decoded(_decoder, data)
        except Invalid:
            if self.attached:
                self._complain(Invalid("This frame is not valid."))  # does not repeat the frame, which may be long
            else:
                self.close(PROTOCOL_VIOLATED, "attach first")
            return None
        if not self.attached and not isinstance(frame, frames.Attach):
            self.close(PROTOCOL_VIOLATED, "attach first")
            return None
        return frame

    def _accepts(self, size: int) -> bool:
        if self._dropped:
            return False
        if size > MAX_FRAME_BYTES:
            self.close(TOO_LARGE, "a frame may have at most 1 MiB")
            return False
        self.heard()
        return True

    def _obey(self, frame: frames.AnyClientFrame) -> None:  # noqa: C901 - one line per frame
        control = self._terminal.control
        match frame:
            case frames.Attach():
                self._attach(frame)
            case frames.Resize(cols=cols, rows=rows):
                self._resize(cols, rows)
            case frames.RequestControl():
                control.request(self.person)
            case frames.WithdrawRequest():
                control.withdraw(self.person)
            case frames.GrantControl(to=to):
                control.grant(self.person, to)
            case frames.DenyControl(to=to):
                control.deny(self.person, to)
            case frames.RevokeControl():
                control.revoke(self.person, administrator=self.principal.administrator)
            case frames.Reply(data=data):
                if self is self._terminal.viewers.primary:
                    self._terminal.input.reply(data.encode())
            case frames.Signal(name=name):
                self._signal(name)
            case frames.Ping():
                self.stream.tell(frames.Pong())
            case frames.Ack(offset=offset):
                self.stream.acked(offset)

    def _attach(self, frame: frames.Attach) -> None:
        if self.attached:
            raise Invalid("This connection is already attached.")
        self.size = checked_size(frame.cols, frame.rows)
        self.attached = True
        self._watch(self._silence_seconds)
        self._terminal.attach(self, since=frame.since, source=frame.source)

    def _resize(self, cols: int, rows: int) -> None:
        if not self._terminal.control.controls(self.person):
            raise NotYourTurn
        if not self.can_execute:
            raise NotAllowed("You may watch this terminal, not type in it.")
        self.size = checked_size(cols, rows)
        self._terminal.control.limit_resizing(self.person)
        self._terminal.resize(self.size)

    def _signal(self, name: SignalName) -> None:
        reason = self.refusal()
        if reason is not None:
            self.reject(reason)
        else:
            self._terminal.input.interrupt(name)

    def _complain(self, error: CabinetError) -> None:
        self.stream.tell(frames.ErrorFrame(kind=error.kind(), message=error.message))

    def _watch(self, seconds: float) -> None:
        """Close unless something is received within `seconds`.

        The timer is set again when it fires, not with each frame.
        """
        self._heard_until = self._clock.monotonic() + seconds
        if self._silence is not None and self._silence_at > self._heard_until:
            self._stop_watching()
        if self._silence is None:
            self._look_later()

    def _look_later(self) -> None:
        self._silence_at = self._heard_until
        self._silence = self._clock.call_at(self._silence_at, self._look)

    def _look(self) -> None:
        self._silence = None
        if self._clock.monotonic() >= self._heard_until:
            self.close(PROTOCOL_VIOLATED, "nothing was received")
        else:
            self._look_later()

    def _stop_watching(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
