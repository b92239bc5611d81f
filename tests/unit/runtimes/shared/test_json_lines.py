"""Lines come out whole, whatever the chunks."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.shared.messages.json_lines import JsonLines, NotJson, Overlong, object_of

values = st.dictionaries(st.text(), st.one_of(st.integers(-(2**53), 2**53), st.text(), st.booleans(), st.none()))


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in pairwise(edges)]


@given(st.lists(values), st.lists(st.integers(0, 10_000)), st.sampled_from(["\n", "\r\n", "\n\n", " \r\n"]))
def test_every_object_arrives_once_in_order(objects, places, ending):
    data = "".join(json.dumps(each) + ending for each in objects).encode()
    lines = JsonLines()
    assert [found for piece in cut(data, places) for found in lines.feed(piece)] == objects


@given(st.binary(), st.lists(st.integers(0, 10_000)))
def test_garbage_never_raises_and_chunks_do_not_matter(data, places):
    whole, pieces = JsonLines(), JsonLines()
    expected = [*whole.feed(data), *whole.flush()]
    found = [each for piece in cut(data, places) for each in pieces.feed(piece)]
    assert [*found, *pieces.flush()] == expected


def test_a_line_over_the_limit_is_reported_and_the_next_one_read():
    lines = JsonLines(limit=10)
    assert list(lines.feed(b"x" * 8)) == []
    assert list(lines.feed(b"x" * 8 + b'\n{"a": 1}\n')) == [Overlong(16), {"a": 1}]


def test_what_is_no_object_is_told_as_text():
    lines = JsonLines()
    assert list(lines.feed(b'[1]\nnull\n{"a"\n')) == [NotJson("[1]"), NotJson("null"), NotJson('{"a"')]
    assert next(lines.feed(b"[" * 100_000 + b"\n")).text.startswith("[[")


def test_half_of_a_surrogate_pair_costs_its_character_and_not_the_line():
    line = rb'{"a": "cut \ud83d", "b": "\\ud83d \ud83d\ude00 \udc00"}'
    assert object_of(line) == {"a": "cut \ufffd", "b": "\\ud83d \U0001f600 \ufffd"}


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (b'{"a": "caf\xe9", "b": 1}', {"a": "caf\ufffd", "b": 1}),
        (b'{"a\xff": "\xf0\x9f\x98"}', {"a\ufffd": "\ufffd"}),
        (b'{"a": "\xed\xa0\x80 \\ud83d \xc0\x80"}', {"a": "\ufffd\ufffd\ufffd \ufffd \ufffd\ufffd"}),
        (b'{"a": "gr\xc3\xbc\xc3\x9fe"}', {"a": "gr\xfc\xdfe"}),
    ],
)
def test_bytes_that_are_no_utf_8_cost_their_characters_and_not_the_line(line, read):
    lines = JsonLines()
    assert list(lines.feed(line[:9])) == [] and list(lines.feed(line[9:] + b"\n")) == [read]


@given(st.binary(max_size=20), st.text(max_size=20))
def test_any_bytes_in_a_text_leave_the_other_texts_whole(noise, text):
    noise = bytes(byte for byte in noise if byte >= 0x20 and byte not in b'"\\')
    read = object_of(b'{"a": "' + noise + b'", "b": ' + json.dumps(text).encode() + b"}")
    assert read is not None and read["b"] == text


@given(st.text(st.characters(categories=["Cs", "L", "P"])))
def test_whatever_node_writes_as_a_text_is_read(text):
    read = object_of(json.dumps({"a": text}).encode())
    assert read == {"a": text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")}


def test_the_last_line_needs_no_line_feed():
    lines = JsonLines()
    assert list(lines.feed(b'{"a": 1}')) == []
    assert list(lines.flush()) == [{"a": 1}]
    assert list(lines.flush()) == []
