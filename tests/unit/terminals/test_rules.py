"""The small pure rules: the lock, the ring, replies and queries, titles, submissions, rates."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_cabinet.terminals import lock
from jupyter_cabinet.terminals.pty import terminal_environment
from jupyter_cabinet.terminals.rates import Rates
from jupyter_cabinet.terminals.ring import Ring
from jupyter_cabinet.terminals.submissions import Submissions
from jupyter_cabinet.terminals.vt import replies
from jupyter_cabinet.terminals.vt.queries import Queries
from jupyter_cabinet.terminals.vt.sieve import Sieve
from jupyter_cabinet.terminals.vt.titles import Titles


@pytest.mark.parametrize(
    ("state", "open", "controls", "can_execute", "reason"),
    [
        ("running", True, True, True, "agent_running"),
        ("running", True, False, True, "agent_running"),
        ("running", True, True, False, "read_only"),
        ("ending", True, True, True, "ending"),
        ("ending", False, True, True, "ending"),
        ("waiting", True, True, True, None),
        ("waiting", True, False, True, "not_controller"),
        ("stopped", False, True, True, "exited"),
        (None, True, True, True, None),
        (None, False, True, True, "exited"),
    ],
)
def test_the_lock_comes_before_the_turn(state, open, controls, can_execute, reason):
    assert lock.refusal(agent_state=state, screen_open=open, controls=controls, can_execute=can_execute) == reason


@given(st.lists(st.binary(max_size=300)), st.integers(1, 500))
def test_a_ring_gives_back_exactly_the_last_bytes(chunks, capacity):
    ring, everything = Ring(capacity, first=7), b""
    for chunk in chunks:
        ring.append(chunk)
        everything += chunk
        assert ring.end == 7 + len(everything)
        assert ring.start == max(7, ring.end - capacity)
        assert ring.read(ring.start, 10_000) == everything[-capacity:][: ring.end - ring.start]
        assert ring.start <= ring.tail(capacity // 2) <= ring.end
        assert not ring.holds(ring.start - 1) and not ring.holds(ring.end + 1)


def test_readers_at_the_same_place_share_one_object():
    ring = Ring(100)
    ring.append(b"hello")
    assert ring.read(1, 50) is ring.read(1, 50)


def test_a_tail_begins_with_a_whole_line_or_sequence_or_character():
    def tail(data: bytes, size: int) -> bytes:
        ring = Ring(len(data) - 1)
        ring.append(data)
        return ring.read(ring.tail(size), 1000)

    assert tail(b"first\nsecond\nthird", 9) == b"third"
    assert tail(b"xxxx\x1b[31mred", 9) == b"\x1b[31mred"
    assert tail("xxgrüße".encode(), 4) == "ße".encode()


REPLIES = [
    b"\x1b[?1;2c",
    b"\x1b[>0;276;0c",
    b"\x1b[0n",
    b"\x1b[12;40R",
    b"\x1b[?12;40R",
    b"\x1b]11;rgb:0000/1111/ffff\x1b\\",
    b"\x1b]10;rgb:00/11/ff\x07",
    b"\x1b]4;15;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b[?2026;2$y",
    b"\x1b[4;1$y",
    b"\x1bP1$r0m\x1b\\",
    b"\x1b[I",
    b"\x1b[O",
]


@pytest.mark.parametrize("reply", REPLIES)
def test_the_answers_of_an_emulator_are_replies_also_two_at_once(reply):
    assert replies.kinds(reply) is not None
    assert len(replies.kinds(reply + b"\x1b[0n")) == 2


@given(st.one_of(st.binary(max_size=40), st.text(max_size=40).map(str.encode)))
@example(b"")
@example(b"\x1b[0n\r")
@example(b"ls\r\x1b[0n")
@example(b"\x1b[A")
@example(b"\x1b]11;rgb:0/0/0; rm -rf x\x07")
@example(b"\x1bP1$r\r\x1b\\")
def test_nothing_that_a_shell_would_run_is_a_reply(data):
    kinds = replies.kinds(data)
    assert kinds is None or (data.startswith(b"\x1b") and b"\r" not in data and b"\n" not in data)


@given(st.text("a—🌍é", max_size=40), st.integers(1, 12), st.lists(st.integers(0, 160), max_size=8))
def test_the_parts_of_a_ring_end_with_whole_characters_wherever_one_may_read_to(text, limit, allowed):
    data = text.encode()
    ring, offset, parts = Ring(1000), 0, []
    ring.append(data)
    for until in [*sorted(min(each, len(data)) for each in allowed), len(data)]:
        while part := ring.read(offset, limit, until=until):
            parts.append(part.decode())
            offset += len(part)
    assert "".join(parts) == text


ASKED = (
    b"text\x1b[c\x1b[>c\x1b[5n\x1b[6n\x1b[?6n"
    b"\x1b]10;?\x07\x1b]11;?\x1b\\\x1b]10;?;?\x07\x1b[?2026$p\x1bP$qm\x1b\\\x1b[?u"
)
KINDS = ["da1", "da2", "dsr", "cpr", "decxcpr", *["colour"] * 4, "decrqm", "decrqss", "keyboard"]


@given(st.lists(st.integers(0, len(ASKED)), max_size=6))
def test_queries_are_found_once_wherever_the_output_is_cut(cuts):
    queries, sieve, found = Queries(), Sieve(), []
    places = [0, *sorted(cuts), len(ASKED)]
    for start, end in pairwise(places):
        found += [query for each in sieve.feed(ASKED[start:end])[1] for query in queries.see(each)]
    assert [query.kind for query in found] == KINDS
    assert found[5].answer == b"\x1b]10;rgb:cccc/cccc/cccc\x07"
    assert found[8].answer.startswith(b"\x1b]11;")


def test_a_reply_is_accepted_once_per_question_and_of_its_kind():
    queries = Queries()
    for sequence in Sieve().feed(b"\x1b[6n\x1b[c")[1]:
        queries.expect(*queries.see(sequence))
    assert not queries.accept(b"\x1b[0n")
    assert queries.accept(b"\x1b[1;1R\x1b[?1;2c")
    assert not queries.accept(b"\x1b[1;1R")


def test_focus_is_reported_only_to_a_program_that_wants_it():
    queries = Queries()
    assert not queries.accept(b"\x1b[I")
    queries.see(*Sieve().feed(b"\x1b[?1000;1004h")[1])
    assert queries.accept(b"\x1b[I")
    queries.see(*Sieve().feed(b"\x1b[?1004l")[1])
    assert not queries.accept(b"\x1b[O")


@given(st.lists(st.integers(0, 30), max_size=5))
def test_a_title_is_found_wherever_the_output_is_cut(cuts):
    data = "a\x1b]0;◐ Work\x07b\x1b]2;Done\x1b\\c".encode()
    titles, sieve = Titles(), Sieve()
    places = [0, *sorted(cuts), len(data)]
    for start, end in pairwise(places):
        for sequence in sieve.feed(data[start:end])[1]:
            titles.see(sequence)
    assert titles.current == "Done"


def test_an_unchanged_title_is_not_told_again_and_a_long_one_is_cut():
    titles = Titles()
    (sequence,) = Sieve().feed(b"\x1b]0;" + b"x" * 300 + b"\x07")[1]
    assert titles.see(sequence) == "x" * 256
    assert titles.see(sequence) is None


def test_an_enter_inside_a_paste_submits_nothing():
    submissions = Submissions()
    assert submissions.feed(b"hello\r")
    assert not submissions.feed(b"\x1b[200~a\rb")
    assert not submissions.feed(b"c\r\x1b[201~")
    assert submissions.feed(b"\r")


def test_a_rate_lets_through_as_many_as_it_says_in_any_stretch():
    rates = Rates(2, 1.0)
    allowed = [rates.allows("ada", now) for now in (0.0, 0.5, 0.9, 1.1, 1.2, 1.6)]
    assert allowed == [True, True, False, True, False, True]


def test_a_rate_is_each_persons_own_and_who_has_gone_is_forgotten():
    rates = Rates(1, 1.0)
    assert [rates.allows(name, 0.0) for name in ("ada", "ben", "ada")] == [True, True, False]
    assert rates.allows("cleo", 5.0)
    assert list(rates._times) == ["cleo"]


@pytest.mark.parametrize(
    ("given_locale", "kept"),
    [({"LANG": "de_DE.UTF-8"}, {"LANG": "de_DE.UTF-8"}), ({"LC_ALL": "C"}, {"LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"})],
)
def test_a_program_in_a_terminal_gets_a_utf_8_locale(given_locale, kept):
    built = terminal_environment(given_locale)
    assert {name: built[name] for name in built if name.startswith(("LC_", "LANG"))} == kept
