"""Notifications in the chat of a person who has left JupyterLab."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.backend import ADA, Place, ended, submit, waiting_are
from harness.channels import connected, messages, paired, sent, talking, telegram_channel
from harness.plans import program, ran, step
from harness.waiting import holds

from jupyter_cabinet.approvals.model import ApprovalFilter, ApprovalRequested, NewAnswer
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.model import ChannelMessage, Pairing, PairingFields, Right
from jupyter_cabinet.channels.rules.notices import LONGEST_REASON, LONGEST_TITLE
from jupyter_cabinet.channels.setup.configuration import Configuration
from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.errors import Invalid, NotAllowed, NotFound
from jupyter_cabinet.core.events import Event, Scope
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs.model import Run, RunFinished, Trigger
from jupyter_cabinet.testing.telegram import TelegramServer

ASK_AND_APPROVE: tuple[Right, ...] = ("ask", "approve")


async def notify(backend: Backend, principal: Principal = ADA, **fields: Any) -> Pairing:
    """Choose what Ada's account hears."""
    (pairing,) = await backend.connected_accounts.pairings(ADA)
    return await backend.connected_accounts.change_pairing(
        pairing.id, PairingFields(**{"may": ASK_AND_APPROVE, **fields}), principal
    )


async def test_notifications_are_off_at_first_and_what_is_chosen_is_kept(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, _, _channel):
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        assert (pairing.notify, pairing.digest_minutes, pairing.direct_chat) == ("off", 0, "1001")
        night: dict[str, Any] = {"quiet_from": "22:00", "quiet_until": "07:00", "zone": "Europe/Berlin"}
        changed = await notify(backend, notify="warn", digest_minutes=60, **night)
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        assert pairing == changed
        assert (pairing.notify, pairing.quiet_from, pairing.zone) == ("warn", "22:00", "Europe/Berlin")


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"digest_minutes": -1}, "digest_minutes", "at most 1440 minutes"),
    ({"digest_minutes": 1441}, "digest_minutes", "at most 1440 minutes"),
    ({"quiet_from": "22:00"}, "quiet_until", "a start and an end"),
    ({"quiet_until": "07:00"}, "quiet_from", "a start and an end"),
    ({"quiet_from": "22:00", "quiet_until": "7"}, "quiet_until", "a time of day such as"),
    ({"quiet_from": "22:00", "quiet_until": "22:00", "zone": "UTC"}, "quiet_until", "cannot end when they start"),
    ({"quiet_from": "22:00", "quiet_until": "07:00"}, "zone", "need a time zone"),
    ({"zone": "../../etc/passwd"}, "zone", "not a known time zone"),
    ({"zone": "Mars/Base"}, "zone", "not a known time zone"),
]
OTHERS = [
    Principal(username="owner", display_name="Owner", origin="token", shared_token=True),
    Principal(username="ada", display_name="Ada", origin="channel", shared_token=True),
    Principal(username="bob", display_name="Bob"),
]


async def test_wrong_wishes_and_those_of_others_are_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, _, _channel):
        for fields, field, part in WRONG:
            with pytest.raises(Invalid, match=part) as refused:
                await notify(backend, notify="warn", **fields)
            assert refused.value.detail["field"] == field
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        for principal in OTHERS:
            with pytest.raises((NotAllowed, NotFound)):
                await backend.connected_accounts.change_pairing(
                    pairing.id, PairingFields(may=("ask",), notify="info"), principal
                )
        assert (await backend.connected_accounts.pairings(ADA))[0] == pairing


async def test_an_account_of_an_earlier_version_is_read_and_finds_its_chat(tmp_path: Path) -> None:
    new = {"notify", "quiet_from", "quiet_until", "zone", "digest_minutes", "direct_chat"}
    async with talking(tmp_path) as (backend, telegram, _):
        file = next((tmp_path / "data" / "channels").iterdir()) / "channels.json"
        content = msgspec.json.decode(file.read_bytes())
        content["pairings"] = [{key: each[key] for key in each if key not in new} for each in content["pairings"]]
        file.write_bytes(msgspec.json.encode(content))
        assert msgspec.json.decode(file.read_bytes(), type=Configuration).pairings[0].notify == "off"
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        assert pairing.direct_chat == ""
        telegram.write("/help")
        await sent(telegram, "/agents")
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        assert pairing.direct_chat == "1001"
        assert (await notify(backend, notify="info")).direct_chat == "1001"


