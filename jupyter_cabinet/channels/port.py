"""The port that each chat platform implements: values that come in, calls that go out, and how a call can fail.

An adapter decides nothing. It translates between a platform and these values; who may do what is decided in `rules/`
and by the services, in the same way for all platforms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """Who has written, by the platform. Only `id` identifies an account: people choose their names themselves."""

    id: str
    name: str = ""
    is_bot: bool = False


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A chat of the platform, and the thread in it. `direct`: between one person and the bot. `answers`: the platform's
    id of the message that is answered there, if the platform wants to know it.
    """

    chat: str
    thread: str = ""
    direct: bool = False
    title: str = ""
    answers: str = ""


class Inbound(msgspec.Struct, frozen=True, kw_only=True):
    """Something that came from the platform.

    `key`: the platform's number of this delivery. The same number always means the same delivery. `text`: without the
    mention of the bot. `mentioned`: the bot was mentioned, or one of its messages was answered. `press`: the data of a
    button that was pressed; `press_id`: how the platform refers to that. `message_id`: the platform's id of the
    message, if answers have to refer to it.
    """

    key: str
    sender: Sender
    place: Place
    text: str = ""
    mentioned: bool = False
    edited: bool = False
    attachments: int = 0
    press: str = ""
    press_id: str = ""
    message_id: str = ""


class Button(msgspec.Struct, frozen=True, kw_only=True):
    """A button below a message. `data`: comes back in `Inbound.press`, at most 64 bytes."""

    label: str
    data: str


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """The bot's own account. `address`: where people write to it, such as a link."""

    id: str
    name: str
    address: str = ""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What fits into one message. `unit`: what the platform counts. `doubled`: characters that count twice, because
    the platform wants a mark before some of them.
    """

    length: int
    unit: Literal["characters", "utf-16"] = "characters"
    doubled: str = ""


LONGEST_ASKED_SECONDS = 3600.0  # that a platform may ask us to wait


class ChannelError(Exception):
    """A call to the platform failed. The text is a sentence for people, without secrets."""


class Rejected(ChannelError):
    """The platform refuses this for good, so that trying again is useless. `remedy`: what helps, if it is known."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


class LoggedOut(Rejected):
    """The platform does not know the bot any more. What was to be sent can be sent with another token."""


class NotSent(ChannelError):
    """It surely did not happen, and may be tried again after `seconds`."""

    def __init__(self, message: str, seconds: float = 1.0) -> None:
        super().__init__(message)
        self.seconds = min(seconds, LONGEST_ASKED_SECONDS) if seconds > 0 else 0.0  # the platform has told them


class InDoubt(ChannelError):
    """Nobody knows whether it happened: the connection broke before the reply came."""


class ChannelAdapter(Protocol):
    """One bot of one platform. Each call may raise `Rejected` or `NotSent`; `send` also `InDoubt`."""

    async def connect(self) -> Account:
        """Log in, and return the bot's account. Raises `Rejected` and `NotSent`."""

    async def receive(self) -> Sequence[Inbound]:
        """Wait for what comes next, and return it; empty if nothing came for a while.

        The call also tells the platform that everything of the previous call is on record here. Raises `Rejected` and
        `NotSent`.
        """

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send one message, and return the platform's id of it. Raises `Rejected`, `NotSent` and `InDoubt`."""

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Replace the text of a message that the bot has sent, and remove its buttons.

        Raises `Rejected` and `NotSent`.
        """

    async def typing(self, place: Place) -> None:
        """Show that the bot is about to write. Raises `Rejected` and `NotSent`."""

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Tell the person who pressed a button about the result. Raises `Rejected` and `NotSent`."""

    async def close(self) -> None:
        """Disconnect. A call that waits ends."""
