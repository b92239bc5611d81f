"""What Slack delivers over Socket Mode, as far as it is read here, and its translation into `Inbound`. Pure.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode, https://docs.slack.dev/reference/events/message.im,
https://docs.slack.dev/reference/events/app_mention and
https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from ..port import Inbound, Place, Sender
from .formatting import readable

T = TypeVar("T")

MESSAGES = ("", "file_share", "thread_broadcast", "bot_message")  # subtypes that are messages of somebody


class ConnectionInfo(msgspec.Struct, frozen=True):
    """About the app that a socket belongs to."""

    app_id: str = ""


class Envelope(msgspec.Struct, frozen=True):
    """A message of the socket. `reason`: why Slack ends the connection. Without `envelope_id`, it needs no reply."""

    type: str = ""
    envelope_id: str = ""
    reason: str = ""
    payload: msgspec.Raw = msgspec.Raw(b"null")
    connection_info: ConnectionInfo = ConnectionInfo()


class Message(msgspec.Struct, frozen=True):
    """A message, or the event about it. `ts`: its id in its channel. `message`: as it is now, if it was edited."""

    type: str = ""
    subtype: str = ""
    channel: str = ""
    channel_type: str = ""
    user: str = ""
    bot_id: str = ""
    text: str = ""
    ts: str = ""
    thread_ts: str = ""
    files: object = None
    edited: object = None
    message: msgspec.Raw = msgspec.Raw(b"null")


class EventCallback(msgspec.Struct, frozen=True):
    """A delivery of the Events API. `event_id`: the same for a repeated delivery."""

    event_id: str
    event: Message


class Account(msgspec.Struct, frozen=True):
    """Who has pressed a button."""

    id: str
    name: str = ""
    username: str = ""


class Channel(msgspec.Struct, frozen=True):
    """Where a button was pressed."""

    id: str


class Action(msgspec.Struct, frozen=True):
    """The press of a button."""

    value: str = ""
    action_ts: str = ""


class BlockActions(msgspec.Struct, frozen=True):
    """A delivery about buttons of a message."""

    type: str
    user: Account
    channel: Channel
    message: Message = Message()
    actions: list[Action] = []


def read_envelope(content: str) -> Envelope | None:
    """Return a message of the socket; None if it cannot be read."""
    return _read(content.encode(errors="replace"), Envelope)


def inbound_of(envelope: Envelope, bot: str) -> Inbound | None:
    """Return a delivery as all platforms give it; None if nobody could be answered. `bot`: the id of its account."""
    if envelope.type == "events_api":
        callback = _read(envelope.payload, EventCallback)
        return None if callback is None else _message(callback.event_id, callback.event, bot)
    if envelope.type == "interactive":
        press = _read(envelope.payload, BlockActions)
        return None if press is None else _press(press)
    return None


def press_target(press_id: str) -> tuple[str, str, str]:
    """Return channel, account and thread of a press."""
    channel, user, thread = press_id.split("/")
    return channel, user, thread


def _read(content: bytes | msgspec.Raw, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _message(key: str, event: Message, bot: str) -> Inbound | None:
    """Return a direct message, or one that mentions the bot.

    Slack reports the latter as `app_mention`, and as `message` too if the app is subscribed to that: this one is left
    out.
    """
    is_direct = event.channel_type == "im"
    if event.type != "app_mention" and not (event.type == "message" and is_direct):
        return None
    place, edited = event, event.edited is not None
    if event.subtype == "message_changed":
        event, edited = _read(event.message, Message) or Message(), True
    sender = event.user or event.bot_id
    if not sender or not place.channel or event.subtype not in MESSAGES:
        return None
    text, mentioned = readable(event.text, bot)
    return Inbound(
        key=key,
        sender=Sender(id=sender, is_bot=bool(event.bot_id) or event.subtype == "bot_message"),
        place=Place(chat=place.channel, thread=event.thread_ts or ("" if is_direct else event.ts), direct=is_direct),
        text=text,
        mentioned=mentioned,
        edited=edited,
        attachments=len(event.files) if isinstance(event.files, list) else 0,
    )


def _press(press: BlockActions) -> Inbound | None:
    if press.type != "block_actions" or not press.actions:
        return None
    action, channel, user = press.actions[0], press.channel.id, press.user
    thread = press.message.thread_ts
    return Inbound(
        key=f"{user.id}/{channel}/{action.action_ts}",
        sender=Sender(id=user.id, name=user.name or user.username),
        place=Place(chat=channel, thread=thread, direct=channel.startswith("D")),
        press=action.value,
        press_id=f"{channel}/{user.id}/{thread}",
    )
