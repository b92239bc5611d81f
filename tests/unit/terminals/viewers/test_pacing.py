"""Who keeps up, who is slowed for, who is left alone: the rules, with the time handed in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.terminals.viewers.pacing import Pace, PacingLimits

LIMITS = PacingLimits(stall_seconds=1.5, window_bytes=100, pace_bytes=100, behind_bytes=200)


def pace(offset: int = 0, until: int = 0) -> Pace:
    return Pace(LIMITS, offset=offset, until=until, now=0.0)


def test_a_viewer_that_has_drawn_all_it_was_sent_is_never_stalled():
    it = pace()
    assert not it.stalled(1000.0)
    it.sent(50, 1000.0)
    assert it.acknowledge(50, 1000.1)
    assert it.stalls_at() is None
    assert not it.stalled(2000.0)


def test_silence_counts_from_what_was_sent_first_or_the_last_word():
    it = pace()
    it.sent(10, 5.0)
    it.sent(20, 6.0)
    assert it.stalls_at() == 6.5
    assert not it.stalled(6.49)
    it.acknowledge(10, 6.4)
    assert it.stalls_at() == 7.9
    assert not it.stalled(7.8) and it.stalled(7.9)


def test_who_is_stalled_is_sent_nothing_and_waited_for_no_more_until_it_speaks():
    it = pace()
    it.sent(10, 0.0)
    assert it.takes(1.4) and it.slows(111, 1.4)
    assert not it.takes(1.5) and not it.slows(111, 1.5)
    assert it.acknowledge(5, 100.0)
    assert it.takes(100.0)


def test_a_viewer_is_sent_no_more_than_a_window_beyond_what_it_has_drawn():
    it = pace()
    it.sent(99, 0.0)
    assert it.takes(0.1)
    it.sent(130, 0.1)
    assert not it.takes(0.2)
    it.acknowledge(30, 0.2)
    assert not it.takes(0.2)
    it.acknowledge(31, 0.2)
    assert it.takes(0.2)


def test_the_program_waits_for_who_is_a_window_behind():
    it = pace()
    it.sent(100, 0.0)
    assert not it.slows(100, 0.1) and it.slows(101, 0.1)


def test_who_is_too_far_behind_with_what_was_sent_begins_anew():
    it = pace()
    it.sent(100, 0.0)
    assert not it.too_far(300) and it.too_far(301)


def test_a_replay_slows_nothing_and_makes_nobody_late():
    it = pace(offset=1000, until=5000)
    it.sent(1100, 0.0)
    assert not it.slows(5000, 0.1) and not it.too_far(5000)
    assert it.slows(5101, 0.1) and it.too_far(5201)


def test_an_ack_of_what_was_not_sent_or_was_said_before_says_nothing():
    it = pace(offset=10)
    it.sent(20, 0.0)
    assert not it.acknowledge(21, 1.0) and not it.acknowledge(10, 1.0) and not it.acknowledge(-5, 1.0)
    assert it.stalls_at() == 1.5


@given(st.lists(st.tuples(st.sampled_from("sawt"), st.integers(0, 300)), max_size=40))
def test_whatever_comes_no_more_is_on_its_way_than_the_window_and_the_program_waits_at_most_a_while(steps):
    it, end, sent, now, waited = pace(), 0, 0, 0.0, 0.0
    for what, value in steps:
        if what == "w" and not it.slows(end, now):
            end += value
        elif what == "s":
            sent = min(end, sent + value) if it.takes(now) else sent
            it.sent(sent, now)
        elif what == "a" and it.acknowledge(value * 10, now):
            waited = 0.0
        elif what == "t":
            slowed = it.slows(end, now) and it.stalls_at() is not None
            now += value / 1000
            waited = waited + value / 1000 if slowed and it.slows(end, now) else 0.0
        assert it.acked <= sent <= end
        assert sent - it.acked < LIMITS.window_bytes + 300  # a frame more
        assert waited < LIMITS.stall_seconds
