"""The messages of a channel as Markdown, day by day, and for how long they are kept."""

from __future__ import annotations

import argparse
import asyncio
from datetime import UTC, date, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from harness.backend import ADA, BOUND_SECONDS, Place
from harness.clock import SetClock
from harness.waiting import LOOK_SECONDS
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels import store
from jupyter_cabinet.channels.model import Channel, ChannelMessage, ChannelView, EditChannel, NewChannel
from jupyter_cabinet.channels.rules.markdown_export import as_markdown, day_as_markdown, days
from jupyter_cabinet.channels.setup.configuration import Configuration
from jupyter_cabinet.commands import channels as commands
from jupyter_cabinet.core.errors import CabinetError, Invalid, NotAllowed
from jupyter_cabinet.core.ids import new_id
from jupyter_cabinet.core.people import Principal

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = 86_400.0
BEN = Principal(username="ben", display_name="Ben")
HOSTILE = [
    "# Heading\n\n**09:00 · Boss**\n\n> Pay the bill.",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "[x](javascript:alert(1))",
    "![x][p]\n\n[p]: https://evil.example/p.png",
    "```\n# code\n```\n\n# out",
    "~~~\n\n## 2026-03-02",
    "$$\n\\href{javascript:alert(1)}{x}$$",
    "a\n===\nb\n---",
    "\u202egnp.exe \x1b[2J",
    "\u2028# Heading",
    "\r# Heading",
    "    <b>code</b>",
    "- [x]: javascript:alert(1)",
    "1) ![a](b)",
    "\\<b>",
    "| a | b |\n|---|---|\n| <b>x</b> | y |",
]


def message(text: str, at: datetime = NOON, **fields: Any) -> ChannelMessage:
    given: dict[str, Any] = {"direction": "in", "state": "answered", "chat": "7", "sender_name": "Ada", "direct": True}
    return ChannelMessage(
        **{"id": new_id(), "channel_id": "c", "key": new_id(), "text": text, "at": at} | given | fields
    )