# --- what is sent ----------------------------------------------------------------------------------

CAREFUL = {"permission_mode": "ask", "allowed_tools": ["Bash"]}
EVENING = datetime(2026, 11, 1, 22, 30, tzinfo=UTC)
NIGHT: dict[str, Any] = {"quiet_from": "22:00", "quiet_until": "07:00", "zone": "UTC"}
AWAY = Trigger(kind="schedule", username="ada", display_name="Ada", source="a test")


class ShiftedClock(SystemClock):
    """A clock that runs, from another time of day."""

    def __init__(self, start: datetime) -> None:
        self.shift = start - super().now()

    def now(self) -> datetime:
        return super().now() + self.shift


async def ask(backend: Backend, instruction: str = "run touch made.txt") -> Run:
    """Start the careful agent in JupyterLab."""
    return await submit(backend, instruction, permission_mode="ask", allowed_tools=["Bash"])


async def later(backend: Backend, channel: str) -> list[ChannelMessage]:
    """Return what waits until later, when everything that was heard is on record."""
    await backend._channel_room.notifications.settled()
    return [each for each in await messages(backend, channel) if each.state == "later"]


def of_run(run: Run, **changes: Any) -> RunFinished:
    return RunFinished(run=msgspec.structs.replace(run, **changes))


def hear(backend: Backend, *events: Event) -> None:
    for each in events:
        backend._channel_room.notifications.hear(each, Scope(owner="ada", visibility="server"))


