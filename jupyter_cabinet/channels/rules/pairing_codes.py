"""Codes by which a person connects their account on a platform with their account here. Kept in memory only.

The bot tells the code to an unknown sender. The person enters it in JupyterLab, where they are logged in. So the code
proves that both accounts belong to the same person. Nothing here reads a clock: times are seconds of a clock that only
grows.
"""

from __future__ import annotations

import secrets

import msgspec

from ..port import Sender

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # without characters that look alike
LENGTH = 8  # 30**8 codes
VALID_SECONDS = 15 * 60.0
MOST_OPEN = 100  # of one channel: whoever floods one of them stops no other
MOST_GUESSES = 10  # wrong codes of one person in `GUESS_SECONDS`
GUESS_SECONDS = 600.0


class PairingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """An account that asks to be paired. `chat`: its direct chat with the bot."""

    channel: str
    sender: Sender
    chat: str
    code: str
    until: float


class TooManyGuesses(Exception):
    """A person has entered too many wrong codes lately."""


class PairingCodes:
    """The codes that are valid now."""

    def __init__(self) -> None:
        self._open: dict[str, PairingRequest] = {}
        self._wrong: dict[str, list[float]] = {}  # times of wrong codes, by person

    def request(self, channel: str, sender: Sender, now: float, *, chat: str = "") -> PairingRequest | None:
        """Return the code of an account, which it keeps until it is used or too old.

        None if 100 codes of this channel are open. `now`: seconds of a clock that only grows.
        """
        self._forget_old(now)
        for known in self._open.values():
            if (known.channel, known.sender.id) == (channel, sender.id):
                return known
        if sum(known.channel == channel for known in self._open.values()) >= MOST_OPEN:
            return None
        code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        made = PairingRequest(channel=channel, sender=sender, chat=chat, code=code, until=now + VALID_SECONDS)
        self._open[code] = made
        return made

    def find(self, typed: str, now: float, *, by: str) -> PairingRequest | None:
        """Return what a typed code stands for; None if it is wrong or too old. `by`: the person who has typed it.

        Spaces and dashes are ignored. The code stays valid until `use`. Raises `TooManyGuesses` after ten wrong codes
        of a person in ten minutes.
        """
        self._forget_old(now)
        wrong = [at for at in self._wrong.get(by, ()) if now - at < GUESS_SECONDS]
        if len(wrong) >= MOST_GUESSES:
            raise TooManyGuesses
        found = self._open.get(normalised(typed))
        if found is None:
            self._wrong[by] = [*wrong, now]
        return found

    def use(self, request: PairingRequest) -> None:
        """Make a code invalid: it has been used."""
        self._open.pop(request.code, None)

    def forget_channel(self, channel: str) -> None:
        """Make all codes of a channel invalid."""
        self._open = {code: each for code, each in self._open.items() if each.channel != channel}

    def _forget_old(self, now: float) -> None:
        self._open = {code: each for code, each in self._open.items() if each.until > now}


def normalised(typed: str) -> str:
    """Return a code without the spaces and dashes that people type."""
    return "".join(each for each in typed.upper() if each in ALPHABET)


def spaced(code: str) -> str:
    """Return a code as people read it."""
    return f"{code[:4]}-{code[4:]}"
