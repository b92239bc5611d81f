"""What a terminal shows is kept as asciicast v2: real PTYs, real files."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jupyter_cabinet.core.errors import Conflict, NotFound, NotYourTurn
from jupyter_cabinet.core.ids import new_id
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.terminals.model import NewTerminal, RecordingClosed
from jupyter_cabinet.terminals.recording import recorder
from jupyter_cabinet.testing.manual_clock import ManualClock

ADA = Principal(username="ada", display_name="Ada")
BEN = Principal(username="ben", display_name="Ben")
SHELL = ("/bin/sh",)

# Writes, a while after it was asked to.
TALKER = """
import sys
print("grüße\\x1b]52;c;c2VjcmV0\\x07")
for line in sys.stdin:
    print("said", line.strip() * 2)
"""
FLOODER = """
import os, sys
os.write(1, b"up\\n")
sys.stdin.readline()
for _ in range(64):
    os.write(1, b"%065535d\\n" % 7)
os.write(1, b"sent\\n")
sys.stdin.readline()
"""


def events(cast: bytes) -> tuple[dict[str, Any], list[tuple[float, str, str]]]:
    head, *rest = [json.loads(line) for line in cast.splitlines()]
    return head, [tuple(each) for each in rest]


def shown(cast: bytes) -> str:
    return "".join(data for _, code, data in events(cast)[1] if code == "o")


async def lasting(it: Any, **wanted: Any) -> Any:
    return await it.terminals.open_for(ADA, NewTerminal(**wanted), cwd="/")


async def test_an_agents_screen_is_recorded_by_default_and_typed_input_never(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings") as it:
        terminal = await it.open()
        terminal.begin_run("run-1", "Say it twice", terminal.about.owner)
        agent = await it.agent(terminal, TALKER)
        ada = await it.join(terminal, cols=100, rows=40)
        await ada.shows("grüße")
        agent.set_state("waiting")
        await ada.type("ab\r")
        await ada.shows("said abab")
        assert terminal.view().recording and terminal.view().recorded
        head, found = events(await it.recordings.cast(terminal.id, None, ADA))
        assert head["version"] == 2 and (head["width"], head["height"]) == (120, 30) and head["title"] == "work"
        assert {code for _, code, _ in found} == {"o", "r", "m"}
        assert ("r", "100x40") in {(code, data) for _, code, data in found}
        assert ("m", "Say it twice") in {(code, data) for _, code, data in found}
        assert [at for at, _, _ in found] == sorted(at for at, _, _ in found)
        text = "".join(data for _, code, data in found if code == "o")
        assert "grüße" in text and "said abab" in text


async def test_a_persons_shell_is_recorded_only_when_it_is_switched_on(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings", terminal_shell=SHELL, shell_environment={"PS1": "$ "}) as it:
        terminal = await lasting(it)
        ada = await it.join(terminal)
        await ada.type("echo before-$((40+1))\r")
        await ada.shows("before-41")
        assert not terminal.view().recording and await it.recordings.find(ADA) == []
        await terminal.record(True, ADA)
        await ada.saw("recording")
        await ada.type("echo after-$((40+2))\r")
        await ada.shows("after-42")
        text = shown(await it.recordings.cast(terminal.id, None, ADA))
        assert "after-42" in text and "before-41" in text, "a recording begins with the screen as it stood"
        await terminal.record(False, ADA)
        await ada.type("echo off-$((40+3))\r")
        await ada.shows("off-43")
        assert "off-43" not in shown(await it.recordings.cast(terminal.id, None, ADA))
        assert terminal.view().recorded and not terminal.view().recording
        with pytest.raises(NotYourTurn):
            await terminal.record(True, BEN)


async def test_a_recording_begins_in_the_size_that_the_terminal_has_then(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings", terminal_shell=SHELL) as it:
        terminal = await lasting(it)
        await it.join(terminal, cols=100, rows=40)
        await terminal.record(True, ADA)
        head, _ = events(await it.recordings.cast(terminal.id, None, ADA))
        assert (head["width"], head["height"]) == (100, 40)


async def test_a_terminal_that_has_ended_is_not_recorded_any_more(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings") as it:
        terminal = await it.lasting(command=("/bin/true",))
        ada = await it.join(terminal)
        await ada.saw("exited")
        with pytest.raises(Conflict):
            await terminal.record(True, ADA)
        assert not terminal.view().recording


async def test_a_terminal_that_is_not_to_be_recorded_is_not(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings", terminal_shell=SHELL) as it:
        terminal = await lasting(it, record=False)
        await it.agent(terminal, TALKER)
        ada = await it.join(terminal)
        await ada.shows("grüße")
        assert not terminal.view().recording and not terminal.view().recorded
        with pytest.raises(NotFound):
            await it.recordings.get(terminal.id, ADA)


async def test_the_persons_shell_in_a_pause_stays_off_the_agents_recording(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings", terminal_shell=SHELL, shell_environment={"PS1": "$ "}) as it:
        terminal = await lasting(it)
        await it.agent(terminal, TALKER)
        ada = await it.join(terminal)
        await ada.shows("grüße")
        await terminal.pause(ADA)
        await ada.type("echo private-$((40+4))\r")
        await ada.shows("private-44")
        await terminal.resume(ADA)
        text = shown(await it.recordings.cast(terminal.id, None, ADA))
        assert "grüße" in text and "private" not in text
        assert text.count("grüße") == 2, "after the pause the agent's screen is drawn anew"


async def test_a_flood_is_left_out_with_a_marker_and_the_screen_behind_it_is_right(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings", recording_part_bytes=1 << 30, clock=ManualClock()) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOODER)
        ada = await it.join(terminal)
        await ada.shows("up")
        await agent.type(b"\r", submit=False)
        await ada.shows("sent")
        _, found = events(await it.recordings.cast(terminal.id, None, ADA))
        assert any(code == "m" and "left out" in data for _, code, data in found)
        assert sum(len(data) for _, _, data in found) < 3 << 20
        assert found[-1][2].endswith("sent\r\n")


async def test_parts_rotate_the_oldest_goes_and_each_plays_by_itself(room, tmp_path: Path):
    folder = tmp_path / "recordings"
    async with room(recordings=folder, recording_part_bytes=60_000, recording_parts=2) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, "import sys\nfor line in sys.stdin: print('x' * 9000, line)")
        ada = await it.join(terminal)
        for number in range(40):
            await agent.type(b"line-%d\n" % number, submit=False)
            await ada.shows(f"{'x' * 50} line-{number}")
            await it.recordings.cast(terminal.id, None, ADA)  # everything until now is in the files
        recording = await it.recordings.get(terminal.id, ADA)
        assert len(recording.parts) == 2 and recording.dropped_parts >= 2
        assert sorted(path.name for path in (folder / terminal.id).glob("*.cast")) == [
            f"{part.number:04}.cast" for part in recording.parts
        ]
        for part in recording.parts:
            head, found = events(await it.recordings.cast(terminal.id, part.number, ADA))
            assert head["version"] == 2 and found[0][1] == "o" and found[0][2].startswith("\x1bc")
        with pytest.raises(NotFound):
            await it.recordings.cast(terminal.id, 0, ADA)


async def test_a_closed_terminals_recording_is_found_played_and_removed_by_its_owner(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings") as it:
        terminal = await it.open(visibility="private")
        await it.agent(terminal, TALKER)
        ada = await it.join(terminal)
        await ada.shows("grüße")
        with pytest.raises(Conflict):
            await it.recordings.delete(terminal.id, ADA)
        await it.terminals.close(terminal.id, "Closed by Ada.")
        assert [event.recording.id for event in it.events if isinstance(event, RecordingClosed)] == [terminal.id]
        (row,) = await it.recordings.find(ADA)
        assert row.ended_at is not None and row.parts[0].bytes > 0
        assert "grüße" in shown(await it.recordings.cast(row.id, None, ADA))
        assert await it.recordings.find(BEN) == []
        with pytest.raises(NotFound):
            await it.recordings.cast(row.id, None, BEN)
        await it.recordings.delete(row.id, ADA)
        assert await it.recordings.find(ADA) == [] and not (tmp_path / "recordings" / row.id).exists()


async def test_a_recording_can_be_removed_once_it_has_stopped_though_its_terminal_is_open(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings", terminal_shell=SHELL, shell_environment={"PS1": "$ "}) as it:
        terminal = await lasting(it)
        ada = await it.join(terminal)
        await terminal.record(True, ADA)
        await ada.type("echo first-$((40+1))\r")
        await ada.shows("first-41")
        with pytest.raises(Conflict):
            await it.recordings.delete(terminal.id, ADA)
        await terminal.record(False, ADA)
        await it.recordings.delete(terminal.id, ADA)
        assert await it.recordings.find(ADA) == [] and not (tmp_path / "recordings" / terminal.id).exists()
        assert not terminal.view().recorded
        with pytest.raises(NotFound):
            await it.recordings.delete(terminal.id, ADA)
        await terminal.record(True, ADA)
        await ada.type("echo second-$((40+2))\r")
        await ada.shows("second-42")
        assert "second-42" in shown(await it.recordings.cast(terminal.id, None, ADA))
        (row,) = await it.recordings.find(ADA)
        assert [part.number for part in row.parts] == [0]
        await it.terminals.close(terminal.id, "Closed by Ada.")
        assert [row.id for row in await it.recordings.find(ADA)] == [terminal.id]


async def test_a_recording_stays_private_although_the_disk_was_full_when_its_terminal_became_private(
    room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with room(recordings=tmp_path / "recordings") as it:
        terminal = await lasting(it, command=SHELL)
        await terminal.record(True, ADA)
        await terminal.record(False, ADA)
        await terminal.recording._recorder.flush()
        with monkeypatch.context() as full:
            full.setattr(recorder.files, "replace", _no_space)
            terminal.set_visibility("private", "Ada made this terminal private.")
            await terminal.recording._recorder.flush()
        await it.terminals.close_for(terminal.about.id, ADA)
        (meta,) = (tmp_path / "recordings").glob("*/recording.json")
        assert json.loads(meta.read_text())["visibility"] == "private"


def _no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


async def test_the_recording_of_an_agent_that_has_ended_can_be_removed(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings") as it:
        terminal = await it.lasting(command=(sys.executable, "-c", "print('done')"), record=True)
        ada = await it.join(terminal)
        await ada.saw("exited")
        (row,) = await it.recordings.find(ADA)
        await it.recordings.delete(row.id, ADA)
        assert await it.recordings.find(ADA) == []
        await it.terminals.close(terminal.id, "Closed by Ada.")
        assert await it.recordings.find(ADA) == []
        assert not [event for event in it.events if isinstance(event, RecordingClosed)]


async def test_after_a_crash_the_files_tell_what_there_is(room, tmp_path: Path):
    folder = tmp_path / "recordings"
    async with room(recordings=folder) as it:
        terminal = await it.open()
        await it.agent(terminal, TALKER)
        ada = await it.join(terminal)
        await ada.shows("grüße")
        await it.recordings.cast(terminal.id, None, ADA)
        crashed = {path.name: path.read_bytes() for path in (folder / terminal.id).iterdir()}
    torn = tmp_path / "torn"
    (torn / terminal.id).mkdir(parents=True)
    for name, content in crashed.items():
        (torn / terminal.id / name).write_bytes(content + (b'[9.5,"o","never wh' if name.endswith(".cast") else b""))
    async with room(recordings=torn) as it:
        (row,) = await it.recordings.find(ADA)
        assert row.ended_at is not None and 0 < row.parts[0].seconds < 9
        assert b"never wh" in await it.recordings.cast(row.id, None, ADA)


async def test_a_recording_that_cannot_be_written_ends_and_says_so_and_the_terminal_goes_on(room, tmp_path: Path):
    async with room(recordings=tmp_path / "recordings") as it:
        terminal = await it.lasting(command=("/bin/cat",), record=True)
        ada = await it.join(terminal)
        await ada.type("before\n")
        await ada.shows("before")
        await it.recordings.cast(terminal.id, None, ADA)
        part = tmp_path / "recordings" / terminal.id / "0000.cast"
        part.unlink()
        part.mkdir()  # no more than a full disk does it take what is written
        await ada.type("after\n")
        assert (await ada.saw("error"))["kind"] == "recording"
        assert (await ada.saw("recording"))["on"] is False and not terminal.view().recording
        assert (await it.recordings.get(terminal.id, ADA)).ended_at is not None
        await ada.type("still-here\n")
        await ada.shows("still-here")
        await terminal.record(True, ADA)
        assert terminal.view().recording
        await ada.type("again\n")
        await ada.shows("again")
        assert "again" in shown(await it.recordings.cast(terminal.id, 1, ADA))


async def test_a_strange_file_among_the_parts_is_passed_over(room, tmp_path: Path):
    folder = tmp_path / "recordings"
    async with room(recordings=folder) as it:
        terminal = await it.open()
        await it.agent(terminal, TALKER)
        await (await it.join(terminal)).shows("grüße")
        await it.terminals.close(terminal.id, "Closed.")
        crashed = folder / terminal.id
        meta = crashed / "recording.json"
        meta.write_text(re.sub('"ended_at":"[^"]*"', '"ended_at":null', meta.read_text()))
        (crashed / "mine.cast").write_text("not a part")
        (row,) = await it.recordings.find(ADA)
        assert [part.number for part in row.parts] == [0]


async def test_old_recordings_and_those_beyond_the_size_of_all_are_removed(room, tmp_path: Path):
    folder, clock = tmp_path / "recordings", ManualClock()
    for _ in range(2):
        async with room(recordings=folder, clock=clock) as it:
            await it.recordings.start()
            assert await it.recordings.find(ADA) == []
            terminal = await it.open()
            await it.agent(terminal, TALKER)
            ada = await it.join(terminal)
            await ada.shows("grüße")
            await it.terminals.close(terminal.id, "Closed.")
            await clock.advance(30 * 86_400)
            await it.recordings.start()
            assert len(await it.recordings.find(ADA)) == 1
        await clock.advance(1)
    async with room(recordings=folder, recordings_megabytes=1e-5, clock=ManualClock()) as it:
        assert len(await it.recordings.find(ADA)) == 1
        await it.recordings.start()
        assert await it.recordings.find(ADA) == []


def planted(folder: Path, name: str, **fields: Any) -> Path:
    """A recording that somebody else put there, long ago."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "0000.cast").write_text('{"version":2}\n[1.0,"o","x"]\n')
    noted = {
        "id": name,
        "name": "work",
        "owner": "ada",
        "visibility": "server",
        "started_at": "2001-01-01T00:00:00Z",
        "ended_at": "2001-01-02T00:00:00Z",
        "parts": [{"number": 0, "seconds": 1.0, "bytes": 10}],
        **fields,
    }
    (place / "recording.json").write_text(json.dumps(noted))
    return place


