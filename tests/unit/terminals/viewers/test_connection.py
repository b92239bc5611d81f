"""The wire `cabinet.terminal.v1`: the first frame, bad frames, silence, and the golden frames."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from jupyter_cabinet.core.errors import NotFound
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.terminals import frames
from jupyter_cabinet.terminals.viewers.connection import RIGHTS_KEPT_SECONDS
from jupyter_cabinet.testing.manual_clock import ManualClock

ROOT = Path(__file__).parents[4]
FRAMES = sorted((ROOT / "tests/fixtures/frames").glob("*.json"))


def tags(union) -> set[str]:
    return {frame.__struct_config__.tag for frame in get_args(union)}


async def test_nothing_is_sent_before_attach_and_who_does_not_attach_is_closed(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.open()
        silent = await it.unattached(terminal)
        await clock.advance(9.9)
        assert silent.closed is None
        await clock.advance(0.1)
        assert silent.closed[0] == 1008
        assert silent.log == []


@pytest.mark.parametrize("frame", ['{"type":"ping"}', "no json", '{"type":"attach","cols":1,"rows":1,"x":1}'])
async def test_a_first_frame_that_is_not_attach_closes(room, frame):
    async with room() as it:
        client = await it.unattached(await it.open())
        await client.connection.receive_text(frame)
        assert client.closed[0] == 1008
        assert client.log == []


async def test_bytes_before_attach_close(room):
    async with room() as it:
        client = await it.unattached(await it.open())
        await client.type("x")
        assert client.closed[0] == 1008


@pytest.mark.parametrize(
    "frame",
    [
        "no json",
        "[]",
        '{"type":"dance"}',
        '{"type":"resize"}',
        '{"type":"resize","cols":0,"rows":5}',
        pytest.param('{"type":"ping","x":' + "[" * 500_000, id="nested too deep"),
        pytest.param("[" * 500_000, id="nothing but brackets"),
        pytest.param('{"type":"reply","data":"\\ud800"}', id="half a character"),
    ],
)
async def test_an_unknown_or_malformed_frame_is_answered_with_an_error(room, frame):
    async with room() as it:
        ada = await it.join(await it.open())
        await ada.connection.receive_text(frame)
        assert (await ada.saw("error"))["kind"] == "invalid"
        assert ada.closed is None


async def test_an_error_repeats_nothing_of_the_frame(room):
    async with room() as it:
        ada = await it.join(await it.open())
        for frame in ({"type": "y" * 999}, {"type": "ping", "y" * 999: 1}, {"type": "grant_control", "to": "y" * 999}):
            await ada.connection.receive_text(json.dumps(frame))
        await ada.saw("error", 3)
        assert not [frame for frame in ada.frames if "y" * 20 in json.dumps(frame)]


async def test_a_frame_over_1_mib_closes_with_1009(room):
    async with room() as it:
        terminal = await it.open()
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.connection.receive_text(" " * (1 << 20) + " ")
        await ben.connection.receive_bytes(b" " * ((1 << 20) + 1))
        assert [ada.closed[0], ben.closed[0]] == [1009, 1009]


async def test_a_ping_is_answered_and_silence_counts_as_dropped(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.open()
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await clock.advance(24)
        await ada.say("ping")
        await ada.saw("pong")
        await clock.advance(1)
        assert ada.closed is None and ben.closed[0] == 1008
        await clock.advance(23.9)
        assert ada.closed is None
        await clock.advance(0.1)
        assert ada.closed[0] == 1008
        assert not terminal.view().exited


async def test_a_key_waits_for_the_right_once_the_last_answer_about_it_is_old(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        ada = await it.join(await it.open())
        await ada.say("ping")
        await ada.connection.check_rights()
        assert ada.connection.receive_keys(b"x")
        await clock.advance(RIGHTS_KEPT_SECONDS)
        assert not ada.connection.receive_keys(b"x")


async def test_everybody_is_told_who_watches(room):
    async with room() as it:
        terminal = await it.open()
        ada = await it.join(terminal)
        ben = await it.join(terminal, "ben")
        assert [who["username"] for who in (await ada.saw("viewers"))["viewers"]] == ["ada", "ben"]
        assert ben.count("viewers") == 0
        ben.connection.drop()
        assert [who["username"] for who in (await ada.saw("viewers", 2))["viewers"]] == ["ada"]


async def test_the_size_is_that_of_the_controllers_pane_that_is_left(room):
    async with room() as it:
        terminal = await it.open()
        wide = await it.join(terminal, cols=150, rows=40)
        narrow = await it.join(terminal, cols=60, rows=20)
        ben = await it.join(terminal, "ben", cols=99, rows=9)
        assert (terminal.display.size.cols, terminal.display.size.rows) == (60, 20)
        narrow.connection.drop()
        assert await ben.saw("resized") == {"type": "resized", "cols": 150, "rows": 40}
        assert (terminal.display.size.cols, terminal.display.size.rows) == (150, 40)
        last = await it.join(terminal, cols=70, rows=21)
        wide.connection.drop()
        assert (terminal.display.size.cols, terminal.display.size.rows) == (70, 21)
        last.connection.drop()
        assert (terminal.display.size.cols, terminal.display.size.rows) == (70, 21)  # nobody's pane: it stays


async def test_the_size_is_that_of_a_pane_of_the_controller_who_may_type(room):
    async with room() as it:
        terminal = await it.open()
        await it.join(terminal, cols=150, rows=40)
        narrow = await it.join(terminal, cols=60, rows=20)
        narrow.connection.can_execute = False
        terminal.right_changed(narrow.connection)
        assert (terminal.display.size.cols, terminal.display.size.rows) == (150, 40)


async def test_more_than_ten_sizes_a_second_are_refused(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        ada = await it.join(await it.open())
        for number in range(11):
            await ada.say("resize", cols=50 + number, rows=20)
        assert (await ada.saw("error"))["kind"] == "refused"
        assert ada.last("resized")["cols"] == 59
        await clock.advance(1)
        await ada.say("resize", cols=61, rows=20)
        assert (await ada.saw("resized", 11))["cols"] == 61


async def test_sizes_are_limited_per_person_with_however_many_connections(room):
    async with room() as it:
        terminal = await it.open()
        first, second = await it.join(terminal), await it.join(terminal)
        for number in range(6):
            await first.say("resize", cols=50 + number, rows=20)
            await second.say("resize", cols=70 + number, rows=20)
        assert (await second.saw("error"))["kind"] == "refused"
        assert first.last("resized")["cols"] == 74


async def test_control_is_asked_for_at_most_sixty_times_a_minute(room):
    clock = ManualClock()
    async with room(clock=clock, silence_seconds=600.0) as it:
        terminal = await it.open()
        ben = await it.join(terminal, "ben")
        for _ in range(61):
            await ben.say("request_control")
        assert (await ben.saw("error"))["kind"] == "refused"
        await clock.advance(60)
        await ben.say("withdraw_request")
        await ben.saw("control_withdrawn")


async def test_an_administrator_takes_control_away_and_others_cannot(room):
    async with room() as it:
        terminal = await it.open()
        ben, root = await it.join(terminal, "ben"), await it.join(terminal, "root", administrator=True)
        await ben.say("revoke_control")
        assert (await ben.saw("error"))["kind"] == "not_your_turn"
        await root.say("revoke_control")
        assert (await ben.saw("control_revoked"))["by"]["username"] == "root"
        assert terminal.view().controller is None


async def test_a_private_terminal_is_its_owners_alone(room):
    async with room() as it:
        terminal = await it.open(visibility="private")
        ben = Principal(username="ben", display_name="Ben")
        assert it.terminals.list(ben) == []
        with pytest.raises(NotFound):
            it.terminals.get(terminal.id, ben)
        ada = Principal(username="ada", display_name="Ada")
        assert it.terminals.get(terminal.id, ada) is terminal
        await it.terminals.close(terminal.id, "done")
        with pytest.raises(NotFound):
            await it.terminals.close(terminal.id, "again")


async def test_a_terminal_made_private_keeps_the_control_of_those_who_still_see_it(room):
    async with room() as it:
        terminal = await it.open()
        await it.join(terminal)
        root = await it.join(terminal, "root", administrator=True)
        await root.say("revoke_control")
        await root.say("request_control")
        terminal.set_visibility("private", "Ada made this terminal private.")
        assert terminal.view().controller.username == "root"


async def test_control_is_free_if_a_terminal_is_made_private_by_somebody_who_does_not_watch_it(room):
    async with room() as it:
        terminal = await it.open()
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.say("grant_control", to="ben")
        ada.connection.drop()
        terminal.set_visibility("private", "Ada made this terminal private.")
        assert terminal.view().controller is None and ben.closed == (4404, "Ada made this terminal private.")


async def test_who_attaches_just_after_a_terminal_was_made_private_sees_nothing(room):
    async with room() as it:
        terminal = await it.open()
        ben = await it.unattached(terminal, "ben")
        terminal.set_visibility("private", "Ada made this terminal private.")
        await ben.say("attach", cols=80, rows=24)
        assert (ben.closed, ben.frames) == ((4404, "Ada made this terminal private."), [])


@pytest.mark.parametrize("path", FRAMES, ids=lambda path: path.stem)
def test_every_golden_frame_is_read_and_written_as_it_stands(path):
    golden = json.loads(path.read_text())
    union = frames.ServerFrame if golden["type"] in tags(frames.ServerFrame) else frames.AnyClientFrame
    frame = msgspec.convert(golden, union)
    written = json.loads(msgspec.json.encode(frame))
    assert written == {**written, **golden}
    assert path.stem == golden["type"]


def test_there_is_a_golden_frame_of_every_type():
    assert {path.stem for path in FRAMES} == tags(frames.ServerFrame) | tags(frames.AnyClientFrame)


def test_the_reference_has_a_heading_for_every_frame_and_no_other():
    text = (ROOT / "docs/reference/terminal-wire.md").read_text()
    assert set(re.findall(r"(?m)^#### `(\w+)`", text)) == tags(frames.ServerFrame) | tags(frames.AnyClientFrame)
