"""What Discord delivers over its Gateway, as far as it is read here, and its translation into `Inbound`. Pure.

Source: https://docs.discord.com/developers/events/gateway-events,
https://docs.discord.com/developers/resources/message and
https://docs.discord.com/developers/interactions/receiving-and-responding
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec

from ..model import MAX_NAME
from ..port import Inbound, Place, Sender
from .formatting import readable

T = TypeVar("T")
Id = Annotated[str, msgspec.Meta(pattern=r"\A[0-9]{1,20}\Z")]  # it becomes part of a URL
Token = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_.=+~:-]{1,1000}\Z")]  # so does this

MESSAGES = (0, 19)  # types of messages that somebody has written: on their own, and as a reply
PRESS, BUTTON = 3, 2  # type of the interaction, and of the component


class Unreadable(ValueError):
    """It is not like a delivery of Discord. The text says where, without anything of its content."""


class Payload(msgspec.Struct, frozen=True):
    """What comes over the Gateway. `op`: what it is. `t` and `s`: name and number of an event."""

    op: int
    t: str | None = None
    s: int | None = None
    d: msgspec.Raw = msgspec.Raw(b"null")


class Hello(msgspec.Struct, frozen=True):
    """The greeting. `heartbeat_interval`: in milliseconds."""

    heartbeat_interval: Annotated[float, msgspec.Meta(ge=10, le=3_600_000)]


class Ready(msgspec.Struct, frozen=True):
    """The beginning of a session. `resume_gateway_url`: where it is continued."""

    session_id: Annotated[str, msgspec.Meta(max_length=200)]
    resume_gateway_url: Annotated[str, msgspec.Meta(max_length=1000)]


class Account(msgspec.Struct, frozen=True):
    """An account. `global_name`: how it wants to be called."""

    id: Id
    username: str | None = None
    global_name: str | None = None
    bot: bool | None = None
    system: bool | None = None


class Member(msgspec.Struct, frozen=True):
    """An account in a guild. `nick`: its name there."""

    user: Account | None = None
    nick: str | None = None


class Answered(msgspec.Struct, frozen=True):
    """The message that was replied to."""

    author: Account | None = None


class Message(msgspec.Struct, frozen=True):
    """A message, or the parts of it that have changed. Without `guild_id`, it is a direct one."""

    id: Id
    channel_id: Id
    type: int = 0
    guild_id: Id | None = None
    author: Account | None = None
    member: Member | None = None
    webhook_id: object = None
    content: str | None = None
    mentions: list[Account] | None = None
    attachments: object = None
    edited_timestamp: Annotated[str, msgspec.Meta(max_length=50)] | None = None
    referenced_message: Answered | None = None


class Pressed(msgspec.Struct, frozen=True):
    """What was pressed."""

    custom_id: str = ""
    component_type: int = 0


class Interaction(msgspec.Struct, frozen=True):
    """What somebody has done with a part of a message. `token`: with which it is answered."""

    id: Id
    application_id: Id
    type: int
    token: Token
    channel_id: Id | None = None
    guild_id: Id | None = None
    user: Account | None = None
    member: Member | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")


class Press(msgspec.Struct, frozen=True):
    """How Discord refers to the press of a button."""

    application: str
    id: str
    token: str

    def as_text(self) -> str:
        """Return it as the id of a press."""
        return f"{self.application}/{self.id}/{self.token}"


def press_of(press_id: str) -> Press:
    """Return the press with an id that `Press.as_text` has made."""
    return Press(*press_id.split("/"))


def read(content: bytes | msgspec.Raw, kind: type[T]) -> T:
    """Return what was delivered. Raises `Unreadable`."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def read_payload(content: str) -> Payload:
    """Return what came over the Gateway. Raises `Unreadable`."""
    return read(content.encode(errors="replace"), Payload)


def press_in(payload: Payload) -> Press | None:
    """Return the press of a button that must be answered at once; None for anything else. Raises `Unreadable`."""
    if payload.t != "INTERACTION_CREATE":
        return None
    interaction = read(payload.d, Interaction)
    if interaction.type != PRESS:
        return None
    return Press(interaction.application_id, interaction.id, interaction.token)


def inbound_of(payload: Payload, bot: str) -> Inbound | None:
    """Return an event as all platforms give it; None if nobody could be answered. `bot`: the id of its account.

    Raises `Unreadable`.
    """
    if payload.t in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
        return _message(read(payload.d, Message), bot, is_update=payload.t == "MESSAGE_UPDATE")
    if (press := press_in(payload)) is not None:
        return _pressed(read(payload.d, Interaction), press)
    return None


def _message(message: Message, bot: str, *, is_update: bool) -> Inbound | None:
    author = message.author
    if author is None or message.type not in MESSAGES:
        return None
    text, is_written = readable(message.content or "", bot)
    answered = message.referenced_message and message.referenced_message.author
    is_mentioned = is_written or any(each.id == bot for each in message.mentions or ())
    return Inbound(
        key=f"{message.id}/{message.edited_timestamp or 'update'}" if is_update else message.id,
        sender=Sender(
            id=author.id,
            name=_name(author, message.member),
            is_bot=bool(author.bot or author.system or message.webhook_id),
        ),
        place=_place(message.channel_id, message.guild_id),
        text=text,
        mentioned=is_mentioned or bool(answered and answered.id == bot),
        edited=is_update,
        attachments=len(message.attachments) if isinstance(message.attachments, list) else 0,
    )


def _pressed(interaction: Interaction, press: Press) -> Inbound | None:
    data = read(interaction.data, Pressed)
    member = interaction.member
    user = interaction.user or (member.user if member is not None else None)
    if user is None or interaction.channel_id is None or data.component_type != BUTTON or not data.custom_id:
        return None
    return Inbound(
        key=press.id,
        sender=Sender(id=user.id, name=_name(user, member), is_bot=bool(user.bot)),
        place=_place(interaction.channel_id, interaction.guild_id),
        press=data.custom_id,
        press_id=press.as_text(),
    )


def _place(channel: str, guild: str | None) -> Place:
    """Return a chat. On Discord, a thread is a channel like any other."""
    return Place(chat=channel, direct=guild is None)


def _name(account: Account, member: Member | None) -> str:
    return ((member and member.nick) or account.global_name or account.username or "")[:MAX_NAME]
