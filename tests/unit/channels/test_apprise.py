"""Mail and other services that only take messages, by local servers that speak their protocols."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiosmtpd.controller import Controller
from harness.agents import heartbeat, make, reports
from harness.backend import ADA, BOUND_SECONDS, Place, ended, submit
from harness.channels import connected, messages
from harness.waiting import LOOK_SECONDS, holds
from tornado.testing import bind_unused_port

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.apprise import adapter
from jupyter_cabinet.channels.apprise.adapter import NOT_TAKEN
from jupyter_cabinet.channels.model import ChannelFields, EditChannel, NamedChat, NewChannel, PairingFields
from jupyter_cabinet.channels.service import ONLY_CHAT
from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runs.model import Trigger

PASSWORD = "pass-word-1"
WRONG = ["", "no address", "mailto:ada@example.org", "javascript://", "mailto:// a", f"mailto://{'x' * 500}", "../../x"]
AWAY = Trigger(kind="schedule", username="ada", display_name="Ada", source="a test")


class JsonService:
    """What apprise calls `json://`: it takes each message as JSON. `status`: of the next replies."""

    def __init__(self) -> None:
        self.taken: list[dict[str, Any]] = []
        self.status = 200
        self.address = ""

    async def take(self, request: web.Request) -> web.Response:
        self.taken.append(json.loads(await request.text()))
        return web.Response(status=self.status)


@asynccontextmanager
async def json_service() -> AsyncIterator[JsonService]:
    service, application = JsonService(), web.Application()
    application.router.add_post("/", service.take)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert runner.addresses
    service.address = f"json://ada:{PASSWORD}@127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield service
    finally:
        await runner.cleanup()


async def add(backend: Backend, address: str, *, name: str = "") -> str:
    """Add a channel, perhaps with a name for posts, and return its id."""
    chats = (NamedChat(name=name, chat=ONLY_CHAT, direct=True),) if name else ()
    new = NewChannel(platform="apprise", title="Reports", token=address, named_chats=chats)
    channel = (await backend.channels.create(new, ADA)).id
    await connected(backend, channel)
    return channel


async def test_posts_tests_and_notifications_are_sent(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with json_service() as service, Place(tmp_path).backend() as backend:
        channel = await add(backend, service.address, name="reports")
        assert (await backend.channels.get(channel, ADA)).connection.account == "JSON"
        (chat,) = await backend.channels.chats(channel, ADA)
        assert (chat.chat, chat.title, chat.direct) == (ONLY_CHAT, "Reports", True)

        await make(backend, "writer", "answer: CHANNEL [reports]: 3 < 4 & *done* “ü”\nanswer: \nanswer: Line 2.")
        post = (await reports(backend, await heartbeat(backend, "writer")))[-1]
        assert post.reason == "Queued for 1 chat (Reports)."
        await holds(lambda: len(service.taken) == 1)
        assert service.taken[0]["title"] == "Reports"
        assert service.taken[0]["message"].startswith("@writer: 3 < 4 & *done* “ü”")

        assert (await backend.channels.send_test(channel, ADA)).state == "waiting"
        await holds(lambda: len(service.taken) == 2)
        assert "The channel Reports works." in service.taken[1]["message"]

        (pairing,) = await backend.connected_accounts.pairings(ADA)
        assert (pairing.may, pairing.notify) == ((), "off")
        with pytest.raises(Invalid, match="cannot ask agents"):
            await backend.connected_accounts.change_pairing(pairing.id, PairingFields(may=("ask",)), ADA)
        await backend.connected_accounts.change_pairing(pairing.id, PairingFields(may=(), notify="error"), ADA)
        await ended(backend, await submit(backend, "fail"))
        await holds(lambda: len(service.taken) == 3)
        assert "failed" in service.taken[2]["message"].lower()
        async with asyncio.timeout(BOUND_SECONDS):
            while {each.state for each in await messages(backend, channel)} != {"sent"}:
                await asyncio.sleep(LOOK_SECONDS)
    assert PASSWORD not in caplog.text


async def test_what_a_service_does_not_take_is_in_doubt_and_not_repeated(tmp_path: Path) -> None:
    async with json_service() as service, Place(tmp_path).backend() as backend:
        channel = await add(backend, service.address)
        service.status = 500
        await backend.channels.send_test(channel, ADA)
        await holds(lambda: bool(service.taken))
        async with asyncio.timeout(20):
            while (found := (await messages(backend, channel))[-1]).state == "sending":
                await asyncio.sleep(0.02)
        assert (found.state, found.reason) == ("unknown", NOT_TAKEN)
        service.status = 200
        await backend.channels.send_test(channel, ADA)
        await holds(lambda: len(service.taken) == 2)


async def test_a_mail_has_the_title_as_its_subject(tmp_path: Path) -> None:
    mails: list[str] = []

    class Inbox:
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
            mails.append(envelope.content.decode())
            return "250 OK"

    listening, port = bind_unused_port("127.0.0.1")
    listening.close()
    controller = Controller(Inbox(), hostname="127.0.0.1", port=port)
    controller.start()
    try:
        address = f"mailto://127.0.0.1:{port}?from=cabinet@example.org&to=ada@example.org&mode=insecure"
        async with Place(tmp_path).backend() as backend:
            channel = await add(backend, address)
            await backend.channels.send_test(channel, ADA)
            await holds(lambda: bool(mails))
    finally:
        controller.stop()
    (mail,) = mails
    assert "Subject: Reports" in mail
    assert "To: ada@example.org" in mail
    assert "This is a test message from Jupyter Cabinet." in mail


async def test_a_wrong_address_is_refused_or_says_what_to_do(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        for address in WRONG:
            with pytest.raises(Invalid):
                await backend.channels.create(NewChannel(platform="apprise", title="x", token=address), ADA)
        new = NewChannel(platform="apprise", title="x", token="nosuchservice://example.org")
        view = await connected(backend, (await backend.channels.create(new, ADA)).id, "failed")
        assert "no service" in view.connection.problem or "not complete" in view.connection.problem
        assert "https://appriseit.com/services/" in view.connection.remedy
        fields = {name: getattr(view, name) for name in ChannelFields.__struct_fields__}
        await backend.channels.change(view.id, EditChannel(**fields, token="json://127.0.0.1:1"), ADA)
        await connected(backend, view.id)


async def test_a_service_that_hangs_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "LONGEST_SECONDS", 0.2)

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, json_service() as service, Place(tmp_path).backend() as backend:
        slow = await add(backend, f"json://127.0.0.1:{port}/?rto=100000&cto=100000")
        quick = await add(backend, service.address)
        for _ in range(3):
            await backend.channels.send_test(slow, ADA)
        await backend.channels.send_test(quick, ADA)
        await holds(lambda: len(service.taken) == 1)
        async with asyncio.timeout(20):
            while [each.state for each in await messages(backend, slow)] != ["unknown"] * 3:
                await asyncio.sleep(0.02)


async def test_one_address_is_one_service_and_a_disconnected_account_comes_back(tmp_path: Path) -> None:
    async with json_service() as service, Place(tmp_path).backend() as backend:
        two = NewChannel(platform="apprise", title="x", token=f"{service.address},xml://127.0.0.1")
        await connected(backend, (await backend.channels.create(two, ADA)).id, "failed")
        channel = await add(backend, service.address)
        (pairing,) = [each for each in await backend.connected_accounts.pairings(ADA) if each.channel_id == channel]
        await backend.connected_accounts.delete_pairing(pairing.id, ADA)
        assert await backend.channels.chats(channel, ADA) == []
        view = await backend.channels.get(channel, ADA)
        fields = {name: getattr(view, name) for name in ChannelFields.__struct_fields__}
        await backend.channels.change(channel, EditChannel(**fields), ADA)
        assert len(await backend.channels.chats(channel, ADA)) == 1
