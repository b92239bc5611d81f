"""Reading a file in turns gives the same lines as reading it at once, and no more is held than one line may have."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.transcripts.reading import positioned_lines
from jupyter_cabinet.transcripts.reading.positioned_lines import Place, TranscriptLine, line_at, lines_from

FIELDS = st.text(max_size=40).map(lambda text: json.dumps({"text": text}).encode())
CONTENT = st.lists(FIELDS | st.binary(max_size=60) | st.just(b"\0" * 100) | st.just(b"")).map(b"\n".join)


@contextmanager
def limits(*, line: int, turn: int, chunk: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positioned_lines, "MAX_LINE_BYTES", line)
        patch.setattr(positioned_lines, "TURN_BYTES", turn)
        patch.setattr(positioned_lines, "CHUNK_BYTES", chunk)
        yield


def turn(content: bytes, place: Place) -> tuple[list[TranscriptLine], Place]:
    lines, found = lines_from(io.BytesIO(content), place), list[TranscriptLine]()
    while True:
        try:
            found.append(next(lines))
        except StopIteration as end:
            return found, end.value


@given(content=CONTENT, chunk=st.integers(1, 50))
def test_turns_give_the_same_lines_as_one_reading(content, chunk):
    with limits(line=30, turn=10_000, chunk=50):
        whole, end = turn(content, Place())
    assert end.at_end
    with limits(line=30, turn=40, chunk=chunk):
        found, place = turn(content, Place())
        while not place.at_end:
            more, after = turn(content, place)
            assert after.at_end or after.position > place.position
            found, place = found + more, after
        assert (found, place) == (whole, end)
        for line in found:
            assert line_at(io.BytesIO(content), line.position).value == line.value


@pytest.mark.parametrize("end", [b"", b"\n", b"\n{}\n"])
def test_a_line_of_the_greatest_length_is_read_at_its_position_too(end):
    line = json.dumps({"text": "x" * 18}).encode()
    for limit, value in ((len(line), {"text": "x" * 18}), (len(line) - 1, None)):
        with limits(line=limit, turn=10_000, chunk=50):
            assert line_at(io.BytesIO(line + end), 0).value == value


@given(before=CONTENT, after=CONTENT)
def test_a_file_that_grows_gives_the_lines_of_the_whole_file(before, after):
    with limits(line=30, turn=10_000, chunk=50):
        found, place = turn(before + b"\n", Place())
        more, _ = turn(before + b"\n" + after, place)
        assert found + more == turn(before + b"\n" + after, Place())[0]


def test_a_long_line_is_not_read_again_when_it_grows():
    with limits(line=30, turn=40, chunk=8):
        found, place = turn(b"x" * 100, Place())
        assert (found, place) == ([], Place(40, inside=0))
        for _ in range(3):
            found, place = turn(b"x" * 100, place)
        assert (found, place) == ([], Place(100, inside=0, at_end=True))
        assert turn(b"x" * 100 + b'\n{"a":1}\n', place)[0] == [
            TranscriptLine(0, None, 100),
            TranscriptLine(101, {"a": 1}, 7),
        ]


def test_holes_of_a_sparse_file_are_skipped(tmp_path: Path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(b'{"first": 1}\n')
        file.truncate(1 << 40)
        file.seek(1 << 40)
        file.write(b'\n{"last": 1}\n')
    if path.stat().st_blocks * 512 > 1 << 30:
        pytest.skip("this file system has no sparse files")
    found, place = list[TranscriptLine](), Place()
    for _ in range(10):
        with path.open("rb") as file:
            lines = lines_from(file, place)
            while True:
                try:
                    found.append(next(lines))
                except StopIteration as end:
                    place = end.value
                    break
    assert [line.value for line in found] == [{"first": 1}, None, {"last": 1}] and place.at_end
