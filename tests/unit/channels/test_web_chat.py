"""The chat on a page of this server: who may use it, and what they see."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.agents import make
from harness.backend import ADA as SHARED
from harness.backend import BOUND_SECONDS, Place
from harness.channels import connected
from harness.waiting import LOOK_SECONDS, holds

from jupyter_cabinet.approvals.model import ApprovalFilter
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels import intake
from jupyter_cabinet.channels.model import ChannelMessageChanged, EditChannel, NewChannel, PairingFields, Right
from jupyter_cabinet.channels.port import Inbound, NotSent, Sender
from jupyter_cabinet.channels.port import Place as ChatPlace
from jupyter_cabinet.channels.rules.admission import MAX_TEXT, Allowance
from jupyter_cabinet.channels.web_chat.adapter import WebChatAdapter
from jupyter_cabinet.channels.web_chat.model import ChatMessage, NewChatMessage, PressButton
from jupyter_cabinet.core.errors import CabinetError, Invalid, NotAllowed, NotFound, Refused
from jupyter_cabinet.core.events import Event, Scope
from jupyter_cabinet.core.people import Principal

ADA = Principal(username="ada", display_name="Ada")
BEN = Principal(username="ben", display_name="Ben")
ROOT = Principal(username="root", display_name="Ruth", administrator=True)
PROGRAM = Principal(username="ada", display_name="Ada", origin="token")
BOTH: tuple[Right, ...] = ("ask", "approve")


@asynccontextmanager
async def chatting(
    folder: Path, *, shared: bool = False, persona: dict[str, Any] | None = None
) -> AsyncIterator[tuple[Backend, str]]:
    """A server with an agent and a web chat of Ada's, and the id of the channel."""
    async with Place(folder).backend(shared_login=shared) as backend:
        await make(backend, "helper", **(persona or {}))
        yield backend, await add_chat(backend, SHARED if shared else ADA)


async def add_chat(backend: Backend, owner: Principal, title: str = "Team chat") -> str:
    channel = await backend.channels.create(NewChannel(platform="web", title=title, agent="helper"), owner)
    await connected(backend, channel.id)
    return channel.id


async def write(
    backend: Backend,
    channel: str,
    text: str,
    *,
    who: Principal = ADA,
    rights: Sequence[Right] = BOTH,
    key: str = "",
) -> ChatMessage:
    new = NewChatMessage(key=key or f"key-{abs(hash((text, who.username)))}", text=text)
    return await backend.web_chat.write(channel, new, who, rights)


async def seen(backend: Backend, channel: str, part: str, *, who: Principal = ADA) -> ChatMessage:
    """Wait until the page of a person shows a message of an agent with this text, and return it."""
    async with asyncio.timeout(BOUND_SECONDS):
        while True:
            for message in await backend.web_chat.messages(channel, who):
                if message.sender == "agent" and part in message.text:
                    return message
            await asyncio.sleep(LOOK_SECONDS)


async def texts(backend: Backend, channel: str, who: Principal) -> list[str]:
    return [each.text for each in await backend.web_chat.messages(channel, who)][::-1]


async def test_nobody_reaches_the_chat_of_another_person(tmp_path: Path) -> None:
    async with chatting(tmp_path, persona={"permission_mode": "ask", "allowed_tools": ["Bash"]}) as (backend, channel):
        await write(backend, channel, "run touch made.txt")
        card = await seen(backend, channel, "touch made.txt")
        pressed = PressButton(message=card.id, button=0)
        assert card.buttons == ("Allow once", "Deny")
        assert [each.title for each in await backend.web_chat.find(ADA)] == ["Team chat"]

        assert await backend.web_chat.find(BEN) == []
        for attempt in (
            backend.web_chat.messages(channel, BEN),
            write(backend, channel, "remember x", who=BEN),
            backend.web_chat.press(channel, pressed, BEN, BOTH),
        ):
            with pytest.raises(NotFound, match="no such web chat"):
                await attempt

        # an administrator may use it, and has a separate conversation there
        assert await texts(backend, channel, ROOT) == []
        with pytest.raises(NotFound, match="no such message in your chat"):
            await backend.web_chat.press(channel, pressed, ROOT, BOTH)
        await write(backend, channel, "/help", who=ROOT)
        await seen(backend, channel, "These commands help", who=ROOT)
        assert not [text for text in await texts(backend, channel, ADA) if "help" in text]

        # and a message of one chat cannot be answered through another
        other = await add_chat(backend, BEN, "Ben's")
        with pytest.raises(NotFound, match="no such message in your chat"):
            await backend.web_chat.press(other, pressed, BEN, BOTH)
        (approval,) = await backend.approvals.find(ApprovalFilter(), ADA)
        assert approval.state == "waiting"


