"""The pure rules: the gate, routing, commands, allowances, codes, and what Telegram delivers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.channels.model import RoutingRule
from jupyter_cabinet.channels.port import Inbound, Place, Sender
from jupyter_cabinet.channels.rules.admission import Allowance, kind_of
from jupyter_cabinet.channels.rules.commands import COMMANDS, Command, help_text, read_command, unknown_command
from jupyter_cabinet.channels.rules.conversations import conversation_id
from jupyter_cabinet.channels.rules.pairing_codes import (
    MOST_GUESSES,
    MOST_OPEN,
    VALID_SECONDS,
    PairingCodes,
    TooManyGuesses,
    spaced,
)
from jupyter_cabinet.channels.rules.routing import route, without_address
from jupyter_cabinet.channels.telegram.updates import Update, User, inbound_of, read_updates

DIRECT = Place(chat="1", direct=True)
GROUP = Place(chat="-5")
ADA = Sender(id="1", name="Ada")
BOT = User(id=42, is_bot=True, username="cabinet_bot")


def inbound(text: str = "hello", **fields: Any) -> Inbound:
    return Inbound(**{"key": "1", "sender": ADA, "place": DIRECT, "text": text, **fields})


@pytest.mark.parametrize(
    ("given", "is_paired", "kind"),
    [
        (inbound(), True, "message"),
        (inbound(), False, "stranger"),
        (inbound("/help"), True, "command"),
        (inbound("/help"), False, "stranger"),
        (inbound("/etc/passwd"), True, "message"),
        (inbound("/nonsense"), True, "command"),
        (inbound(place=GROUP), True, "ignored"),
        (inbound(place=GROUP, mentioned=True), True, "message"),
        (inbound(place=GROUP, mentioned=True), False, "ignored"),
        (inbound(edited=True), True, "ignored"),
        (inbound(""), True, "ignored"),
        (inbound("", attachments=1), True, "message"),
        (inbound(sender=Sender(id="1", is_bot=True)), True, "ignored"),
        (inbound(sender=Sender(id="42")), True, "ignored"),  # the bot itself
        (inbound("", press="ap:x"), True, "press"),
        (inbound("", press="ap:x", place=GROUP), True, "press"),
        (inbound("", press="ap:x", place=GROUP), False, "stranger_press"),
    ],
)
def test_the_gate(given: Inbound, is_paired: bool, kind: str) -> None:
    assert kind_of(given, bot_id="42", is_paired=is_paired) == kind


AGENTS = st.sampled_from(["ada", "bob", "carl-2", ""])
RULES = st.lists(
    st.builds(
        RoutingRule,
        agent=st.sampled_from(["ada", "bob"]),
        user=st.sampled_from(["", "1", "2"]),
        chat=st.sampled_from(["", "-5", "-6"]),
    ),
    max_size=4,
)
WORDS = st.lists(st.sampled_from(["hello", "@ada", "@bob,", "@nobody", "me@ada.org", "@ADA!", "@carl-2", "(@bob)"]))


@given(WORDS, RULES, st.sampled_from(["1", "2"]), st.sampled_from(["-5", "-6"]), AGENTS, AGENTS, st.sets(AGENTS))
def test_routing_does_what_a_naive_reading_of_the_rules_does(
    words: list[str],
    rules: Sequence[RoutingRule],
    user: str,
    chat: str,
    user_default: str,
    channel_default: str,
    known: set[str],
) -> None:
    found = route(
        " ".join(words),
        known=known,
        rules=rules,
        user=user,
        chat=chat,
        user_default=user_default,
        channel_default=channel_default,
    )
    expected = ""
    for word in words:
        name = re.sub(r"[^a-z0-9-]", "", word.lower())
        if not expected and word.lstrip("(").startswith("@") and name in known:
            expected = name
    for rule in rules:
        if not expected and rule.user in ("", user) and rule.chat in ("", chat):
            expected = rule.agent
    assert (found.agent if found else "") == (expected or user_default or channel_default)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("@ada what is new?", "what is new?"),
        (" @Ada: what is new?", "what is new?"),
        ("@ada-2 what is new?", "@ada-2 what is new?"),
        ("@adam hello", "@adam hello"),
        ("ask @ada", "ask @ada"),
        ("@ada", "@ada"),
    ],
)
def test_the_mention_that_a_message_begins_with_is_its_address(text: str, rest: str) -> None:
    assert without_address(text, "ada") == rest


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/help", Command(name="help")),
        ("/start", Command(name="help")),
        ("/status@cabinet_bot", Command(name="status")),
        ("/ASK @ada what is new?", Command(name="ask", rest="@ada what is new?")),
        ("/ask\nwhat is new?", Command(name="ask", rest="what is new?")),
        ("/unknown", None),
        ("/", None),
        ("hello /help", None),
        ("", None),
    ],
)
def test_commands(text: str, command: Command | None) -> None:
    assert read_command(text) == command


@pytest.mark.parametrize("text", ["/nonsense", " /Nonsense@cabinet_bot", "/nonsense with words", "/nonsense\nmore"])
def test_an_unknown_command_is_answered_with_the_commands_that_exist(text: str) -> None:
    answer = unknown_command(text)
    assert "nonsense" in answer.lower()
    assert "\n" not in answer
    assert all(f"/{name}" in answer for name in COMMANDS)


@pytest.mark.parametrize(
    "text",
    [
        "/home/x is full",
        "/etc/passwd",
        "/etc?",
        "/tmp/ is full",
        "/",
        "// note",
        "/2",
        "see /nonsense",
        "/help",
        "/stop",
        "",
    ],
)
def test_paths_and_known_commands_are_no_unknown_command(text: str) -> None:
    assert not unknown_command(text)


def test_the_help_names_every_command() -> None:
    assert all(f"/{name} " in help_text() for name in COMMANDS)


def test_a_sender_has_an_allowance_that_comes_back_with_time() -> None:
    allowance = Allowance(most=3, seconds=10, senders=2)
    assert [allowance.take("eve", 0) for _ in range(5)] == [True, True, True, False, False]
    assert [allowance.may_tell("eve"), allowance.may_tell("eve")] == [True, False]
    assert allowance.take("ada", 0)
    assert (allowance.take("eve", 9), allowance.take("eve", 10), allowance.take("eve", 10)) == (False, True, False)
    assert allowance.may_tell("eve")
    for number in range(50):  # many senders cost no memory
        allowance.take(f"sender {number}", 11)
    assert len(allowance._left) == 2


def test_a_code_belongs_to_one_account_and_can_be_used_once() -> None:
    codes = PairingCodes()
    request = codes.request("c", ADA, 0)
    assert request is not None and codes.request("c", ADA, 1) == request
    other = codes.request("d", ADA, 1)
    assert other is not None and other.code != request.code
    assert codes.find(f" {spaced(request.code).lower()} ", 2, by="ada") == request
    codes.use(request)
    assert codes.find(request.code, 3, by="ada") is None
    assert codes.find(other.code, VALID_SECONDS + 2, by="ada") is None


def test_codes_cannot_be_guessed_and_their_number_is_limited() -> None:
    codes = PairingCodes()
    made = [codes.request("c", Sender(id=str(number)), 0) for number in range(MOST_OPEN + 1)]
    assert made[-1] is None and len({each.code for each in made if each}) == MOST_OPEN
    for _ in range(MOST_GUESSES):
        assert codes.find("AAAA-AAAA", 1, by="ada") is None
    with pytest.raises(TooManyGuesses):
        codes.find(made[0].code if made[0] else "", 2, by="ada")
    assert codes.find(made[0].code if made[0] else "", 2, by="ben") is not None
    assert codes.find(made[0].code if made[0] else "", 602, by="ada") is not None
    assert codes.request("another channel", Sender(id="1"), 2) is not None


def test_a_direct_chat_is_one_conversation_on_all_platforms_and_a_group_has_one_for_each_person() -> None:
    direct = [
        conversation_id(channel, Place(chat=chat, direct=True), agent="a", username="u")
        for channel, chat in ["12", "34"]
    ]
    assert direct[0] == direct[1]
    ids = {
        conversation_id(channel, Place(chat=chat, thread=thread), agent=agent, username=name)
        for channel in "12"
        for chat in "34"
        for thread in ("", "5")
        for agent in "ab"
        for name in "uv"
    }
    assert len(ids) == 32 and direct[0] not in ids


def update(**fields: Any) -> Update:
    """An update as Telegram sends it."""
    base = {"message_id": 7, "date": 0, "chat": {"id": -5, "type": "supergroup", "title": "Team"}}
    message = base | {"from": {"id": 1, "is_bot": False, "first_name": "Ada", "last_name": "L"}} | fields
    raw = msgspec.json.encode({"update_id": 3, "message": message, "unknown": 1})
    return read_updates([msgspec.Raw(raw)])[0][0]


def entity(text: str, part: str, kind: str, **fields: Any) -> dict[str, Any]:
    begin = len(text[: text.index(part)].encode("utf-16-le")) // 2
    return {"type": kind, "offset": begin, "length": len(part.encode("utf-16-le")) // 2, **fields}


@pytest.mark.parametrize(
    ("text", "kind", "part", "expected", "mentioned"),
    [
        ("@cabinet_bot what is new?", "mention", "@cabinet_bot", "what is new?", True),
        ("😀 @Cabinet_Bot hello", "mention", "@Cabinet_Bot", "😀  hello", True),
        ("@cabinet_bot_2 hello", "mention", "@cabinet_bot_2", "@cabinet_bot_2 hello", False),
        ("@ada hello", "mention", "@ada", "@ada hello", False),
        ("/status@cabinet_bot", "bot_command", "/status@cabinet_bot", "/status@cabinet_bot", True),
        ("/status@other_bot", "bot_command", "/status@other_bot", "/status@other_bot", False),
        ("@cabinet_bot in code", "code", "@cabinet_bot", "@cabinet_bot in code", False),
    ],
)
def test_mentions_of_the_bot_on_telegram(text: str, kind: str, part: str, expected: str, mentioned: bool) -> None:
    found = inbound_of(update(text=text, entities=[entity(text, part, kind)]), BOT)
    assert found is not None and (found.text, found.mentioned) == (expected, mentioned)
    assert (found.key, found.sender.name, found.place.title, found.place.direct) == ("3", "Ada L", "Team", False)


def test_other_deliveries_of_telegram() -> None:
    answered = inbound_of(update(text="yes", reply_to_message={"from": {"id": 42}}), BOT)
    assert answered is not None and answered.mentioned
    photo = inbound_of(update(caption="look", photo=[{}]), BOT)
    assert photo is not None and (photo.text, photo.attachments) == ("look", 1)
    topic = inbound_of(update(text="x", message_thread_id=9, is_topic_message=True), BOT)
    assert topic is not None and topic.place.thread == "9"
    by_id = inbound_of(update(text="A hi", entities=[entity("A hi", "A", "text_mention", user={"id": 42})]), BOT)
    assert by_id is not None and (by_id.text, by_id.mentioned) == ("hi", True)
    assert inbound_of(Update(update_id=1), BOT) is None


def test_an_update_that_cannot_be_read_is_passed_over() -> None:
    good, strange, broken = (
        b'{"update_id": 4, "message": null}',
        b'{"update_id": 6, "message": 1}',
        b'{"update_id": 9, "message": {"message_id":1,"chat":{"id":1},"text":"\\ud83d"}}',
    )
    updates, newest = read_updates([msgspec.Raw(each) for each in (good, strange, broken)])
    assert (updates, newest) == ([Update(update_id=4)], 9)
