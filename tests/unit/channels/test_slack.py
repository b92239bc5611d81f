"""What only Slack has: sockets that are replaced, acknowledgements, two tokens, and its way to write texts.

What holds on every platform is in `test_conformance.py`.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from harness.backend import ADA, Place
from harness.channels import connected, messages
from harness.platforms import SlackDouble, conversing, message
from harness.replies import replying
from harness.waiting import holds

from jupyter_cabinet.channels import port
from jupyter_cabinet.channels.http import LONGEST_REPLY_BYTES
from jupyter_cabinet.channels.model import EditChannel, NewChannel
from jupyter_cabinet.channels.port import Button, InDoubt, LoggedOut, NotSent, Rejected
from jupyter_cabinet.channels.slack import adapter as adapter_module
from jupyter_cabinet.channels.slack import api
from jupyter_cabinet.channels.slack.adapter import SlackAdapter
from jupyter_cabinet.channels.slack.formatting import blocks_of, notification, readable
from jupyter_cabinet.channels.slack.updates import Envelope, Unreadable, inbound_of, read_envelope
from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.testing import slack as double_module
from jupyter_cabinet.testing.slack import ADA as SLACK_ADA
from jupyter_cabinet.testing.slack import APP_TOKEN, BOT_TOKEN, BOT_USER, GROUP, Fault, SlackServer, User, direct_chat

DIRECT = port.Place(chat=direct_chat(SLACK_ADA), direct=True)


@asynccontextmanager
async def logged_in(server: SlackServer) -> AsyncIterator[SlackAdapter]:
    adapter = SlackAdapter(server.token, server.app_token, server.url)
    try:
        await adapter.connect()
        yield adapter
    finally:
        await adapter.close()


async def received(adapter: SlackAdapter) -> Sequence[port.Inbound]:
    """Return what comes next, also if it waits for a name."""
    async with asyncio.timeout(5):
        while not (inbound := await adapter.receive()):
            pass
    return inbound


# --- deliveries ----------------------------------------------------------------------------------


async def test_a_delivery_is_acknowledged_only_when_the_next_one_is_asked_for() -> None:
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            slack.write("one")
            (one,) = await received(adapter)
            assert (one.text, one.sender.name, one.place) == ("one", "Ada", DIRECT)
            assert not slack.acknowledged
            slack.write("two")
            (two,) = await received(adapter)
            assert two.text == "two"
            await holds(lambda: len(slack.acknowledged) == 1)


async def test_a_delivery_that_is_not_acknowledged_comes_again_with_the_same_key() -> None:
    with SlackServer(retry_seconds=0.05) as slack:
        async with logged_in(slack) as adapter:
            slack.write("one")
            first, *again = await received(adapter)
            while not again:  # on a slow machine, it has come again already
                adapter._delivered = []  # as if the acknowledgement were lost
                again = await received(adapter)
            assert all(each == first for each in again)


async def test_a_message_that_comes_while_the_socket_is_replaced_is_answered_once(tmp_path: Path) -> None:
    with SlackServer() as slack:
        chat = SlackDouble(slack)
        async with conversing(chat, tmp_path) as (backend, channel):
            opened = slack.calls.count("apps.connections.open")
            slack.refresh_sockets("warning")
            chat.write("remember one")
            slack.refresh_sockets()
            chat.write("remember two")
            await message(chat, "one")
            await message(chat, "two")
            await holds(lambda: not slack.unacknowledged)
            answers = [each.text for each in chat.shown() if "noted" in each.text]
            assert answers == ["I have noted: one", "I have noted: two"]
            assert slack.calls.count("apps.connections.open") > opened
            assert slack.calls.count("auth.test") == 1  # it was connected all the time
            assert (await backend.channels.get(channel, ADA)).connection.address.endswith("?app=A0CABINET&team=T0TEAM")


async def test_a_message_that_came_without_a_socket_is_answered(tmp_path: Path) -> None:
    with SlackServer() as slack:
        chat = SlackDouble(slack)
        async with conversing(chat, tmp_path):
            slack.cut_sockets()
            chat.write("remember one")
            await message(chat, "I have noted: one")


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_a_button_pressed_while_the_socket_is_replaced_is_acknowledged_where_it_came_from(
    reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(double_module, "LAST_SECONDS", 60.0)
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            await adapter.send(DIRECT, "x", [Button(label="Yes", data="y")])
            assert (await received(adapter))[0].sender.is_bot
            slack.write("one")
            await received(adapter)
            await holds(lambda: len(slack.acknowledged) == 1)
            slack.refresh_sockets(reason)
            slack.press(slack.sent[0], "y")
            found = []
            while not found or not found[-1].press:
                found += await received(adapter)
            assert slack.calls.count("apps.connections.open") == 2
            slack.write("two")
            while found[-1].text != "two":
                found += await received(adapter)
            await holds(lambda: len(slack.acknowledged) == 3)  # "one", and the press
            assert not any(each["type"] == "interactive" for each in slack.unacknowledged.values())


async def test_a_socket_that_slack_has_replaced_asks_for_no_other_one() -> None:
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            slack.refresh_sockets("warning")
            slack.refresh_sockets("refresh_requested")  # both to the first socket
            slack.write("one")
            await received(adapter)
            async with asyncio.timeout(5):
                while len(adapter._api._sockets) > 1:  # until Slack closes the first one
                    await adapter.receive()
            assert slack.calls.count("apps.connections.open") == 2


async def test_at_most_two_sockets_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(double_module, "LAST_SECONDS", 60.0)
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            for _ in range(3):
                await adapter._api.open_socket()
            await holds(lambda: len(slack._sockets) == 2)


async def test_the_press_of_a_button_is_not_repeated_by_the_double() -> None:
    with SlackServer(retry_seconds=0.05) as slack:
        await asyncio.to_thread(slack.call, BOT_TOKEN, "chat.postMessage", {"channel": DIRECT.chat, "text": "x"})
        slack.unacknowledged.clear()
        slack.press(slack.sent[0], "y")
        await holds(lambda: not slack.unacknowledged)


async def test_an_answer_in_a_thread_of_a_direct_chat_stays_there(tmp_path: Path) -> None:
    with SlackServer() as slack:
        chat = SlackDouble(slack)
        async with conversing(chat, tmp_path) as (backend, channel):
            thread = slack.write("remember one", files=2)
            await message(chat, "one")
            slack.write("remember two", thread=thread)
            assert (await message(chat, "two")).thread == thread
            found = (await messages(backend, channel))[0]
            assert found.text == "remember one\n\n(The message had 2 files, which you cannot see.)"


async def test_an_app_without_socket_mode_is_a_problem_with_a_remedy(tmp_path: Path) -> None:
    with SlackServer() as slack:
        slack.socket_mode = False
        async with Place(tmp_path).backend() as backend:
            channel = await backend.channels.create(SlackDouble(slack).new_channel(""), ADA)
            view = await connected(backend, channel.id, "failed")
            assert view.connection.problem == api.SWITCHED_OFF
            assert view.connection.remedy == api.SWITCH_ON


async def test_socket_mode_that_is_switched_off_later_is_a_problem_too(tmp_path: Path) -> None:
    with SlackServer() as slack:
        async with conversing(SlackDouble(slack), tmp_path) as (backend, channel):
            slack.refresh_sockets("link_disabled")
            view = await connected(backend, channel, "failed")
            assert view.connection.problem == api.SWITCHED_OFF


# --- tokens ----------------------------------------------------------------------------------------


async def test_both_tokens_are_kept_outside_the_root_and_changed_one_by_one(tmp_path: Path) -> None:
    with SlackServer() as slack:
        async with Place(tmp_path).backend() as backend:
            slack.app_token = "xapp-1-A0CABINET-another"
            channel = await backend.channels.create(
                NewChannel(
                    platform="slack",
                    title="x",
                    token=BOT_TOKEN,
                    more_secrets={"app_token": APP_TOKEN},
                    api_url=slack.url,
                ),
                ADA,
            )
            view = await connected(backend, channel.id, "failed")
            assert view.connection.problem == api.UNKNOWN_APP
            assert view.connection.remedy == "Check the tokens of the app, then save the channel again."
            edit = EditChannel(title="x", api_url=slack.url, more_secrets={"app_token": slack.app_token})
            await backend.channels.change(channel.id, edit, ADA)
            await connected(backend, channel.id)
            folder = next((tmp_path / "data" / "channels").iterdir()) / "tokens"
            assert {each.name: each.read_text() for each in folder.iterdir()} == {
                channel.id: BOT_TOKEN,
                f"{channel.id}.app_token": slack.app_token,
            }
            assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}
            await backend.channels.delete(channel.id, ADA)
            assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("token", "more", "field"),
    [
        (BOT_TOKEN, {}, "app_token"),
        (BOT_TOKEN, {"app_token": BOT_TOKEN}, "app_token"),
        (APP_TOKEN, {"app_token": APP_TOKEN}, "token"),
    ],
)
async def test_a_token_in_the_wrong_field_is_refused(
    tmp_path: Path, token: str, more: dict[str, str], field: str
) -> None:
    async with Place(tmp_path).backend() as backend:
        with pytest.raises(Invalid) as refusal:
            await backend.channels.create(NewChannel(platform="slack", title="x", token=token, more_secrets=more), ADA)
        assert refusal.value.detail["field"] == field


async def test_a_package_that_is_missing_is_a_problem_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.startswith("jupyter_cabinet.channels.slack.a")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    async with Place(tmp_path).backend() as backend:
        new = NewChannel(platform="slack", title="x", token=BOT_TOKEN, more_secrets={"app_token": APP_TOKEN})
        channel = await backend.channels.create(new, ADA)
        view = await connected(backend, channel.id, "failed")
        assert view.connection.problem == "Slack needs the package aiohttp, which is not installed."
        assert view.connection.remedy == 'Run pip install "jupyter_cabinet[slack]", then save the channel again.'


def test_a_server_without_a_channel_in_slack_does_not_load_its_packages() -> None:
    code = "import sys, jupyter_cabinet.backend; print('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


# --- calls -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "expected", "words"),
    [
        ("token_revoked", LoggedOut, "does not accept the bot token"),
        ("service_unavailable", NotSent, "internal error"),
        ("fatal_error", InDoubt, "internal error"),
        ("not_in_channel", Rejected, "Invite it"),
        ("missing_scope", Rejected, "lacks the permission chat:write."),
        ("something_new", Rejected, "Slack refuses: something_new."),
    ],
)
async def test_what_an_error_of_slack_means(error: str, expected: type[Exception], words: str) -> None:
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            slack.faults.append(Fault(method="chat.postMessage", kind="refused", error=error))
            with pytest.raises(expected, match=words) as raised:
                await adapter.send(DIRECT, "x")
            assert raised.type is expected


async def test_what_is_no_reply_of_slack_causes_doubt_only_about_messages() -> None:
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            for method in ("chat.postMessage", "chat.update"):
                slack.faults.append(Fault(method=method, kind="no_json"))
            with pytest.raises(InDoubt):
                await adapter.send(DIRECT, "x")
            with pytest.raises(NotSent):
                await adapter.replace(DIRECT, "1.1", "x")
            slack.faults.append(Fault(method="chat.postMessage", kind="rate", seconds=7))
            with pytest.raises(NotSent) as limited:
                await adapter.send(DIRECT, "x")
            assert limited.value.seconds == 7


@asynccontextmanager
async def answering(reply: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[SlackAdapter]:
    """Serve replies of any kind, and yield an adapter that calls this server."""
    async with replying(reply) as address:
        adapter = SlackAdapter(BOT_TOKEN, APP_TOKEN, address)
        try:
            yield adapter
        finally:
            await adapter.close()


async def test_a_redirect_is_not_followed() -> None:
    asked: list[str] = []

    async def reply(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        if request.path == "/api/auth.test":
            return web.json_response({"ok": True, "user_id": "U"})
        if request.path == "/api/apps.connections.open":
            return web.json_response({"ok": True, "url": f"ws://{request.host}/socket"})
        if request.path == "/socket":
            raise web.HTTPFound("/elsewhere")
        raise web.HTTPTemporaryRedirect("/elsewhere")

    async with answering(reply) as adapter:
        with pytest.raises(InDoubt):
            await adapter.send(DIRECT, "x")
        with pytest.raises(NotSent):
            await adapter.connect()
    assert asked == ["/api/chat.postMessage", "/api/auth.test", "/api/apps.connections.open", "/socket"]


GOOD = b'{"ok": true, "ts": "1.1"}'
DEEP = GOOD.replace(b"}", b', "x": ' + b"[" * 100_000)
LONG = b'{"ok": true, "ts": "1.1", "x": "' + b"x" * LONGEST_REPLY_BYTES + b'"}'


@pytest.mark.parametrize(
    "body", [DEEP, LONG, gzip.compress(LONG), b"\x1f\x8b no gzip", GOOD.replace(b"1.1", b"1.1\\ud800")]
)
async def test_a_reply_that_is_none_of_slack_leaves_in_doubt_whether_a_message_was_sent(body: bytes) -> None:
    async def reply(request: web.Request) -> web.StreamResponse:
        encoding = {"Content-Encoding": "gzip"} if body.startswith(b"\x1f\x8b") else {}
        return web.Response(body=body, headers={"Content-Type": "application/json", **encoding})

    async with answering(reply) as adapter:
        with pytest.raises(InDoubt):
            await adapter.send(DIRECT, "x")


@pytest.mark.parametrize("ts", ["", "1", "1.", "a.1", "1.1\n", "1.1\0", "1" * 100 + ".1", None, 1.1])
async def test_a_message_whose_id_is_none_of_slack_is_in_doubt(ts: object) -> None:
    async def reply(request: web.Request) -> web.StreamResponse:
        return web.json_response({"ok": True, "ts": ts})

    async with answering(reply) as adapter:
        with pytest.raises(InDoubt):
            await adapter.send(DIRECT, "x")


async def test_a_reply_may_be_compressed_and_of_any_charset() -> None:
    async def reply(request: web.Request) -> web.StreamResponse:
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json; charset=rot13"}
        return web.Response(body=gzip.compress(GOOD), headers=headers)

    async with answering(reply) as adapter:
        assert await adapter.send(DIRECT, "x") == "1.1"


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("7", 7), ("inf", 1), ("nan", 1), ("1e12", 600), ("-5", 0), ("soon", 1), (None, 1)],
)
async def test_slack_can_ask_for_a_wait_of_ten_minutes_at_most(asked: str | None, seconds: float) -> None:
    async def reply(request: web.Request) -> web.StreamResponse:
        return web.Response(status=429, text="<html>", headers={"Retry-After": asked} if asked else {})

    async with answering(reply) as adapter:
        with pytest.raises(NotSent) as limited:
            await adapter.send(DIRECT, "x")
        assert limited.value.seconds == seconds


@pytest.mark.parametrize("method", ["auth.test", "apps.connections.open"])
@pytest.mark.parametrize("error", ["org_login_required", "something_new"])
async def test_a_refusal_to_connect_that_nobody_knows_is_tried_again_later(method: str, error: str) -> None:
    with SlackServer() as slack:
        adapter = SlackAdapter(BOT_TOKEN, APP_TOKEN, slack.url)
        slack.faults.append(Fault(method=method, kind="refused", error=error))
        with pytest.raises(NotSent, match=f"Slack refuses: {error}.") as refused:
            await adapter.connect()
        assert refused.value.seconds == 60
        await adapter.connect()
        await adapter.close()


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "slack-gov.com")
    found = [
        api.SlackApi(BOT_TOKEN, APP_TOKEN, address)._http._proxy(address)
        for address in ("https://slack.com", "https://slack-gov.com", "http://127.0.0.1:1")
    ]
    assert found == ["http://proxy.example:3128", None, None]


async def test_a_proxy_of_a_kind_that_is_not_supported_is_no_error_of_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    adapter = SlackAdapter(BOT_TOKEN, APP_TOKEN)
    with pytest.raises(NotSent, match="cannot be reached"):
        await adapter.connect()
    await adapter.close()


async def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    adapter = SlackAdapter(BOT_TOKEN, APP_TOKEN, "http://127.0.0.1:1")
    with pytest.raises(NotSent, match="cannot be reached"):
        await adapter.connect()
    await adapter.close()


async def test_a_socket_without_encryption_is_refused_unless_slack_is_on_this_machine() -> None:
    with SlackServer() as slack:
        adapter = SlackAdapter(BOT_TOKEN, APP_TOKEN, slack.url)
        adapter._api._http._is_local = False
        with pytest.raises(Rejected, match="without encryption"):
            await adapter.connect()
        await adapter.close()


async def test_nobody_is_mentioned_and_no_link_is_previewed() -> None:
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            text = "<!channel> <!here> @everyone <@U1001> & *bold* <https://evil.example|good>"
            await adapter.send(DIRECT, text, [Button(label="Yes", data="y")])
            (sent,) = slack.sent
            assert (sent.text, sent.buttons) == (text, [("Yes", "y")])
            assert not any(mark in sent.arguments["text"] for mark in ("<", ">", "@everyone"))
            assert (sent.arguments["unfurl_links"], sent.arguments["unfurl_media"]) == (False, False)
            assert (sent.arguments["parse"], sent.arguments["link_names"]) == ("none", False)
            await adapter.typing(DIRECT)  # Slack has nothing like it
            assert slack.calls[-1] == "chat.postMessage"


# --- names -----------------------------------------------------------------------------------------


async def test_a_person_whose_name_slack_does_not_tell_is_known_by_the_id(monkeypatch: pytest.MonkeyPatch) -> None:
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            slack.faults.append(Fault(method="users.info", kind="server_error"))
            for text in ("one", "two"):  # the second time, Slack is not asked
                slack.write(text)
                (inbound,) = await received(adapter)
                assert (inbound.sender.id, inbound.sender.name) == (SLACK_ADA.id, "")
            assert slack.calls.count("users.info") == 1
            adapter._names.clear()
            monkeypatch.setattr(adapter_module, "AGAIN_SECONDS", 0.0)
            slack.faults.append(Fault(method="users.info", kind="server_error"))
            slack.write("three")
            await received(adapter)
            await holds(lambda: not adapter._names)
            slack.write("four")
            (inbound,) = await received(adapter)
            assert inbound.sender.name == "Ada"


async def test_nobody_waits_for_the_name_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter_module, "MOST_HELD", 10)
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            slack.write("hello")
            await received(adapter)
            asked = asyncio.Event()

            async def never(user_id: str) -> api.Person:
                asked.set()
                await asyncio.Event().wait()
                raise AssertionError

            monkeypatch.setattr(adapter._api, "person", never)
            monkeypatch.setattr(adapter_module, "NAME_SECONDS", 60.0)
            stranger = User("U1003", "Eve")
            for number in range(10):
                slack.write(str(number), by=stranger)
            slack.write("x")
            (inbound,) = await received(adapter)
            assert (inbound.text, inbound.sender.name) == ("x", "Ada")
            assert asked.is_set()
            slack.write("10", by=stranger)  # too many: they continue without a name, in order
            assert [each.text for each in await received(adapter)] == [str(number) for number in range(11)]
            await holds(lambda: len(slack.acknowledged) == 2)
            slack.write("y")
            await received(adapter)
            await holds(lambda: len(slack.acknowledged) == 13)


async def test_at_most_a_few_names_are_looked_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter_module, "MOST_HELD", 1)

    async def endless() -> str:
        return await asyncio.get_running_loop().create_future()

    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            adapter._names["U1"] = asyncio.create_task(endless())
            slack.write("x")
            (inbound,) = await received(adapter)
            assert (inbound.sender.name, "users.info" in slack.calls) == ("", False)


async def test_names_of_many_people_cost_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter_module, "MOST_NAMES", 2)
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            for number in (1, 2, 3, 3):
                slack.write("one", by=User(f"U{number}", f"{number}" * 1000))
                (inbound,) = await received(adapter)
                assert inbound.sender.name == f"{number}" * 100
            assert list(adapter._names) == ["U2", "U3"]
            assert slack.calls.count("users.info") == 3


# --- texts -----------------------------------------------------------------------------------------


def test_texts_are_written_as_parts_that_slack_does_not_interpret() -> None:
    text = "See https://example.org/a?b=1, or:\n\n```python\nprint(1)\n```\n\n```\n \n```\nDone https://example.org"
    (block,) = blocks_of(text)
    assert block["elements"] == [
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "See "},
                {"type": "link", "url": "https://example.org/a?b=1"},
                {"type": "text", "text": ", or:"},
            ],
        },
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "print(1)"}]},
        {
            "type": "rich_text_section",
            "elements": [{"type": "text", "text": "Done "}, {"type": "link", "url": "https://example.org"}],
        },
    ]
    (block,) = blocks_of("http://example.org/")
    assert block["elements"][0]["elements"] == [{"type": "link", "url": "http://example.org/"}]
    assert blocks_of(" ") == []
    assert notification("a < b\n```\nx & y\n```\n@here") == "a &lt; b\nx &amp; y\n@\u2060here"


@pytest.mark.parametrize(
    ("text", "expected", "mentioned"),
    [
        (f"<@{BOT_USER}> hello", "hello", True),
        (f"hello <@{BOT_USER}|cabinet> <@U2>", "hello  @U2", True),
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c", False),
        (
            "<https://example.org> <https://example.org|example.org> <https://example.org|here>",
            "https://example.org https://example.org here (https://example.org)",
            False,
        ),
        ("<mailto:a@example.org|a@example.org> <#C1|general> <#C2>", "a@example.org #general #C2", False),
        ("<!here> <!subteam^S1|@team> <!subteam^S2>", "@here @team @subteam", False),
        ("@helper what is new?", "@helper what is new?", False),
    ],
)
def test_texts_of_people_are_read_as_they_were_written(text: str, expected: str, mentioned: bool) -> None:
    assert readable(text, BOT_USER) == (expected, mentioned)


def events(**fields: Any) -> str:
    event = {"type": "message", "channel": "D1", "channel_type": "im", "user": "U1", "text": "x", "ts": "1.1", **fields}
    return json.dumps({"type": "events_api", "envelope_id": "1", "payload": {"event_id": "E1", "event": event}})


def inbound(content: str) -> port.Inbound:
    found = inbound_of(read_envelope(content), BOT_USER)
    assert found
    return found


def press(**fields: Any) -> str:
    payload = {"type": "block_actions", "user": {"id": "U1"}, "channel": {"id": "D1"}, **fields}
    return json.dumps({"type": "interactive", "envelope_id": "1", "payload": payload})


@pytest.mark.parametrize(
    "content",
    [
        events(channel_type="channel", channel="C1", text=f"<@{BOT_USER}> x"),  # comes as app_mention, too
        events(type="reaction_added"),
        events(subtype="channel_join"),
        events(subtype="message_deleted"),
        events(user="", bot_id=""),
        press(actions=[{"action_ts": "1"}]),
        press(actions=[{"value": None, "action_ts": "1"}]),
        press(actions=[]),
        json.dumps({"type": "slash_commands", "envelope_id": "1", "payload": {}}),
        json.dumps(
            {"type": "interactive", "payload": {"type": "shortcut", "user": {"id": "1"}, "channel": {"id": "2"}}}
        ),
    ],
)
def test_deliveries_that_are_no_messages_to_the_bot(content: str) -> None:
    assert inbound_of(read_envelope(content), BOT_USER) is None


def test_fields_may_be_null() -> None:
    nothing = dict.fromkeys(("subtype", "bot_id", "thread_ts", "files", "edited", "message"))
    found = inbound(events(**nothing))
    assert (found.text, found.place, found.edited) == ("x", port.Place(chat="D1", direct=True), False)
    assert inbound(events(text=None)).text == ""
    assert inbound(events(user=None, bot_id="B1")).sender == port.Sender(id="B1", is_bot=True)
    action = {"value": "y", "action_ts": "1"}
    pressed = inbound(press(user={"id": "U1", "name": None, "username": None}, message=None, actions=[action]))
    assert (pressed.press, pressed.press_id, pressed.sender.name) == ("y", "D1/U1/", "")
    assert inbound(press(message={"thread_ts": None}, actions=[action])) == inbound(press(actions=[action]))


def test_a_mention_that_slack_reports_needs_no_mark_in_the_text() -> None:
    assert inbound(events(type="app_mention", channel="C1", channel_type=None, text="hello")).mentioned


@pytest.mark.parametrize(
    "content",
    [
        events(subtype="message_changed"),
        events(ts=1),
        events(user="U" * 101),
        json.dumps({"type": "interactive", "envelope_id": "1", "payload": {}}),
    ],
)
def test_deliveries_that_cannot_be_read(content: str) -> None:
    with pytest.raises(Unreadable):
        inbound_of(read_envelope(content), BOT_USER)


@pytest.mark.parametrize("content", ["{", "[]", "[" * 100_000, json.dumps({"envelope_id": "1" * 101})])
def test_messages_of_the_socket_that_cannot_be_read(content: str) -> None:
    assert read_envelope('{"type": "hello"}') == Envelope(type="hello")
    with pytest.raises(Unreadable):
        read_envelope(content)


async def test_what_cannot_be_read_is_logged_without_its_content(caplog: pytest.LogCaptureFixture) -> None:
    with SlackServer() as slack:
        async with logged_in(slack) as adapter:
            slack.send_raw('["secret"]')
            await adapter.receive()
            assert "cannot be read: Expected `object`, got `array`" in caplog.text
            slack.deliver_event({"type": "message", "text": ["secret"]})
            slack.write("one")
            await received(adapter)
            assert (
                "cannot be read, and is left out: Expected `str | null`, got `array` - at `$.event.text`" in caplog.text
            )
            await holds(lambda: len(slack.acknowledged) == 1)
            assert "secret" not in caplog.text


async def test_the_double_refuses_what_slack_refuses() -> None:
    with SlackServer() as slack:
        slack.write("hello", channel=GROUP, by=User("U9", "Nine"))
        for arguments, error in (
            ({"channel": "C9", "text": "x"}, "channel_not_found"),
            ({"channel": GROUP, "text": ""}, "no_text"),
            ({"channel": GROUP, "text": "x" * 40_001}, "msg_too_long"),
            ({"channel": GROUP, "text": "x", "blocks": [{"type": "rich_text", "elements": []}]}, "invalid_blocks"),
        ):
            reply = await asyncio.to_thread(slack.call, BOT_TOKEN, "chat.postMessage", arguments)
            assert reply is not None and reply[2]["error"] == error
