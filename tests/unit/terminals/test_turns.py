"""Every row of the turn's table. What holds after any sequence of events is in `test_turn_machine.py`."""

from __future__ import annotations

import pytest

from jupyter_cabinet.core.errors import NotAllowed, NotFound, NotYourTurn
from jupyter_cabinet.core.people import Person
from jupyter_cabinet.terminals import model, turns

ADA, BEN, CLEO, GUEST = (Person(username=name, display_name=name.title()) for name in ("ada", "ben", "cleo", "guest"))
LIMITS = turns.Limits(grace_seconds=10.0)


def seat(person: Person, tab: int = 1, *, can_execute: bool = True) -> turns.Seat:
    return turns.Seat(connection=f"{person.username}-{tab}", person=person, can_execute=can_execute)


def table() -> turns.Turn:
    """Ada controls; Ben and Cleo watch, a guest may only look."""
    turn = turns.opened(ADA, 0.0)
    for who in (ADA, BEN, CLEO):
        turn = turns.joined(turn, seat(who), 0.0, LIMITS).turn
    return turns.joined(turn, seat(GUEST, can_execute=False), 0.0, LIMITS).turn


def kinds(step: turns.Step) -> list[str]:
    return [frame.__struct_config__.tag for frame in step.frames]


def test_the_creator_controls_before_and_after_the_first_connection():
    turn = turns.opened(ADA, 0.0)
    assert turns.ticked(turn, 1000.0, LIMITS).turn.controller == ADA
    step = turns.joined(turn, seat(ADA), 1000.0, LIMITS)
    assert step.turn.controller == ADA
    assert kinds(step) == []


def test_a_creator_who_never_came_is_waited_for_through_the_grace_only():
    turn = turns.joined(turns.opened(ADA, 0.0), seat(BEN), 0.0, LIMITS).turn
    assert kinds(turns.requested(turn, BEN, 9.9, LIMITS)) == ["control_requested"]
    taken = turns.requested(turn, BEN, 10.0, LIMITS)
    assert kinds(taken) == ["control_taken"] and taken.turn.controller == BEN


def test_free_control_is_granted_at_once():
    free = turns.revoked(table(), ADA, administrator=False, now=1.0).turn
    step = turns.requested(free, BEN, 2.0, LIMITS)
    assert step.turn.controller == BEN
    assert step.frames == (model.ControlTaken(controller=BEN),)


def test_requests_wait_in_order_once_per_user():
    turn = turns.requested(table(), CLEO, 1.0, LIMITS).turn
    step = turns.requested(turn, BEN, 1.0, LIMITS)
    assert step.frames == (model.ControlRequested(by=BEN, requests=(CLEO, BEN)),)
    assert turns.requested(step.turn, CLEO, 2.0, LIMITS) == turns.Step(turn=step.turn)


def test_who_may_not_execute_may_not_ask():
    with pytest.raises(NotAllowed):
        turns.requested(table(), GUEST, 1.0, LIMITS)


def test_a_request_is_withdrawn_by_hand_or_with_the_last_connection():
    turn = turns.requested(table(), BEN, 1.0, LIMITS).turn
    assert kinds(turns.withdrawn(turn, BEN)) == ["control_withdrawn"]
    two_tabs = turns.joined(turn, seat(BEN, 2), 2.0, LIMITS).turn
    one_tab = turns.left(two_tabs, "ben-1", 2.0, LIMITS)
    assert one_tab.turn.requests == (BEN,) and kinds(one_tab) == []
    assert kinds(turns.left(one_tab.turn, "ben-2", 2.0, LIMITS)) == ["control_withdrawn"]


def test_the_controller_gives_control_to_somebody_here_who_may_execute():
    turn = turns.requested(table(), BEN, 1.0, LIMITS).turn
    step = turns.granted(turn, ADA, "ben", 2.0)
    assert step.frames == (model.ControlGranted(controller=BEN, requests=()),)
    assert step.turn.epoch == turn.epoch + 1
    with pytest.raises(NotYourTurn):
        turns.granted(turn, BEN, "ben", 2.0)
    with pytest.raises(NotFound):
        turns.granted(turn, ADA, "nobody", 2.0)
    with pytest.raises(NotAllowed):
        turns.granted(turn, ADA, "guest", 2.0)