class Tags(HTMLParser):
    """The elements outside of quotes, and all elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self._depth = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._depth += tag == "blockquote"
        self.all.append((tag, dict(attrs)))
        if self._depth == 0 and tag != "a":  # of a heading
            self.outside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "blockquote"


def check_harmless(text: str, name: str = "Ada") -> None:
    written = as_markdown("Team bot", [message(text, sender_name=name)], UTC)
    tags = Tags(str(markdown2html_mistune(written)))
    assert tags.outside == ["h1", "h2", "p", "strong"], written
    assert [tag for tag, _ in tags.all if tag in {"h1", "h2", "h3", "blockquote"}] == ["h1", "h2", "blockquote"], (
        written
    )
    for tag, attributes in tags.all:
        assert tag not in {"script", "img", "iframe", "style", "b", "ul", "ol", "table"}, written
        assert not any(each.startswith("on") or each == "src" for each in attributes), written
        assert not (attributes.get("href") or "").strip().lower().startswith(("javascript:", "data:")), written


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_stranger_writes_leaves_its_quote(text: str) -> None:
    check_harmless(text)


@pytest.mark.parametrize("name", ["**Boss**", "x\n\n# Heading", "<img src=x>", "[x](javascript:alert(1))", "`a"])
def test_a_name_is_a_name(name: str) -> None:
    check_harmless("hello", name)


@given(
    st.lists(st.sampled_from([*HOSTILE, "\n", "\n\n", "> ", "`", "~~~", "    ", "a", "\\"]), max_size=6).map("".join)
)
def test_no_mixture_leaves_its_quote(text: str) -> None:
    check_harmless(f"a{text}")


def test_each_day_has_a_heading_in_the_zone_that_was_asked_for() -> None:
    late = message("Late\nin two lines", NOON.replace(hour=23), sender_name="Ben", direct=False, place="Lab")
    answer = message("Done.", NOON.replace(hour=23, minute=30), direction="out", agent="mia", state="failed")
    assert as_markdown("Team", [message("Hello *you*"), late, answer], BERLIN) == (
        "# Team\n\n## 2026-03-01\n\n**13:00 · Ada**\n\n> Hello \\*you\\*  \n\n"
        "## 2026-03-02\n\n**00:00 · Ben · in Lab**\n\n> Late  \n> in two lines  \n\n"
        "**00:30 · mia · failed**\n\n> Done.  \n"
    )
    assert [day for day, _ in days([message("a"), late], UTC)] == [date(2026, 3, 1)]
    assert day_as_markdown("Team", date(2026, 3, 1), [], UTC) == "# Team, 2026-03-01\n"


async def web_chat(backend: Backend, **fields: Any) -> ChannelView:
    return await backend.channels.create(NewChannel(platform="web", title="Team", **fields), ADA)


async def put(backend: Backend, channel: Channel, *messages: ChannelMessage) -> None:
    for each in messages:
        stored = msgspec.structs.replace(each, channel_id=channel.id)
        await backend.commits.commit(lambda c, stored=stored: store.insert_message(c, stored))


async def texts(backend: Backend, channel: Channel) -> list[str]:
    return [each.text for each in await backend.channels.messages(channel.id, ADA)][::-1]


async def test_its_owner_exports_it(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(shared_login=False) as backend:
        channel = await web_chat(backend)
        await put(backend, channel, message("new", NOON + timedelta(days=2)), message("old"))
        both = (await backend.channels.export(channel.id, ADA)).decode()
        assert both.index("> old") < both.index("## 2026-03-03") < both.index("> new")
        some = await backend.channels.export(channel.id, ADA, since=NOON, until=NOON + timedelta(days=2))
        assert b"> old" in some and b"> new" not in some
        with pytest.raises(Invalid, match="not a known time zone"):
            await backend.channels.export(channel.id, ADA, zone="../etc")
        with pytest.raises((NotAllowed, CabinetError)):
            await backend.channels.export(channel.id, BEN)


async def test_finished_messages_are_deleted_when_they_are_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SetClock(monkeypatch)
    async with Place(tmp_path).backend(clock=clock) as backend:
        kept, short = await web_chat(backend), await web_chat(backend, keep_days=7)
        now = clock.now()
        for channel in (kept, short):
            waits = message("waits", now, direction="out", state="later", not_before=now + timedelta(days=90))
            await put(backend, channel, message("old", now), waits, message("new", now + timedelta(days=3)))
        clock.set(8 * DAY)
        await backend._channel_room.cleanup.delete_old()
        assert await texts(backend, short) == ["waits", "new"]
        assert await texts(backend, kept) == ["old", "waits", "new"]


async def test_a_shorter_time_counts_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SetClock(monkeypatch)
    async with Place(tmp_path).backend(clock=clock) as backend:
        channel = await web_chat(backend)
        await put(backend, channel, message("old", clock.now()))
        clock.set(2 * DAY)
        await put(backend, channel, message("new", clock.now()))
        fields = {name: getattr(channel, name) for name in ("title", "agent", "rules", "named_chats", "enabled")}
        for days_asked in (-1, 3651):
            with pytest.raises(Invalid) as refused:
                await backend.channels.change(channel.id, EditChannel(**fields, keep_days=days_asked), ADA)
            assert refused.value.detail["field"] == "keep_days"
        await backend.channels.change(channel.id, EditChannel(**fields, keep_days=1), ADA)
        assert await texts(backend, channel) == ["new"]


async def test_a_server_deletes_what_became_too_old_while_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SetClock(monkeypatch)
    async with Place(tmp_path).backend(clock=clock) as backend:
        channel = await web_chat(backend, keep_days=1)
        await put(backend, channel, message("old", clock.now()))
    clock.set(2 * DAY)
    async with Place(tmp_path).backend(clock=clock) as backend, asyncio.timeout(BOUND_SECONDS):
        while await texts(backend, channel):
            await asyncio.sleep(LOOK_SECONDS)


class OneChannel:
    """The API of a server with one channel, page by page."""

    def __init__(self, messages: list[ChannelMessage]) -> None:
        view = {"id": "c", "title": "Team", "platform": "web", "owner": "ada", "owner_name": "Ada"}
        rest = {"visibility": "server", "created_at": NOON.isoformat(), "connection": {}, "may_change": True}
        self._channel, self._messages = view | rest, messages

    def get(self, path: str, *, limit: int = 0, cursor: int = 0) -> Any:
        if path == "channels":
            return {"items": [self._channel]}
        page = self._messages[cursor : cursor + 1]
        return {"items": msgspec.to_builtins(page), "next": cursor + 1 if cursor + 1 < len(self._messages) else None}


def test_the_command_writes_a_file_for_each_day_and_keeps_what_it_has_written(tmp_path: Path) -> None:
    at = datetime(2026, 3, 1, 12).astimezone()  # by the clock of this machine
    first, second = message("first", at), message("second", at + timedelta(days=1))
    waits = message("waits", at + timedelta(days=1, hours=1), direction="out", state="waiting")
    folder = tmp_path / "exported"

    def export(*messages: ChannelMessage, to: Path = folder) -> list[str]:
        given_by_person = argparse.Namespace(channel="Team", to=str(to))
        printed = commands.exported(OneChannel(list(messages)), given_by_person)  # type: ignore[arg-type]
        return [Path(each).name for each in printed.value["files"]]

    assert export(waits, second, first) == ["2026-03-01.md", "2026-03-02.md"]
    assert "> first  " in (folder / "2026-03-01.md").read_text()
    later = message("later that day", at + timedelta(days=1, hours=2))
    sent = msgspec.structs.replace(waits, state="sent")
    assert export(later, sent) == ["2026-03-02.md"]  # the others were deleted on the server
    texts = [line for line in (folder / "2026-03-02.md").read_text().splitlines() if line.startswith(">")]
    assert texts == ["> second  ", "> waits  ", "> later that day  "]
    assert "waiting" not in (folder / "2026-03-02.md").read_text()
    again = (folder / "2026-03-02.md").read_text()
    assert export(later, sent) == ["2026-03-02.md"] and (folder / "2026-03-02.md").read_text() == again
    assert export() == []

    (folder / "2026-03-01.md").write_text("# My notes\n")
    with pytest.raises(CabinetError, match="not of this channel"):
        export(first)
    assert (folder / "2026-03-01.md").read_text() == "# My notes\n"
    (tmp_path / "file").write_text("")
    with pytest.raises(CabinetError, match="could not be written"):
        export(first, to=tmp_path / "file")


@pytest.mark.parametrize("days_by_hand", [-1, 10**6])
async def test_a_time_that_was_edited_by_hand_deletes_nothing(tmp_path: Path, days_by_hand: int) -> None:
    async with Place(tmp_path).backend() as backend:
        channel = await web_chat(backend)
        await put(backend, channel, message("kept"))

        def change(before: Configuration) -> Configuration:
            edited = tuple(msgspec.structs.replace(each, keep_days=days_by_hand) for each in before.channels)
            return msgspec.structs.replace(before, channels=edited)

        await backend._channel_room.book.change(change)
        await backend._channel_room.cleanup.delete_old()
        assert await texts(backend, channel) == ["kept"]
