"""The data types of channels: channels, pairings, messages, requests and events. Also the wire format."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..core.events import Event
from ..core.people import Visibility
from ..runs.model import NewRun
from .port import Place

Platform = Literal["telegram", "slack", "discord", "web", "apprise", "webhook"]
# off: switched off. connecting: not connected yet, or trying again. connected. failed: a person must do something.
# elsewhere: another server on this folder holds the connection
ConnectionState = Literal["off", "connecting", "connected", "failed", "elsewhere"]
# ask: talk with agents. approve: answer, in the chat, the questions of agents that work for this person
Right = Literal["ask", "approve"]
Direction = Literal["in", "out"]
# Of a message that came in. received: on record. working: an agent works on it. answered: finished, perhaps refused.
# Of one that goes out. later: to be sent at its time. waiting: to be sent. sending: the call to the platform has begun.
# unknown: nobody knows whether it was sent, and it is not sent again.
MessageState = Literal["received", "working", "answered", "later", "waiting", "sending", "sent", "unknown", "failed"]

# info: something is done. warn: somebody must answer. error: something has failed. critical: it cannot wait
Severity = Literal["info", "warn", "error", "critical"]
Least = Literal["off", "info", "warn", "error", "critical"]

MAX_NAME, MAX_RULES, MAX_NAMED_CHATS = 100, 100, 100
MAX_KEEP_DAYS = 3650


class RoutingRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Messages of this sender, in this chat, go to this agent. An empty `user` or `chat` fits all."""

    agent: str
    user: str = ""  # the platform's id
    chat: str = ""  # the platform's id


class NamedChat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chat to which agents may post. Several chats may have the same name: a post goes to each of them.

    `title`: of the chat, as it was when it was named. `direct`: between one person and the bot.
    """

    name: str  # a slug
    chat: str  # the platform's id
    title: str = ""
    direct: bool = False


class KnownChat(msgspec.Struct, frozen=True, kw_only=True):
    """A chat that the bot knows. `last_at`: when a kept message came from it; None: none has."""

    chat: str  # the platform's id
    title: str = ""  # of a group; of a direct chat, the name of the person who has written
    direct: bool = False
    last_at: datetime | None = None


class ChannelFields(msgspec.Struct, frozen=True, kw_only=True):
    """What people write about a channel.

    `api_url`: of another server than the platform's usual one, or of the receiver of a webhook; empty: the usual one.
    `shows_buttons`: whether the receiver of a webhook shows buttons and reports when one is pressed. `keep_days`: for
    how many days messages are kept here; 0: whatever their age. In both cases, only the newest 5,000 are kept.
    """

    title: str
    agent: str = ""  # slug of the agent that answers, if nothing else names one
    rules: tuple[RoutingRule, ...] = ()
    named_chats: tuple[NamedChat, ...] = ()
    enabled: bool = True
    api_url: str = ""
    shows_buttons: bool = False
    keep_days: int = 0


class NewChannel(ChannelFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST channels`.

    `token`: of the bot; empty for a web chat, which needs none, and for a webhook, whose secret the server makes.
    `more_secrets`: by name, if the platform needs more than the token. All of them are stored outside the root and
    never shown again.
    """

    platform: Platform
    token: str = ""
    more_secrets: dict[str, str] = {}


