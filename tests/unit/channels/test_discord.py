"""What only Discord has: sessions that are resumed, presses that must be answered at once, and its way to write texts.

What holds on every platform is in `test_conformance.py`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from harness.backend import ADA, Place
from harness.channels import connected, messages
from harness.examples import examples
from harness.platforms import DiscordDouble, conversing, message
from harness.replies import replying
from harness.waiting import holds
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.channels import port
from jupyter_cabinet.channels.discord import adapter as adapter_module
from jupyter_cabinet.channels.discord import api, gateway
from jupyter_cabinet.channels.discord.adapter import DiscordAdapter
from jupyter_cabinet.channels.discord.formatting import ESCAPED, readable, rows_of, written
from jupyter_cabinet.channels.discord.updates import (
    Interaction,
    Message,
    Payload,
    Unreadable,
    inbound_of,
    press_in,
    read_payload,
)
from jupyter_cabinet.channels.http import LONGEST_DELIVERY_BYTES
from jupyter_cabinet.channels.platforms import PLATFORMS
from jupyter_cabinet.channels.port import Button, InDoubt, LoggedOut, NotSent, Rejected
from jupyter_cabinet.channels.rules.code_blocks import segments
from jupyter_cabinet.channels.rules.splitting import split, utf16_length
from jupyter_cabinet.testing.discord import ADA as DISCORD_ADA
from jupyter_cabinet.testing.discord import APP, BOT, GROUP, GUILD, TOKEN, DiscordServer, Fault, direct_chat
from jupyter_cabinet.testing.discord_markup import SHRUG, Piece, shown

DIRECT = direct_chat(DISCORD_ADA)
PLACE = port.Place(chat=DIRECT, direct=True)
IDENTIFY, RESUME = 2, 6


@asynccontextmanager
async def logged_in(server: DiscordServer, kept: dict[str, Any] | None = None) -> AsyncIterator[DiscordAdapter]:
    adapter = DiscordAdapter(TOKEN, server.url, kept)
    try:
        await adapter.connect()
        yield adapter
    finally:
        await adapter.close()


async def received(adapter: DiscordAdapter) -> port.Inbound:
    """Return what comes next and is not of the bot itself."""
    async with asyncio.timeout(10):
        while True:
            (inbound,) = await adapter.receive()
            if inbound.sender.id != BOT:
                return inbound


def begun(server: DiscordServer) -> list[int]:
    """Return how clients have begun, in order: with a new session, or by resuming one."""
    return [each["op"] for each in server.heard if each["op"] in (IDENTIFY, RESUME)]


@pytest.fixture
def opens_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "LEAST_SECONDS", 0.0)


# --- sessions --------------------------------------------------------------------------------------


async def test_an_event_is_resumed_until_the_next_one_is_asked_for() -> None:
    kept: dict[str, Any] = {}
    with DiscordServer() as discord:
        async with logged_in(discord, kept) as adapter:
            discord.write("one")
            assert (await received(adapter)).text == "one"
        async with logged_in(discord, kept) as adapter:  # "one" was not on record
            assert (await received(adapter)).text == "one"
            discord.write("two")
            assert (await received(adapter)).text == "two"
        async with logged_in(discord, kept) as adapter:
            assert (await received(adapter)).text == "two"
        assert begun(discord) == [IDENTIFY, RESUME, RESUME]


@pytest.mark.usefixtures("opens_again_at_once")
@pytest.mark.parametrize("code", [None, 0, 1001, 4000, 4008])
async def test_what_comes_while_the_connection_is_interrupted_is_not_lost(code: int | None) -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.write("one")
            await received(adapter)
            discord.ask_to_reconnect() if code is None else discord.close_sockets(code)
            discord.write("two")
            discord.write("three")
            assert [(await received(adapter)).text for _ in range(2)] == ["two", "three"]
            assert begun(discord) == [IDENTIFY, RESUME]
            assert discord.calls.count("get_me") == 1  # it was connected all the time


@pytest.mark.usefixtures("opens_again_at_once")
async def test_events_for_nobody_are_not_delivered_again() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.dispatch("TYPING_START", {})
            discord.dispatch("MESSAGE_CREATE", {"id": 7})
            waiting = asyncio.create_task(received(adapter))
            await holds(lambda: adapter._gateway.session is not None and adapter._gateway.session.number == 3)
            discord.close_sockets(4000)
            discord.write("one")
            assert (await waiting).text == "one"
            assert [each["d"]["seq"] for each in discord.heard if each["op"] == RESUME] == [3]


@pytest.mark.usefixtures("opens_again_at_once")
@pytest.mark.parametrize("code", [None, 4007, 4009])
async def test_a_session_that_has_ended_is_followed_by_another(code: int | None) -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.end_sessions() if code is None else discord.close_sockets(code)
            waiting = asyncio.create_task(received(adapter))
            await holds(lambda: len(begun(discord)) == 2)
            discord.write("one")
            await holds(lambda: adapter._gateway.session is not None)
            discord.write("two")
            assert (await waiting).text in ("one", "two")
            assert begun(discord) == [IDENTIFY, IDENTIFY]


@pytest.mark.parametrize("ending", ["unknown", "old", "closed"])
async def test_a_session_that_cannot_be_resumed_is_followed_by_another(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, Any] = {}
    with DiscordServer() as discord:
        async with logged_in(discord, kept):
            first = kept["session"].id
        if ending == "unknown":
            discord.end_sessions()
        elif ending == "closed":
            discord.close_next.append(4009)
        else:
            monkeypatch.setattr(gateway, "RESUMABLE_SECONDS", 0.0)
        async with logged_in(discord, kept) as adapter:
            discord.write("one")
            assert (await received(adapter)).text == "one"
            assert kept["session"].id != first


async def test_a_session_survives_that_it_could_not_be_resumed_at_once() -> None:
    kept: dict[str, Any] = {}
    with DiscordServer() as discord:
        async with logged_in(discord, kept):
            pass
        discord.write("one")
        seen = kept["session"].seen
        for code in (0, 4000):
            discord.close_next.append(code)
            adapter = DiscordAdapter(TOKEN, discord.url, kept)
            with pytest.raises(NotSent, match="broke"):
                await adapter.connect()
            await adapter.close()
            assert kept["session"].seen == seen  # so it is not tried again and again
        async with logged_in(discord, kept) as adapter:
            assert (await received(adapter)).text == "one"


async def test_a_connection_that_breaks_at_once_is_not_opened_again_without_a_wait() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.close_sockets(4000)
            with pytest.raises(NotSent, match="broke"):
                await received(adapter)
            assert begun(discord) == [IDENTIFY]


@pytest.mark.usefixtures("opens_again_at_once")
async def test_heartbeats_that_are_not_acknowledged_mean_that_the_connection_is_dead() -> None:
    with DiscordServer(heartbeat_seconds=0.05) as discord:
        async with logged_in(discord) as adapter:
            waiting = asyncio.create_task(received(adapter))
            await holds(lambda: sum(each["op"] == 1 for each in discord.heard) > 2)
            assert begun(discord) == [IDENTIFY]
            discord.acknowledges = False
            await holds(lambda: RESUME in begun(discord))
            discord.acknowledges = True
            discord.write("one")
            assert (await waiting).text == "one"


async def test_a_heartbeat_is_sent_when_discord_asks_for_it() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord):
            discord.ask_for_heartbeat()
            await holds(lambda: discord.heard[-1] == {"op": 1, "d": 1})


@pytest.mark.usefixtures("opens_again_at_once")
async def test_an_event_that_is_too_big_does_not_come_again_for_ever() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.dispatch("MESSAGE_CREATE", {"content": "x" * LONGEST_DELIVERY_BYTES})
            waiting = asyncio.create_task(received(adapter))
            await holds(lambda: begun(discord) == [IDENTIFY, IDENTIFY] and adapter._gateway.session is not None)
            discord.write("one")
            assert (await waiting).text == "one"


async def test_an_error_of_our_own_while_reading_ends_the_connection() -> None:
    def fails(payload: Payload) -> None:
        raise RuntimeError("an error of our own")

    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            assert adapter._gateway._socket is not None
            adapter._gateway._socket._on_event = fails
            discord.write("one")
            with pytest.raises(NotSent, match="broke"):
                await received(adapter)


@pytest.mark.usefixtures("opens_again_at_once")
async def test_messages_come_once_and_in_order_through_many_interruptions(tmp_path: Path) -> None:
    with DiscordServer() as discord:
        chat = DiscordDouble(discord)
        async with conversing(chat, tmp_path) as (backend, channel):
            texts = [f"/status {number}" for number in range(12)]
            for number, text in enumerate(texts):
                chat.write(text)
                if number % 2:
                    discord.close_sockets((0, 4000, 1001)[number % 3])
                if number % 3 == 0:
                    discord.ask_to_reconnect()
            await message(chat, "is free", count=len(texts))
            assert [each.text for each in await messages(backend, channel) if each.direction == "in"] == texts
            assert len([each for each in chat.shown() if "is free" in each.text]) == len(texts)
            assert RESUME in begun(discord) and begun(discord).count(IDENTIFY) == 1


@pytest.mark.parametrize("greeting", ["{", '{"op": 10, "d": {"heartbeat_interval": 0}}', '{"op": 0}'])
async def test_a_greeting_that_is_none_of_discord_is_a_broken_connection(greeting: str) -> None:
    async def reply(request: web.Request) -> web.StreamResponse:
        if request.path.endswith("/users/@me"):
            return web.json_response({"id": "1"})
        if request.path.endswith("/gateway/bot"):
            return web.json_response({"url": f"ws://{request.host}/socket"})
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(greeting)
        await socket.receive()
        return socket

    async with replying(reply) as address:
        adapter = DiscordAdapter(TOKEN, address)
        with pytest.raises(NotSent, match="broke"):
            await adapter.connect()
        await adapter.close()


async def test_a_gateway_that_says_nothing_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "CONNECT_SECONDS", 0.05)
    with DiscordServer() as discord:
        discord.greets = False
        adapter = DiscordAdapter(TOKEN, discord.url)
        with pytest.raises(NotSent):
            await adapter.connect()
        await adapter.close()


async def test_the_beginning_of_a_session_must_be_readable() -> None:
    with DiscordServer() as discord:
        discord.reconnect_url = "x" * 2000
        adapter = DiscordAdapter(TOKEN, discord.url)
        with pytest.raises(NotSent, match="broke"):
            await adapter.connect()
        await adapter.close()


async def test_a_bot_does_not_begin_so_many_sessions_that_discord_resets_its_token() -> None:
    with DiscordServer() as discord:
        discord.starts_left = api.SPARE_STARTS
        adapter = DiscordAdapter(TOKEN, discord.url)
        with pytest.raises(NotSent, match="so often") as refused:
            await adapter.connect()
        assert refused.value.seconds == 3600 and not discord.heard
        await adapter.close()


@pytest.mark.parametrize(
    ("code", "problem", "remedy"),
    [
        (4004, api.UNKNOWN_BOT, "Check the token of the bot, then save the channel again."),
        (4013, gateway.REFUSED_INTENTS, gateway.ALLOW_INTENTS),
        (4014, gateway.REFUSED_INTENTS, gateway.ALLOW_INTENTS),
        (4011, gateway.TOO_LARGE, gateway.FEWER_SERVERS),
        (4012, "Discord does not support version 10 of its Gateway any more.", "Update Cabinet."),
    ],
)
async def test_an_end_that_a_person_must_repair_is_a_problem_with_a_remedy(
    tmp_path: Path, code: int, problem: str, remedy: str
) -> None:
    with DiscordServer() as discord:
        discord.close_next.append(code)
        async with Place(tmp_path).backend() as backend:
            channel = await backend.channels.create(DiscordDouble(discord).new_channel(""), ADA)
            view = await connected(backend, channel.id, "failed")
            assert (view.connection.problem, view.connection.remedy) == (problem, remedy)


async def test_intents_that_are_not_allowed_later_are_a_problem_too(tmp_path: Path) -> None:
    with DiscordServer() as discord:
        async with conversing(DiscordDouble(discord), tmp_path) as (backend, channel):
            discord.close_sockets(4014)
            view = await connected(backend, channel, "failed")
            assert view.connection.problem == gateway.REFUSED_INTENTS


async def test_only_intents_are_asked_for_that_need_no_permission() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.write("nobody hears this", channel=GROUP)
            unheard = await received(adapter)
            assert (unheard.text, unheard.mentioned) == ("", False)
            discord.write(f"hello <@{BOT}>", channel=GROUP)
            heard = await received(adapter)
            assert (heard.text, heard.mentioned, heard.place) == ("hello", True, port.Place(chat=GROUP))


# --- presses ---------------------------------------------------------------------------------------


async def test_a_press_is_accepted_at_once_although_other_events_wait() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            await adapter.send(PLACE, "x", [Button(label="Yes", data="y")])
            discord.write("one")
            press = discord.press(discord.sent[0], "y")
            await holds(lambda: "respond" in discord.calls)  # nobody has asked for an event
            assert (await received(adapter)).text == "one"
            pressed = await received(adapter)
            assert (pressed.key, pressed.press, pressed.place, pressed.sender.name) == (press, "y", PLACE, "Ada")
            await adapter.acknowledge_press(pressed.press_id, "*Done*.")
            assert discord.notes == {press: "*Done*."}


async def test_a_press_that_comes_too_late_for_a_note_still_counts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    with DiscordServer(answer_seconds=-1.0) as discord:
        async with logged_in(discord) as adapter:
            await adapter.send(PLACE, "x", [Button(label="Yes", data="y")])
            discord.press(discord.sent[0], "y")
            pressed = await received(adapter)
            assert pressed.press == "y"
            with pytest.raises(Rejected):
                await adapter.acknowledge_press(pressed.press_id, "Done.")
            ours = [each.getMessage() for each in caplog.records if each.name.startswith("jupyter_cabinet")]
            assert any("pressed too long ago" in each for each in ours)
            assert not any(pressed.press_id.split("/")[2] in each for each in ours)


async def test_presses_that_nobody_answers_cost_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter_module, "MOST_PRESSES", 2)
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            await adapter.send(PLACE, "x", [Button(label="Yes", data="y")])
            for number in range(1, 5):
                discord.press(discord.sent[0], "y")
                await holds(lambda number=number: discord.calls.count("respond") == number)
            assert len(adapter._accepted) == 2


async def test_a_press_in_a_group_is_one_of_a_member() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            await adapter.send(port.Place(chat=GROUP), "x", [Button(label="Yes", data="y")])
            discord.press(discord.sent[0], "y")
            pressed = await received(adapter)
            assert (pressed.sender.id, pressed.place) == (DISCORD_ADA.id, port.Place(chat=GROUP))


# --- calls -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code", "expected", "words"),
    [
        (401, 0, LoggedOut, "does not accept the token"),
        (403, 50013, Rejected, "permission Send Messages"),
        (403, 50007, Rejected, "takes no direct messages"),
        (404, 10003, Rejected, "does not see this channel"),
        (400, 50035, Rejected, "Discord refuses: 50035."),
        (404, 0, Rejected, "Discord refuses: 404."),
        (503, 130000, InDoubt, "internal error"),
        (400, 130000, NotSent, "internal error"),
    ],
)
async def test_what_a_refusal_of_discord_means(status: int, code: int, expected: type[Exception], words: str) -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.faults.append(Fault(call="create_message", kind="refused", status=status, code=code))
            with pytest.raises(expected, match=words) as raised:
                await adapter.send(PLACE, "x")
            assert raised.type is expected


async def test_what_is_no_reply_of_discord_causes_doubt_only_about_messages() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.faults.append(Fault(call="create_message", kind="no_json"))
            with pytest.raises(InDoubt):
                await adapter.send(PLACE, "x")
            discord.faults.append(Fault(call="edit_message", kind="server_error"))
            with pytest.raises(NotSent):
                await adapter.replace(PLACE, "1", "x")
            discord.faults.append(Fault(call="create_message", kind="rate", seconds=7))
            with pytest.raises(NotSent) as limited:
                await adapter.send(PLACE, "x")
            assert limited.value.seconds == 7


async def test_a_channel_that_takes_no_more_messages_for_a_while_is_not_tried() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.remaining = 0
            await adapter.send(PLACE, "one")
            with pytest.raises(NotSent, match="less often") as limited:
                await adapter.send(PLACE, "two")
            assert 4 < limited.value.seconds <= 5
            await adapter.send(port.Place(chat=GROUP), "another channel")
            assert [each.text for each in discord.sent] == ["one", "another channel"]


@pytest.mark.parametrize("call", ["get_me", "get_gateway"])
async def test_a_refusal_to_connect_that_nobody_knows_is_tried_again_later(call: str) -> None:
    with DiscordServer() as discord:
        adapter = DiscordAdapter(TOKEN, discord.url)
        discord.faults.append(Fault(call=call, kind="refused", code=7))
        with pytest.raises(NotSent, match=r"Discord refuses: 7\.") as refused:
            await adapter.connect()
        assert refused.value.seconds == 60
        await adapter.connect()
        await adapter.close()


async def test_a_refusal_of_something_between_is_tried_again_later() -> None:
    async def reply(request: web.Request) -> web.StreamResponse:
        return web.Response(status=403, text="<html>")

    async with replying(reply) as address:
        adapter = DiscordAdapter(TOKEN, address)
        with pytest.raises(NotSent, match="403") as refused:
            await adapter.send(PLACE, "x")
        assert refused.value.seconds == 60
        await adapter.close()


async def test_a_redirect_is_not_followed() -> None:
    asked: list[str] = []

    async def reply(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        raise web.HTTPTemporaryRedirect("/elsewhere")

    async with replying(reply) as address:
        adapter = DiscordAdapter(TOKEN, address)
        with pytest.raises(InDoubt):
            await adapter.send(PLACE, "x")
        await adapter.close()
    assert asked == [f"/api/v10/channels/{DIRECT}/messages"]


async def test_nobody_is_mentioned_and_no_link_is_previewed() -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            text = f"@everyone <@1001> & *bold* [good](https://evil.example) ||spoiler|| {SHRUG}"
            await adapter.send(PLACE, text, [Button(label="Yes", data="y")])
            (sent,) = discord.sent
            assert (sent.pieces, sent.buttons) == ([Piece(text)], [("Yes", "y")])
            assert (sent.arguments["allowed_mentions"], sent.arguments["flags"]) == ({"parse": []}, 4)
            await adapter.replace(PLACE, sent.id, "# new")
            assert (sent.pieces, sent.buttons) == ([Piece("# new")], [])
            await adapter.typing(PLACE)
            assert discord.calls[-1] == "type"


async def test_a_package_that_is_missing_is_a_problem_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.startswith("jupyter_cabinet.channels.discord.a")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "jupyter_cabinet.channels.http")
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    async with Place(tmp_path).backend() as backend:
        with DiscordServer() as discord:
            channel = await backend.channels.create(DiscordDouble(discord).new_channel(""), ADA)
            view = await connected(backend, channel.id, "failed")
            assert view.connection.problem == "Discord needs the package aiohttp, which is not installed."
            assert view.connection.remedy == 'Run pip install "jupyter_cabinet[discord]", then save the channel again.'


# --- conversations ---------------------------------------------------------------------------------


async def test_a_reply_to_the_bot_in_a_group_counts_as_a_mention(tmp_path: Path) -> None:
    with DiscordServer() as discord:
        chat = DiscordDouble(discord)
        async with conversing(chat, tmp_path) as (backend, channel):
            chat.write("remember one", group=True, mention=True)
            await message(chat, "one")
            discord.write("remember two", channel=GROUP, replies_to=discord.sent[-1], files=2)
            await message(chat, "two")
            found = [each.text for each in await messages(backend, channel) if each.direction == "in"]
            assert found[-1] == "remember two\n\n(The message had 2 files, which you cannot see.)"


async def test_the_name_of_a_person_cannot_format_what_the_bot_writes(tmp_path: Path) -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.write("x", member={"nick": "**Eve** ||x||" + "y" * 1000})
            assert (await received(adapter)).sender.name == ("**Eve** ||x||" + "y" * 1000)[:100]


# --- texts -----------------------------------------------------------------------------------------

WORDS = [
    "```",
    "~~~",
    "**",
    "__",
    "||",
    "[a](b)",
    "<@1>",
    "<#1>",
    "@everyone",
    ":smile:",
    "<t:1>",
    "https://a.example/b_c",
    "http://a.b",
    "a",
    "ansi",
    "python",
    "¯",
    "(ツ)",
    "https://xn--a.example",
    "HTTPS://a.example",
    "/../",
    "%20",
    "😀",
]
GAPS = ("# ", "-# ", "- ", "> ", ">>> ", "1. ", "0. x", "\n", "\n", "\u2028", "\t", "\r", " ")
MARKUP = st.one_of(st.sampled_from([*ESCAPED, *WORDS, *GAPS, SHRUG]), st.text(max_size=5))
TEXTS = st.lists(MARKUP, max_size=30).map("".join)


def visible(text: str) -> str:
    """Return what of a text should be seen, without blank lines around code, which nobody sees."""
    return "\n".join(
        each.text.strip("\n") if each.is_code and "```" not in each.text else each.text for each in segments(text)
    )


@settings(max_examples=examples(200))
@given(TEXTS)
@example("1. one\n2) two\n\n  3. three")
@example("```py\nx`\n```\n`")
@example("a\\\n# b")
def test_what_is_sent_is_seen_as_it_is(text: str) -> None:
    pieces = shown(written(text))
    assert {piece.kind for piece in pieces} <= {"text", "code", "link"}
    assert "".join(piece.text for piece in pieces) == (visible(text) or text)


@settings(max_examples=examples(10))
@given(st.lists(MARKUP, min_size=200, max_size=1000).map("".join))
@example("```\nx" * 500)
@example("`" * 5000)
@example("- \n" * 2000)
@example("see https://a.example " * 300)
def test_each_part_of_a_long_text_fits_into_a_message(text: str) -> None:
    for part in split(text, PLATFORMS["discord"].limits):
        assert utf16_length(written(part)) <= 2000


def test_only_characters_that_count_twice_get_a_backslash() -> None:
    for number in range(0x20, 0x250):
        for text in (chr(number), f"{chr(number)} x", f"x{chr(number)}x", f"1{chr(number)} x"):
            escaped = written(text)
            assert escaped == text or chr(number) in ESCAPED


def test_addresses_are_links_only_if_discord_shows_them_as_they_are() -> None:
    for address in ("https://example.org", "https://a.example.org/b_c/d?e=f&g=~h#i", "http://example.org/"):
        assert shown(written(f"see {address} now")) == [Piece("see "), Piece(address, "link"), Piece(" now")]
    for address in (
        "https://Example.org",
        "https://xn--bcher-kva.example",
        "https://user@example.org",
        "https://example.org:8080/",
        "https://example.org/%2e",
        "https://example.org/a/../b",
        "https://example.org/a*b*",
        "javascript://example.org",
    ):
        assert shown(written(address)) == [Piece(address)]


def test_code_blocks_stay_code_blocks() -> None:
    text = "Look:\n~~~python\nprint('*')\n~~~\n\n```ansi\nx\n```\n````c#\n```\n````\nEnd"
    content = "Look\\:\n```python\nprint('*')\n```\n\n```\nx\n```\n"
    assert written("Look:\n~~~python\nprint('*')\n~~~\n\n```ansi\nx\n```\n").replace("Look:", "Look\\:") == content
    assert [piece.text for piece in shown(written(text)) if piece.kind == "code"] == ["print('*')", "x"]
    assert written("```\n```") == r"\`\`\`" + "\n" + r"\`\`\`"


def test_buttons_are_in_rows_of_five() -> None:
    rows = rows_of([Button(label=str(number), data=str(number)) for number in range(8)])
    assert [[each["label"] for each in row["components"]] for row in rows] == [list("01234"), list("567")]
    assert rows_of([]) == []


@pytest.mark.parametrize(
    ("text", "expected", "mentioned"),
    [
        (f"<@{BOT}> hello", "hello", True),
        (f"hello <@!{BOT}>", "hello", True),
        ("<@1> @helper what is new?", "<@1> @helper what is new?", False),
    ],
)
def test_texts_of_people_are_read_as_they_were_written(text: str, expected: str, mentioned: bool) -> None:
    assert readable(text, BOT) == (expected, mentioned)


# --- events ----------------------------------------------------------------------------------------


def event(name: Any = "MESSAGE_CREATE", **fields: Any) -> Payload:
    data = {"id": "1", "channel_id": "2", "author": {"id": "3", "username": "ada"}, "content": "x", **fields}
    return read_payload(json.dumps({"op": 0, "s": 1, "t": name, "d": data}))


def press(**fields: Any) -> Payload:
    data = {"id": "1", "application_id": APP, "type": 3, "token": "t", "channel_id": "2", "user": {"id": "3"}}
    data |= {"data": {"custom_id": "y", "component_type": 2}}
    return read_payload(json.dumps({"op": 0, "s": 1, "t": "INTERACTION_CREATE", "d": data | fields}))


@pytest.mark.parametrize(
    "payload",
    [
        event("TYPING_START"),
        event(None),
        event(type=7),  # somebody has joined
        event(author=None),
        press(type=2),
        press(user=None),
        press(user=None, member={"user": None}),
        press(channel_id=None),
        press(data={"custom_id": "y", "component_type": 3}),
        press(data={"component_type": 2}),
    ],
)
def test_events_that_nobody_could_be_answered_about(payload: Payload) -> None:
    assert inbound_of(payload, BOT) is None


@pytest.mark.parametrize(
    "payload",
    [
        event(id=7),
        event(id="../../users"),
        event(channel_id="2/messages"),
        event(content=["x"]),
        event(author={"id": "3" * 100}),
        press(token="a/b"),
        press(token=""),
        press(application_id="x"),
        press(data=None),
    ],
)
def test_events_that_cannot_be_read(payload: Payload) -> None:
    with pytest.raises(Unreadable):
        inbound_of(payload, BOT)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.just("1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("id", "author", "x")), inner),
    max_leaves=5,
)
FIELDS = tuple(each for kind in (Message, Interaction) for each in kind.__struct_fields__)


@settings(max_examples=examples(100))
@given(st.sampled_from(("MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE")), st.data())
def test_an_event_of_any_form_is_read_or_left_out(name: str, data: st.DataObject) -> None:
    good = press() if name == "INTERACTION_CREATE" else event()
    wrong = data.draw(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4))
    payload = read_payload(json.dumps({"op": 0, "t": name, "d": json.loads(bytes(good.d)) | wrong}))
    try:
        found = inbound_of(payload, BOT)
    except Unreadable:
        return
    assert found is None or (found.sender.id.isdigit() and found.place.chat.isdigit())


@pytest.mark.parametrize("content", ["{", "[]", "[" * 100_000, "{}", '{"op": "0"}', '{"op": 0, "t": 7}'])
def test_messages_of_the_gateway_that_cannot_be_read(content: str) -> None:
    with pytest.raises(Unreadable):
        read_payload(content)


def test_fields_may_be_null() -> None:
    fields = ("guild_id", "member", "webhook_id", "content", "mentions", "attachments", "referenced_message")
    found = inbound_of(event(**dict.fromkeys(fields)), BOT)
    assert found == port.Inbound(
        key="1", sender=port.Sender(id="3", name="ada"), place=port.Place(chat="2", direct=True)
    )
    nameless = {"id": "3", "username": None, "global_name": None, "bot": None}
    pressed = inbound_of(press(user=nameless, guild_id=None, member=None), BOT)
    assert pressed is not None and (pressed.press, pressed.sender) == ("y", port.Sender(id="3"))
    assert press_in(press()) and press_in(event()) is None


def test_bots_webhooks_and_the_system_are_bots() -> None:
    for fields in (
        {"webhook_id": "9"},
        {"author": {"id": "3", "bot": True}},
        {"author": {"id": "3", "system": True}},
    ):
        found = inbound_of(event(**fields), BOT)
        assert found is not None and found.sender.is_bot


def test_an_edit_has_a_key_of_its_own() -> None:
    edits = [event("MESSAGE_UPDATE"), event("MESSAGE_UPDATE", edited_timestamp="2026-11-27T10:00:00+00:00")]
    found = [inbound_of(each, BOT) for each in (event(), *edits)]
    assert [(each.key, each.edited) for each in found if each] == [
        ("1", False),
        ("1/update", True),
        ("1/2026-11-27T10:00:00+00:00", True),
    ]


def test_a_mention_counts_wherever_discord_reports_it() -> None:
    guild: dict[str, Any] = {"guild_id": GUILD, "member": {"nick": "Countess"}}
    for fields in (
        {"content": f"x <@{BOT}>"},
        {"mentions": [{"id": BOT}]},
        {"referenced_message": {"author": {"id": BOT}}},
    ):
        found = inbound_of(event(**guild | fields), BOT)
        assert found is not None and found.mentioned and found.text == "x" and found.sender.name == "Countess"
    for fields in ({}, {"referenced_message": {"author": None}}, {"referenced_message": {"author": {"id": "3"}}}):
        found = inbound_of(event(**guild | fields), BOT)
        assert found is not None and not found.mentioned and not found.place.direct


async def test_what_cannot_be_read_is_logged_without_its_content(caplog: pytest.LogCaptureFixture) -> None:
    with DiscordServer() as discord:
        async with logged_in(discord) as adapter:
            discord.send_raw('["secret"]')
            discord.dispatch("MESSAGE_CREATE", {"id": "1", "channel_id": "2", "content": ["secret"]})
            discord.dispatch("INTERACTION_CREATE", ["secret"])
            discord.write("one")
            assert (await received(adapter)).text == "one"
            assert "Gateway cannot be read: Expected `object`, got `array`" in caplog.text
            assert "left out: Expected `str | null`, got `array` - at `$.content`" in caplog.text
            assert "secret" not in caplog.text


# --- the double --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "pieces"),
    [
        ("plain text, 1 * 2", [Piece("plain text, 1 * 2")]),
        (r"\*not bold\* \<@1>", [Piece("*not bold* <@1>")]),
        (SHRUG, [Piece(SHRUG)]),
        ("a **b** c", [Piece("a "), Piece("b", "marked"), Piece(" c")]),
        ("||secret||", [Piece("secret", "hidden")]),
        ("# big", [Piece("big", "marked")]),
        ("x\n-# small", [Piece("x\n"), Piece("small", "marked")]),
        ("  7. seven", [Piece("  "), Piece("seven", "marked")]),
        ("> quoted\nnot", [Piece("quoted", "marked"), Piece("\nnot")]),
        ("[good](https://evil.example)", [Piece("good", "masked")]),
        ("<@1> @everyone", [Piece("<@1>", "mention"), Piece(" "), Piece("@everyone", "mention")]),
        (":smile:", [Piece(":smile:", "emoji")]),
        ("see <https://a.example/b_c_d>.", [Piece("see "), Piece("https://a.example/b_c_d", "link"), Piece(".")]),
        (r"https://a.example/b\_c", [Piece(r"https://a.example/b\_c", "link")]),  # no escapes in addresses
        ("```py\nx = 1\n```\nend", [Piece("x = 1", "code"), Piece("\nend")]),
        ("``a`b``", [Piece("a`b", "marked")]),
    ],
)
def test_the_double_shows_texts_as_discord_does(content: str, pieces: list[Piece]) -> None:
    assert shown(content) == pieces


def test_the_double_refuses_what_discord_refuses() -> None:
    with DiscordServer() as discord:
        for method, path, token, arguments, expected in (
            ("GET", "users/@me", "wrong", {}, (401, 0)),
            ("GET", "guilds/1", TOKEN, {}, (404, 0)),
            ("POST", "channels/7/messages", TOKEN, {"content": "x"}, (404, 10003)),
            ("POST", f"channels/{DIRECT}/messages", TOKEN, {"content": " "}, (400, 50006)),
            ("POST", f"channels/{DIRECT}/messages", TOKEN, {"content": "x" * 2001}, (400, 50035)),
            ("PATCH", f"channels/{DIRECT}/messages/1", TOKEN, {"content": "x"}, (404, 10008)),
            ("POST", "channels/7/typing", TOKEN, {}, (404, 10003)),
            ("POST", "interactions/1/unknown/callback", TOKEN, {"type": 6}, (404, 10062)),
            ("POST", "webhooks/1/unknown", TOKEN, {"content": "x", "flags": 64}, (404, 10015)),
        ):
            reply = discord.call(method, path, f"Bot {token}", arguments)
            assert reply is not None and (reply[0], reply[2]["code"]) == expected


def test_buttons_of_a_message_must_be_as_discord_wants_them() -> None:
    button = {"type": 2, "style": 2, "label": "Yes", "custom_id": "y"}
    with DiscordServer() as discord:
        for buttons, status in (
            ([button], 200),
            ([button, button], 400),
            ([], 400),
            ([button | {"label": ""}], 400),
            ([button | {"custom_id": "x" * 101}], 400),
        ):
            arguments = {"content": "x", "components": [{"type": 1, "components": buttons}]}
            reply = discord.call("POST", f"channels/{GROUP}/messages", f"Bot {TOKEN}", arguments)
            assert reply is not None and reply[0] == status