@pytest.mark.parametrize("id", ["../../mine", "/", "", ".", "another"])
async def test_a_recording_that_names_another_place_than_its_own_removes_and_shows_nothing(room, tmp_path, id: str):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kept.txt").write_text("kept")
    folder = tmp_path / "state" / "recordings"
    place = planted(folder, new_id(), id=str(tmp_path / "mine") if id == "/" else id)
    async with room(recordings=folder) as it:
        await it.recordings.start()
        assert await it.recordings.find(ADA) == []
        with pytest.raises(NotFound):
            await it.recordings.get(place.name, ADA)
    assert (tmp_path / "mine" / "kept.txt").read_text() == "kept" and place.exists()


async def test_links_among_the_recordings_lead_nowhere_and_what_they_lead_to_stays(room, tmp_path: Path):
    id = new_id()
    outside = planted(tmp_path / "outside", id)
    folder = tmp_path / "state" / "recordings"
    folder.mkdir(parents=True)
    (folder / id).symlink_to(outside)
    linked = planted(folder, new_id(), ended_at=None)
    (linked / "0000.cast").unlink()
    (linked / "0000.cast").symlink_to(outside / "0000.cast")
    async with room(recordings=folder) as it:
        await it.recordings.start()
        assert await it.recordings.find(ADA) == []
    assert (outside / "0000.cast").exists()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["recording.json", "0000.cast"])