class EditChannel(ChannelFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT channels/{id}`. The channel keeps those secrets that are not given."""

    token: str | None = None
    more_secrets: dict[str, str] = {}


class Channel(ChannelFields, frozen=True, kw_only=True):
    """A channel as it is stored, without its secrets."""

    id: str
    platform: Platform
    owner: str
    owner_name: str
    visibility: Visibility
    token_id: str = ""  # changes with the secrets
    created_at: datetime


class ConnectionStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The connection of a channel. `problem` and `remedy`: what went wrong last and what helps, as sentences."""

    state: ConnectionState = "off"
    since: datetime | None = None
    account: str = ""  # name of the bot
    address: str = ""  # where people write to it
    problem: str = ""
    remedy: str = ""


class ChannelView(Channel, frozen=True, kw_only=True):
    """A channel as people see it."""

    connection: ConnectionStatus
    may_change: bool
    pairings: int = 0
    waiting: int = 0  # messages that are to be sent
    unknown: int = 0  # messages of which nobody knows whether they were sent


class NotifyFields(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants to hear in a chat, and when.

    `quiet_from` and `quiet_until`: times such as "22:00", both empty if there are no quiet hours. The end does not
    belong to them. If it is not later than the start, they end on the next day.
    """

    notify: Least = "off"  # the least severity
    quiet_from: str = ""
    quiet_until: str = ""
    zone: str = ""  # IANA name, of the quiet hours
    digest_minutes: int = 0  # what is only for information is collected for so long; 0: it is sent at once


class Pairing(NotifyFields, frozen=True, kw_only=True):
    """An account on a platform that belongs to a person of this server."""

    id: str
    channel_id: str
    sender_id: str  # the platform's id of the account
    sender_name: str  # as it was when the code was entered
    username: str
    display_name: str
    shared_login: bool  # whether everybody here was the owner; it counts only as long as this stays so
    may: tuple[Right, ...] = ("ask",)
    agent: str = ""  # the person's own default agent
    direct_chat: str = ""  # the platform's id of its direct chat with the bot; empty: not known yet
    created_at: datetime


class ChannelSecret(msgspec.Struct, frozen=True, kw_only=True):
    """A new secret of a webhook. It is shown only once."""

    secret: str


class PairingFields(NotifyFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT channel-pairings/{id}`."""

    may: tuple[Right, ...]
    agent: str = ""


class EnterCode(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST channel-pairings`. Without `may`, the code is only looked up, and nothing is paired."""

    code: str
    may: tuple[Right, ...] | None = None
    agent: str = ""


class CodeOwner(msgspec.Struct, frozen=True, kw_only=True):
    """The account that a code was given to. `pairing`: None if it is not paired yet."""

    channel_id: str
    channel_title: str
    sender_id: str
    sender_name: str
    pairing: Pairing | None = None


class ChannelMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a channel, in either direction.

    `items`: key and sentence of each thing that a digest reports. `given_up`: why it is not sent again, if the call
    that was in progress at that time fails. `ending`: what follows the text instead of the buttons, because the request
    has ended during such a call.
    """

    id: str
    number: int = 0  # grows from message to message
    channel_id: str
    direction: Direction
    key: str  # in: the platform's number of the delivery; out: what it belongs to, so that it is stored once
    state: MessageState
    reason: str = ""  # why it failed, or what was answered instead of by an agent
    chat: str
    thread: str = ""
    direct: bool = False
    place: str = ""  # title of the chat
    sender_id: str = ""
    sender_name: str = ""
    username: str = ""  # the person here, for a message that came in
    text: str
    buttons: tuple[tuple[str, str], ...] = ()  # label and data
    agent: str = ""
    run_id: str | None = None
    platform_id: str = ""  # of a message that was sent; of one that came in, if answers refer to it
    in_reply_to: str = ""  # of a message that goes out: the platform's id of the message that it answers
    not_before: datetime | None = None  # when a message is sent that waits until later
    items: tuple[tuple[str, str], ...] = ()
    given_up: str = ""
    ending: str = ""
    at: datetime


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent and the people of a place have said so far. `id`: see `rules.conversations`."""

    id: str
    session_id: str
    agent: str
    runtime: str
    username: str
    updated_at: datetime


class NewChannelMessage(
    NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="channel_message"
):
    """The request of a run that answers a message. Only Cabinet itself makes it."""

    agent: str
    channel_id: str
    sender_id: str
    place: Place
    about: str  # where the message comes from, for the agent


class ChannelChanged(Event, frozen=True, kw_only=True, tag="channel_changed"):
    """A channel, its connection or its pairings have changed, or it was deleted."""

    resource = "cabinet-channels"

    channel_id: str


class ChannelMessageChanged(Event, frozen=True, kw_only=True, tag="channel_message_changed"):
    """A message has come in, or its state has changed."""

    resource = "cabinet-channels"

    channel_id: str
    message_id: str
    state: MessageState