def test_a_denied_request_is_gone_and_everybody_sees_it():
    turn = turns.requested(table(), BEN, 1.0, LIMITS).turn
    assert turns.denied(turn, ADA, "ben").frames == (model.ControlDenied(to=BEN, requests=()),)
    assert kinds(turns.denied(turn, ADA, "cleo")) == []
    with pytest.raises(NotYourTurn):
        turns.denied(turn, CLEO, "ben")


def test_control_is_given_back_or_taken_away_by_an_administrator():
    assert turns.revoked(table(), ADA, administrator=False, now=1.0).turn.controller is None
    step = turns.revoked(table(), CLEO, administrator=True, now=1.0)
    assert step.frames == (model.ControlRevoked(by=CLEO),)
    with pytest.raises(NotYourTurn):
        turns.revoked(table(), CLEO, administrator=False, now=1.0)


def test_a_controller_who_dropped_keeps_control_for_the_grace():
    away = turns.left(table(), "ada-1", 100.0, LIMITS)
    assert kinds(away) == ["controller_away"]
    assert turns.next_tick(away.turn, LIMITS) == 110.0
    assert turns.ticked(away.turn, 109.9, LIMITS) == turns.Step(turn=away.turn)
    back = turns.joined(away.turn, seat(ADA, 2), 105.0, LIMITS)
    assert kinds(back) == ["controller_back"] and back.turn.epoch == away.turn.epoch
    expired = turns.ticked(away.turn, 110.0, LIMITS)
    assert expired.frames == (model.ControlExpired(reason="away"),)
    assert expired.turn.controller is None and expired.turn.epoch == away.turn.epoch + 1


def test_a_terminal_looked_away_from_stays_its_controllers_while_nobody_else_is_there():
    alone = turns.joined(turns.opened(ADA, 0.0), seat(ADA), 0.0, LIMITS).turn
    away = turns.left(alone, "ada-1", 100.0, LIMITS).turn
    assert turns.next_tick(away, LIMITS) is None
    assert turns.ticked(away, 5000.0, LIMITS) == turns.Step(turn=away)
    back = turns.joined(away, seat(ADA, 2), 5000.0, LIMITS)
    assert kinds(back) == ["controller_back"] and back.turn.epoch == away.epoch
    # within the grace a newcomer waits for the rest of it; after it control is free
    within = turns.joined(away, seat(BEN), 104.0, LIMITS)
    assert kinds(within) == [] and turns.next_tick(within.turn, LIMITS) == 110.0
    later = turns.joined(away, seat(BEN), 5000.0, LIMITS)
    assert later.frames == (model.ControlExpired(reason="away"),)
    # the last of the others goes: it is kept again
    gone = turns.left(within.turn, "ben-1", 105.0, LIMITS).turn
    assert turns.next_tick(gone, LIMITS) is None and gone.controller == ADA


def test_who_is_alone_gets_control_that_is_free():
    free = turns.Turn()
    assert turns.joined(free, seat(BEN), 1.0, LIMITS).frames == (model.ControlTaken(controller=BEN),)
    assert kinds(turns.joined(free, seat(GUEST, can_execute=False), 1.0, LIMITS)) == []
    watched = turns.joined(free, seat(GUEST, can_execute=False), 1.0, LIMITS).turn
    assert kinds(turns.joined(watched, seat(BEN), 2.0, LIMITS)) == []
    released = turns.revoked(table(), ADA, administrator=False, now=1.0).turn
    assert kinds(turns.joined(released, seat(ADA, 2), 2.0, LIMITS)) == []


def test_who_submits_takes_control_that_is_free_and_nobody_elses():
    free = turns.revoked(table(), ADA, administrator=False, now=1.0).turn
    step = turns.submitted(free, ADA, 2.0, LIMITS)
    assert step.frames == (model.ControlTaken(controller=ADA),) and step.turn.away_since is None
    assert turns.submitted(table(), BEN, 2.0, LIMITS) == turns.Step(turn=table())
    assert turns.submitted(free, GUEST, 2.0, LIMITS) == turns.Step(turn=free)


def test_who_submits_without_looking_is_waited_for():
    free = turns.left(turns.revoked(table(), ADA, administrator=False, now=1.0).turn, "ada-1", 1.0, LIMITS).turn
    step = turns.submitted(free, ADA, 2.0, LIMITS)
    assert step.turn.controller == ADA and turns.next_tick(step.turn, LIMITS) is None
    assert kinds(turns.requested(step.turn, BEN, 11.9, LIMITS)) == ["control_requested"]
    assert kinds(turns.requested(step.turn, BEN, 12.0, LIMITS)) == ["control_taken"]