@pytest.mark.long(reason="two browsers")
async def test_with_a_shared_login_every_browser_has_the_same_conversation(tmp_path: Path) -> None:
    phone = Principal(username="5f3a", display_name="Anonymous Io", shared_token=True)
    async with chatting(tmp_path, shared=True) as (backend, channel):
        await write(backend, channel, "remember good morning", who=SHARED)
        await seen(backend, channel, "good morning", who=phone)
        await write(backend, channel, "remember good night", who=phone)
        await seen(backend, channel, "good night", who=SHARED)
        assert len(await texts(backend, channel, phone)) == 4
        (pairing,) = await backend.connected_accounts.pairings(phone)
        assert (pairing.sender_id, pairing.may) == ("owner", BOTH)


async def test_a_chat_that_everybody_sees_has_a_conversation_for_each(tmp_path: Path) -> None:
    async with chatting(tmp_path, shared=True) as (backend, channel):
        await write(backend, channel, "remember the old days", who=SHARED)
        await seen(backend, channel, "the old days", who=SHARED)
    async with Place(tmp_path).backend(shared_login=False) as backend:  # the people have names now
        await connected(backend, channel)
        for who in (ADA, BEN):
            assert [each.id for each in await backend.web_chat.find(who)] == [channel]
            assert await texts(backend, channel, who) == []
            await write(backend, channel, f"remember {who.username}", who=who, key="the-same-key")
        for who in (ADA, BEN):
            await seen(backend, channel, f"I have noted: {who.username}", who=who)
            found = await backend.web_chat.messages(channel, who)
            assert {each.text for each in found} == {f"remember {who.username}", f"I have noted: {who.username}"}
            own = {each.id for each in found}
            foreign = [each for each in await backend.web_chat.messages(channel, BEN if who is ADA else ADA)]
            assert not own & {each.id for each in foreign}
        with pytest.raises(NotAllowed):
            await backend.channels.messages(channel, BEN)


async def test_an_account_may_exactly_what_its_person_may_here(tmp_path: Path) -> None:
    async with chatting(tmp_path, persona={"permission_mode": "ask", "allowed_tools": ["Bash"]}) as (backend, channel):
        with pytest.raises(NotAllowed, match="may not run agents"):
            await write(backend, channel, "remember one", rights=())
        with pytest.raises(NotAllowed, match="Only a person in the browser"):
            await write(backend, channel, "remember two", who=PROGRAM)
        assert await texts(backend, channel, ADA) == []
        assert await backend.connected_accounts.pairings(ADA) == []

        await write(backend, channel, "run touch made.txt")
        card = await seen(backend, channel, "touch made.txt")
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        assert (pairing.username, pairing.sender_id, pairing.may) == ("ada", "ada", BOTH)
        pressed = PressButton(message=card.id, button=0)
        with pytest.raises(NotAllowed, match="may not answer approval requests"):
            await backend.web_chat.press(channel, pressed, ADA, ("ask",))
        with pytest.raises(NotAllowed, match="Only a person in the browser"):
            await backend.web_chat.press(channel, pressed, PROGRAM, BOTH)
        for button in (-1, 2):
            with pytest.raises(NotFound):
                await backend.web_chat.press(channel, PressButton(message=card.id, button=button), ADA, BOTH)

        with pytest.raises(Invalid, match="you may do what you may do on this server"):
            await backend.connected_accounts.change_pairing(pairing.id, PairingFields(may=("ask",)), ADA)
        changed = await backend.connected_accounts.change_pairing(
            pairing.id, PairingFields(may=BOTH, notify="warn"), ADA
        )
        await write(backend, channel, "/approvals", rights=("ask",))  # the right to approve was taken away
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        assert (pairing.may, pairing.notify, pairing.id) == (("ask",), "warn", changed.id)
        assert not (tmp_path / "root" / "made.txt").exists()


