"""A PTY's last bytes, and how to begin to show them anywhere in between."""

from __future__ import annotations

from jupyter_cabinet.terminals.screens.backlog import RESIZES_KEPT, Backlog


def made(*pieces: bytes, capacity: int = 4000) -> Backlog:
    backlog = Backlog(capacity, first=0, rows=24)
    for piece in pieces:
        backlog.append(piece)
    return backlog


def test_a_place_within_a_sequence_begins_with_it():
    backlog = made(b"ab\x1b]2;a title\x07xyz")
    for size in range(4, 16):
        assert backlog.beginning(size).offset == 2
    assert backlog.beginning(3).prelude == "\x1b[?25h\x1b]2;a title\x1b\\"


def test_a_place_within_a_sequence_whose_beginning_is_gone_begins_behind_it():
    backlog = made(b"\x1b]2;" + b"t" * 40 + b"\x07rest", capacity=20)
    beginning = backlog.beginning(15)
    assert beginning.offset == backlog.ring.end
    assert beginning.prelude.endswith("\x1b]2;" + "t" * 40 + "\x1b\\")
    again = made(b"\x1b]2;" + b"t" * 40 + b"\x07rest\x1b[3", capacity=20)
    assert again.ring.slice(again.beginning(15).offset, again.ring.end) == b"\x1b[3"


def test_who_asks_for_the_same_place_gets_the_same_object():
    backlog = made(b"one\x1b[31mred\x1b[6n")
    assert backlog.beginning(4) is backlog.beginning(4)
    assert backlog.replay(0, 100) is backlog.replay(0, 100)
    assert backlog.replay(3, 100) == b"\x1b[31mred\0\0\0\0"


def test_the_latest_sizes_are_kept_of_a_terminal_that_changes_its_size_on_and_on():
    backlog = made(b"x")
    for rows in range(1, RESIZES_KEPT + 50):
        backlog.resize(rows)
    backlog.append(b"\x1b[3;300r" + b"y\n" * 20)
    assert backlog.beginning(10).prelude.startswith("\x1b[3;300r")


def test_each_place_has_the_size_that_it_was_drawn_in():
    backlog = made(b"\x1b[3;9r" + b"x\n" * 10)
    backlog.resize(30)
    backlog.append(b"\x1b[3;25r" + b"y\n" * 10)
    backlog.resize(40)
    backlog.append(b"z\n" * 10)
    assert [backlog.beginning(size).prelude for size in (10, 30, 55)] == [
        "\x1b[?25h",
        "\x1b[3;25r\x1b[?25h",
        "\x1b[3;9r\x1b[?25h",
    ]


def test_sizes_are_let_go_of_with_the_bytes_that_were_drawn_in_them():
    backlog = made(b"\x1b[3;9rx\n", capacity=20)
    backlog.resize(40)
    backlog.append(b"\x1b[3;35r" + b"y\n" * 40)
    assert backlog.ring.start > 8
    assert backlog.beginning(10).prelude == "\x1b[3;35r\x1b[?25h"


def test_a_part_that_is_only_the_beginning_of_a_sequence_is_given_with_all_of_it():
    backlog = made(b"\x1b[6nab\x1b[6")
    assert backlog.replay(0, 2) == b"\0\0\0\0ab\x1b[6"
    assert backlog.replay(6, 100) == b"\x1b[6"  # at the very end there is no more
    assert backlog.replay(2, 2) == b"\x18\0"