def test_submitting_begins_the_grace_anew_and_ends_that_of_who_went_for_good():
    away = turns.left(table(), "ada-1", 100.0, LIMITS).turn
    again = turns.submitted(away, ADA, 109.0, LIMITS)
    assert kinds(again) == [] and turns.next_tick(again.turn, LIMITS) == 119.0
    assert kinds(turns.submitted(away, BEN, 109.0, LIMITS)) == []
    alone = turns.joined(turns.opened(ADA, 0.0), seat(ADA), 0.0, LIMITS).turn
    gone = turns.left(alone, "ada-1", 100.0, LIMITS).turn
    assert turns.submitted(gone, BEN, 110.0, LIMITS).turn.controller == BEN


def test_who_comes_within_the_grace_learns_how_much_is_left_of_it():
    away = turns.left(table(), "ada-1", 100.0, LIMITS).turn
    assert turns.away(away, 104.0, LIMITS) == model.ControllerAway(controller=ADA, grace_seconds=6.0)
    assert turns.away(turns.joined(away, seat(ADA, 2), 105.0, LIMITS).turn, 105.0, LIMITS) is None
    assert turns.away(turns.ticked(away, 110.0, LIMITS).turn, 110.0, LIMITS) is None
    assert turns.away(turns.opened(ADA, 100.0), 104.0, LIMITS) is None  # has not come yet


def test_a_late_close_of_an_old_connection_changes_nothing():
    turn = turns.joined(table(), seat(ADA, 2), 1.0, LIMITS).turn
    once = turns.left(turn, "ada-1", 1.0, LIMITS)
    assert kinds(once) == [] and once.turn.away_since is None
    assert turns.left(once.turn, "ada-1", 2.0, LIMITS) == turns.Step(turn=once.turn)


def test_silence_ends_control_only_where_a_limit_is_set():
    turn = turns.typed(table(), 50.0)
    assert turns.next_tick(turn, LIMITS) is None
    limits = turns.Limits(idle_seconds=60.0)
    assert turns.next_tick(turn, limits) == 110.0
    assert turns.ticked(turn, 110.0, limits).frames == (model.ControlExpired(reason="idle"),)


def test_nobody_is_promoted_when_control_becomes_free():
    turn = turns.requested(table(), BEN, 1.0, LIMITS).turn
    free = turns.revoked(turn, ADA, administrator=False, now=2.0).turn
    assert free.controller is None and free.requests == (BEN,)
    assert turns.requested(free, BEN, 3.0, LIMITS).turn.requests == ()


def test_a_controller_who_may_not_execute_any_more_loses_control_at_once():
    two_tabs = turns.joined(table(), seat(ADA, 2), 1.0, LIMITS).turn
    one_left = turns.rights(two_tabs, "ada-1", False, 2.0)
    assert one_left.turn.controller == ADA and kinds(one_left) == []
    step = turns.rights(one_left.turn, "ada-2", False, 3.0)
    assert step.frames == (model.ControlExpired(reason="not_allowed"),)
    assert step.turn.controller is None and step.turn.epoch == two_tabs.epoch + 1
    # the tab with the right is the one that closes
    assert turns.left(one_left.turn, "ada-2", 3.0, LIMITS).frames == step.frames


def test_a_controller_who_comes_back_without_the_right_is_no_controller():
    away = turns.left(table(), "ada-1", 1.0, LIMITS).turn
    step = turns.joined(away, seat(ADA, 2, can_execute=False), 2.0, LIMITS)
    assert kinds(step) == ["control_expired"] and step.turn.controller is None


def test_who_may_not_execute_any_more_asks_no_more_and_may_ask_again_with_the_right():
    turn = turns.requested(table(), BEN, 1.0, LIMITS).turn
    step = turns.rights(turn, "ben-1", False, 2.0)
    assert step.frames == (model.ControlWithdrawn(by=BEN, requests=()),)
    with pytest.raises(NotAllowed):
        turns.requested(step.turn, BEN, 3.0, LIMITS)
    again = turns.rights(step.turn, "ben-1", True, 4.0).turn
    assert turns.requested(again, BEN, 5.0, LIMITS).turn.requests == (BEN,)
