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
