"""What Slack delivers over Socket Mode, as far as it is read here, and its translation into `Inbound`. Pure.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode, https://docs.slack.dev/reference/events/message.im,
https://docs.slack.dev/reference/events/app_mention and
https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec

from ..port import Inbound, Place, Sender
from .formatting import readable

T = TypeVar("T")
Id = Annotated[str, msgspec.Meta(max_length=100)]

MESSAGES = ("", "file_share", "thread_broadcast", "bot_message")  # subtypes that are messages of somebody


class Unreadable(ValueError):
    """It is not like a delivery of Slack. The text says where, without anything of its content."""


class ConnectionInfo(msgspec.Struct, frozen=True):
    """About the app that a socket belongs to."""

    app_id: str = ""


class Envelope(msgspec.Struct, frozen=True):
    """A message of the socket. `reason`: why Slack ends the connection. Without `envelope_id`, it needs no reply."""

    type: str = ""
    envelope_id: Id = ""
    reason: str = ""
    payload: msgspec.Raw = msgspec.Raw(b"null")
    connection_info: ConnectionInfo = ConnectionInfo()


class Message(msgspec.Struct, frozen=True):
    """A message, or the event about it. `ts`: its id in its channel. `message`: as it is now, if it was edited."""

    type: str = ""
    subtype: str | None = None
    channel: Id | None = None
    channel_type: str | None = None
    user: Id | None = None
    bot_id: Id | None = None
    text: str | None = None
    ts: Id = ""
    thread_ts: Id | None = None
    files: object = None
    edited: object = None
    message: msgspec.Raw = msgspec.Raw(b"null")


class EventCallback(msgspec.Struct, frozen=True):
    """A delivery of the Events API. `event_id`: the same for a repeated delivery."""

    event_id: Id
    event: Message


class Account(msgspec.Struct, frozen=True):
    """Who has pressed a button."""

    id: Id
    name: str | None = None
    username: str | None = None


class Channel(msgspec.Struct, frozen=True):
    """Where a button was pressed."""

    id: Id


class Action(msgspec.Struct, frozen=True):
    """The press of a button."""

    value: str | None = None
    action_ts: Id = ""


class BlockActions(msgspec.Struct, frozen=True):
    """A delivery about buttons of a message."""

    type: str
    user: Account
    channel: Channel
    message: Message | None = None
    actions: list[Action] = []


def read_envelope(content: str) -> Envelope:
    """Return a message of the socket. Raises `Unreadable`."""
    return _read(content.encode(errors="replace"), Envelope)


def inbound_of(envelope: Envelope, bot: str) -> Inbound | None:
    """Return a delivery as all platforms give it; None if nobody could be answered. `bot`: the id of its account.

    Raises `Unreadable`.
    """
    if envelope.type == "events_api":
        callback = _read(envelope.payload, EventCallback)
        return _message(callback.event_id, callback.event, bot)
    if envelope.type == "interactive":
        return _press(_read(envelope.payload, BlockActions))
    return None


def press_target(press_id: str) -> tuple[str, str, str]:
    """Return channel, account and thread of a press, by the id that `inbound_of` has made."""
    channel, user, thread = press_id.split("/")
    return channel, user, thread


def _read(content: bytes | msgspec.Raw, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None


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
        event, edited = _read(event.message, Message), True
    sender = event.user or event.bot_id
    if not sender or not place.channel or (event.subtype or "") not in MESSAGES:
        return None
    text, mentioned = readable(event.text or "", bot)
    return Inbound(
        key=key,
        sender=Sender(id=sender, is_bot=bool(event.bot_id) or event.subtype == "bot_message"),
        place=Place(chat=place.channel, thread=event.thread_ts or ("" if is_direct else event.ts), direct=is_direct),
        text=text,
        mentioned=mentioned or event.type == "app_mention",
        edited=edited,
        attachments=len(event.files) if isinstance(event.files, list) else 0,
    )


def _press(press: BlockActions) -> Inbound | None:
    if press.type != "block_actions" or not press.actions or not press.actions[0].value:
        return None
    action, channel, user = press.actions[0], press.channel.id, press.user
    thread = (press.message and press.message.thread_ts) or ""
    return Inbound(
        key=f"{user.id}/{channel}/{action.action_ts}",
        sender=Sender(id=user.id, name=user.name or user.username or ""),
        place=Place(chat=channel, thread=thread, direct=channel.startswith("D")),
        press=action.value or "",
        press_id=f"{channel}/{user.id}/{thread}",
    )