async def test_a_pipe_among_the_recordings_hangs_nobody_and_the_rest_is_shown(room, tmp_path: Path, name: str):
    folder = tmp_path / "recordings"
    now = datetime.now(UTC).isoformat()
    good = planted(folder, new_id(), started_at=now, ended_at=now)
    bad = planted(folder, new_id(), ended_at=None)
    (bad / name).unlink()
    os.mkfifo(bad / name)
    async with room(recordings=folder) as it:
        await it.recordings.start()
        assert [each.id for each in await it.recordings.find(ADA)] == [good.name]


@pytest.fixture
def keeps_any_time() -> Iterator[Path]:
    """A folder on a file system that keeps the years that others cut."""
    if not Path("/dev/shm").is_dir():
        pytest.skip("there is no tmpfs here, and other file systems keep no year beyond 2500")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


@pytest.mark.parametrize("seconds", [1_831_428_288_000, -99_999_999_999], ids=["year 60005", "before year 1"])
async def test_a_files_time_that_no_calendar_has_stops_nothing(room, keeps_any_time: Path, seconds: int):
    folder = keeps_any_time / "recordings"
    now = datetime.now(UTC).isoformat()
    strange = planted(folder, new_id(), started_at=now, ended_at=None, number=4)
    os.utime(strange / "0000.cast", (seconds, seconds))
    if abs((strange / "0000.cast").stat().st_mtime - seconds) > 1:
        pytest.skip("this file system cuts the time")
    async with room(recordings=folder) as it:
        await it.recordings.start()
        (row,) = await it.recordings.find(ADA)
        assert row.id == strange.name and row.ended_at == row.started_at
        assert await it.recordings.cast(row.id, None, ADA)
        terminal = await it.open()
        await it.agent(terminal, TALKER)
        await (await it.join(terminal)).shows("grüße")
        assert [each.id for each in await it.recordings.find(ADA)] == [terminal.id, row.id]
        await it.recordings.delete(row.id, ADA)
        assert not strange.exists()


