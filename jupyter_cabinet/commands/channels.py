"""`jupyter cabinet channels`: bots on chat platforms, their messages, and the accounts that are connected with them.

Names and texts come from strangers, so that all of them are printed as `core/plain_text.py` shows them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from ..channels.model import ChannelMessage, ChannelView, ConnectionState, ConnectionStatus, MessageState, Pairing
from ..channels.rules.markdown_export import day_as_markdown, days, merged
from ..client.api import Api, converted
from ..client.channels import named
from ..core.errors import CabinetError
from ..core.plain_text import one_line, table
from .printing import Printed, local_time
from .problems import CommandFailed

NAME_CHARACTERS, TEXT_CHARACTERS, REASON_CHARACTERS = 40, 80, 100
CHANNELS = ("TITLE", "PLATFORM", "STATE", "AGENT", "ACCOUNTS", "WAITING", "IN DOUBT", "ID")
MESSAGES = ("TIME", "DIRECTION", "WHO", "CHAT", "STATE", "TEXT", "REASON")
ACCOUNTS = ("ACCOUNT", "PERSON", "CHANNEL", "MAY", "AGENT", "SINCE")
NO_CHANNELS = "There are no channels yet. In JupyterLab, open Channels from the launcher and choose Add channel."
NO_MESSAGES = "The channel has no messages yet. Write to the bot."
WRITE_FIRST = "The web chat has no messages yet. `jupyter cabinet channels` says where its page is."
CONNECT_FIRST = "It replies with a code, which you enter in JupyterLab: open Channels and choose Enter code."
MOST_IN_PAGE = 200  # the server's own limit
NO_MATCH = "No message of this channel contains this text."
NO_ACCOUNTS = (
    "No account is connected yet. Write to the bot of a channel. It replies with a code, which you enter in "
    "JupyterLab: open Channels from the launcher and choose Enter code."
)

CONNECTION_WORDS: dict[ConnectionState, str] = {
    "off": "switched off",
    "connecting": "connecting",
    "connected": "connected",
    "failed": "does not work",
    "elsewhere": "connected by another server",
}
MESSAGE_WORDS: dict[MessageState, str] = {
    "received": "received",
    "working": "an agent is working on it",
    "answered": "answered",
    "later": "scheduled",
    "waiting": "waiting",
    "sending": "being sent",
    "sent": "sent",
    "unknown": "may not have arrived",
    "failed": "failed",
}
RIGHT_WORDS = {"ask": "ask agents", "approve": "answer approval requests"}


def listed(api: Api, _given: argparse.Namespace) -> Printed:
    """`channels`, `channels list`: the oldest first, what is wrong with each, and where the pages of web chats are."""
    value = api.get("channels")
    channels = converted(value["items"], list[ChannelView])
    if not channels:
        return Printed(value=value, lines=(NO_CHANNELS,))
    rows = table(CHANNELS, [_row(each) for each in channels])
    return Printed(value=value, lines=(*rows, *_problems(channels), *_pages(channels, api)))


def messages(api: Api, given: argparse.Namespace) -> Printed:
    """`channels messages CHANNEL`: both directions, newest first."""
    channel = _channel(api, given.channel)
    asked = {"query": given.query} if given.query else {}
    value = api.get(f"channels/{channel.id}/messages", **asked, limit=given.limit)
    found = converted(value["items"], list[ChannelMessage])
    if not found:
        return Printed(value=value, lines=(NO_MATCH if given.query else _no_messages(channel),))
    return Printed(value=value, lines=tuple(table(MESSAGES, [_message(each, channel) for each in found])))


def exported(api: Api, given: argparse.Namespace) -> Printed:
    """`channels export CHANNEL --to FOLDER`: a file of Markdown for each day, by the clock of this machine.

    Messages that an earlier call has written stay, also if they were deleted since.
    """
    channel = _channel(api, given.channel)
    found = sorted(_all_messages(api, channel.id), key=lambda each: (each.at, each.number))
    folder = Path(given.to)
    made: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for day, of_day in days(found, None):
            file, text = folder / f"{day.isoformat()}.md", day_as_markdown(channel.title, day, of_day, None)
            _replace(file, merged(_known(file, text.partition("\n")[0]), text))
            made.append(str(file))
    except OSError as error:
        where = error.filename or folder
        raise CabinetError(f"{where} could not be written: {error.strerror or error}. Check the path.") from error
    if not found:
        return Printed(value={"files": []}, lines=(_no_messages(channel),))
    plural = "file" if len(made) == 1 else "files"
    return Printed(value={"files": made}, lines=(f"Wrote {len(made)} {plural} in {one_line(str(folder))}.",))


def _all_messages(api: Api, channel_id: str) -> Iterator[ChannelMessage]:
    cursor = None
    while True:
        asked: dict[str, int] = {} if cursor is None else {"cursor": cursor}
        page = api.get(f"channels/{channel_id}/messages", **asked, limit=MOST_IN_PAGE)
        yield from converted(page["items"], list[ChannelMessage])
        cursor = page.get("next")
        if cursor is None:
            return


def _known(file: Path, heading: str) -> str:
    """Return what an earlier call has written; empty if there is no file. Raises `CabinetError` for another file."""
    try:
        before = file.read_text(errors="replace")
    except FileNotFoundError:
        return ""
    if before.partition("\n")[0] != heading:
        raise CabinetError(f"{file} is not of this channel. Choose another folder.")
    return before


def _replace(file: Path, text: str) -> None:
    part = file.with_suffix(".part")
    part.write_bytes(text.encode(errors="replace"))
    part.replace(file)


def accounts(api: Api, _given: argparse.Namespace) -> Printed:
    """`channels accounts`: your own, and all those of the channels that you own."""
    value = api.get("channel-pairings")
    found = converted(value["items"], list[Pairing])
    if not found:
        return Printed(value=value, lines=(NO_ACCOUNTS,))
    titles = {each.id: each.title for each in converted(api.get("channels")["items"], list[ChannelView])}
    rows = [_account(each, titles.get(each.channel_id, each.channel_id)) for each in found]
    return Printed(value=value, lines=tuple(table(ACCOUNTS, rows)))


def _channel(api: Api, name: str) -> ChannelView:
    channels = converted(api.get("channels")["items"], list[ChannelView])
    found = named(channels, name)
    if not found:
        remedy = "List them with `jupyter cabinet channels`." if channels else NO_CHANNELS
        raise CommandFailed(f"There is no channel {name}.", remedy, kind="not_found")
    if len(found) > 1:
        remedy = "Give its id. `jupyter cabinet channels` lists them."
        raise CommandFailed(f"More than one channel is named {name}.", remedy, kind="not_found")
    return found[0]


def _no_messages(channel: ChannelView) -> str:
    if channel.platform == "web":
        return WRITE_FIRST
    return NO_MESSAGES if channel.pairings else f"{NO_MESSAGES} {CONNECT_FIRST}"


def _row(channel: ChannelView) -> tuple[str, ...]:
    return (
        one_line(channel.title, most=NAME_CHARACTERS),
        channel.platform,
        _state(channel.connection),
        channel.agent,
        str(channel.pairings),
        str(channel.waiting or ""),
        str(channel.unknown or ""),
        channel.id,
    )


def _state(connection: ConnectionStatus) -> str:
    words = CONNECTION_WORDS[connection.state]
    if connection.state == "connected" and connection.account:
        return f"{words} as {connection.account}"
    return words


def _problems(channels: list[ChannelView]) -> Iterator[str]:
    found = [each for each in channels if each.connection.problem]
    if found:
        yield ""
    for each in found:
        title, connection = one_line(each.title, most=NAME_CHARACTERS), each.connection
        yield f"{title}: {one_line(f'{connection.problem} {connection.remedy}')}"


def _pages(channels: list[ChannelView], api: Api) -> Iterator[str]:
    found = [each for each in channels if each.platform == "web" and each.connection.address]
    if found:
        yield ""
    for each in found:
        yield f"{one_line(each.title, most=NAME_CHARACTERS)}: {api.server.url}{each.connection.address}"


def _message(message: ChannelMessage, channel: ChannelView) -> tuple[str, ...]:
    bot = message.agent or channel.connection.account or channel.title
    return (
        local_time(message.at),
        message.direction,
        one_line(message.sender_name or message.sender_id if message.direction == "in" else bot, most=NAME_CHARACTERS),
        "" if message.direct else one_line(message.place or message.chat, most=NAME_CHARACTERS),
        MESSAGE_WORDS[message.state],
        _first_line(message.text),
        one_line(message.reason, most=REASON_CHARACTERS),
    )


def _first_line(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    line = one_line(first, most=TEXT_CHARACTERS)
    return f"{line} …" if rest.strip() and not line.endswith("…") else line


def _account(account: Pairing, channel: str) -> tuple[str, ...]:
    return (
        one_line(account.sender_name or account.sender_id, most=NAME_CHARACTERS),
        one_line(account.display_name or account.username, most=NAME_CHARACTERS),
        one_line(channel, most=NAME_CHARACTERS),
        ", ".join(RIGHT_WORDS[each] for each in account.may) or "nothing",
        account.agent,
        local_time(account.created_at),
    )
