"""The data types of webhooks, which are also the wire format in both directions.

Nothing that goes out is valid as something that comes in, so a captured answer cannot be sent back as a message: both
are signed with the same secret.
"""

from __future__ import annotations

import msgspec

OWN_DELIVERY = "out-"  # how the delivery ids of this server begin; none that comes in may begin so


class WebhookSender(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who has written. Only `id` identifies an account. `bot`: another program, which gets no answer."""

    id: str
    name: str = ""
    bot: bool = False


class WebhookMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST hooks/channels/{id}`: a message, or the press of a button.

    `id`: of the message in the other system; the same one always means the same message. `direct`: only the sender and
    the agent read this conversation. `mentioned`: false for a message in a group that is not meant for the agent.
    `press`: the `data` of a button that was pressed, instead of a text.
    """

    conversation: str
    sender: WebhookSender
    id: str
    text: str = ""
    thread: str = ""
    direct: bool = False
    mentioned: bool = True
    press: str = ""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What has happened with a delivery.

    `recorded`: the message is on record, and will be answered. Otherwise, it was a press, or nobody here is connected
    with its sender, or it is not meant for an agent. `note`: about a press, for the person who pressed.
    """

    recorded: bool
    note: str = ""


class WebhookButton(msgspec.Struct, frozen=True, kw_only=True):
    """A button that the receiver shows. Its `data` comes back as `press`."""

    label: str
    data: str


class WebhookAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Body of what goes to the receiver.

    `in_reply_to`: the `id` of the message that it answers. `replaces`: the `id` of an earlier message, which gets this
    text and loses its buttons.
    """

    id: str
    conversation: str
    text: str
    thread: str = ""
    buttons: tuple[WebhookButton, ...] = ()
    in_reply_to: str = ""
    replaces: str = ""
