"""Queries of programs, and which answers they wait for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.terminals.vt.queries import MAX_OUTSTANDING, Queries, Query
from jupyter_cabinet.terminals.vt.sieve import Sieve

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


def seen(data: bytes):
    queries = Queries()
    return [query for each in Sieve().feed(data)[1] for query in queries.see(each)]


def test_each_question_is_found_with_the_servers_own_answer():
    found = seen(ASKED)
    assert [query.kind for query in found] == KINDS
    assert found[0].answer == b"\x1b[?1;2c"
    assert found[5].answer == b"\x1b]10;rgb:cccc/cccc/cccc\x07"
    assert [query.answer[:5] for query in found[7:9]] == [b"\x1b]10;", b"\x1b]11;"]
    assert found[9].answer == b""


@pytest.mark.parametrize(
    ("data", "kinds"),
    [
        (b"\x1b[14t\x1b[8;24;80t", ["window"]),
        (b"\x1b[?15n\x1b[7n", []),  # xterm.js gives no such report
        (b"\x1bPqdata\x1b\\", []),
        (b"\x1bP+q544e\x1b\\", ["decrqss"]),
        (b"\x1b]4;1;?\x07\x1b]12;red\x07\x1b]52x\x07\x1b]99;?\x07", ["colour"]),
        (b"\x1b7\x1b[2J", []),
    ],
)
def test_only_what_is_answered_is_a_question(data, kinds):
    assert [query.kind for query in seen(data)] == kinds


def test_a_colour_that_the_server_has_no_answer_for_is_left_to_a_viewer():
    assert [query.answer for query in seen(b"\x1b]4;1;?\x07\x1b]11;?;?\x1b\\")] == [
        b"",
        b"\x1b]11;rgb:0000/0000/0000\x1b\\",
        b"",
    ]


def test_a_question_that_is_given_up_is_answered_once():
    queries, query = Queries(), Query(kind="da1")
    queries.expect(query)
    assert queries.give_up(query)
    assert not queries.give_up(query)
    assert not queries.accept(b"\x1b[?1;2c")


def test_a_program_that_asks_on_and_on_gets_no_more_answers_than_are_kept():
    queries = Queries()
    for _ in range(MAX_OUTSTANDING + 5):
        queries.expect(Query(kind="dsr"))
    assert not queries.accept(b"\x1b[0n" * (MAX_OUTSTANDING + 1))
    assert queries.accept(b"\x1b[0n" * MAX_OUTSTANDING)


def test_what_a_person_types_is_no_answer():
    queries = Queries()
    queries.expect(Query(kind="dsr"))
    assert not queries.accept(b"ls\r")
    assert not queries.accept(b"\x1b[0nls\r")
    assert queries.accept(b"\x1b[0n")
