"""Writes texts the way Slack shows them unchanged, and reads those that people have written. Pure.

Texts are sent as *rich text*, whose parts Slack does not interpret: no mention, no formatting and no link with another
address can come from what an agent writes.

Source: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block and
https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..port import Button
from ..rules.code_blocks import segments

_LINK = re.compile(
    r"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(?::[0-9]{1,5})?(?:/(?:[\w./?#=&%+@:,;~-]*[\w/=-])?)?",
    re.ASCII,
)
_MASS_MENTION = re.compile(r"@(?=(?:channel|here|everyone)\b)", re.IGNORECASE)
_WORD_JOINER = "\u2060"
_MARKUP = re.compile(r"<([^<>\n]*)>")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # the last one last


def blocks_of(text: str, buttons: Sequence[Button] = ()) -> list[dict[str, Any]]:
    """Return a text as blocks, with buttons below it; empty for a text without visible characters and buttons."""
    parts = [part for segment in segments(text) if (part := _part(segment.text.strip("\n"), segment.is_code))]
    blocks: list[dict[str, Any]] = [{"type": "rich_text", "elements": parts}] if parts else []
    if buttons:
        blocks.append({"type": "actions", "elements": [_button(number, each) for number, each in enumerate(buttons)]})
    return blocks


def notification(text: str) -> str:
    """Return a text as it is shown where blocks are not, such as in a notification. It mentions nobody."""
    plain = "\n".join(segment.text for segment in segments(text))
    for entity, character in reversed(_ENTITIES):
        plain = plain.replace(character, entity)
    return _MASS_MENTION.sub(f"@{_WORD_JOINER}", plain)


def readable(text: str, bot: str) -> tuple[str, bool]:
    """Return what a person has written, without the mentions of the bot, and whether there was one.

    `bot`: its id. Other mentions stay, as `@` and the id. Links and names of channels are written out.
    """
    mentioned = False

    def written(found: re.Match[str]) -> str:
        nonlocal mentioned
        target, _, label = found[1].partition("|")
        if target == f"@{bot}":
            mentioned = True
            return ""
        return _written_out(target, label)

    plain = _MARKUP.sub(written, text)
    for entity, character in _ENTITIES:
        plain = plain.replace(entity, character)
    return plain.strip(), mentioned


def _written_out(target: str, label: str) -> str:
    """Return a mention, a link or a channel as text."""
    if target.startswith("@"):
        return target
    if target.startswith(("#", "!")):
        name = label.lstrip("#@") or target[1:].partition("^")[0]
        return f"#{name}" if target.startswith("#") else f"@{name}"
    address = target.removeprefix("mailto:")
    return f"{label} ({address})" if label and label not in (address, address.partition("://")[2]) else address


def _part(text: str, is_code: bool) -> dict[str, Any] | None:
    if not text.strip():
        return None
    if is_code:
        return {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text_section", "elements": list(_with_links(text))}


def _with_links(text: str) -> Iterator[dict[str, Any]]:
    """Yield a text with its addresses as links, which show that same address."""
    at = 0
    for found in _LINK.finditer(text):
        if found.start() > at:
            yield {"type": "text", "text": text[at : found.start()]}
        yield {"type": "link", "url": found[0]}
        at = found.end()
    if at < len(text):
        yield {"type": "text", "text": text[at:]}


def _button(number: int, button: Button) -> dict[str, Any]:
    return {
        "type": "button",
        "action_id": f"button-{number}",
        "text": {"type": "plain_text", "text": button.label, "emoji": False},
        "value": button.data,
    }
