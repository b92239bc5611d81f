"""The lines of a run's output become events, each once, over any number of connections."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness.faulty_server import END, event
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.client.model import UnknownEvent
from jupyter_cabinet.client.runs import events
from jupyter_cabinet.client.runs.events import OutputReader, Unreadable
from jupyter_cabinet.runtimes.model import TextBlock, TextDelta


def encoded(*lines: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def delta(index: int, at: float, text: str) -> dict[str, Any]:
    return event(index, "TextDelta", at, text=text)


def block(index: int, text: str) -> dict[str, Any]:
    return event(index, "TextBlock", text=text)


def test_lines_become_events_wherever_they_are_cut() -> None:
    data = encoded(delta(0, 1, "a"), block(0, "ab"), END)
    for size in range(1, len(data)):
        reader = OutputReader()
        found = [each for at in range(0, len(data), size) for each in reader.feed(data[at : at + size])]
        assert found == [TextDelta(text="a"), TextBlock(text="ab")]
        assert reader.ended and reader.since == 1


def test_empty_lines_say_nothing_and_nothing_follows_the_end() -> None:
    reader = OutputReader()
    assert reader.feed(b"\n\n" + encoded(END, block(0, "late"))) == [] and reader.ended


def test_what_is_not_known_is_kept_whole_and_other_lines_are_passed_over() -> None:
    reader = OutputReader()
    new = event(0, "Dreamt", of="sheep")
    assert reader.feed(encoded({"type": "news"}, new)) == [UnknownEvent(type="Dreamt", raw=new["event"])]
    assert reader.since == 1


@pytest.mark.parametrize(
    "data", [b"<html>\n", b"[1]\n", b"\xff\n", b'{"type": "output", "event": 5}\n', b"[" * 9999 + b"\n"]
)
def test_what_is_no_output_is_an_error(data: bytes) -> None:
    with pytest.raises(Unreadable):
        OutputReader().feed(data)


def test_a_line_without_end_is_an_error_and_not_a_full_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MAX_LINE_BYTES", 10)
    with pytest.raises(Unreadable, match="too long"):
        OutputReader().feed(b"x" * 11)


def test_a_new_connection_brings_pieces_again_and_they_are_told_once() -> None:
    reader = OutputReader()
    first = encoded(block(0, "x"), delta(1, 1.0, "a"), delta(1, 1.0, "b"), delta(1, 2.0, "c"), delta(1, 2.0, "d"))
    assert len(reader.feed(first + b'{"cut')) == 5
    reader.connected()
    again = encoded(delta(1, 1.0, "a"), delta(1, 1.0, "b"), delta(1, 2.0, "c"), delta(1, 2.0, "d"), delta(1, 2.0, "e"))
    assert reader.feed(again + encoded(delta(1, 3.0, "f"))) == [TextDelta(text="e"), TextDelta(text="f")]
    reader.connected()
    assert reader.feed(encoded(delta(1, 3.0, "f"), block(0, "x"), block(1, "abcdef"))) == [TextBlock(text="abcdef")]
    reader.connected()
    assert reader.feed(encoded(delta(2, 1.0, "g"))) == [TextDelta(text="g")]


@given(st.data())
def test_however_often_it_breaks_each_event_is_told_once(data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.booleans(), min_size=1, max_size=20))
    lines, index = [], 0
    for at, is_piece in enumerate(kinds):
        lines.append(delta(index, at // 3, str(at)) if is_piece else block(index, str(at)))
        index += not is_piece
    lines.append(END)
    reader, told = OutputReader(), []
    while not reader.ended:
        reader.connected()
        kept = [at for at, line in enumerate(lines) if line.get("event", {}).get("type") == "TextBlock"]
        # the server sends what is kept from `since` on; pieces only of what is not kept yet
        place = 0 if reader.since == 0 else kept[reader.since - 1] + 1
        whole = encoded(*lines[place:])
        told += reader.feed(whole[: data.draw(st.integers(0, len(whole))) or len(whole)])
    assert [each.text for each in told] == [str(at) for at in range(len(kinds))]  # type: ignore[union-attr]
