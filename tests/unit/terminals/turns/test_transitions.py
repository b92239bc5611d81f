"""Every row of the turn's table. What holds after any sequence of events is in `test_transitions_stateful.py`."""

from __future__ import annotations

import pytest

from jupyter_cabinet.core.errors import NotAllowed, NotFound, NotYourTurn
from jupyter_cabinet.core.people import OWNER, Person
from jupyter_cabinet.terminals import frames
from jupyter_cabinet.terminals.turns import transitions

ADA, BEN, CLEO, GUEST = (Person(username=name, display_name=name.title()) for name in ("ada", "ben", "cleo", "guest"))
LIMITS = transitions.TurnLimits(grace_seconds=10.0, control_idle_seconds=None)


def seat(person: Person, tab: int = 1, *, can_execute: bool = True) -> transitions.Seat:
    return transitions.Seat(connection=f"{person.username}-{tab}", person=person, can_execute=can_execute)


def table() -> transitions.Turn:
    """Ada controls; Ben and Cleo watch, a guest may only look."""
    turn = transitions.opened(ADA, 0.0)
    for who in (ADA, BEN, CLEO):
        turn = transitions.joined(turn, seat(who), 0.0, LIMITS).turn
    return transitions.joined(turn, seat(GUEST, can_execute=False), 0.0, LIMITS).turn


def kinds(step: transitions.TurnTransition) -> list[str]:
    return [frame.__struct_config__.tag for frame in step.frames]


def test_the_creator_controls_before_and_after_the_first_connection():
    turn = transitions.opened(ADA, 0.0)
    assert transitions.ticked(turn, 1000.0, LIMITS).turn.controller == ADA
    step = transitions.joined(turn, seat(ADA), 1000.0, LIMITS)
    assert step.turn.controller == ADA
    assert kinds(step) == []


def test_a_creator_who_never_came_is_waited_for_through_the_grace_only():
    turn = transitions.joined(transitions.opened(ADA, 0.0), seat(BEN), 0.0, LIMITS).turn
    assert kinds(transitions.requested(turn, BEN, 9.9, LIMITS)) == ["control_requested"]
    taken = transitions.requested(turn, BEN, 10.0, LIMITS)
    assert kinds(taken) == ["control_taken"] and taken.turn.controller == BEN


def test_control_of_a_creator_who_never_came_ends_for_somebody_who_has_asked():
    turn = transitions.joined(transitions.opened(ADA, 0.0), seat(BEN), 0.0, LIMITS).turn
    assert transitions.next_tick(turn, LIMITS) is None
    asked = transitions.requested(turn, BEN, 1.0, LIMITS).turn
    assert transitions.next_tick(asked, LIMITS) == 10.0
    assert transitions.ticked(asked, 9.9, LIMITS).turn.controller == ADA
    ended = transitions.ticked(asked, 10.0, LIMITS)
    assert ended.turn.controller is None and kinds(ended) == ["control_expired"]


def test_who_comes_to_a_terminal_that_a_program_has_opened_controls_it():
    program = Person(username=OWNER, display_name="Owner")
    fresh = transitions.opened(program, 5.0)
    step = transitions.joined(fresh, seat(BEN), 6.0, LIMITS)
    assert step.turn.controller == BEN and kinds(step) == ["control_taken"]
    assert transitions.joined(fresh, seat(GUEST, can_execute=False), 6.0, LIMITS).turn.controller == program
    watched = transitions.joined(fresh, seat(GUEST, can_execute=False), 6.0, LIMITS).turn
    assert transitions.joined(watched, seat(BEN), 7.0, LIMITS).turn.controller == program  # he asks for it
    typed = transitions.typed(fresh, 5.5)
    assert transitions.joined(typed, seat(BEN), 6.0, LIMITS).turn.controller == program


