"""Decides which agent a message is for. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec

from ..model import RoutingRule

_MENTION = re.compile(r"(?<![\w@./-])@([a-z0-9][a-z0-9-]*)(?![\w@])", re.IGNORECASE)

NO_AGENT = "No agent is set for this channel. Name one: @name and your question. /agents lists those you can ask."


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """Where a message goes. `because`: the rule that decided, for people."""

    agent: str
    because: str


def route(
    text: str,
    *,
    known: Collection[str],
    rules: Sequence[RoutingRule] = (),
    user: str = "",
    chat: str = "",
    user_default: str = "",
    channel_default: str = "",
) -> Route | None:
    """Return the agent that a message is for, or None if nothing names one.

    The first of: an agent that the text mentions, a rule, the person's own default, the channel's default. `known`: the
    agents that the person may ask. `user`: the platform's id of the sender. A rule or a default may name an agent that
    is not known any more. Then nobody else answers: the person would not notice.
    """
    for name in mentions(text):
        if name in known:
            return Route(agent=name, because="the message mentions it")
    for rule in rules:
        if (not rule.user or rule.user == user) and (not rule.chat or rule.chat == chat):
            return Route(agent=rule.agent, because="a rule of the channel")
    if user_default:
        return Route(agent=user_default, because="the person's default agent")
    if channel_default:
        return Route(agent=channel_default, because="the channel's default agent")
    return None


def mentions(text: str) -> tuple[str, ...]:
    """Return the names that a text mentions as `@name`, each once, in order. Email addresses are not mentions."""
    found = (name.rstrip("-").lower() for name in _MENTION.findall(text))
    return tuple(dict.fromkeys(name for name in found if name))


def without_address(text: str, agent: str) -> str:
    """Return a text without the mention of the agent that it begins with; unchanged if there is nothing else."""
    found = re.match(rf"\s*@{re.escape(agent)}(?![\w@-])[,:]?\s*", text, re.IGNORECASE)
    return text[found.end() :] or text if found else text
