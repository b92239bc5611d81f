"""Finds the proposed soul in the answer of a reflection: the one block whose fence is followed by `soul`. Pure."""

from __future__ import annotations

import msgspec

from ..directives.fenced_blocks import blocks_of, is_meant
from .soul_rules import lines_of

INFO = "soul"
MAX_ANSWER_CHARACTERS = 1_000_000  # a longer answer is not searched

NO_BLOCK = f"The answer has no block that begins with ```` ```{INFO} ````, so nothing is proposed."
TWO_BLOCKS = f"The answer has several blocks of the kind `{INFO}`. A reflection proposes exactly one soul."
NOT_CLOSED = f"The block `{INFO}` is not closed, so its end may be missing."
TOO_LONG_ANSWER = "The answer is too long to be searched for a soul."
NOT_CARRIED_OUT = "A reflection only proposes a soul. This block was not carried out."


class SoulAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer proposes. `text`: None if it proposes nothing; `problem` then says why.

    `others`: the beginnings of blocks with directives, which a reflection does not carry out.
    """

    text: str | None = None
    problem: str = ""
    others: tuple[str, ...] = ()


def soul_in(answer: str) -> SoulAnswer:
    """Return the proposed soul in an answer. Accepts any text, in linear time."""
    if len(answer) > MAX_ANSWER_CHARACTERS:
        return SoulAnswer(problem=TOO_LONG_ANSWER)
    blocks = blocks_of(answer)
    souls = [block for block in blocks if block.info == (INFO,)]
    others = tuple("\n".join(block.lines) for block in blocks if is_meant(block))
    if len(souls) != 1:
        return SoulAnswer(problem=TWO_BLOCKS if souls else NO_BLOCK, others=others)
    if souls[0].first_line - 1 + len(souls[0].lines) >= len(lines_of(answer)):
        return SoulAnswer(problem=NOT_CLOSED, others=others)
    return SoulAnswer(text="\n".join(souls[0].lines).strip("\n") + "\n", others=others)


def in_the_form_of(present: str, proposed: str) -> str:
    """Return the proposed soul, with the line ends `\\r\\n` if all lines of the present one have them."""
    breaks = present.count("\r\n")
    return proposed.replace("\n", "\r\n") if breaks and breaks == present.count("\n") else proposed
