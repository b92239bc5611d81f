"""Puts messages on record that are to be sent. `sending.py` sends them.

`send` and `collect` are the only ways to send something that is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import msgspec
from sqlalchemy import Connection

from ...core.ids import new_id
from ...storage.commits import Commits
from .. import store
from ..model import Channel, ChannelMessage
from ..platforms import PLATFORMS
from ..port import Place
from ..records import changed_event, scope_of, storable
from ..rules.digests import digest_text
from ..rules.splitting import split
from ..setup.book import ChannelBook

MOST_DIGESTS = 50  # of an account, in which something is searched that was reported before


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A text that is to be sent.

    `key`: what the text belongs to. The same key is never stored twice, so a repetition after a crash sends nothing
    again. `agent` and `run_id`: who has written it. `buttons`: label and data of each, below the last message.
    `not_before`: when it is sent; None: now.
    """

    channel: Channel
    place: Place
    key: str
    at: datetime
    agent: str = ""
    run_id: str | None = None
    buttons: tuple[tuple[str, str], ...] = ()
    not_before: datetime | None = None


async def send(
    text: str,
    outgoing: Outgoing,
    *,
    book: ChannelBook,
    commits: Commits,
    only_if: Callable[[Connection], bool] = lambda connection: True,
) -> list[ChannelMessage]:
    """Put a text on record and have it sent. Return the messages that were not there before, in their order.

    A long text becomes several messages. Empty if the key is on record already, if the text has no visible characters,
    or if `only_if` returns false, which is called in the transaction. It does not wait until they are sent.
    """

    def change(connection: Connection) -> list[ChannelMessage]:
        return _put(connection, text, outgoing) if only_if(connection) else []

    scope = scope_of(outgoing.channel)
    put = await commits.commit(change, lambda put: [changed_event(each, scope) for each in put])
    book.wake(outgoing.channel.id)
    return put


async def collect(
    item: tuple[str, str], outgoing: Outgoing, *, series: str, book: ChannelBook, commits: Commits
) -> list[ChannelMessage]:
    """Add one thing to the message that waits for the same time, or begin that message. Return it.

    Empty if the thing is known, in one of the newest 50 messages of `series`. `item`: its key and a sentence. `series`:
    how the keys of all such messages of this account begin.
    """
    limits = PLATFORMS[outgoing.channel.platform].limits

    def change(connection: Connection) -> list[ChannelMessage]:
        known = store.messages_with_key(connection, outgoing.channel.id, series, newest=MOST_DIGESTS)
        if any(item[0] == key for each in known for key, _ in each.items):
            return []
        waits = next((each for each in known if each.key == f"{outgoing.key}/1" and each.state == "later"), None)
        if waits is None:
            put = _put(connection, item[1], outgoing)
            return [store.update_message(connection, each, items=(item,)) for each in put]
        items = (*waits.items, item)
        text = storable(digest_text([sentence for _, sentence in items], limits))
        return [store.update_message(connection, waits, items=items, text=text)]

    scope = scope_of(outgoing.channel)
    return await commits.commit(change, lambda put: [changed_event(each, scope) for each in put])


def _put(connection: Connection, text: str, outgoing: Outgoing) -> list[ChannelMessage]:
    """Store a text as one or more messages."""
    place = outgoing.place
    parts = split(storable(text), PLATFORMS[outgoing.channel.platform].limits)
    found = []
    for number, part in enumerate(parts, start=1):
        message = ChannelMessage(
            id=new_id(),
            channel_id=outgoing.channel.id,
            direction="out",
            key=f"{outgoing.key}/{number}",
            state="waiting" if outgoing.not_before is None else "later",
            chat=place.chat,
            thread=place.thread,
            direct=place.direct,
            place=place.title,
            text=part,
            buttons=outgoing.buttons if number == len(parts) else (),
            agent=outgoing.agent,
            run_id=outgoing.run_id,
            in_reply_to=place.answers,
            not_before=outgoing.not_before,
            at=outgoing.at,
        )
        if (stored := store.insert_message(connection, message)) is not None:
            found.append(stored)
    return found
