"""The platforms that channels can be on. An adapter is imported when its first channel connects."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from .model import Channel, Platform
from .port import ChannelAdapter, Limits


class PlatformInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a platform before a channel connects to it."""

    title: str
    limits: Limits


PLATFORMS: dict[Platform, PlatformInfo] = {
    "telegram": PlatformInfo(title="Telegram", limits=Limits(length=4096, unit="utf-16")),
}

Build = Callable[[Channel, str], ChannelAdapter]


def build_adapter(channel: Channel, token: str) -> ChannelAdapter:
    """Return the adapter of a channel. Raises `Rejected` for a token that cannot be one."""
    from .telegram.adapter import TelegramAdapter

    return TelegramAdapter(token, channel.api_url)
