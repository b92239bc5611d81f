"""`jupyter cabinet channels`: states in words with what helps; texts of strangers control no terminal."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any, get_args

import msgspec
import pytest

from jupyter_cabinet.channels.model import (
    ChannelMessage,
    ChannelView,
    ConnectionState,
    ConnectionStatus,
    MessageState,
    Pairing,
    Right,
)
from jupyter_cabinet.client.connection.server_address import ServerAddress
from jupyter_cabinet.commands.channels import (
    CONNECT_FIRST,
    CONNECTION_WORDS,
    MESSAGE_WORDS,
    NO_ACCOUNTS,
    NO_CHANNELS,
    NO_MATCH,
    NO_MESSAGES,
    RIGHT_WORDS,
    WRITE_FIRST,
    accounts,
    listed,
    messages,
)
from jupyter_cabinet.commands.problems import CommandFailed

AT = datetime(2026, 3, 1, 8, tzinfo=UTC)


class Api:
    """Answers with what it was given, by the last part of a path."""

    def __init__(self, **items: list[Any]) -> None:
        self._items = items
        self.asked: dict[str, Any] = {}

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        self.asked[path] = query
        return {"items": msgspec.to_builtins(self._items.get(path.rpartition("/")[2].replace("-", "_"), []))}


def channel(
    id: str = "1", title: str = "Team bot", *, pairings: int = 0, unknown: int = 0, **state: Any
) -> ChannelView:
    return ChannelView(
        id=id,
        title=title,
        platform="telegram",
        agent="ada",
        owner="o",
        owner_name="O",
        visibility="server",
        created_at=AT,
        connection=ConnectionStatus(**state),
        may_change=False,
        pairings=pairings,
        unknown=unknown,
    )


def message(text: str, **fields: Any) -> ChannelMessage:
    values: dict[str, Any] = {"direction": "in", "state": "answered", "direct": True, "sender_name": "Ada", **fields}
    return ChannelMessage(id="1", channel_id="1", key="1", chat="7", text=text, at=AT, **values)


def rows(printed: Any) -> list[str]:
    return [" ".join(line.split()) for line in printed.lines]


def asking(name: str = "Team bot", query: str | None = None) -> argparse.Namespace:
    return argparse.Namespace(channel=name, query=query, limit=20)


def test_every_state_and_right_has_words() -> None:
    assert set(CONNECTION_WORDS) == set(get_args(ConnectionState))
    assert set(MESSAGE_WORDS) == set(get_args(MessageState))
    assert set(RIGHT_WORDS) == set(get_args(Right))


def test_the_page_of_a_web_chat_is_listed_with_the_address_of_the_server() -> None:
    address = ServerAddress(url="http://localhost:8888/lab/", token="s3cret")
    chat = msgspec.structs.replace(
        channel("2", "Kitchen\x1b[2J", state="connected", address="cabinet/chat#2"), platform="web"
    )
    api: Any = Api(channels=[channel(state="off"), chat])
    api.server = address
    printed = rows(listed(api, argparse.Namespace()))
    assert printed[-2] == "" and printed[-1].endswith(": http://localhost:8888/lab/cabinet/chat#2")
    assert "s3cret" not in "".join(printed) and "\x1b" not in "".join(printed)
    printed = rows(messages(Api(channels=[chat]), asking("2")))
    assert printed == [WRITE_FIRST]


def test_channels_are_listed_with_what_is_wrong_and_what_helps() -> None:
    wrong = {"state": "failed", "problem": "Telegram does not know this token.", "remedy": "Check it."}
    api: Any = Api(
        channels=[channel(state="connected", account="@bot"), channel("2", "New\x1b[2J", unknown=3, **wrong)]
    )
    assert rows(listed(api, argparse.Namespace())) == [
        "TITLE PLATFORM STATE AGENT ACCOUNTS IN DOUBT ID",
        "Team bot telegram connected as @bot ada 0 1",
        "New\\x1b[2J telegram does not work ada 0 3 2",
        "",
        "New\\x1b[2J: Telegram does not know this token. Check it.",
    ]


def test_messages_are_listed_by_their_first_line_and_control_no_terminal() -> None:
    found = [
        message("all\nof it", direction="out", state="unknown", agent="ada", sender_name="", reason="Cut\noff."),
        message("\x1b]0;owned\x07hello\u202e", sender_name="Eve\x1b[31m", direct=False, place="The\r team"),
        message("x" * 100, direction="out", state="sent", sender_name=""),
    ]
    api: Any = Api(channels=[channel(state="connected", account="@bot")], messages=found)
    printed = messages(api, asking(query="l"))
    assert api.asked["channels/1/messages"] == {"query": "l", "limit": 20}
    assert [line.partition(" 2026-03-01 ")[2][6:] for line in rows(printed)[1:]] == [
        "out ada may not have arrived all … Cut off.",
        "in Eve\\x1b[31m The\\x0d team answered \\x1b]0;owned\\x07hello\\u{202e}",
        f"out @bot sent {'x' * 79}…",
    ]


def test_accounts_are_listed_with_their_person_and_what_they_may_do() -> None:
    account = Pairing(
        id="p",
        channel_id="1",
        sender_id="7",
        sender_name="Ada\x9b",
        username="ada",
        display_name="Ada Lind",
        shared_login=False,
        may=("ask", "approve"),
        created_at=AT,
    )
    elsewhere = msgspec.structs.replace(account, channel_id="of-another", sender_name="", may=(), agent="eve")
    api: Any = Api(channels=[channel()], channel_pairings=[account, elsewhere])
    _, first, second = rows(accounts(api, argparse.Namespace()))
    assert first.startswith("Ada\\x9b Ada Lind Team bot ask agents, answer approval requests Sun 2026-03-01")
    assert second.startswith("7 Ada Lind of-another nothing eve Sun 2026-03-01")


def test_an_empty_list_says_how_to_begin() -> None:
    api: Any = Api(channels=[])
    assert listed(api, argparse.Namespace()).lines == (NO_CHANNELS,)
    assert accounts(api, argparse.Namespace()).lines == (NO_ACCOUNTS,)
    with pytest.raises(CommandFailed, match="There is no channel Team bot") as failed:
        messages(api, asking())
    assert failed.value.hint == NO_CHANNELS
    api = Api(channels=[channel(), channel("2", "Used", pairings=1)])
    assert messages(api, asking()).lines == (f"{NO_MESSAGES} {CONNECT_FIRST}",)
    assert messages(api, asking("Used")).lines == (NO_MESSAGES,)
    assert messages(api, asking(query="x")).lines == (NO_MATCH,)


def test_a_channel_is_named_by_title_or_id_and_must_be_one() -> None:
    api: Any = Api(channels=[channel(), channel("2", pairings=1)])
    assert messages(api, asking("2")).lines == (NO_MESSAGES,)
    with pytest.raises(CommandFailed, match="More than one channel is named Team bot"):
        messages(api, asking())
    with pytest.raises(CommandFailed, match="There is no channel Other"):
        messages(api, asking("Other"))
