"""A transcript is read on as it grows; whatever else a hook names or somebody puts in its place costs nothing."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.execution.interactive.transcript import BEHIND_BYTES, LOOK_BYTES, TranscriptReader
from jupyter_cabinet.testing.manual_clock import ManualClock

pytestmark = pytest.mark.timeout(10)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "sessions"
    place.mkdir()
    (tmp_path / "other").mkdir()
    yield place


def hook(path: object) -> bytes:
    return json.dumps({"transcript_path": str(path)}).encode()


def gained(reader: TranscriptReader) -> bytes:
    return b"".join(reader.read())


def test_what_the_file_gains_after_it_was_named_is_read_once(folder: Path) -> None:
    path = folder / "a.jsonl"
    path.write_bytes(b"before\n")
    reader = TranscriptReader(folder)
    reader.learn(hook(path))
    assert reader.known and gained(reader) == b""
    with path.open("ab") as file:
        file.write(b"after\n")
    assert gained(reader) == b"after\n"
    assert gained(reader) == b""


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _folder(path: Path) -> None:
    path.mkdir()


def _link_out(path: Path) -> None:
    (path.parent.parent / "other" / "secret.jsonl").write_text("secret\n")
    path.symlink_to(path.parent.parent / "other" / "secret.jsonl")


def _circle(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("plant", [_pipe, _device, _folder, _link_out, _circle])
def test_what_is_no_file_below_the_folder_is_not_read_and_the_next_hook_is_heard(folder: Path, plant) -> None:  # type: ignore[no-untyped-def]
    plant(folder / "planted.jsonl")
    reader = TranscriptReader(folder)
    reader.learn(hook(folder / "planted.jsonl"))
    assert gained(reader) == b""
    good = folder / "good.jsonl"
    good.write_bytes(b"")
    reader.learn(hook(good))
    good.write_bytes(b"said\n")
    assert gained(reader) == b"said\n"


def test_a_pipe_that_takes_the_files_place_later_is_not_read_either(folder: Path) -> None:
    path = folder / "a.jsonl"
    path.write_bytes(b"")
    reader = TranscriptReader(folder)
    reader.learn(hook(path))
    path.unlink()
    os.mkfifo(path)
    assert gained(reader) == b""
    path.unlink()
    path.write_bytes(b"again\n")
    assert gained(reader) == b"again\n"


@pytest.mark.parametrize("plant", [_pipe, _device])
def test_a_transcript_that_is_found_by_its_name_is_read_as_carefully(folder: Path, plant) -> None:  # type: ignore[no-untyped-def]
    reader = TranscriptReader(folder)
    reader.look_for("*.jsonl")
    plant(folder / "z.jsonl")
    assert reader.follows_screen and gained(reader) == b""


@pytest.mark.parametrize("in_the_old_one", [True, False])
def test_a_session_that_goes_on_in_a_file_of_its_own_is_followed_there(folder: Path, in_the_old_one: bool) -> None:
    old, new = folder / "session-06-04-a.jsonl", folder / "session-06-05-a.jsonl"
    old.write_bytes(b"earlier\n")
    reader = TranscriptReader(folder)
    reader.look_for("session-*-a.jsonl")
    assert gained(reader) == b""
    with (old if in_the_old_one else new).open("ab") as file:
        file.write(b"now\n")
    assert gained(reader) == b"now\n"


def test_a_session_that_begins_in_a_new_file_and_goes_back_to_the_old_one_is_followed_in_both(folder: Path) -> None:
    """Gemini CLI 0.61.0, when it continues with a session: what it writes before it has loaded it stays behind."""
    old, new = folder / "session-06-04-a.jsonl", folder / "session-06-05-a.jsonl"
    old.write_bytes(b"earlier\n")
    reader = TranscriptReader(folder)
    reader.look_for("session-*-a.jsonl")
    new.write_bytes(b"first\n")
    assert gained(reader) == b"first\n"
    for path, text in ((old, b"second\n"), (new, b"third\n"), (old, b"fourth\n")):
        with path.open("ab") as file:
            file.write(text)
        assert gained(reader) == text


def test_a_file_that_was_written_anew_is_read_from_its_beginning(folder: Path) -> None:
    path = folder / "session-a.jsonl"
    path.write_bytes(b"earlier, and a lot of it\n")
    reader = TranscriptReader(folder)
    reader.look_for("session-*.jsonl")
    assert gained(reader) == b""
    path.write_bytes(b"anew\n")
    assert gained(reader) == b"anew\n"


def test_a_file_of_nothing_but_size_is_passed_over_and_what_is_written_to_it_then_is_read(folder: Path) -> None:
    (folder / "first.jsonl").write_bytes(b"")
    reader = TranscriptReader(folder)
    reader.learn(hook(folder / "first.jsonl"))
    sparse = folder / "sparse.jsonl"
    with sparse.open("wb") as file:
        file.truncate(3 << 30)
    reader.learn(hook(sparse))
    assert len(gained(reader)) <= LOOK_BYTES
    with sparse.open("ab") as file:
        file.write(b"\nnews\n")
    assert gained(reader).endswith(b"\nnews\n")


def test_a_transcript_that_is_named_again_is_not_read_again(folder: Path) -> None:
    one, two = folder / "one.jsonl", folder / "two.jsonl"
    one.write_bytes(b"")
    reader = TranscriptReader(folder)
    reader.learn(hook(one))
    one.write_bytes(b"first\n")
    assert gained(reader) == b"first\n"
    two.write_bytes(b"other\n")
    reader.learn(hook(two))
    assert gained(reader) == b"other\n"
    reader.learn(hook(one))
    with one.open("ab") as file:
        file.write(b"second\n")
    assert gained(reader) == b"second\n"


def test_much_that_is_real_comes_whole_in_several_looks(folder: Path) -> None:
    path = folder / "a.jsonl"
    path.write_bytes(b"")
    reader = TranscriptReader(folder)
    reader.learn(hook(path))
    content = os.urandom(2 * LOOK_BYTES + 5)
    assert len(content) < BEHIND_BYTES
    path.write_bytes(content)
    looks = [gained(reader) for _ in range(4)]
    assert b"".join(looks) == content and max(map(len, looks)) == LOOK_BYTES and looks[-1] == b""


def test_people_may_keep_their_sessions_behind_links(folder: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.symlink_to(folder)
    path = linked / "a.jsonl"
    reader = TranscriptReader(linked)
    reader.learn(hook(path))
    path.write_bytes(b"said\n")
    assert gained(reader) == b"said\n"


@given(
    st.one_of(
        st.binary(),
        st.text().map(hook),
        st.recursive(st.none(), st.lists, max_leaves=8).map(lambda it: json.dumps(it).encode()),
    )
)
def test_whatever_a_hook_says_is_survived(said: bytes) -> None:
    reader = TranscriptReader(Path("/nonexistent"))
    reader.learn(said)
    assert gained(reader) == b""


@pytest.mark.parametrize("path", ["a\0b.jsonl", "x" * 5000 + ".jsonl", "../../etc/x.jsonl", "relative.jsonl"])
def test_a_name_that_leads_nowhere_is_passed_over(folder: Path, path: str) -> None:
    reader = TranscriptReader(folder)
    reader.learn(hook(path))
    reader.learn(hook(folder / path))
    assert gained(reader) == b""


def test_a_hook_that_is_nested_deeply_names_nothing(folder: Path) -> None:
    reader = TranscriptReader(folder)
    reader.learn(b'{"transcript_path": ' + b"[" * 100_000)
    assert not reader.known


@pytest.mark.parametrize(
    ("owed_until", "gains", "waited"),
    [
        pytest.param(0.0, [0.0], 0.3, id="nothing is owed and nothing comes: a moment"),
        pytest.param(0.0, [0.1], 0.1, id="nothing is owed, and something comes"),
        pytest.param(0.6, [0.1, 0.6], 0.6, id="a tool's result comes first, the answer later"),
        pytest.param(9.0, [0.1], 2.0, id="what is owed never comes"),
    ],
)
async def test_the_last_answer_is_waited_for_longer_where_a_hook_has_told_of_it(
    folder: Path, owed_until: float, gains: list[float], waited: float
) -> None:
    (folder / "a.jsonl").write_bytes(b"")
    reader, clock = TranscriptReader(folder), ManualClock()
    reader.learn(hook(folder / "a.jsonl"))

    def gains_now() -> bool:
        due = [moment for moment in gains if moment <= clock.monotonic() + 1e-6]
        del gains[: len(due)]
        return bool(due)

    waiting = asyncio.create_task(reader.wait_for_end(gains_now, lambda: clock.monotonic() + 1e-6 < owed_until, clock))
    while not waiting.done():
        await clock.advance(0.02)
    assert clock.monotonic() == pytest.approx(waited, abs=0.03)


async def test_without_a_transcript_nothing_is_waited_for() -> None:
    await TranscriptReader(None).wait_for_end(lambda: False, lambda: True, ManualClock())
