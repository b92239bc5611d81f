"""The data types of the web chat. Also the wire format."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ...core.people import OWNER, Principal
from ..model import ConnectionState, MessageState


class WebChatInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A web chat that the caller may use. `state`: as of any channel; `connected` if it can be used on this server."""

    id: str
    title: str
    agent: str  # slug of the agent that answers, if nothing else names one; perhaps empty
    state: ConnectionState


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the caller's own conversation.

    `text`: as it was written; code is between fences. `buttons`: what can be answered now. `key`: of a message of the
    caller, as their page has named it.
    """

    id: str
    number: int  # grows from message to message
    sender: Literal["you", "agent"]
    state: MessageState
    text: str
    buttons: tuple[str, ...] = ()
    agent: str = ""
    key: str = ""
    at: datetime


class NewChatMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST web-chats/{id}/messages`. `key`: a random name; a repetition with the same one changes nothing."""

    key: str
    text: str


class PressButton(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST web-chats/{id}/press`. `button`: its position in the message, from 0."""

    message: str
    button: int


class PressNote(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a press, as a sentence."""

    note: str


def account_of(principal: Principal) -> str:
    """Return whose conversation it is. With a shared login, everybody is the owner and has the same one.

    Jupyter invents a user name for each of their browsers.
    """
    return OWNER if principal.shared_token else principal.username