async def test_the_end_of_a_request_stays_in_its_message(tmp_path: Path) -> None:
    async with chatting(tmp_path, persona={"permission_mode": "ask", "allowed_tools": ["Bash"]}) as (backend, channel):
        await write(backend, channel, "run touch made.txt")
        card = await seen(backend, channel, "touch made.txt")
        pressed = PressButton(message=card.id, button=card.buttons.index("Allow once"))
        assert await backend.web_chat.press(channel, pressed, ADA, BOTH) == "Allowed once."
        await holds((tmp_path / "root" / "made.txt").exists)
        ended = await seen(backend, channel, "Allowed once by Ada.")
        assert (ended.id, ended.buttons) == (card.id, ())
        with pytest.raises(NotFound, match="no longer open"):
            await backend.web_chat.press(channel, pressed, ADA, BOTH)


async def test_a_message_is_taken_once_and_only_if_it_fits(tmp_path: Path) -> None:
    async with chatting(tmp_path) as (backend, channel):
        first = await write(backend, channel, "remember one", key="the-same-key")
        again = await write(backend, channel, "remember two", key="the-same-key")
        assert (again.id, again.text, again.key) == (first.id, "remember one", "the-same-key")
        for text, key, words in (
            ("x" * (MAX_TEXT + 1), "long-long-long", "at most 16,000 characters. This one has 16,001"),
            (" \n", "empty-empty", "Write a message first"),
            ("x", "short", "A key has"),
            ("x", "key/with/slashes", "A key has"),
        ):
            with pytest.raises(Invalid, match=words):
                await write(backend, channel, text, key=key)
        await seen(backend, channel, "I have noted: one")
        assert await texts(backend, channel, ADA) == ["remember one", "I have noted: one"]


async def test_who_writes_too_much_hears_it_and_nothing_more_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "Allowance", lambda **_: Allowance(most=5, seconds=60))
    async with chatting(tmp_path) as (backend, channel):
        with pytest.raises(Refused, match="Write again in a minute"):
            for number in range(7):
                await write(backend, channel, "/help", key=f"number-{number}")
        stored = [each for each in await backend.web_chat.messages(channel, ADA, limit=200) if each.sender == "you"]
        assert len(stored) == 5


async def test_the_history_has_pages_and_stays_after_a_restart(tmp_path: Path) -> None:
    async with chatting(tmp_path) as (backend, channel):
        for number in range(4):
            await write(backend, channel, f"remember {number}")
            await seen(backend, channel, f"I have noted: {number}")
        await write(backend, channel, "/help", who=ROOT)
        await seen(backend, channel, "These commands help", who=ROOT)
    async with Place(tmp_path).backend(shared_login=False) as backend:
        newest = await backend.web_chat.messages(channel, ADA, limit=3)
        older = await backend.web_chat.messages(channel, ADA, limit=100, before=newest[-1].number)
        found = [each.text for each in (*newest, *older)][::-1]
        assert found == [text for n in range(4) for text in (f"remember {n}", f"I have noted: {n}")]


async def test_a_page_hears_when_an_agent_begins_and_ends(tmp_path: Path) -> None:
    heard: list[str] = []

    def hear(event: Event, _scope: Scope) -> None:
        if isinstance(event, ChannelMessageChanged):
            heard.append(event.state)

    async with chatting(tmp_path) as (backend, channel):
        backend.bus.subscribe(hear)
        await write(backend, channel, "remember one")
        await seen(backend, channel, "I have noted: one")
        await holds(lambda: "sent" in heard)
        assert heard[:2] == ["received", "working"]
        (first, *_) = (await backend.web_chat.messages(channel, ADA))[::-1]
        assert (first.state, first.agent) == ("answered", "helper")


