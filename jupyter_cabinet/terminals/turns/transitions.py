"""The turn: who controls a terminal. Every transition is in this file; no clock, no I/O.

Each function takes the turn and an input (`now` in monotonic seconds) and returns a `TurnTransition`: the new turn and
the frames to send. A forbidden input raises. `control.py` keeps the current turn and calls these functions.
"""

from __future__ import annotations

import msgspec

from ...core.errors import NotAllowed, NotFound, NotYourTurn
from ...core.people import OWNER, Person
from ..frames import (
    ControlDenied,
    ControlExpired,
    ControlGranted,
    ControllerAway,
    ControllerBack,
    ControlRequested,
    ControlRevoked,
    ControlTaken,
    ControlWithdrawn,
)

ControlFrame = (
    ControlTaken
    | ControlRequested
    | ControlWithdrawn
    | ControlGranted
    | ControlDenied
    | ControlRevoked
    | ControlExpired
    | ControllerAway
    | ControllerBack
)


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """One connection. A person may have several."""

    connection: str
    person: Person
    can_execute: bool


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Who has control, who is asking, who is there."""

    controller: Person | None = None
    requests: tuple[Person, ...] = ()  # in order, one per user
    seats: tuple[Seat, ...] = ()
    epoch: int = 0  # grows with every change of the controller; keys of an older one are void
    away_since: float | None = None  # since when none of the controller's connections is here
    expected: bool = False  # the controller opened the terminal and has not come yet
    last_key: float = 0.0


class TurnLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long control is kept, in seconds."""

    grace_seconds: float  # after the controller's last connection has dropped, if others watch
    control_idle_seconds: float | None  # without a key; None: forever


class TurnTransition(msgspec.Struct, frozen=True, kw_only=True):
    """The turn after an input, and the frames for all viewers."""

    turn: Turn
    frames: tuple[ControlFrame, ...] = ()


def opened(creator: Person, now: float) -> Turn:
    """Return the first turn of a terminal: its creator has control, even before connecting.

    Control is kept for the grace time, and after it until another person requests it.
    """
    return Turn(controller=creator, away_since=now, expected=True, last_key=now)


def joined(turn: Turn, seat: Seat, now: float, limits: TurnLimits) -> TurnTransition:
    """Add a connection. If it is the controller's, control is kept, provided the right to execute is too.

    A person who is alone gets control that is free, or that a program has and does not use. A person who comes after
    the controller's grace time has ended finds control free.
    """
    after = msgspec.structs.replace(turn, seats=(*turn.seats, seat))
    free = turn.controller is None or _waits_for_a_person(turn)
    if free and seat.can_execute and not _others_watch(after, seat.person) and not controls(turn, seat.person):
        return TurnTransition(turn=_moved(after, seat.person, now), frames=(ControlTaken(controller=seat.person),))
    if turn.away_since is None or not controls(turn, seat.person):
        return ticked(after, now, limits)
    if not seat.can_execute:
        return _disallowed(after, now)
    after = msgspec.structs.replace(after, away_since=None, expected=False)
    frames = () if turn.expected else (ControllerBack(controller=seat.person),)
    return TurnTransition(turn=after, frames=frames)


def left(turn: Turn, connection: str, now: float, limits: TurnLimits) -> TurnTransition:
    """Remove a dropped connection; an unknown one changes nothing.

    If it was the controller's last one, control is kept for the grace time. A person's last connection takes their
    request along.
    """
    gone = next((seat for seat in turn.seats if seat.connection == connection), None)
    if gone is None:
        return TurnTransition(turn=turn)
    seats = tuple(seat for seat in turn.seats if seat is not gone)
    after = msgspec.structs.replace(turn, seats=seats)
    if _is_here(after, gone.person):
        return _disallowed(after, now)
    if controls(turn, gone.person):
        frame = ControllerAway(controller=gone.person, grace_seconds=limits.grace_seconds)
        return TurnTransition(turn=msgspec.structs.replace(after, away_since=now), frames=(frame,))
    return withdrawn(after, gone.person)


def rights(turn: Turn, connection: str, can_execute: bool, now: float) -> TurnTransition:
    """Record that the right to execute was given to or taken from a connected person.

    Whoever may execute at no connection any more loses control and their request.
    """
    seats = tuple(
        msgspec.structs.replace(seat, can_execute=can_execute) if seat.connection == connection else seat
        for seat in turn.seats
    )
    return _disallowed(msgspec.structs.replace(turn, seats=seats), now)


