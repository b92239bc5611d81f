"""Queries of programs, and which answers they wait for."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.terminals.vt.queries import Queries
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