def test_a_program_is_not_asked_for_control():
    program = Person(username=OWNER, display_name="Owner")
    typed = transitions.typed(transitions.opened(program, 0.0), 1.0)
    turn = transitions.joined(typed, seat(BEN), 2.0, LIMITS).turn
    assert turn.controller == program
    taken = transitions.requested(turn, BEN, 2.0, LIMITS)
    assert kinds(taken) == ["control_taken"] and taken.turn.controller == BEN
    there = transitions.joined(
        turn, seat(program), 3.0, LIMITS
    ).turn  # it looks: a person with the token, who can answer
    assert kinds(transitions.requested(there, BEN, 3.0, LIMITS)) == ["control_requested"]


def test_free_control_is_granted_at_once():
    free = transitions.revoked(table(), ADA, administrator=False, now=1.0).turn
    step = transitions.requested(free, BEN, 2.0, LIMITS)
    assert step.turn.controller == BEN
    assert step.frames == (frames.ControlTaken(controller=BEN),)


def test_requests_wait_in_order_once_per_user():
    turn = transitions.requested(table(), CLEO, 1.0, LIMITS).turn
    step = transitions.requested(turn, BEN, 1.0, LIMITS)
    assert step.frames == (frames.ControlRequested(by=BEN, requests=(CLEO, BEN)),)
    assert transitions.requested(step.turn, CLEO, 2.0, LIMITS) == transitions.TurnTransition(turn=step.turn)


def test_who_may_not_execute_may_not_ask():
    with pytest.raises(NotAllowed):
        transitions.requested(table(), GUEST, 1.0, LIMITS)


def test_a_request_is_withdrawn_by_hand_or_with_the_last_connection():
    turn = transitions.requested(table(), BEN, 1.0, LIMITS).turn
    assert kinds(transitions.withdrawn(turn, BEN)) == ["control_withdrawn"]
    two_tabs = transitions.joined(turn, seat(BEN, 2), 2.0, LIMITS).turn
    one_tab = transitions.left(two_tabs, "ben-1", 2.0, LIMITS)
    assert one_tab.turn.requests == (BEN,) and kinds(one_tab) == []
    assert kinds(transitions.left(one_tab.turn, "ben-2", 2.0, LIMITS)) == ["control_withdrawn"]


def test_the_controller_gives_control_to_somebody_here_who_may_execute():
    turn = transitions.requested(table(), BEN, 1.0, LIMITS).turn
    step = transitions.granted(turn, ADA, "ben", 2.0)
    assert step.frames == (frames.ControlGranted(controller=BEN, requests=()),)
    assert step.turn.epoch == turn.epoch + 1
    with pytest.raises(NotYourTurn):
        transitions.granted(turn, BEN, "ben", 2.0)
    with pytest.raises(NotFound):
        transitions.granted(turn, ADA, "nobody", 2.0)
    with pytest.raises(NotAllowed):
        transitions.granted(turn, ADA, "guest", 2.0)


def test_a_denied_request_is_gone_and_everybody_sees_it():
    turn = transitions.requested(table(), BEN, 1.0, LIMITS).turn
    assert transitions.denied(turn, ADA, "ben").frames == (frames.ControlDenied(to=BEN, requests=()),)
    assert kinds(transitions.denied(turn, ADA, "cleo")) == []
    with pytest.raises(NotYourTurn):
        transitions.denied(turn, CLEO, "ben")


def test_control_is_given_back_or_taken_away_by_an_administrator():
    assert transitions.revoked(table(), ADA, administrator=False, now=1.0).turn.controller is None
    step = transitions.revoked(table(), CLEO, administrator=True, now=1.0)
    assert step.frames == (frames.ControlRevoked(by=CLEO),)
    with pytest.raises(NotYourTurn):
        transitions.revoked(table(), CLEO, administrator=False, now=1.0)


