"""Takes signed requests of a webhook: who may send them, how many, and what they mean.

A message that is taken passes the same gate as on every platform. What a request says of itself grants nothing: its
sender is a stranger until somebody here enters the code, and a conversation counts as direct only for the account that
has received its code there.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import Counter

import msgspec

from ...core.errors import Invalid, NotAllowed, QueueFull, Refused, TooLarge
from ...core.ids import new_id
from ...core.json_input import decoded
from ...core.people import Principal
from ...foundation import Foundation
from ...plays.signatures import MAX_BODY_BYTES, MOST_SKEW_SECONDS, Delivery, is_genuine
from .. import store
from ..connections import Connections
from ..intake import TOO_FAST, Intake
from ..model import MAX_NAME, Channel, ChannelChanged, ConnectionState
from ..platforms import TOKEN
from ..port import Inbound, NotSent, Place, Sender
from ..pushed import PushedDeliveries
from ..records import scope_of
from ..rules.admission import Allowance, kind_of
from ..service import Channels
from ..setup.book import ChannelBook
from ..setup.configuration import Configuration
from .model import OWN_DELIVERY, Taken, WebhookMessage

NOTE_SECONDS = 10.0  # in which the press of a button is treated
MOST_AT_ONCE = 50  # requests of a channel that wait until they are on record
REMEMBERED_SECONDS = 2 * MOST_SKEW_SECONDS  # later, the time of a request is wrong

NOT_GENUINE = "This request is not signed for a channel of this server, or too old, or it has come before."
TOO_LARGE = f"The body is too large. The limit is {MAX_BODY_BYTES // 1024} KiB."
TOO_MANY = "This channel receives too many requests. Send this one again in a moment."
NOT_OPEN = "This channel is not connected at the moment. Send the request again later."
CLOSED: dict[ConnectionState, str] = {
    "off": "This channel is switched off.",
    "elsewhere": "Another server on this folder has this channel. Send the request there.",
}
NO_WEBHOOK = "Only a channel of the platform Webhook has a secret that this server makes."

_DECODER = msgspec.json.Decoder(WebhookMessage)


class Webhooks:
    """What `web/` calls."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        book: ChannelBook,
        connections: Connections,
        channels: Channels,
        intake: Intake,
    ) -> None:
        self._intake = intake
        self._book = book
        self._connections = connections
        self._channels = channels
        self._database = foundation.database
        self._bus = foundation.bus
        self._clock = foundation.clock
        # Ten requests each second, of each connected account, and of all others of a channel together.
        self._allowance = Allowance(most=300, seconds=0.1)
        self._waiting: Counter[str] = Counter()  # requests, by channel
        self._seen: dict[tuple[str, str], float] = {}  # when a delivery of a channel was taken, oldest first

    async def make_secret(self, channel_id: str, principal: Principal) -> str:
        """Create the secret of a webhook, store it, connect again, and return it. The previous one becomes invalid.

        For the owner, in the browser. Raises `NotFound`, `NotAllowed`, and `Invalid` for a channel of another platform.
        """
        channel = await self._channels.owned(channel_id, principal)
        if channel.platform != "webhook":
            raise Invalid(NO_WEBHOOK)
        secret = secrets.token_urlsafe(32)
        changed = msgspec.structs.replace(channel, token_id=new_id())

        def change(before: Configuration) -> Configuration:
            kept = tuple(changed if each.id == channel_id else each for each in before.channels)
            return msgspec.structs.replace(before, channels=kept)

        await asyncio.to_thread(self._book.file.put_secrets, channel_id, {TOKEN: secret})
        await self._book.change(change)
        await self._connections.reopen(channel_id)
        self._bus.publish(ChannelChanged(channel_id=channel_id), scope_of(changed))
        return secret

    async def receive(self, channel_id: str, delivery: Delivery) -> Taken:
        """Take a request, and return when its message is on record.

        Raises `TooLarge`, and `NotAllowed` for a request that is not genuine, also if there is no such channel. For a
        genuine one, raises `Invalid`, `QueueFull` if there are too many, and `Refused` if it cannot be taken now. After
        an error, the same message may be sent again.
        """
        if len(delivery.body) > MAX_BODY_BYTES:
            raise TooLarge(TOO_LARGE)
        await self._book.refresh()
        channel = await self._require_genuine(channel_id, delivery)
        now, key = self._clock.monotonic(), (channel.id, delivery.id)
        self._forget_old(now)
        if delivery.id.startswith(OWN_DELIVERY) or key in self._seen:
            raise NotAllowed(NOT_GENUINE)
        if self._waiting[channel.id] >= MOST_AT_ONCE:
            raise QueueFull(TOO_MANY)
        self._seen[key] = now
        self._waiting[channel.id] += 1
        try:
            return await self._take(channel, _checked(decoded(_DECODER, delivery.body)))
        except BaseException:
            self._seen.pop(key, None)  # it was not taken, so it may come again
            raise
        finally:
            self._waiting[channel.id] -= 1

    async def _require_genuine(self, channel_id: str, delivery: Delivery) -> Channel:
        channel = self._book.channel(channel_id)
        known = ""
        if channel is not None and channel.platform == "webhook":
            known = (await asyncio.to_thread(self._book.file.secrets, channel.id, [TOKEN]))[TOKEN]
        genuine = is_genuine(delivery, known or secrets.token_urlsafe(32), self._clock.now())
        if channel is None or not known or not genuine:
            raise NotAllowed(NOT_GENUINE)
        return channel

    def _forget_old(self, now: float) -> None:
        while self._seen and now - next(iter(self._seen.values())) > REMEMBERED_SECONDS:
            del self._seen[next(iter(self._seen))]

    async def _take(self, channel: Channel, message: WebhookMessage) -> Taken:
        adapter = self._adapter(channel)
        inbound = self._inbound(channel, message)
        is_paired = self._book.pairing_of(channel.id, inbound.sender.id) is not None
        kind = kind_of(inbound, bot_id="", is_paired=is_paired)
        note, is_recorded = "", False
        if kind != "ignored":
            self._require_room(f"{channel.id}/{inbound.sender.id}" if is_paired else channel.id)
        try:
            if kind in ("press", "stranger_press"):
                note = await adapter.press(inbound, seconds=NOTE_SECONDS)
            elif kind != "ignored":
                await adapter.deliver(inbound)
        except NotSent as error:
            raise Refused(str(error)) from None
        if kind in ("message", "command"):
            stored = await self._database.read(lambda c: store.received_message(c, channel.id, inbound.key))
            is_recorded = stored is not None
        if self._intake.was_left_out(channel.id, inbound.key):
            raise QueueFull(TOO_FAST)
        return Taken(recorded=is_recorded, note=note)

    def _require_room(self, sender: str) -> None:
        if not self._allowance.take(sender, self._clock.monotonic()):
            raise QueueFull(TOO_MANY)

    def _adapter(self, channel: Channel) -> PushedDeliveries:
        connection = self._book.connections.get(channel.id)
        adapter = connection.adapter if connection is not None else None
        if not isinstance(adapter, PushedDeliveries):
            raise Refused(CLOSED.get(self._connections.status(channel).state, NOT_OPEN))
        return adapter

    def _inbound(self, channel: Channel, message: WebhookMessage) -> Inbound:
        direct = message.direct and self._is_direct(channel, message)
        place = Place(
            chat=message.conversation,
            thread=message.thread,
            direct=direct,
            title="" if direct else message.conversation,
        )
        sender = message.sender
        return Inbound(
            key=_key(message),
            sender=Sender(id=sender.id, name=sender.name, is_bot=sender.bot),
            place=place,
            text=message.text,
            mentioned=message.mentioned,
            press=message.press,
            press_id=new_id() if message.press else "",
            message_id=message.id,
        )

    def _is_direct(self, channel: Channel, message: WebhookMessage) -> bool:
        """Return whether a conversation that is said to be direct belongs to its sender.

        That of a connected account is the one in which it has received its code. That of anybody else belongs to no
        connected account.
        """
        pairing = self._book.pairing_of(channel.id, message.sender.id)
        if pairing is not None:
            return pairing.direct_chat == message.conversation
        pairings = self._book.configuration.pairings
        return all((each.channel_id, each.direct_chat) != (channel.id, message.conversation) for each in pairings)


def _key(message: WebhookMessage) -> str:
    """Return the key of a delivery. One sender cannot use up the ids of another one, or of another conversation."""
    parts = (message.conversation, message.thread, message.sender.id, message.id)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:40]


def _checked(message: WebhookMessage) -> WebhookMessage:
    """Return a message whose ids can be compared and shown. Raises `Invalid` with the field."""
    ids = {
        "conversation": message.conversation,
        "sender.id": message.sender.id,
        "id": message.id,
        "thread": message.thread or "-",
    }
    for field, value in ids.items():
        if not 0 < len(value) <= MAX_NAME or not value.isprintable() or value != value.strip():
            raise Invalid(f"{field} must have 1 to {MAX_NAME} visible characters.", field=field)
    if message.press and message.text:
        raise Invalid("Send either a text or a press, not both.", field="press")
    return message
