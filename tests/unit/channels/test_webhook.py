"""What only a webhook has: who may send to it, where it sends, and how much of either."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.agents import make
from harness.backend import ADA, Place
from harness.channels import connected, messages
from harness.examples import cases
from harness.platforms import EVE, WebhookDouble, conversing, message
from harness.waiting import holds
from tornado.testing import bind_unused_port

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels import http
from jupyter_cabinet.channels.model import EditChannel, NewChannel
from jupyter_cabinet.channels.rules.admission import Allowance
from jupyter_cabinet.channels.setup.form_checks import check_url
from jupyter_cabinet.channels.webhook import service
from jupyter_cabinet.channels.webhook.addresses import METADATA, OWN_SERVER, problem_of_address
from jupyter_cabinet.channels.webhook.model import WebhookAnswer, WebhookMessage
from jupyter_cabinet.core.errors import CabinetError, Invalid, NotAllowed, NotFound, QueueFull, Refused, TooLarge
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.plays.signatures import MAX_BODY_BYTES
from jupyter_cabinet.testing.webhook import MANY_BYTES, FaultKind, WebhookReceiver, signed_delivery

CAREFUL = {"permission_mode": "ask", "allowed_tools": ["Bash"]}
BEN = Principal(username="ben", display_name="Ben")
PROGRAM = Principal(username="ada", display_name="Ada", origin="api")


@asynccontextmanager
async def talking(folder: Path, **fields: Any) -> AsyncIterator[tuple[Backend, WebhookDouble, str]]:
    with WebhookReceiver() as receiver:
        double = WebhookDouble(receiver)
        async with conversing(double, folder, **fields) as (backend, channel):
            yield backend, double, channel


def body_of(number: int = 1001, text: str = "remember one", **fields: Any) -> bytes:
    body = {"conversation": f"with-{number}", "sender": {"id": str(number)}, "id": "1", "text": text, "direct": True}
    return json.dumps(body | fields).encode()


async def post(backend: Backend, double: WebhookDouble, channel: str, body: bytes, *, id: str) -> service.Taken:
    return await backend.webhooks.receive(channel, signed_delivery(double.receiver.secret, body, id=id))


async def incoming(backend: Backend, channel: str) -> list[str]:
    return [each.text for each in await messages(backend, channel) if each.direction == "in"]


# --- what comes in -------------------------------------------------------------------------


async def test_only_a_request_that_is_signed_now_and_is_new_gets_in(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        secret, body = double.receiver.secret, body_of()
        genuine = signed_delivery(secret, body, id="first")
        assert (await backend.webhooks.receive(channel, genuine)).recorded
        attacks = {
            "repeated": (channel, genuine),
            "another id": (channel, msgspec.structs.replace(genuine, id="second")),
            "another body": (channel, msgspec.structs.replace(genuine, id="second", body=body_of(text="run ls"))),
            "another secret": (channel, signed_delivery("x" * 43, body, id="second")),
            "no secret": (channel, signed_delivery("", body, id="second")),
            "old": (channel, signed_delivery(secret, body, id="second", now=time.time() - 301)),
            "of the future": (channel, signed_delivery(secret, body, id="second", now=time.time() + 330)),
            "as this server": (channel, signed_delivery(secret, body, id="out-1")),
            "another channel": ("nobody", signed_delivery(secret, body, id="second")),
            "a path": ("../../x", signed_delivery(secret, body, id="second")),
        }
        for name, (where, delivery) in attacks.items():
            with pytest.raises(NotAllowed) as refused:
                await backend.webhooks.receive(where, delivery)
            assert refused.value.message == service.NOT_GENUINE, name
        await message(double, "I have noted: one")
        assert await incoming(backend, channel) == ["remember one"]


async def test_a_channel_of_another_platform_takes_no_signed_request(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        channel = await backend.channels.create(NewChannel(platform="web", title="Chat"), ADA)
        with pytest.raises(NotAllowed):
            await backend.webhooks.receive(channel.id, signed_delivery("", body_of(), id="1"))
        with pytest.raises(Invalid, match="Only a channel of the platform Webhook"):
            await backend.webhooks.make_secret(channel.id, ADA)


async def test_the_same_message_is_answered_once_however_often_it_comes(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        requests = [post(backend, double, channel, body_of(), id=f"try-{number}") for number in range(5)]
        assert all(taken.recorded for taken in await asyncio.gather(*requests))
        await message(double, "I have noted: one")
        assert (await post(backend, double, channel, body_of(), id="late")).recorded
        await post(backend, double, channel, body_of(id="2", text="remember two"), id="other")
        await message(double, "I have noted: two")
        assert [each.text for each in double.shown()[1:]] == ["I have noted: one", "I have noted: two"]
        assert [each["in_reply_to"] for each in double.receiver.taken[1:]] == ["1", "2"]


async def test_a_stranger_neither_reaches_the_agent_nor_the_chat_of_somebody_else(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        attempts = [
            body_of(EVE.number, id="1", sender={"id": "6666", "name": "Ada"}),  # the name of somebody else
            body_of(EVE.number, id="2", sender={"id": "1001\u200b", "name": "Ada"}),
            body_of(EVE.number, id="3", sender={"id": "１００１"}),  # other digits
            body_of(1001, id="4", sender={"id": "6666"}),  # in the chat of somebody else
            body_of(EVE.number, id="1001", direct=False),
            body_of(EVE.number, id="5", sender={"id": "6666", "bot": True}),
        ]
        results = []
        for number, body in enumerate(attempts):
            try:
                results.append((await post(backend, double, channel, body, id=f"eve-{number}")).recorded)
            except Invalid as error:
                assert error.detail["field"] == "sender.id"
        assert results == [False] * 5
        assert await incoming(backend, channel) == []
        await holds(lambda: len(double.shown()) == 3)  # a code for Eve and one for the other digits
        assert {each["conversation"] for each in double.receiver.taken[1:]} == {"with-6666"}
        assert (await post(backend, double, channel, body_of(id="1"), id="ada")).recorded  # Eve has not used up the id


async def test_direct_counts_only_in_the_chat_in_which_the_code_was_told(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        await post(backend, double, channel, body_of(text="remember secrets"), id="a")
        await post(backend, double, channel, body_of(id="2", text="remember this", conversation="lobby"), id="b")
        await message(double, "I have noted: this")
        first, second = (each for each in await messages(backend, channel) if each.direction == "in")
        assert (first.direct, second.direct) == (True, False)
        runs = [await backend.runs.get(each.run_id or "", ADA) for each in (first, second)]
        assert runs[0].session_id != runs[1].session_id
        assert "in a group, where others read along" in (await backend.runs.files.prompt(runs[1].id, ADA))[0]


WRONG_BODIES: list[tuple[bytes, str | None]] = [
    (b"{", None),
    (b"[" * 100_000, None),
    (b'{"text": "\xff"}', None),
    (b"{}", None),
    (body_of(more="x"), None),
    (body_of(conversation=""), "conversation"),
    (body_of(conversation="x" * 101), "conversation"),
    (body_of(id="a\nb"), "id"),
    (body_of(sender={"id": " 1001"}), "sender.id"),
    (body_of(thread="\x1b[2J"), "thread"),
    (body_of(press="x"), "press"),
]


async def test_a_body_that_is_wrong_is_refused_and_may_be_repaired(tmp_path: Path, subtests: pytest.Subtests) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        for number, (body, field) in enumerate(WRONG_BODIES):
            id = f"request-{number}"
            with subtests.test(body=body[:60]):
                with pytest.raises(Invalid) as refused:
                    await post(backend, double, channel, body, id=id)
                assert field is None or refused.value.detail["field"] == field
                assert (await post(backend, double, channel, body_of(id=f"right-{number}"), id=id)).recorded


def test_nothing_that_goes_out_is_valid_as_something_that_comes_in() -> None:
    answer = WebhookAnswer(id="1", conversation="x", text='","sender":{"id":"1001"},"x":"', thread="t")
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(answer), type=WebhookMessage)


async def test_a_body_that_is_too_large_is_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        with pytest.raises(TooLarge, match="256 KiB"):
            await post(backend, double, channel, b"x" * (MAX_BODY_BYTES + 1), id="large")


@pytest.mark.long(reason="a flood")
async def test_of_a_flood_everything_is_on_record_or_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):

        async def send(number: int) -> bool | type[CabinetError]:
            body = body_of(id=str(number), text="/help")
            try:
                return (await post(backend, double, channel, body, id=f"flood-{number}")).recorded
            except CabinetError as error:
                return type(error)

        results = await asyncio.gather(*(send(number) for number in range(1000)))
        assert set(results) == {True, QueueFull}
        recorded = [each.key for each in await messages(backend, channel) if each.direction == "in"]
        assert len(recorded) == len(set(recorded)) == results.count(True) <= 100  # of one account at once


async def test_a_sender_who_writes_too_much_is_refused_and_may_send_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        intake = backend.webhooks._intake
        monkeypatch.setattr(intake, "_allowance", Allowance(most=1, seconds=60))
        assert (await post(backend, double, channel, body_of(), id="a")).recorded
        with pytest.raises(QueueFull, match="more than I can read"):
            await post(backend, double, channel, body_of(id="2"), id="b")
        monkeypatch.setattr(intake, "_allowance", Allowance())
        assert (await post(backend, double, channel, body_of(id="2"), id="b")).recorded


@pytest.mark.parametrize(
    "sent",
    [
        {"sender": {"id": "6666"}},
        {"sender": {"id": "6666", "bot": True}},
        {"sender": {"id": "6666"}, "direct": False, "mentioned": False},
    ],
    ids=["stranger", "bot", "group"],
)
async def test_whoever_else_floods_the_channel_a_connected_person_gets_through(
    tmp_path: Path, sent: dict[str, Any]
) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        for number in range(330):
            with suppress(QueueFull):
                body = body_of(EVE.number, id=f"e{number}", **sent)
                await post(backend, double, channel, body, id=f"eve-{number}")
        assert (await post(backend, double, channel, body_of(), id="ada")).recorded


async def test_presses_of_a_stranger_hold_no_place(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):

        async def press(number: int) -> object:
            body = body_of(EVE.number, id=f"e{number}", text="", press="ap:x", sender={"id": "6666"})
            return await post(backend, double, channel, body, id=f"eve-{number}")

        pressed = [asyncio.create_task(press(number)) for number in range(50)]
        async with asyncio.timeout(5):  # each would hold its place for ten seconds
            await asyncio.gather(*pressed, return_exceptions=True)
        assert (await post(backend, double, channel, body_of(), id="ada")).recorded


async def test_a_request_that_cannot_be_stored_may_come_again(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        view = await backend.channels.get(channel, ADA)
        fields = {name: getattr(view, name) for name in ("title", "agent", "api_url")}
        await backend.channels.change(channel, EditChannel(**fields, enabled=False), ADA)
        with pytest.raises(Refused, match="switched off"):
            await post(backend, double, channel, body_of(), id="first")
        await backend.channels.change(channel, EditChannel(**fields), ADA)
        await connected(backend, channel)
        assert (await post(backend, double, channel, body_of(), id="first")).recorded


# --- the secret ----------------------------------------------------------------------------


async def test_a_secret_is_made_here_replaced_and_never_shown_again(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        old = double.receiver.secret
        for who in (PROGRAM, BEN):
            with pytest.raises((NotAllowed, NotFound)):
                await backend.webhooks.make_secret(channel, who)
        double.receiver.secret = await backend.webhooks.make_secret(channel, ADA)
        await connected(backend, channel)
        with pytest.raises(NotAllowed):
            await backend.webhooks.receive(channel, signed_delivery(old, body_of(), id="a"))
        assert (await post(backend, double, channel, body_of(), id="b")).recorded
        await message(double, "I have noted: one")
        assert double.receiver.secret not in repr(await backend.channels.get(channel, ADA))


async def test_a_channel_without_a_secret_says_so_and_takes_none_from_outside(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        new = NewChannel(platform="webhook", title="Hook", api_url="http://127.0.0.1:1/x")
        channel = await backend.channels.create(new, ADA)
        view = await connected(backend, channel.id, "failed")
        assert "no secret yet" in view.connection.problem and view.connection.remedy == "Choose Create a secret."
        for wrong, field in (
            ({"token": "x" * 43, "api_url": "https://example.org"}, "token"),
            ({"api_url": ""}, "api_url"),
            ({"api_url": "http://example.org"}, "api_url"),
            ({"api_url": "https://ada:pass@example.org"}, "api_url"),
            ({"api_url": "file:///etc/passwd"}, "api_url"),
        ):
            with pytest.raises(Invalid) as refused:
                await backend.channels.create(NewChannel(platform="webhook", title="x", **wrong), ADA)
            assert refused.value.detail["field"] == field


@pytest.mark.parametrize(
    "address",
    [
        "https://:secret@example.org",
        "https://@example.org",
        "https://example.org/a\r\nb",
        "https://exam\tple.org",
        "https://example.org/\0",
        "https://example.org/\u202e",
        "https://example.org/\u2028",
        "https://example.org/a b",
        "https://a\\@example.org",
        "https://b\u00fccher.example",
        "https://evil\u3002example",
        "https://\u2460\u2461\u2466.0.0.1",
        "https://ex%61mple.org",
        "https://evil.example..",
        "https://example.org/" + "x" * 2_000,
    ],
)
def test_an_address_that_hides_something_is_refused(address: str) -> None:
    with pytest.raises(Invalid) as refused:
        check_url(address)
    assert refused.value.detail["field"] == "api_url"


@pytest.mark.parametrize(
    "address",
    ["https://example.org/a%20b", "https://EXAMPLE.org.:8443", "https://xn--bcher-kva.example/x", "http://[::1]:1/x"],
)
def test_an_ordinary_address_is_accepted(address: str) -> None:
    check_url(address)


# --- what goes out -------------------------------------------------------------------------


async def test_what_goes_out_is_signed_and_says_where_it_belongs(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        body = body_of(conversation="the-team", direct=False, thread="topic", id="abc")
        await post(backend, double, channel, body, id="a")
        await message(double, "I have noted: one")
        sent = double.receiver.taken[-1]
        assert sent == {
            "id": sent["id"],
            "conversation": "the-team",
            "thread": "topic",
            "text": "I have noted: one",
            "in_reply_to": "abc",
        }
        assert double.receiver.headers[-1]["X-Cabinet-Delivery"] == f"out-{sent['id']}"


async def test_without_buttons_a_request_is_answered_in_jupyterlab(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, double, channel):
        await make(backend, "careful", **CAREFUL)
        edit = EditChannel(title="Hook", agent="careful", api_url=double.receiver.address)
        await backend.channels.change(channel, edit, ADA)
        await connected(backend, channel)
        await post(backend, double, channel, body_of(text="run touch made.txt"), id="a")
        card = await message(double, "touch made.txt")
        assert not card.buttons and "shows no buttons" in card.text


@pytest.mark.parametrize(
    ("fault", "state", "reason"),
    cases(
        ("redirect", "unknown", "redirects to another address"),
        ("hang", "unknown", "The connection to The receiver broke."),
        ("huge", "sent", ""),
        ("busy", "sent", ""),
    ),
)
async def test_a_receiver_that_misbehaves_costs_one_message_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: FaultKind, state: str, reason: str
) -> None:
    monkeypatch.setattr(http, "CALL_SECONDS", 0.5)
    async with talking(tmp_path) as (backend, double, channel):
        double.receiver.faults.append(fault)
        await post(backend, double, channel, body_of(), id="a")

        async def out() -> tuple[str, str]:
            found = [each for each in await messages(backend, channel) if each.direction == "out"]
            return (found[0].state, found[0].reason) if found else ("", "")

        async with asyncio.timeout(20):
            while (await out())[0] != state:
                await asyncio.sleep(0.02)
        assert reason in (await out())[1]
        assert double.receiver.redirected == 0
        assert double.receiver.sent_bytes < MANY_BYTES // 16
        await post(backend, double, channel, body_of(id="2", text="remember two"), id="b")
        await message(double, "I have noted: two")


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "fe80::1",
        "fe80::1%eth0",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "no address",
    ],
)
def test_nothing_is_sent_to_the_services_of_a_machine(address: str) -> None:
    assert problem_of_address(address, 443, own_port=0) == METADATA


def test_nothing_is_sent_to_this_server_and_other_programs_beside_it_are_allowed() -> None:
    for address in ("127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"):
        assert problem_of_address(address, 8888, own_port=8888) == OWN_SERVER, address
        assert problem_of_address(address, 8889, own_port=8888) == "", address
    for address in ("10.0.0.7", "192.168.1.5", "93.184.216.34", "2606:4700::1111", "fd12::7"):
        assert problem_of_address(address, 443, own_port=443) == "", address


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_channel_that_leads_to_this_server_fails_when_it_connects(tmp_path: Path, host: str) -> None:
    listening, port = bind_unused_port()
    with listening:
        async with Place(tmp_path).backend(own_port=port) as backend:
            new = NewChannel(platform="webhook", title="Hook", api_url=f"http://{host}:{port}/api/contents")
            channel = await backend.channels.create(new, ADA)
            await backend.webhooks.make_secret(channel.id, ADA)
            view = await connected(backend, channel.id, "failed")
            assert view.connection.problem == OWN_SERVER


async def test_a_name_that_leads_elsewhere_after_it_was_checked_gets_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WebhookReceiver() as receiver:
        double = WebhookDouble(receiver)
        receiver.address = receiver.address.replace("127.0.0.1", "localhost")
        async with conversing(double, tmp_path) as (backend, channel):
            taken = len(receiver.taken)
            connection = backend._channel_room.book.connections[channel]
            adapter: Any = connection.adapter
            monkeypatch.setattr(adapter._http, "_check_address", None)  # as if it were checked only when it connects
            resolver = adapter._http._session.connector._resolver
            adapter._http._session.connector.clear_dns_cache()
            checked: list[str] = []

            def refuse(address: str) -> None:
                checked.append(address)
                raise http.Rejected(METADATA)

            monkeypatch.setattr(resolver, "_check_address", refuse)
            await post(backend, double, channel, body_of(), id="a")
            reasons: list[str] = []
            async with asyncio.timeout(20):
                while reasons != [METADATA]:
                    reasons = [each.reason for each in await messages(backend, channel) if each.direction == "out"]
                    await asyncio.sleep(0.02)
            assert checked and len(receiver.taken) == taken