def test_a_controller_who_dropped_keeps_control_for_the_grace():
    away = transitions.left(table(), "ada-1", 100.0, LIMITS)
    assert kinds(away) == ["controller_away"]
    assert transitions.next_tick(away.turn, LIMITS) == 110.0
    assert transitions.ticked(away.turn, 109.9, LIMITS) == transitions.TurnTransition(turn=away.turn)
    back = transitions.joined(away.turn, seat(ADA, 2), 105.0, LIMITS)
    assert kinds(back) == ["controller_back"] and back.turn.epoch == away.turn.epoch
    expired = transitions.ticked(away.turn, 110.0, LIMITS)
    assert expired.frames == (frames.ControlExpired(reason="away"),)
    assert expired.turn.controller is None and expired.turn.epoch == away.turn.epoch + 1


def test_a_terminal_looked_away_from_stays_its_controllers_while_nobody_else_is_there():
    alone = transitions.joined(transitions.opened(ADA, 0.0), seat(ADA), 0.0, LIMITS).turn
    away = transitions.left(alone, "ada-1", 100.0, LIMITS).turn
    assert transitions.next_tick(away, LIMITS) is None
    assert transitions.ticked(away, 5000.0, LIMITS) == transitions.TurnTransition(turn=away)
    back = transitions.joined(away, seat(ADA, 2), 5000.0, LIMITS)
    assert kinds(back) == ["controller_back"] and back.turn.epoch == away.epoch
    # within the grace a newcomer waits for the rest of it; after it control is free
    within = transitions.joined(away, seat(BEN), 104.0, LIMITS)
    assert kinds(within) == [] and transitions.next_tick(within.turn, LIMITS) == 110.0
    later = transitions.joined(away, seat(BEN), 5000.0, LIMITS)
    assert later.frames == (frames.ControlExpired(reason="away"),)
    # the last of the others goes: it is kept again
    gone = transitions.left(within.turn, "ben-1", 105.0, LIMITS).turn
    assert transitions.next_tick(gone, LIMITS) is None and gone.controller == ADA


def test_who_is_alone_gets_control_that_is_free():
    free = transitions.Turn()
    assert transitions.joined(free, seat(BEN), 1.0, LIMITS).frames == (frames.ControlTaken(controller=BEN),)
    assert kinds(transitions.joined(free, seat(GUEST, can_execute=False), 1.0, LIMITS)) == []
    watched = transitions.joined(free, seat(GUEST, can_execute=False), 1.0, LIMITS).turn
    assert kinds(transitions.joined(watched, seat(BEN), 2.0, LIMITS)) == []
    released = transitions.revoked(table(), ADA, administrator=False, now=1.0).turn
    assert kinds(transitions.joined(released, seat(ADA, 2), 2.0, LIMITS)) == []


def test_who_submits_takes_control_that_is_free_and_nobody_elses():
    free = transitions.revoked(table(), ADA, administrator=False, now=1.0).turn
    step = transitions.submitted(free, ADA, 2.0, LIMITS)
    assert step.frames == (frames.ControlTaken(controller=ADA),) and step.turn.away_since is None
    assert transitions.submitted(table(), BEN, 2.0, LIMITS) == transitions.TurnTransition(turn=table())
    assert transitions.submitted(free, GUEST, 2.0, LIMITS) == transitions.TurnTransition(turn=free)


def test_who_submits_without_looking_is_waited_for():
    free = transitions.left(
        transitions.revoked(table(), ADA, administrator=False, now=1.0).turn, "ada-1", 1.0, LIMITS
    ).turn
    step = transitions.submitted(free, ADA, 2.0, LIMITS)
    assert step.turn.controller == ADA and transitions.next_tick(step.turn, LIMITS) is None
    assert kinds(transitions.requested(step.turn, BEN, 11.9, LIMITS)) == ["control_requested"]
    assert kinds(transitions.requested(step.turn, BEN, 12.0, LIMITS)) == ["control_taken"]


