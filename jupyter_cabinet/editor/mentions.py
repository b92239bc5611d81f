"""Finds `@mentions` in an instruction. Pure.

A mention starts at the beginning of a line or after white space. `@reports/q3.md` ends at white space, with
punctuation at its end left to the sentence; `@"two words.md"` ends at the quote.
"""

from __future__ import annotations

import re

PATTERN = re.compile(r'(?:^|(?<=\s))@(?:"([^"\n]+)"|(\S+))')
SENTENCE_END = ".,;:!?)]}'\""


def find_mentions(text: str) -> list[str]:
    """The mentioned names in order, each once."""
    found: dict[str, None] = {}
    for quoted, bare in PATTERN.findall(text):
        name = quoted or bare.rstrip(SENTENCE_END)
        if name:
            found[name] = None
    return list(found)


def looks_like_path(name: str) -> bool:
    """Whether a mention that leads nowhere deserves a message (`@dataclass` does not)."""
    return "/" in name or "." in name
