"""Writes texts the way Discord shows them unchanged, and reads those that people have written. Pure.

Discord interprets Markdown in every message. So each character that may be markup gets a backslash, except in code
blocks and in addresses that show themselves.

Source: https://docs.discord.com/developers/reference#message-formatting and
https://support.discord.com/hc/en-us/articles/210298617 (Markdown Text 101)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..port import Button
from ..rules.code_blocks import Segment, segments

ESCAPED = "\\`*_~|<[]@:#>-."  # all characters that may get a backslash
_FENCE = "```"
_IN_ROW = 5  # buttons

_INLINE = re.compile(r"[\\`*_~|<\[\]@]|:(?=\S)")
_LINE_BREAK = re.compile("([\n\r\v\f\x1c-\x1e\x85\u2028\u2029])")
_LINE_START = re.compile(r"\s*(?:(?=[#>-])|[0-9]+(?=\.))")  # of a heading, a quote or a list
# Other addresses are shown as text, because Discord could show them in another form: a port, `%` or `..` is left out,
# and a name of another script is written out
_LINK = re.compile(
    r"\bhttps?://(?:(?!xn--)[a-z0-9-]+\.)+(?!xn--)[a-z]{2,}(?:/(?:(?!/\.)[\w./?#=&+,~-])*(?<=[\w/=-]))?(?!\S)", re.ASCII
)
_LANGUAGE = re.compile(r"[\w+.-]+", re.ASCII)
_INTERPRETED = "ansi"  # the language of blocks in which Discord reads control characters


def written(text: str) -> str:
    """Return the content of a message that shows a text as it is, with its code blocks.

    It may be longer than the text.
    """
    parts = [_block(segment) if segment.is_code else _escaped(segment.text) for segment in segments(text)]
    return "\n".join(parts) or _escaped(text)


def rows_of(buttons: Sequence[Button]) -> list[dict[str, Any]]:
    """Return buttons as components of a message, five in a row."""
    rows = [buttons[begin : begin + _IN_ROW] for begin in range(0, len(buttons), _IN_ROW)]
    return [{"type": 1, "components": [_button(each) for each in row]} for row in rows]


def readable(text: str, bot: str) -> tuple[str, bool]:
    """Return what a person has written, without the mentions of the bot, and whether there was one.

    `bot`: its id. Other mentions stay as they are.
    """
    plain, count = re.subn(f"<@!?{re.escape(bot)}>", "", text)
    return plain.strip(), count > 0


def _block(segment: Segment) -> str:
    """Return a code block. If its text would end it, it is shown as text."""
    if _FENCE in segment.text:
        return _escaped(segment.text)
    is_known = _LANGUAGE.fullmatch(segment.language) and segment.language.lower() != _INTERPRETED
    return f"{_FENCE}{segment.language if is_known else ''}\n{segment.text}\n{_FENCE}"


def _escaped(text: str) -> str:
    return "".join(each if _LINE_BREAK.fullmatch(each) else _line(each) for each in _LINE_BREAK.split(text))


def _line(line: str) -> str:
    if (start := _LINE_START.match(line)) is not None:
        at = start.end()
        return f"{line[:at]}\\{line[at]}{''.join(_with_links(line[at + 1 :]))}"
    return "".join(_with_links(line))


def _with_links(line: str) -> Iterator[str]:
    """Yield a line with its addresses as links, which show that same address."""
    at = 0
    for found in _LINK.finditer(line):
        yield _INLINE.sub(r"\\\g<0>", line[at : found.start()])
        yield f"<{found[0]}>"
        at = found.end()
    yield _INLINE.sub(r"\\\g<0>", line[at:])


def _button(button: Button) -> dict[str, Any]:
    return {"type": 2, "style": 2, "label": button.label, "custom_id": button.data}
