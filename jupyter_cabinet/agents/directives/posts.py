"""An agent's post to a channel, as a line of `.agents/.slack/<channel>.jsonl`. Pure; `effects/` appends it."""

from __future__ import annotations

import re

import msgspec

from ...core.slugs import is_slug

_MENTION = re.compile(r"(?<![\w@./-])@([a-z0-9][a-z0-9-]*)(?![\w@])")


class PostLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the channel's file. `type`: always `message` for posts of this server.

    `mentions`: slugs of the agents that the text mentions with an `@`. `timestamp`: ISO 8601 in UTC. `origin`: the key
    of the directive, `<run id>/<position>`.
    """

    id: str
    channel: str
    agent: str
    type: str = "message"
    content: str
    mentions: tuple[str, ...] = ()
    timestamp: str
    origin: str = ""
    depth: int = 0
    chain: tuple[str, ...] = ()
    tainted: bool = False


def mentions(text: str) -> tuple[str, ...]:
    """Return the slugs that a text mentions as `@slug`, each once, in order. Email addresses are not mentions."""
    found = (name.rstrip("-") for name in _MENTION.findall(text))
    return tuple(dict.fromkeys(name for name in found if is_slug(name)))
