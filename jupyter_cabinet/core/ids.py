"""Identifiers: sortable, unique, safe as a file name and in a URL."""

from __future__ import annotations

import re
import secrets
import time

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
TIME_CHARACTERS = 10  # 50 bits of milliseconds: enough until the year 37648
RANDOM_CHARACTERS = 16  # 80 bits

ID_PATTERN = re.compile(r"[0-9a-hjkmnp-tv-z]{26}")

# The form of an id from outside (a CLI's own session id) that may be used in an argument list or a path.
FOREIGN_ID_PATTERN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,127}")


def new_id() -> str:
    """Return a new id of 26 characters: milliseconds since 1970, then 80 random bits.

    Ids made in different milliseconds sort by time; within one millisecond the order is random.
    """
    return _base32(time.time_ns() // 1_000_000, TIME_CHARACTERS) + _base32(
        secrets.randbits(5 * RANDOM_CHARACTERS), RANDOM_CHARACTERS
    )


def is_id(text: str) -> bool:
    """Return whether `text` has the form of an id made by `new_id`: 26 characters, lower case."""
    return ID_PATTERN.fullmatch(text) is not None


def is_foreign_id(text: str) -> bool:
    """Return whether an id from outside may be used in an argument list or a path.

    It has 1 to 128 ASCII letters, digits, `_` or `-`, and does not begin with `-`.
    """
    return FOREIGN_ID_PATTERN.fullmatch(text) is not None


def _base32(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
