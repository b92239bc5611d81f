"""Marks code blocks of a text the way Telegram wants them: without fences, as ranges in UTF-16 units. Pure.

Everything else stays as the agent wrote it. Telegram's own Markdown is not used: a single wrong character in it refuses
the whole message.
"""

from __future__ import annotations

import re

import msgspec

from ..rules.splitting import utf16_length

_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]{0,40})([^\n`]*)")


class CodeBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A range of a text that is code. `offset` and `length` in UTF-16 units."""

    offset: int
    length: int
    language: str = ""


def formatted(text: str) -> tuple[str, tuple[CodeBlock, ...]]:
    """Return a text without the fences of its code blocks, and where these blocks are."""
    shown: list[str] = []
    blocks: list[CodeBlock] = []
    code: list[str] = []
    marks, language, offset = "", "", 0
    for line in text.split("\n"):
        opening = _OPENING.fullmatch(line)
        if not marks and opening:
            marks, language, code = opening[1], opening[2], [opening[3].strip()] if opening[3].strip() else []
        elif marks and _closes(line, marks):
            offset = _add_block(shown, blocks, code, language, offset)
            marks = ""
        elif marks:
            code.append(line)
        else:
            shown.append(line)
            offset += utf16_length(line) + 1
    if marks:
        _add_block(shown, blocks, code, language, offset)
    return "\n".join(shown), tuple(blocks)


def _closes(line: str, marks: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(marks) and set(stripped) == {marks[0]} and not line.startswith("    ")


def _add_block(shown: list[str], blocks: list[CodeBlock], code: list[str], language: str, offset: int) -> int:
    """Add a block, and return the offset after it."""
    content = "\n".join(code)
    size = utf16_length(content)
    if not content.strip():
        return offset
    blocks.append(CodeBlock(offset=offset, length=size, language=language))
    shown.append(content)
    return offset + size + 1
