"""A PTY's last bytes, by their offset."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.terminals.screens.ring import Ring


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


def test_a_ring_knows_how_much_it_holds():
    ring = Ring(10, first=5)
    assert (ring.capacity, ring.start, ring.end, ring.holds(5)) == (10, 5, 5, True)
    assert ring.append(b"0123456789abcde") == b""  # it is cut late
    assert (ring.base, ring.start, ring.end) == (5, 10, 20)
    assert ring.append(b"f") == b"012345"
    assert (ring.base, ring.start, ring.end) == (11, 11, 21)
    assert ring.holds(11) and ring.holds(21)
    assert not ring.holds(10) and not ring.holds(22)


def test_parts_end_with_a_whole_character_or_where_they_were_wanted_to():
    ring = Ring(1000)
    ring.append("abc—def".encode())
    assert ring.read(0, 4) == b"abc"
    assert ring.read(3, 4).decode() == "—"
    assert ring.read(6, 4) == b"de"
    assert ring.read(9, 4) == b""
    binary = Ring(1000)
    binary.append(b"\x80" * 30)
    assert binary.read(0, 10) == b"\x80" * 10


def test_a_character_that_is_longer_than_a_part_is_given_in_whole():
    ring = Ring(1000)
    ring.append("🌍a".encode())
    assert ring.read(0, 1).decode() == "🌍"
