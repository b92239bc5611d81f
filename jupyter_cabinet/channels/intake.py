"""Takes what a platform delivers: refuses strangers, and puts messages on record before the platform hears of it."""

from __future__ import annotations

from collections import deque

from sqlalchemy import Connection

from ..core.clock import Clock
from ..core.ids import new_id
from ..core.plain_text import one_line
from ..storage.commits import Commits
from ..storage.outbox import Effect
from . import store
from .approvals_in_chat import ChatApprovals
from .connection import ChannelConnection
from .model import ChannelMessage, Pairing
from .port import Inbound
from .records import changed_event, storable
from .rules.admission import MAX_TEXT, Allowance, kind_of
from .rules.pairing_codes import PairingCodes, spaced
from .setup.book import ChannelBook

RECEIVED = "channels.received"  # topic of the outbox; its body is the id of the message

MOST_REMEMBERED = 1_000  # deliveries that are not put on record

WHO_ARE_YOU = (
    "I do not know this account yet. To connect it with yours, open Channels from the launcher of JupyterLab, choose "
    "Enter code, and type:\n\n{code}\n\nThe code is valid for 15 minutes. Tell it to nobody."
)
NO_CODES = "I do not know this account, and too many others wait to be connected. Write again later."
TOO_FAST = "You have written more than I can read. I have left out the messages after this. Write again in a minute."
NOT_PAIRED = "Your account is not connected, so you cannot answer this."


class Intake:
    """Called by each connection, for each delivery."""

    def __init__(
        self, *, book: ChannelBook, codes: PairingCodes, approvals: ChatApprovals, commits: Commits, clock: Clock
    ) -> None:
        self._book = book
        self._codes = codes
        self._approvals = approvals
        self._commits = commits
        self._clock = clock
        self._allowance = Allowance(most=100, seconds=2)  # of a paired account: what has waited comes at once
        self._of_strangers = Allowance(most=20, seconds=3)
        self._replies = Allowance(most=2, seconds=30)  # to a stranger
        self._all_replies = Allowance(most=30, seconds=1)  # to all strangers of a channel
        self._left_out: deque[str] = deque(maxlen=MOST_REMEMBERED)  # deliveries of senders who write too much
        self._seen: deque[str] = deque(maxlen=MOST_REMEMBERED)  # deliveries of strangers

    async def receive(self, connection: ChannelConnection, inbound: Inbound) -> None:
        """Treat one delivery, and return when its message is on record. A repeated delivery changes nothing.

        A stranger gets a code, and a press is answered. Deliveries of senders who write too much are left out. Raises
        `Malformed` while the list of channels cannot be read, and errors of the database.
        """
        await self._book.refresh()
        channel, sender = connection.channel, inbound.sender
        pairing = self._book.pairing_of(channel.id, sender.id)
        bot_id = connection.account.id if connection.account else ""
        kind = kind_of(inbound, bot_id=bot_id, is_paired=pairing is not None)
        delivery = f"{channel.id}/{inbound.key}"
        if kind == "ignored" or delivery in self._seen:
            return
        allowance = self._allowance if pairing is not None else self._of_strangers
        if not allowance.take(f"{channel.id}/{sender.id}", self._clock.monotonic()):
            if pairing is not None and inbound.place.direct and allowance.may_tell(f"{channel.id}/{sender.id}"):
                connection.say(inbound.place, TOO_FAST)
            if inbound.press:
                connection.acknowledge_press(inbound.press_id, TOO_FAST)
            self._left_out.append(delivery)
            return
        if pairing is None:
            self._seen.append(delivery)
            await self._answer_stranger(connection, inbound)
        elif kind == "press":
            connection.acknowledge_press(inbound.press_id, await self._approvals.press(inbound.press, pairing))
        else:
            await self._put(connection, inbound, pairing)

    def was_left_out(self, channel_id: str, key: str) -> bool:
        """Return once whether a delivery was left out because its sender writes too much. It may come again."""
        delivery = f"{channel_id}/{key}"
        if delivery not in self._left_out:
            return False
        self._left_out.remove(delivery)
        return True

    async def _answer_stranger(self, connection: ChannelConnection, inbound: Inbound) -> None:
        if inbound.press:
            connection.acknowledge_press(inbound.press_id, NOT_PAIRED)
            return
        account = f"{connection.channel.id}/{inbound.sender.id}"
        now = self._clock.monotonic()
        if not self._replies.take(account, now) or not self._all_replies.take(connection.channel.id, now):
            return
        request = self._codes.request(connection.channel.id, inbound.sender, now, chat=inbound.place.chat)
        text = NO_CODES if request is None else WHO_ARE_YOU.format(code=spaced(request.code))
        connection.say(inbound.place, text)

    async def _put(self, connection: ChannelConnection, inbound: Inbound, pairing: Pairing) -> None:
        message = ChannelMessage(
            id=new_id(),
            channel_id=connection.channel.id,
            direction="in",
            key=inbound.key[:100],
            state="received",
            chat=inbound.place.chat,
            thread=inbound.place.thread,
            direct=inbound.place.direct,
            place=one_line(inbound.place.title, most=100),
            sender_id=inbound.sender.id,
            sender_name=one_line(inbound.sender.name, most=100),
            username=pairing.username,
            platform_id=inbound.message_id,
            text=_text_of(inbound),
            at=self._clock.now(),
        )

        def change(records: Connection) -> ChannelMessage | None:
            return store.insert_message(records, message)

        await self._commits.commit(
            change,
            lambda put: [changed_event(put, connection.scope)] if put else [],
            lambda put: [Effect(topic=RECEIVED, key=f"{put.channel_id}/{put.chat}"[:64], body=put.id)] if put else [],
        )


def _text_of(inbound: Inbound) -> str:
    """Return the text of a message, without what no database takes, and with a note about its files."""
    text = storable(inbound.text).strip()
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}\n(The rest is left out.)"
    if inbound.attachments:
        files = "a file" if inbound.attachments == 1 else f"{inbound.attachments} files"
        text = f"{text}\n\n(The message had {files}, which you cannot see.)".strip()
    return text