async def test_what_cannot_be_stored_is_refused_and_taken_later(tmp_path: Path) -> None:
    async with chatting(tmp_path) as (backend, channel):
        await write(backend, channel, "remember one")
        await seen(backend, channel, "I have noted: one")
        file = next((tmp_path / "data" / "channels").iterdir()) / "channels.json"
        good = file.read_bytes()
        file.write_text("{")
        with pytest.raises(CabinetError):
            await write(backend, channel, "remember two", key="the-second")
        file.write_bytes(good)
        async with asyncio.timeout(BOUND_SECONDS):
            while True:
                try:
                    await write(backend, channel, "remember two", key="the-second")
                    break
                except Refused:
                    await asyncio.sleep(LOOK_SECONDS)
        await seen(backend, channel, "I have noted: two")
        assert len(await texts(backend, channel, ADA)) == 4


async def test_a_chat_that_is_off_or_on_another_server_says_so(tmp_path: Path) -> None:
    async with chatting(tmp_path) as (backend, channel):
        await write(backend, channel, "remember one")
        await seen(backend, channel, "I have noted: one")
        other = await Place(tmp_path).open(shared_login=False)
        try:
            async with asyncio.timeout(BOUND_SECONDS):
                while [each.state for each in await other.web_chat.find(ADA)] != ["elsewhere"]:
                    await asyncio.sleep(LOOK_SECONDS)
            with pytest.raises(Refused, match="Another server on this folder"):
                await write(other, channel, "remember two")
            assert len(await texts(other, channel, ADA)) == 2
        finally:
            await other.close()
        await backend.channels.change(channel, EditChannel(title="Team chat", agent="helper", enabled=False), ADA)
        with pytest.raises(Refused, match="switched off"):
            await write(backend, channel, "remember three")
        assert (await backend.channels.get(channel, ADA)).connection.state == "off"


async def test_cancel_stops_the_work_of_the_conversation(tmp_path: Path) -> None:
    async with chatting(tmp_path) as (backend, channel):
        await write(backend, channel, "sleep 60")
        async with asyncio.timeout(BOUND_SECONDS):
            while (await backend.web_chat.messages(channel, ADA))[-1].state != "working":
                await asyncio.sleep(LOOK_SECONDS)
        await write(backend, channel, "/cancel @helper")
        await seen(backend, channel, "Stopped.")
        assert {each.state for each in await backend.web_chat.messages(channel, ADA)} == {"answered", "sent"}


async def test_a_web_chat_needs_no_secret_and_takes_none(tmp_path: Path) -> None:
    async with chatting(tmp_path) as (backend, channel):
        view = await backend.channels.get(channel, ADA)
        assert (view.connection.account, view.connection.address) == ("", f"cabinet/chat#{channel}")
        for fields in ({"token": "123:x"}, {"more_secrets": {"app_token": "x"}}, {"api_url": "https://example.org"}):
            with pytest.raises(Invalid):
                await backend.channels.create(NewChannel(platform="web", title="x", **fields), ADA)
        with pytest.raises(Invalid, match="Telegram needs the token of a Telegram bot"):
            await backend.channels.create(NewChannel(platform="telegram", title="x"), ADA)


async def test_what_waits_when_the_connection_ends_is_not_taken() -> None:
    adapter = WebChatAdapter("chat")
    inbound = Inbound(
        key="1", sender=Sender(id="ada"), place=ChatPlace(chat="ada", direct=True), press="x", press_id="1"
    )
    given = asyncio.create_task(adapter.deliver(inbound))
    assert await adapter.receive() == [inbound]
    waiting = asyncio.create_task(adapter.press(inbound, seconds=1))
    await asyncio.sleep(0)
    await adapter.close()
    for each in (given, waiting, asyncio.create_task(adapter.deliver(inbound))):
        with pytest.raises(NotSent, match="Try again"):
            await each
