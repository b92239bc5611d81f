"""The one gate through which everything comes in: what a delivery is, and whether anybody looks at it. Pure."""

from __future__ import annotations

from typing import Literal

from ..port import Inbound
from .commands import read_command, unknown_command

Kind = Literal["ignored", "press", "command", "message", "stranger", "stranger_press"]

MAX_TEXT = 16_000  # characters of a message


def kind_of(inbound: Inbound, *, bot_id: str, is_paired: bool) -> Kind:
    """Return how a delivery is treated.

    Bots and the bot itself are ignored, so that two bots never talk with each other without end. So are edits: the
    message was answered already. In a group, only what mentions the bot counts, and an account that is not paired gets
    no answer, because all members would read it.
    """
    if inbound.sender.is_bot or inbound.sender.id == bot_id or inbound.edited:
        return "ignored"
    if inbound.press:
        return "press" if is_paired else "stranger_press"
    if not inbound.place.direct and not inbound.mentioned:
        return "ignored"
    if not is_paired:
        return "stranger" if inbound.place.direct else "ignored"
    if not inbound.text.strip() and not inbound.attachments:
        return "ignored"
    is_command = read_command(inbound.text) or unknown_command(inbound.text)
    return "command" if is_command else "message"


class Allowance:
    """How many deliveries of each sender are read, so that one sender cannot keep the server busy.

    A sender may send `most` at once, and then one each `seconds`. Times are seconds of any clock that only grows.
    """

    def __init__(self, *, most: int = 20, seconds: float = 3.0, senders: int = 10_000) -> None:
        self._most = most
        self._seconds = seconds
        self._senders = senders
        self._left: dict[str, tuple[float, float]] = {}
        self._told: set[str] = set()

    def take(self, sender: str, now: float) -> bool:
        """Take one delivery of a sender. Return False if it has used up its allowance."""
        left, at = self._left.pop(sender, (float(self._most), now))
        left = min(float(self._most), left + (now - at) / self._seconds)
        allowed = left >= 1
        self._left[sender] = (left - 1 if allowed else left, now)
        if allowed:
            self._told.discard(sender)
        while len(self._left) > self._senders:
            oldest = next(iter(self._left))
            del self._left[oldest]
            self._told.discard(oldest)
        return allowed

    def may_tell(self, sender: str) -> bool:
        """Return True once for each time that a sender has used up its allowance, and then False until it has some
        again.
        """
        if sender in self._told:
            return False
        self._told.add(sender)
        return True
