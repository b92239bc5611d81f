"""Finds `@mentions` in an instruction. Pure.

A mention begins at the start of a line or after white space. `@reports/q3.md` ends at white space; punctuation at its
end belongs to the sentence. `@"two words.md"` ends at the closing quote.
"""

from __future__ import annotations

import re

PATTERN = re.compile(r'(?:^|(?<=\s))@(?:"([^"\n]+)"|(\S+))')
SENTENCE_END = ".,;:!?)]}'\""


def find_mentions(text: str) -> list[str]:
    """Return the mentioned names in order, each once, without `@` and quotes.

    Whether there are such files is not checked.
    """
    found: dict[str, None] = {}
    for quoted, bare in PATTERN.findall(text):
        name = quoted or bare.rstrip(SENTENCE_END)
        if name:
            found[name] = None
    return list(found)


def looks_like_path(name: str) -> bool:
    """Return whether an unresolved mention deserves a warning (`@dataclass` does not)."""
    return "/" in name or "." in name
