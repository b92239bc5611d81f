"""Keeps one terminal's turn: applies the rules of `transitions.py`, sets their timer, limits the rate of requests.

Knows neither screens nor transports: it reports through the functions it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ...core.clock import Clock, Timer
from ...core.errors import NotAllowed, Refused
from ...core.people import Person
from ..frames import ServerFrame
from . import transitions
from .rates import Rates

CONTROL_PER_MINUTE = 60  # per user
SIZES_PER_SECOND = 10  # per user

# (why: the name of the frame that reported it, by: who did it)
Moved = Callable[[str, Person | None], None]


class TurnControl:
    """Handles requests for control. `turn` is the current turn.

    `tell`: receives each frame for all viewers. `moved`: control has gone to somebody else, or to nobody.
    """

    def __init__(
        self,
        creator: Person,
        *,
        clock: Clock,
        limits: transitions.TurnLimits,
        tell: Callable[[ServerFrame], None],
        moved: Moved,
    ) -> None:
        self._clock = clock
        self._limits = limits
        self._tell = tell
        self._moved = moved
        self._handovers = Rates(CONTROL_PER_MINUTE, 60.0)
        self._sizes = Rates(SIZES_PER_SECOND, 1.0)
        self._timer: Timer | None = None
        self.turn = transitions.opened(creator, clock.monotonic())

    def controls(self, person: Person) -> bool:
        """Return whether this user has control, at whatever connection."""
        return transitions.controls(self.turn, person)

    def grace_left(self) -> float | None:
        """Return for how many seconds control is still kept for a controller who is away; None: nobody is away."""
        return transitions.grace_left(self.turn, self._clock.monotonic(), self._limits)

    def join(self, seat: transitions.Seat) -> None:
        """Add a connection. A person who is alone may get control by this."""
        self._apply(transitions.joined(self.turn, seat, self._clock.monotonic(), self._limits), None)

    def leave(self, connection: str) -> None:
        """Remove a connection that has dropped; one that is already gone changes nothing."""
        self._apply(transitions.left(self.turn, connection, self._clock.monotonic(), self._limits), None)

    def rights(self, connection: str, can_execute: bool) -> None:
        """Record that the right to execute of a connected person has changed."""
        self._apply(transitions.rights(self.turn, connection, can_execute, self._clock.monotonic()), None)

    def request(self, by: Person) -> None:
        """Take control if it is free or a program has it, else request it from the controller. A second request changes
        nothing.

        Raises `NotAllowed` without the right to execute, `Refused` after more than `CONTROL_PER_MINUTE` calls.
        """
        self._limit(by)
        self._apply(transitions.requested(self.turn, by, self._clock.monotonic(), self._limits), by)

    def submitted(self, by: Person) -> None:
        """Give control, if it is free, to a person whose instruction is about to reach the agent."""
        self._apply(transitions.submitted(self.turn, by, self._clock.monotonic(), self._limits), by)

    def withdraw(self, by: Person) -> None:
        """Withdraw the request of this person. Raises `Refused` after more than `CONTROL_PER_MINUTE` calls."""
        self._limit(by)
        self._apply(transitions.withdrawn(self.turn, by), by)

    def grant(self, by: Person, to: str) -> None:
        """Give control to the user `to`.

        Raises `NotYourTurn` if `by` has no control, `NotFound` if `to` is not connected, `NotAllowed` if `to` may not
        execute, and `Refused` after more than `CONTROL_PER_MINUTE` calls.
        """
        self._limit(by)
        self._apply(transitions.granted(self.turn, by, to, self._clock.monotonic()), by)

    def deny(self, by: Person, to: str) -> None:
        """Deny the request of the user `to`; without such a request, nothing changes.

        Raises `NotYourTurn` if `by` has no control, and `Refused` after more than `CONTROL_PER_MINUTE` calls.
        """
        self._limit(by)
        self._apply(transitions.denied(self.turn, by, to), by)

    def revoke(self, by: Person, *, administrator: bool) -> None:
        """Make control free, as its controller or as an administrator. Does nothing if it is free.

        Raises `NotYourTurn` for anyone else, `Refused` after more than `CONTROL_PER_MINUTE` calls.
        """
        self._limit(by)
        now = self._clock.monotonic()
        self._apply(transitions.revoked(self.turn, by, administrator=administrator, now=now), by)

    def take_back(self, by: Person) -> None:
        """Make control free whoever has it, and give it to `by` if they are connected and may execute."""
        now = self._clock.monotonic()
        self._apply(transitions.revoked(self.turn, by, administrator=True, now=now), by)
        with suppress(NotAllowed):
            self._apply(transitions.requested(self.turn, by, now, self._limits), by)

    def limit_resizing(self, by: Person) -> None:
        """Raise `Refused` after more than `SIZES_PER_SECOND` changes of size a second.

        Counts all connections of a user.
        """
        if not self._sizes.allows(by.username, self._clock.monotonic()):
            raise Refused("The size was changed too often. Wait a minute.")

    def typed(self) -> None:
        """Record the time at which the controller has pressed a key."""
        self.turn = transitions.typed(self.turn, self._clock.monotonic())

    def close(self) -> None:
        """Cancel the timer, because the terminal is closed."""
        if self._timer is not None:
            self._timer.cancel()

    def _limit(self, by: Person) -> None:
        if not self._handovers.allows(by.username, self._clock.monotonic()):
            raise Refused("Control was requested or passed on too often. Wait a minute.")

    def _apply(self, step: transitions.TurnTransition, by: Person | None) -> None:
        before, self.turn = self.turn, step.turn
        for frame in step.frames:
            self._tell(frame)
        if step.turn.epoch != before.epoch:
            self._moved(str(step.frames[0].__struct_config__.tag), by)
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        at = transitions.next_tick(self.turn, self._limits)
        if at is not None:
            self._timer = self._clock.call_at(at, self._tick)

    def _tick(self) -> None:
        self._apply(transitions.ticked(self.turn, self._clock.monotonic(), self._limits), None)