@pytest.mark.parametrize(
    "said", [{"started_at": "2001-01-01T00:00:00"}, {"parts": [{"number": 0, "seconds": 1, "bytes": 1 << 60}]}]
)
async def test_what_a_planted_recording_says_of_itself_removes_no_other(room, tmp_path: Path, said: dict[str, Any]):
    folder = tmp_path / "recordings"
    now = datetime.now(UTC).isoformat()
    mine = planted(folder, new_id(), started_at=now, ended_at=now)
    planted(folder, new_id(), **{"started_at": "2999-01-01T00:00:00Z", "ended_at": "2999-01-01T00:00:00Z", **said})
    async with room(recordings=folder) as it:
        await it.recordings.start()
        assert mine.name in [each.id for each in await it.recordings.find(ADA)]


async def test_the_list_keeps_its_order_and_the_newest_are_kept_when_the_clock_was_set_back(room, tmp_path: Path):
    folder, made = tmp_path / "recordings", []
    for hours in range(3):
        async with room(recordings=folder, clock=ManualClock(datetime.now(UTC) - timedelta(hours=hours))) as it:
            await it.recordings.start()
            terminal = await it.open()
            await it.agent(terminal, TALKER)
            await (await it.join(terminal)).shows("grüße")
            made.append(terminal.id)
    async with room(recordings=folder) as it:
        newest_first = await it.recordings.find(ADA)
        assert [each.id for each in newest_first] == made[::-1]
        room_for_one = newest_first[0].parts[0].bytes + 10
    async with room(recordings=folder, recordings_megabytes=room_for_one / 1e6) as it:
        await it.recordings.start()
        assert [each.id for each in await it.recordings.find(ADA)] == made[-1:]
