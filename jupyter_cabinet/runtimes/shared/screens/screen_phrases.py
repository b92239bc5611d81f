"""Compares the text of a screen with known phrases. Pure.

TUIs break lines in a narrow terminal and move the cursor where others write a space, so both sides are compared without
any white space.
"""

from __future__ import annotations

import re

_NOT_WORDS = re.compile(r"[\s\x00-\x1f\x7f]+")


def compact(text: str) -> str:
    """Return `text` without white space and control characters."""
    return _NOT_WORDS.sub("", text)