def test_submitting_begins_the_grace_anew_and_ends_that_of_who_went_for_good():
    away = transitions.left(table(), "ada-1", 100.0, LIMITS).turn
    again = transitions.submitted(away, ADA, 109.0, LIMITS)
    assert kinds(again) == [] and transitions.next_tick(again.turn, LIMITS) == 119.0
    assert kinds(transitions.submitted(away, BEN, 109.0, LIMITS)) == []
    alone = transitions.joined(transitions.opened(ADA, 0.0), seat(ADA), 0.0, LIMITS).turn
    gone = transitions.left(alone, "ada-1", 100.0, LIMITS).turn
    assert transitions.submitted(gone, BEN, 110.0, LIMITS).turn.controller == BEN


def test_who_comes_within_the_grace_learns_how_much_is_left_of_it():
    away = transitions.left(table(), "ada-1", 100.0, LIMITS).turn
    assert transitions.grace_left(away, 104.0, LIMITS) == 6.0
    assert transitions.grace_left(transitions.joined(away, seat(ADA, 2), 105.0, LIMITS).turn, 105.0, LIMITS) is None
    assert transitions.grace_left(transitions.ticked(away, 110.0, LIMITS).turn, 110.0, LIMITS) is None
    assert transitions.grace_left(transitions.opened(ADA, 100.0), 104.0, LIMITS) is None  # has not come yet


def test_a_late_close_of_an_old_connection_changes_nothing():
    turn = transitions.joined(table(), seat(ADA, 2), 1.0, LIMITS).turn
    once = transitions.left(turn, "ada-1", 1.0, LIMITS)
    assert kinds(once) == [] and once.turn.away_since is None
    assert transitions.left(once.turn, "ada-1", 2.0, LIMITS) == transitions.TurnTransition(turn=once.turn)


def test_silence_ends_control_only_where_a_limit_is_set():
    turn = transitions.typed(table(), 50.0)
    assert transitions.next_tick(turn, LIMITS) is None
    limits = transitions.TurnLimits(grace_seconds=10.0, control_idle_seconds=60.0)
    assert transitions.next_tick(turn, limits) == 110.0
    assert transitions.ticked(turn, 110.0, limits).frames == (frames.ControlExpired(reason="idle"),)


def test_nobody_is_promoted_when_control_becomes_free():
    turn = transitions.requested(table(), BEN, 1.0, LIMITS).turn
    free = transitions.revoked(turn, ADA, administrator=False, now=2.0).turn
    assert free.controller is None and free.requests == (BEN,)
    assert transitions.requested(free, BEN, 3.0, LIMITS).turn.requests == ()


def test_a_controller_who_may_not_execute_any_more_loses_control_at_once():
    two_tabs = transitions.joined(table(), seat(ADA, 2), 1.0, LIMITS).turn
    one_left = transitions.rights(two_tabs, "ada-1", False, 2.0)
    assert one_left.turn.controller == ADA and kinds(one_left) == []
    step = transitions.rights(one_left.turn, "ada-2", False, 3.0)
    assert step.frames == (frames.ControlExpired(reason="not_allowed"),)
    assert step.turn.controller is None and step.turn.epoch == two_tabs.epoch + 1
    # the tab with the right is the one that closes
    assert transitions.left(one_left.turn, "ada-2", 3.0, LIMITS).frames == step.frames


def test_a_controller_who_comes_back_without_the_right_is_no_controller():
    away = transitions.left(table(), "ada-1", 1.0, LIMITS).turn
    step = transitions.joined(away, seat(ADA, 2, can_execute=False), 2.0, LIMITS)
    assert kinds(step) == ["control_expired"] and step.turn.controller is None


def test_who_may_not_execute_any_more_asks_no_more_and_may_ask_again_with_the_right():
    turn = transitions.requested(table(), BEN, 1.0, LIMITS).turn
    step = transitions.rights(turn, "ben-1", False, 2.0)
    assert step.frames == (frames.ControlWithdrawn(by=BEN, requests=()),)
    with pytest.raises(NotAllowed):
        transitions.requested(step.turn, BEN, 3.0, LIMITS)
    again = transitions.rights(step.turn, "ben-1", True, 4.0).turn
    assert transitions.requested(again, BEN, 5.0, LIMITS).turn.requests == (BEN,)