def requested(turn: Turn, by: Person, now: float, limits: TurnLimits) -> TurnTransition:
    """Take control if it is free or a program has it, which answers no request; else ask the controller.

    Raises `NotAllowed` without the right to execute.
    """
    if not _may_execute(turn, by):
        raise NotAllowed("You may watch this terminal, not type in it.")
    if controls(turn, by):
        return TurnTransition(turn=turn)
    if turn.controller is None or _is_lost(turn, now, limits) or _is_program(turn):
        after = _moved(turn, by, now)
        return TurnTransition(turn=after, frames=(ControlTaken(controller=by),))
    if _asks(turn, by.username):
        return TurnTransition(turn=turn)
    requests = (*turn.requests, by)
    after = msgspec.structs.replace(turn, requests=requests)
    return TurnTransition(turn=after, frames=(ControlRequested(by=by, requests=requests),))


def withdrawn(turn: Turn, by: Person) -> TurnTransition:
    """Withdraw the request of a person; without such a request, nothing changes."""
    if not _asks(turn, by.username):
        return TurnTransition(turn=turn)
    requests = _without(turn.requests, by.username)
    after = msgspec.structs.replace(turn, requests=requests)
    return TurnTransition(turn=after, frames=(ControlWithdrawn(by=by, requests=requests),))


def granted(turn: Turn, by: Person, to: str, now: float) -> TurnTransition:
    """Give control from the controller to the user `to`.

    Raises `NotYourTurn` if `by` has no control, `NotFound` if `to` is not connected, and `NotAllowed` if `to` may not
    execute.
    """
    _must_control(turn, by)
    if to == by.username:
        return TurnTransition(turn=turn)
    seats = [seat for seat in turn.seats if seat.person.username == to]
    if not seats:
        raise NotFound("This person is no longer connected to the terminal.")
    if not any(seat.can_execute for seat in seats):
        raise NotAllowed("This person may watch the terminal, not type in it.")
    receiver = seats[0].person
    after = _moved(turn, receiver, now)
    return TurnTransition(turn=after, frames=(ControlGranted(controller=receiver, requests=after.requests),))


def denied(turn: Turn, by: Person, to: str) -> TurnTransition:
    """Deny the request of the user `to`; without such a request, nothing changes.

    Raises `NotYourTurn` if `by` has no control.
    """
    _must_control(turn, by)
    asker = next((person for person in turn.requests if person.username == to), None)
    if asker is None:
        return TurnTransition(turn=turn)
    requests = _without(turn.requests, to)
    after = msgspec.structs.replace(turn, requests=requests)
    return TurnTransition(turn=after, frames=(ControlDenied(to=asker, requests=requests),))


def revoked(turn: Turn, by: Person, *, administrator: bool, now: float) -> TurnTransition:
    """Make control free, for its controller or an administrator; nothing changes if it is free.

    Requests stay. Raises `NotYourTurn` for anyone else.
    """
    if turn.controller is None:
        return TurnTransition(turn=turn)
    if not administrator:
        _must_control(turn, by)
    return TurnTransition(turn=_moved(turn, None, now), frames=(ControlRevoked(by=by),))


def submitted(turn: Turn, by: Person, now: float, limits: TurnLimits) -> TurnTransition:
    """Give control, while nobody else has it, to a person who has given the agent an instruction from outside.

    If they are not connected, control waits for them as for a person who opened the terminal. A connected person
    without the right to execute does not get it.
    """
    here = _is_here(turn, by)
    if here and not _may_execute(turn, by):
        return TurnTransition(turn=turn)
    if controls(turn, by):
        waited = turn.away_since is not None
        return TurnTransition(turn=msgspec.structs.replace(turn, away_since=now) if waited else turn)
    if turn.controller is not None and not _is_lost(turn, now, limits):
        return TurnTransition(turn=turn)
    after = _moved(turn, by, now)
    if not here:
        after = msgspec.structs.replace(after, away_since=now, expected=True)
    return TurnTransition(turn=after, frames=(ControlTaken(controller=by),))


def typed(turn: Turn, now: float) -> Turn:
    """Return the turn with the time of the controller's last key."""
    return msgspec.structs.replace(turn, last_key=now)