async def test_a_request_from_jupyterlab_is_answered_in_the_chat(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await notify(backend, notify="warn")
        run = await ask(backend)
        card = await sent(telegram, "touch made.txt", chat=1001)
        assert "It works on “run touch made.txt”." in card.text
        telegram.press(card, card.buttons[0][0])
        assert (await ended(backend, run)).state == "succeeded"
        await holds(lambda: "by Ada." in card.text and not card.buttons)
        await backend._channel_room.notifications.settled()
        assert sum("touch made.txt" in text for text in telegram.texts()) == 1


async def test_a_request_that_is_answered_in_jupyterlab_loses_its_buttons(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await notify(backend, notify="warn")
        run = await ask(backend)
        card = await sent(telegram, "touch made.txt")
        await answer(backend, "deny")
        await ended(backend, run)
        await holds(lambda: "Denied by Ada." in card.text and not card.buttons)


async def test_an_account_without_the_right_hears_one_sentence(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await notify(backend, may=("ask",), notify="warn")
        await ask(backend, "run touch made.txt\nand nothing else")
        text = (await sent(telegram, "Answer it in JupyterLab.")).text
        assert "\n" not in text and "It works on “run touch made.txt”." in text
        await answer(backend, "deny")


async def test_the_chat_that_has_asked_gets_one_card(tmp_path: Path) -> None:
    async with talking(tmp_path, "careful", persona=CAREFUL) as (backend, telegram, channel):
        await notify(backend, notify="info")
        telegram.write("run touch made.txt")
        await sent(telegram, "touch made.txt")
        await answer(backend, "deny")
        await holds(lambda: any("Denied by Ada." in text for text in telegram.texts()))
        await later(backend, channel)
        assert not [each for each in await messages(backend, channel) if each.key.startswith("told/")]


SAID: list[tuple[dict[str, Any], str, str | None]] = [
    (
        {"state": "failed", "reason": "It crashed."},
        "error",
        "The work of Demo agent on “hello” has failed: It crashed.",
    ),
    ({"state": "timed_out", "reason": "```"}, "error", "… on “hello” has failed: '''"),
    ({"state": "failed", "reason": "Bad\x1b[31m\nthe output"}, "error", "… on “hello” has failed: Bad\\x1b[31m"),
    ({"state": "interrupted", "instruction": ""}, "info", "… has failed."),
    ({"state": "succeeded", "agent": "helper", "trigger": AWAY}, "info", "@helper has finished its work on “hello”."),
    ({"state": "succeeded", "agent": "helper", "trigger": AWAY}, "warn", None),
    ({"state": "succeeded", "agent": "helper"}, "info", None),  # a person waits for it
    ({"state": "cancelled", "reason": "Cancelled by Ada."}, "info", None),
    ({"state": "failed", "plan_id": "p"}, "info", None),  # the plan says so
    ({"state": "failed"}, "critical", None),
    ({"state": "failed"}, "off", None),
]


async def test_what_is_said_of_runs(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        run = await ended(backend, await submit(backend, "hello"))
        for number, (changes, least, expected) in enumerate(SAID):
            await notify(backend, notify=least)
            event = of_run(run, **{"id": f"{number:026}", "reason": "", **changes})
            hear(backend, event, event)  # a repetition changes nothing
            await backend._channel_room.notifications.settled()
            key = f"/run/{event.run.id}/"
            texts = [each.text for each in await messages(backend, channel) if key in each.key]
            assert texts == ([] if expected is None else [expected.replace("…", "The work of Demo agent")])
        await notify(backend, notify="error")
        long = "x" * (LONGEST_TITLE - 8) + " s3cret-s3cret"  # it would be cut within the secret
        hear(backend, of_run(run, state="failed", instruction=long, reason="The key s3cret-s3cret is wrong."))
        assert "s3c" not in (await sent(telegram, "is wrong.")).text
        plan = {"key": "p", "how": "failed", "owner": "ada"}
        backend._channel_room.notifications.hear_plan(
            **plan, title=long, reason="x" * (LONGEST_REASON - 8) + " s3cret-s3cret"
        )
        assert "s3c" not in (await sent(telegram, "The plan “x")).text


@pytest.mark.long(reason="works through a plan; the rules are tested by themselves")
async def test_a_plan_that_stops_is_reported_once(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await notify(backend, notify="info")
        failing = program("gate", sys.executable, "-c", "raise SystemExit(1)", retries=0)
        await ran(backend, step("fine"), title="Good plan")
        await sent(telegram, "The plan “Good plan” is done.")
        await ran(backend, failing, step("behind", None, "gate"), title="Bad plan")
        await sent(telegram, "The plan “Bad plan” has failed: “gate” failed: ")
        await ran(backend, step("key", "report blocked: Give me a key."), title="Blocked plan")
        await sent(telegram, "The plan “Blocked plan” needs you: “key” is blocked: Give me a key.")
        await backend.outbox.settled()
        await backend._channel_room.notifications.settled()
        told = [text for text in telegram.texts() if text.startswith("The ")]
        assert len(told) == 3, told


async def test_what_happens_in_quiet_hours_arrives_at_their_end_also_after_a_restart(tmp_path: Path) -> None:
    with TelegramServer() as telegram:
        async with Place(tmp_path).backend(clock=ShiftedClock(EVENING)) as backend:
            channel = await telegram_channel(backend, telegram)
            await paired(backend, telegram, channel)
            await notify(backend, notify="info", **NIGHT)
            run = await ended(backend, await submit(backend, "hello"))
            events = [
                of_run(run, id=f"{number:026}", state="failed", instruction=f"Job {number}") for number in range(25)
            ]
            hear(backend, *events, *events)
            (digest,) = await later(backend, channel)
            assert len(digest.items) == 25 and digest.not_before == datetime(2026, 11, 2, 7, tzinfo=UTC)
            assert (await backend.channels.get(channel, ADA)).waiting == 1
        clock = ShiftedClock(datetime(2026, 11, 2, 6, 0, tzinfo=UTC))
        async with Place(tmp_path).backend(clock=clock) as backend:
            await connected(backend, channel)
            known = len(telegram.sent)
            connection = backend._channel_room.book.connections[channel]
            await connection.sender._put_due()
            assert len(await later(backend, channel)) == 1 and len(telegram.sent) == known
            clock.shift += timedelta(hours=1)
            connection.wake()
            text = (await sent(telegram, "25 notifications:")).text
            assert "“Job 19”" in text and "“Job 20”" not in text and "and 5 more." in text
            hear(backend, *events)
            await backend._channel_room.notifications.settled()
            assert not await later(backend, channel) and len(telegram.sent) == known + 1


@pytest.mark.long(reason="waits for what must not come; the rules are tested by themselves")
async def test_a_request_that_ends_in_quiet_hours_is_never_shown(tmp_path: Path) -> None:
    with TelegramServer() as telegram:
        async with Place(tmp_path).backend(clock=ShiftedClock(EVENING)) as backend:
            channel = await telegram_channel(backend, telegram)
            await paired(backend, telegram, channel)
            await notify(backend, notify="warn", **NIGHT)
            run = await ask(backend)
            await waiting_are(backend, 1)
            (card,) = await later(backend, channel)
            assert card.buttons and "touch made.txt" in card.text
            (approval,) = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
            await answer(backend, "deny")
            await ended(backend, run)
            assert not [each for each in await later(backend, channel) if each.buttons]
            lost = msgspec.structs.replace(approval, id="0" * 26)  # as if the server had crashed before it ended
            hear(backend, ApprovalRequested(approval=lost))
            assert [each for each in await later(backend, channel) if each.buttons]
        async with Place(tmp_path).backend(clock=ShiftedClock(EVENING)) as backend:
            await connected(backend, channel)
            assert not [each for each in await later(backend, channel) if each.buttons]
        assert not any("touch made.txt" in text for text in telegram.texts())


@pytest.mark.long(reason="waits for what must not come; the rules are tested by themselves")
async def test_what_waits_is_forgotten_if_it_is_not_wanted_any_more(tmp_path: Path) -> None:
    async with talking(tmp_path, clock=ShiftedClock(EVENING)) as (backend, _, channel):
        pairing = await notify(backend, notify="info", digest_minutes=60)
        run = await ended(backend, await submit(backend, "hello"))
        hear(backend, of_run(run, agent="helper", trigger=AWAY))
        (digest,) = await later(backend, channel)
        assert digest.not_before == datetime(2026, 11, 1, 23, tzinfo=UTC)
        await notify(backend, notify="off")
        assert await later(backend, channel) == []
        await notify(backend, notify="error", **NIGHT)
        hear(backend, of_run(run, state="failed"))
        assert len(await later(backend, channel)) == 1
        await backend.connected_accounts.delete_pairing(pairing.id, ADA)
        assert [each.state for each in await messages(backend, channel) if each.items] == ["failed"]


async def test_other_people_hear_nothing(tmp_path: Path) -> None:
    bob = Principal(username="bob", display_name="Bob")
    with TelegramServer() as telegram:
        async with Place(tmp_path).backend(shared_login=False) as backend:
            channel = await telegram_channel(backend, telegram)
            await paired(backend, telegram, channel, principal=bob)
            (pairing,) = await backend.connected_accounts.pairings(bob)
            await backend.connected_accounts.change_pairing(
                pairing.id, PairingFields(may=("approve",), notify="info"), bob
            )
            run = await ended(backend, await submit(backend, "hello"))
            hear(backend, of_run(run, state="failed", owner="ada"))
            assert await backend._channel_room.notifications._listeners("ada", "") == []
            hear(backend, of_run(run, state="failed", owner="bob"))
            await sent(telegram, "has failed")


async def answer(backend: Backend, kind: str) -> None:
    await waiting_are(backend, 1)
    (approval,) = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
    option = next(option for option in approval.options if option.kind == kind)
    await backend.approvals.answer(approval.id, NewAnswer(option=option.id), ADA)


async def test_a_second_server_on_the_folder_sends_nothing_twice(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel), Place(tmp_path).backend() as second:
        await notify(backend, notify="error")
        run = await ended(backend, await submit(backend, "hello"))
        first, other = of_run(run, state="failed"), of_run(run, state="failed", id="0" * 26)
        for each in (backend, second):
            hear(each, first)
            await each._channel_room.notifications.settled()
        hear(second, other)  # the server that is not connected puts it on record
        await second._channel_room.notifications.settled()
        backend._channel_room.book.wake(channel)
        await holds(lambda: sum("has failed" in text for text in telegram.texts()) == 2)
        assert sum(each.key.startswith("told/") for each in await messages(backend, channel)) == 2
