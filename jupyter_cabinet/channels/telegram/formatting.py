"""Marks code blocks of a text the way Telegram wants them: without fences, as ranges in UTF-16 units. Pure.

Everything else stays as the agent wrote it. Telegram's own Markdown is not used: a single wrong character in it refuses
the whole message.
"""

from __future__ import annotations

import msgspec

from ..rules.code_blocks import segments
from ..rules.splitting import utf16_length


class CodeBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A range of a text that is code. `offset` and `length` in UTF-16 units."""

    offset: int
    length: int
    language: str = ""


def formatted(text: str) -> tuple[str, tuple[CodeBlock, ...]]:
    """Return a text without the fences of its code blocks, and where these blocks are."""
    shown: list[str] = []
    blocks: list[CodeBlock] = []
    offset = 0
    for segment in segments(text):
        size = utf16_length(segment.text)
        if segment.is_code:
            blocks.append(CodeBlock(offset=offset, length=size, language=segment.language))
        shown.append(segment.text)
        offset += size + 1
    return "\n".join(shown), tuple(blocks)
