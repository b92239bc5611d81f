"""The adapter of the web chat: a queue that `service.py` fills, and nothing outside.

A message that goes out is sent when it is on record, because the page reads the records.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.ids import new_id
from ..port import Account, Button, Place
from ..pushed import PushedDeliveries

PAGE = "cabinet/chat"  # below the base URL of the server


class WebChatAdapter(PushedDeliveries):
    """The page of one channel."""

    def __init__(self, channel_id: str) -> None:
        super().__init__()
        self._channel_id = channel_id

    async def connect(self) -> Account:
        """Return where the page is. It has no account, so no user name is mistaken for one."""
        return Account(id="", name="", address=f"{PAGE}#{self._channel_id}")

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Return an id: the message is on record, so the page shows it."""
        return new_id()

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Do nothing: the record says how a request has ended."""

    async def typing(self, place: Place) -> None:
        """Do nothing: the record says which messages are worked on."""
