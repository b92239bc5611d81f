"""What Telegram delivers, as far as it is read here, and its translation into `Inbound`. Pure.

Source: https://core.telegram.org/bots/api#available-types
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from ..port import Inbound, Place, Sender


class User(msgspec.Struct, frozen=True):
    """An account: of a person, or of a bot."""

    id: int
    is_bot: bool = False
    first_name: str = ""
    last_name: str = ""
    username: str = ""


class Chat(msgspec.Struct, frozen=True):
    """A chat. `type`: `private`, `group`, `supergroup` or `channel`."""

    id: int
    type: str = ""
    title: str = ""


class Entity(msgspec.Struct, frozen=True):
    """A part of a text with a meaning. `offset` and `length` in UTF-16 units."""

    type: str
    offset: int
    length: int
    user: User | None = None


class AnsweredMessage(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """The message that another one answers."""

    sender: User | None = None


class Message(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """A message. `sender`: None for a post of a channel."""

    message_id: int
    chat: Chat
    sender: User | None = None
    text: str = ""
    caption: str = ""
    entities: list[Entity] = []
    caption_entities: list[Entity] = []
    message_thread_id: int | None = None
    is_topic_message: bool = False
    reply_to_message: AnsweredMessage | None = None
    photo: object = None
    document: object = None
    audio: object = None
    video: object = None
    voice: object = None
    video_note: object = None
    sticker: object = None


class SentMessage(msgspec.Struct, frozen=True):
    """A message that the bot has sent."""

    message_id: int


class CallbackQuery(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """The press of a button."""

    id: str
    sender: User
    data: str = ""
    message: Message | None = None


class Update(msgspec.Struct, frozen=True):
    """One delivery."""

    update_id: int
    message: Message | None = None
    edited_message: Message | None = None
    callback_query: CallbackQuery | None = None


_NUMBER = re.compile(rb'^\s*\{\s*"update_id"\s*:\s*([0-9]{1,18})')


def read_updates(raw: Iterable[msgspec.Raw]) -> tuple[list[Update], int | None]:
    """Return the updates that can be read, and the greatest number of all; None if there is none.

    One that cannot be read is left out, because Telegram would deliver it again each time.
    """
    updates, numbers = [], []
    for each in raw:
        try:
            update = msgspec.json.decode(each, type=Update)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            found = _NUMBER.match(bytes(each))
            numbers += [int(found[1])] if found else []
        else:
            updates.append(update)
            numbers.append(update.update_id)
    return updates, max(numbers, default=None)


FILES = ("photo", "document", "audio", "video", "voice", "video_note", "sticker")
Marked = Literal["mention", "command", ""]


def inbound_of(update: Update, bot: User) -> Inbound | None:
    """Return a delivery as all platforms give it; None if nobody could be answered."""
    key = str(update.update_id)
    if update.callback_query is not None:
        return _press(key, update.callback_query)
    message = update.message or update.edited_message
    if message is None or message.sender is None:
        return None
    text, mentioned = without_mention(message, bot)
    answered = message.reply_to_message
    return Inbound(
        key=key,
        sender=_sender(message.sender),
        place=_place(message),
        text=text,
        mentioned=mentioned or (answered is not None and answered.sender is not None and answered.sender.id == bot.id),
        edited=update.edited_message is not None,
        attachments=sum(getattr(message, kind) is not None for kind in FILES),
    )


def without_mention(message: Message, bot: User) -> tuple[str, bool]:
    """Return the text without the mentions of the bot, and whether there was one. Other mentions stay."""
    units = (message.text or message.caption).encode("utf-16-le", "surrogatepass")
    mentioned = False
    for entity in sorted(message.entities or message.caption_entities, key=lambda each: -each.offset):
        begin, end = entity.offset * 2, (entity.offset + entity.length) * 2
        marked = _marks_bot(entity, units[begin:end].decode("utf-16-le", "replace"), bot)
        if marked:
            mentioned = True
        if marked == "mention":
            units = units[:begin] + units[end:]
    return units.decode("utf-16-le", "replace").strip(), mentioned


def _marks_bot(entity: Entity, text: str, bot: User) -> Marked:
    """Return whether a part of a text mentions the bot, or is a command for it, such as `/help@name`."""
    name = f"@{bot.username}".lower()
    if entity.type == "mention" and text.lower() == name:
        return "mention"
    if entity.type == "text_mention" and entity.user is not None and entity.user.id == bot.id:
        return "mention"
    return "command" if entity.type == "bot_command" and text.lower().endswith(name) else ""


def _press(key: str, query: CallbackQuery) -> Inbound | None:
    if query.message is None:
        return None
    return Inbound(
        key=key, sender=_sender(query.sender), place=_place(query.message), press=query.data, press_id=query.id
    )


def _sender(user: User) -> Sender:
    return Sender(id=str(user.id), name=f"{user.first_name} {user.last_name}".strip(), is_bot=user.is_bot)


def _place(message: Message) -> Place:
    direct = message.chat.type == "private"
    thread = message.message_thread_id if message.is_topic_message else None
    return Place(
        chat=str(message.chat.id),
        thread="" if thread is None else str(thread),
        direct=direct,
        title="" if direct else message.chat.title,
    )
