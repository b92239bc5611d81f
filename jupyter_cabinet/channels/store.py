"""The SQL of channels. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, delete, func, insert, select, update

from ..storage import rows
from ..storage.sequence_numbers import next_number
from .model import ChannelMessage, Conversation, KnownChat, Pairing
from .tables import channel_conversations, channel_messages

KEPT = 5_000  # messages of a channel
FINISHED = ("answered", "sent", "unknown", "failed")
PRUNE_AT = 5_500
MAX_PAGE = 200
MOST_LATER = 1_000  # messages of a channel that wait until later
SEARCHED = 500  # messages in which the direct chat of an account is searched

_columns = channel_messages.c


def insert_message(connection: Connection, message: ChannelMessage) -> ChannelMessage | None:
    """Store a message, and return it with its number; None if its channel has one with this key and direction.

    If the channel has more than 5,500 messages, the oldest finished ones are deleted, except 5,000.
    """
    known = select(_columns.id).where(
        _columns.channel_id == message.channel_id,
        _columns.direction == message.direction,
        _columns.key == message.key,
    )
    if connection.execute(known).first() is not None:
        return None
    message = msgspec.structs.replace(message, number=next_number(connection))
    connection.execute(insert(channel_messages).values(**_values(message)))
    _prune(connection, message.channel_id)
    return message


def update_message(connection: Connection, message: ChannelMessage, **changes: Any) -> ChannelMessage:
    """Change a message, and return it as it is now."""
    changed = msgspec.structs.replace(message, **changes)
    connection.execute(update(channel_messages).where(_columns.id == message.id).values(**_values(changed)))
    return changed


def load_message(connection: Connection, message_id: str) -> ChannelMessage | None:
    """Return a message; None if there is none."""
    return rows.first_value(connection, ChannelMessage, _messages().where(_columns.id == message_id))


def received_message(connection: Connection, channel_id: str, key: str) -> ChannelMessage | None:
    """Return the message that came in with this delivery; None if it is not on record."""
    wanted = (_columns.channel_id == channel_id, _columns.direction == "in", _columns.key == key)
    return rows.first_value(connection, ChannelMessage, _messages().where(*wanted))


def message_of_run(connection: Connection, run_id: str) -> ChannelMessage | None:
    """Return the message that a run answers; None for any other run."""
    return rows.first_value(
        connection, ChannelMessage, _messages().where(_columns.run_id == run_id, _columns.direction == "in")
    )


def messages_with_key(
    connection: Connection, channel_id: str, prefix: str, *, newest: int | None = None
) -> list[ChannelMessage]:
    """Return the outgoing messages of a channel whose key begins so, oldest first.

    `newest`: only so many of the newest.
    """
    wanted = (_columns.channel_id == channel_id, _columns.direction == "out", _columns.key.startswith(prefix))
    query = _messages().where(*wanted).order_by(_columns.number.desc()).limit(newest)
    return rows.values(connection, ChannelMessage, query)[::-1]


def direct_chat(connection: Connection, channel_id: str, sender_id: str) -> str:
    """Return the direct chat in which an account has written last; empty if it has written in none lately.

    Only the newest 500 messages of the channel are searched.
    """
    wanted = _messages().where(_columns.channel_id == channel_id, _columns.direction == "in")
    read = rows.values(connection, ChannelMessage, wanted.order_by(_columns.number.desc()).limit(SEARCHED))
    return next((each.chat for each in read if each.direct and each.sender_id == sender_id), "")


def with_direct_chat(connection: Connection, pairing: Pairing) -> Pairing:
    """Return a pairing with its direct chat, if an earlier version has not stored it and it can be found."""
    if pairing.direct_chat:
        return pairing
    return msgspec.structs.replace(pairing, direct_chat=direct_chat(connection, pairing.channel_id, pairing.sender_id))


def known_chats(connection: Connection, channel_id: str) -> list[KnownChat]:
    """Return the chats from which the kept messages of a channel came, the last used first."""
    wanted = _messages().where(_columns.channel_id == channel_id, _columns.direction == "in")
    chats: dict[str, KnownChat] = {}
    for each in rows.values(connection, ChannelMessage, wanted.order_by(_columns.number.desc())):
        if each.chat not in chats:
            title = each.sender_name if each.direct else each.place
            chats[each.chat] = KnownChat(chat=each.chat, title=title, direct=each.direct, last_at=each.at)
    return list(chats.values())


def put_due(connection: Connection, channel_id: str, now: datetime) -> list[ChannelMessage]:
    """Let the messages be sent whose time has come, and return them."""
    due = [each for each in in_state(connection, channel_id, "later", MOST_LATER) if _is_due(each, now)]
    return [update_message(connection, each, state="waiting") for each in due]


def has_due(connection: Connection, channel_id: str, now: datetime) -> bool:
    """Return whether there is a message whose time has come."""
    return any(_is_due(each, now) for each in in_state(connection, channel_id, "later", MOST_LATER))


def _is_due(message: ChannelMessage, now: datetime) -> bool:
    return message.not_before is None or message.not_before <= now


def delete_message(connection: Connection, message: ChannelMessage) -> None:
    """Delete a message, whatever its state."""
    connection.execute(delete(channel_messages).where(_columns.id == message.id))


def delete_older(connection: Connection, channel_id: str, before: datetime) -> int:
    """Delete the finished messages of a channel that are older, and return how many there were."""
    old = (_columns.channel_id == channel_id, _columns.state.in_(FINISHED), _columns.at < before.timestamp())
    return connection.execute(delete(channel_messages).where(*old)).rowcount


def forget_later(connection: Connection, channel_id: str, prefix: str) -> None:
    """Forget the messages that wait until later and whose key begins so."""
    wanted = (_columns.channel_id == channel_id, _columns.state == "later", _columns.key.startswith(prefix))
    connection.execute(delete(channel_messages).where(*wanted))


def in_state(
    connection: Connection, channel_id: str, state: str, limit: int, *, after: int = 0
) -> list[ChannelMessage]:
    """Return the messages of a channel in this state, oldest first. `after`: only those with a larger number."""
    wanted = (_columns.channel_id == channel_id, _columns.state == state, _columns.number > after)
    return rows.values(connection, ChannelMessage, _messages().where(*wanted).order_by(_columns.number).limit(limit))


def counts(connection: Connection) -> dict[tuple[str, str], int]:
    """Return the number of messages by channel and state, of the states that people must know about."""
    query = select(_columns.channel_id, _columns.state, func.count()).where(
        _columns.state.in_(("later", "waiting", "sending", "unknown"))
    )
    found = connection.execute(query.group_by(_columns.channel_id, _columns.state))
    return {(row[0], row[1]): row[2] for row in found}


def list_messages(
    connection: Connection, channel_id: str, *, query: str = "", before: int | None = None, limit: int = 50
) -> list[ChannelMessage]:
    """Return messages of a channel, newest first, at most 200. `before`: number of the last message of the previous
    page.

    `query`: a part of the text, in any case.
    """
    wanted = _messages().where(_columns.channel_id == channel_id)
    if query:
        wanted = wanted.where(func.lower(_columns.text).contains(query.lower(), autoescape=True))
    if before is not None:
        wanted = wanted.where(_columns.number < before)
    return rows.page(connection, ChannelMessage, wanted.order_by(_columns.number.desc()), min(limit, MAX_PAGE))


def all_messages(
    connection: Connection, channel_id: str, *, since: datetime | None = None, until: datetime | None = None
) -> list[ChannelMessage]:
    """Return all messages of a channel, oldest first.

    `since`: only messages of this time or later. `until`: only messages before this time.
    """
    wanted = _messages().where(_columns.channel_id == channel_id)
    if since is not None:
        wanted = wanted.where(_columns.at >= since.timestamp())
    if until is not None:
        wanted = wanted.where(_columns.at < until.timestamp())
    return rows.values(connection, ChannelMessage, wanted.order_by(_columns.at, _columns.number))


def list_of_chat(
    connection: Connection, channel_id: str, chat: str, *, states: Sequence[str], before: int | None, limit: int
) -> list[ChannelMessage]:
    """Return messages of one chat of a channel in these states, newest first. `before`: as in `list_messages`."""
    found: list[ChannelMessage] = []
    while len(found) < limit:
        page = list_messages(connection, channel_id, before=before, limit=MAX_PAGE)
        found += [each for each in page if each.chat == chat and each.state in states]
        if len(page) < MAX_PAGE:
            break
        before = page[-1].number
    return found[:limit]


def give_up_all(connection: Connection) -> None:
    """Mark everything that is unfinished, in any channel, as failed."""
    unfinished = _columns.state.in_(("received", "working", "later", "waiting", "sending"))
    for message in rows.values(connection, ChannelMessage, _messages().where(unfinished)):
        reason = "It was in a folder that came from elsewhere."
        update_message(connection, message, state="failed", reason=reason)


def give_up_for(connection: Connection, channel_id: str, sender_id: str, *, chat: str = "") -> None:
    """Mark what waits to be sent to the direct chats of an account as failed: it was disconnected.

    `chat`: one of them, in which it may have written nothing that is on record.
    A call that is in progress may still succeed. If it fails, it is not repeated.
    """
    mine = _messages().where(_columns.channel_id == channel_id)
    received = rows.values(connection, ChannelMessage, mine.where(_columns.direction == "in"))
    chats = {each.chat for each in received if each.direct and each.sender_id == sender_id}
    chats.add(chat)
    reason = "The account was disconnected."
    for message in rows.values(
        connection, ChannelMessage, mine.where(_columns.state.in_(("later", "waiting", "sending")))
    ):
        if message.direct and message.chat in chats:
            waits = message.state != "sending"
            changes = {"state": "failed", "reason": reason} if waits else {"given_up": reason}
            update_message(connection, message, **changes)


def give_up_posts(connection: Connection, channel_id: str, named: Collection[str]) -> None:
    """Mark the posts that wait for a chat which has no name any more as failed. `named`: the chats that have one.

    A call that is in progress may still succeed. If it fails, it is not repeated.
    """
    reason = "The chat has no name any more."
    for state in ("waiting", "sending"):
        for message in in_state(connection, channel_id, state, MOST_LATER):
            if message.key.startswith("post/") and message.chat not in named:
                waits = {"state": "failed", "reason": reason}
                update_message(connection, message, **(waits if state == "waiting" else {"given_up": reason}))


def delete_channel(connection: Connection, channel_id: str) -> None:
    """Delete all messages of a channel."""
    connection.execute(delete(channel_messages).where(_columns.channel_id == channel_id))


def load_conversation(connection: Connection, conversation_id: str) -> Conversation | None:
    """Return a conversation; None if it has not begun."""
    columns = channel_conversations.c
    query = select(columns.id, columns.body).where(columns.id == conversation_id)
    return rows.first_value(connection, Conversation, query)


def save_conversation(connection: Connection, conversation: Conversation) -> None:
    """Store a conversation, and replace the former one with this id."""
    forget_conversation(connection, conversation.id)
    body = rows.encoded(conversation)
    values = {"id": conversation.id, "session_id": conversation.session_id, "body": body}
    connection.execute(insert(channel_conversations).values(**values))


def forget_conversation(connection: Connection, conversation_id: str) -> None:
    """End a conversation: the next message begins a new one."""
    connection.execute(delete(channel_conversations).where(channel_conversations.c.id == conversation_id))


def _messages() -> Select[Any]:
    return select(_columns.id, _columns.body, _columns.number)


def _prune(connection: Connection, channel_id: str) -> None:
    """Delete the oldest messages of a channel that has too many. What is to be sent stays."""
    mine = _columns.channel_id == channel_id
    if (connection.execute(select(func.count()).where(mine)).scalar() or 0) < PRUNE_AT:
        return
    newest = select(_columns.number).where(mine).order_by(_columns.number.desc()).offset(KEPT).limit(1)
    oldest_kept = connection.execute(newest).scalar()
    if isinstance(oldest_kept, int):
        done = _columns.state.in_(FINISHED)
        connection.execute(delete(channel_messages).where(mine, done, _columns.number <= oldest_kept))


def _values(message: ChannelMessage) -> dict[str, Any]:
    names = ("id", "number", "channel_id", "direction", "key", "state", "run_id", "text")
    body = rows.encoded(msgspec.structs.replace(message, number=0))
    return {name: getattr(message, name) for name in names} | {"at": message.at.timestamp(), "body": body}
