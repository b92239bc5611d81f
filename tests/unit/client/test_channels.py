"""`cabinet.channels` against a real server whose bot is one of a local double of Telegram."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from harness.channels import channel_of_server
from harness.server import Server, until

from jupyter_cabinet import Cabinet
from jupyter_cabinet.channels.model import ChannelMessage
from jupyter_cabinet.client.channels import Channels, named
from jupyter_cabinet.testing.telegram import TelegramServer


@pytest.mark.slow(reason="starts a server, and runs of the demo agent")
async def test_channels_messages_and_accounts_are_read(cabinet: Cabinet, server: Server) -> None:
    with TelegramServer() as telegram, channel_of_server(server, telegram, agent="ada") as id:
        telegram.write("reply with the single word walrus")
        until(lambda: "walrus" in telegram.texts(), what="the answer")
        (channel,) = await cabinet.channels.list.aio()
        assert (channel.id, channel.title, channel.agent, channel.pairings) == (id, "Team bot", "ada", 1)
        assert channel.connection.state == "connected" and not channel.may_change
        assert (await cabinet.channels.get.aio("Team bot")).id == cabinet.channels.get(id).id == id
        with pytest.raises(ValueError, match="There is no channel 'Other bot'"):
            cabinet.channels.get("Other bot")
        ended = {"sent", "answered"}
        until(lambda: {each.state for each in cabinet.channels.messages(id)} == ended, what="the record of it")
        answer, question = await cabinet.channels.messages.aio("team bot", query="WALRUS")
        assert (answer.direction, answer.text, answer.agent) == ("out", "walrus", "ada")
        assert (question.direction, question.sender_name, question.state) == ("in", "Ada", "answered")
        assert cabinet.channels.messages(id, limit=1) == (answer,)
        assert cabinet.channels.messages(id, query="narwhal") == cabinet.channels.messages(id, limit=0) == ()
        (account,) = cabinet.channels.accounts()
        assert (account.channel_id, account.sender_name, account.may) == (id, "Ada", ("ask",))
        with server.client("root") as program:
            refused = program.delete(f"channels/{id}")
        assert refused.status_code == 403 and "Only a person in the browser" in refused.text
    assert cabinet.channels.list() == cabinet.channels.accounts() == ()


def test_an_id_goes_before_a_title_and_the_same_case_before_another() -> None:
    made: Any = [SimpleNamespace(id=id, title=title) for id, title in [("1", "Team"), ("2", "team"), ("3", "1")]]
    first, second, third = made
    assert named(made, "1") == (first,) and named(made, "team") == (second,) and named(made, "3") == (third,)
    assert named(made, "TEAM") == (first, second) and named(made, "") == ()


class Api:
    """Has two channels of the same title, and as many messages as asked for, a page at a time."""

    def __init__(self, messages: int) -> None:
        self.portal = self  # everything happens on the loop of the test
        self.asked: list[dict[str, Any]] = []
        self._messages = messages

    async def awaited(self, work: Any) -> Any:
        return await work

    async def fetch_items(self, _path: str, _of: type) -> Any:
        return [SimpleNamespace(id="1", title="Team"), SimpleNamespace(id="2", title="Team")]

    async def fetch(self, path: str, gives: type, query: dict[str, Any]) -> Any:
        assert path == "channels/2/messages"
        self.asked.append(query)
        last = (query["cursor"] or self._messages + 1) - 1
        numbers = range(last, max(0, last - query["limit"]), -1)
        items = tuple(SimpleNamespace(number=number) for number in numbers)
        return gives(items=items, next=numbers[-1] if len(items) == query["limit"] else None)


@pytest.mark.parametrize(("limit", "pages"), [(150, [150]), (300, [200, 100]), (1000, [200, 200])])
async def test_more_messages_than_a_page_are_read_page_by_page(limit: int, pages: list[int]) -> None:
    api: Any = Api(380)
    found: tuple[ChannelMessage, ...] = await Channels(api).messages.aio("2", limit=limit)
    assert [each.number for each in found] == list(range(380, 380 - min(limit, 380), -1))
    assert [each["limit"] for each in api.asked] == pages


async def test_a_title_of_several_channels_needs_an_id() -> None:
    api: Any = Api(0)
    with pytest.raises(ValueError, match=r"More than one channel is named 'Team'\. Give its id\."):
        await Channels(api).get.aio("Team")