def ticked(turn: Turn, now: float, limits: TurnLimits) -> TurnTransition:
    """Release control that has expired, after an absence or without input. Otherwise nothing changes.

    Those who have requested it are notified. `now`: seconds on the monotonic clock.
    """
    if turn.controller is None:
        return TurnTransition(turn=turn)
    if (at := _grace_ends(turn, limits)) is not None and now >= at:
        return TurnTransition(turn=_moved(turn, None, now), frames=(ControlExpired(reason="away"),))
    if limits.control_idle_seconds is not None and now >= turn.last_key + limits.control_idle_seconds:
        return TurnTransition(turn=_moved(turn, None, now), frames=(ControlExpired(reason="idle"),))
    return TurnTransition(turn=turn)


def grace_left(turn: Turn, now: float, limits: TurnLimits) -> float | None:
    """Return for how many seconds control is still kept for a controller who is away; None: nobody is away."""
    if turn.controller is None or turn.away_since is None or turn.expected:
        return None
    return max(0.0, turn.away_since + limits.grace_seconds - now)


def next_tick(turn: Turn, limits: TurnLimits) -> float | None:
    """Return when `ticked` may next have an effect, in monotonic seconds; None: never."""
    if turn.controller is None:
        return None
    times = [at for at in (_grace_ends(turn, limits),) if at is not None]
    if limits.control_idle_seconds is not None:
        times.append(turn.last_key + limits.control_idle_seconds)
    return min(times, default=None)


def controls(turn: Turn, person: Person) -> bool:
    """Return whether this person has control, by username: control belongs to all connections of a user."""
    return turn.controller is not None and turn.controller.username == person.username


def _moved(turn: Turn, to: Person | None, now: float) -> Turn:
    requests = turn.requests if to is None else _without(turn.requests, to.username)
    return msgspec.structs.replace(
        turn,
        controller=to,
        requests=requests,
        epoch=turn.epoch + 1,
        away_since=None,
        expected=False,
        last_key=now,
    )


def _disallowed(turn: Turn, now: float) -> TurnTransition:
    """A person who is here and may not execute at any connection neither has control nor asks for it."""
    frames: tuple[ControlFrame, ...] = ()
    if turn.controller is not None and _is_here(turn, turn.controller) and not _may_execute(turn, turn.controller):
        turn = _moved(turn, None, now)
        frames = (ControlExpired(reason="not_allowed"),)
    for asker in turn.requests:
        if not _may_execute(turn, asker):
            step = withdrawn(turn, asker)
            turn, frames = step.turn, (*frames, *step.frames)
    return TurnTransition(turn=turn, frames=frames)


def _waits_for_a_person(turn: Turn) -> bool:
    """Return whether a program, such as a cell of a notebook, opened the terminal and has typed nothing into it."""
    by_program = turn.controller is not None and turn.controller.username == OWNER
    return by_program and turn.expected and turn.last_key == turn.away_since


def _is_program(turn: Turn) -> bool:
    """Return whether a program, such as a cell of a notebook, has control.

    It is not connected, so it answers no request.
    """
    return turn.controller is not None and turn.controller.username == OWNER and not _is_here(turn, turn.controller)


def _is_lost(turn: Turn, now: float, limits: TurnLimits) -> bool:
    """Return whether the controller has been away for longer than the grace time, or has not come for so long."""
    return turn.away_since is not None and now >= turn.away_since + limits.grace_seconds


def _grace_ends(turn: Turn, limits: TurnLimits) -> float | None:
    """Return when control becomes free.

    It is kept for a controller who has not come yet, until somebody asks, and while nobody else is there to take it.
    """
    kept = turn.expected and not turn.requests
    if turn.controller is None or turn.away_since is None or kept or not _others_watch(turn, turn.controller):
        return None
    return turn.away_since + limits.grace_seconds


def _others_watch(turn: Turn, than: Person) -> bool:
    return any(seat.person.username != than.username for seat in turn.seats)


def _must_control(turn: Turn, person: Person) -> None:
    if not controls(turn, person):
        raise NotYourTurn


def _is_here(turn: Turn, person: Person) -> bool:
    return any(seat.person.username == person.username for seat in turn.seats)


def _may_execute(turn: Turn, person: Person) -> bool:
    return any(seat.can_execute for seat in turn.seats if seat.person.username == person.username)


def _asks(turn: Turn, username: str) -> bool:
    return any(person.username == username for person in turn.requests)


def _without(people: tuple[Person, ...], username: str) -> tuple[Person, ...]:
    return tuple(person for person in people if person.username != username)
