"""`cabinet.channels`: the bots on chat platforms over which people talk with agents. Only a person changes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ..channels.model import ChannelMessage, ChannelView, Pairing
from .api import Api
from .methods import both_forms

MOST_IN_PAGE = 200  # the server's own limit


class Channels:
    """The channels that you may see: `cabinet.channels.messages("Team bot", query="invoice")`.

    A program can read them. People add and change them in JupyterLab.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    @both_forms
    async def list(self) -> tuple[ChannelView, ...]:
        """Return all of them as they are now, oldest first, with the state of their connections."""
        return await _all(self._api)

    @both_forms
    async def get(self, channel: str) -> ChannelView:
        """Return one of them as it is now, by its id or title. Raises `ValueError` if not exactly one has it."""
        return await _one(self._api, channel)

    @both_forms
    async def messages(self, channel: str, *, query: str | None = None, limit: int = 50) -> tuple[ChannelMessage, ...]:
        """Return the messages of a channel in both directions, newest first, at most `limit`.

        `channel`: its id or title. `query`: a part of the text. Raises `ValueError` like `get`, and `RequestRefused` if
        the channel belongs to somebody else.
        """
        path = f"channels/{(await _one(self._api, channel)).id}/messages"
        found: list[ChannelMessage] = []
        cursor: int | None = None
        while len(found) < limit:
            asked = {"query": query, "limit": min(limit - len(found), MOST_IN_PAGE), "cursor": cursor}
            page = await self._api.fetch(path, _MessagePage, asked)
            found += page.items
            cursor = page.next
            if cursor is None:
                break
        return tuple(found)

    @both_forms
    async def accounts(self) -> tuple[Pairing, ...]:
        """Return the connected accounts, oldest first: your own, and all those of the channels that you own."""
        return await self._api.fetch_items("channel-pairings", Pairing)


def named(channels: Sequence[ChannelView], name: str) -> tuple[ChannelView, ...]:
    """Return the channels that a person means by this name: by id, else by title, else by title in any case.

    Several if they have the same title; empty if there is none.
    """
    fits: tuple[Callable[[ChannelView], bool], ...] = (
        lambda each: each.id == name,
        lambda each: each.title == name,
        lambda each: each.title.casefold() == name.casefold(),
    )
    return next((found for fit in fits if (found := tuple(each for each in channels if fit(each)))), ())


class _MessagePage(msgspec.Struct):
    items: tuple[ChannelMessage, ...]
    next: int | None = None


async def _all(api: Api) -> tuple[ChannelView, ...]:
    return await api.fetch_items("channels", ChannelView)


async def _one(api: Api, name: str) -> ChannelView:
    found = named(await _all(api), name)
    if not found:
        raise ValueError(f"There is no channel {name!r}.")
    if len(found) > 1:
        raise ValueError(f"More than one channel is named {name!r}. Give its id.")
    return found[0]
