"""The platforms that channels can be on, and what differs between them. An adapter is imported when its first channel
connects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ..core.clock import Clock, SystemClock
from .discord.formatting import ESCAPED
from .model import Channel, Platform
from .port import ChannelAdapter, Limits, Rejected
from .rules.admission import MAX_TEXT

TOKEN = "token"  # noqa: S105 (the name of the secret that a bot needs)
APP_TOKEN = "app_token"  # noqa: S105 (the name of the one with which Slack opens its socket)


class Secret(msgspec.Struct, frozen=True, kw_only=True):
    """A secret of a bot. `pattern`: what it looks like, completely; it may become part of a URL. `example`: the same
    for people.
    """

    name: str
    label: str
    pattern: str
    example: str

    def fits(self, value: str) -> bool:
        """Return whether a text can be this secret."""
        return re.fullmatch(self.pattern, value) is not None


class PlatformInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a platform before a channel connects to it.

    `secrets`: what a channel needs, `TOKEN` first. `takes_address`: the platform can also be on another server, such as
    one that people run themselves. `by_login`: people write as those who are logged in here, so nobody enters a code,
    and they may do what they may here. `only_sends`: nobody can write there. `own_secret`: this server makes the
    secret. `needs_address`: there is no usual server. `remedy`: what helps if the platform refuses the secrets.
    """

    title: str
    limits: Limits
    secrets: tuple[Secret, ...]
    takes_address: bool = False
    by_login: bool = False
    only_sends: bool = False
    own_secret: bool = False
    needs_address: bool = False
    remedy: str = "Check the token of the bot, then save the channel again."


PLATFORMS: dict[Platform, PlatformInfo] = {
    "telegram": PlatformInfo(
        title="Telegram",
        limits=Limits(length=4096, unit="utf-16"),
        secrets=(
            Secret(
                name=TOKEN,
                label="token of a Telegram bot",
                pattern=r"[0-9]+:[A-Za-z0-9_-]{20,}",
                example="123456:ABC…",
            ),
        ),
        takes_address=True,
    ),
    "slack": PlatformInfo(
        title="Slack",
        limits=Limits(length=4000),  # Slack's advice for the text of a message
        secrets=(
            Secret(
                name=TOKEN,
                label="bot token of a Slack app",
                pattern=r"xoxb-[A-Za-z0-9-]{10,}",
                example="xoxb-…",
            ),
            Secret(
                name=APP_TOKEN,
                label="app token of a Slack app",
                pattern=r"xapp-[A-Za-z0-9-]{10,}",
                example="xapp-…",
            ),
        ),
        takes_address=True,  # of GovSlack
        remedy="Check the tokens of the app, then save the channel again.",
    ),
    "discord": PlatformInfo(
        title="Discord",
        limits=Limits(length=1990, unit="utf-16", doubled=ESCAPED),  # 2,000, without the fences that are added
        secrets=(
            Secret(
                name=TOKEN,
                label="token of a Discord bot",
                pattern=r"[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{20,}",
                example="MTA1….G1a2b3.…",
            ),
        ),
        takes_address=True,  # of another server that speaks the same protocol
    ),
    "web": PlatformInfo(
        title="Web chat",
        limits=Limits(length=MAX_TEXT),
        secrets=(),
        by_login=True,
        remedy="Save the channel again.",
    ),
    "apprise": PlatformInfo(
        title="Mail and other services",
        limits=Limits(length=4000),  # fits into the services with the shortest messages that are not cut
        secrets=(
            Secret(
                name=TOKEN,
                label="address of a service",
                pattern=r"[a-z][a-z0-9+.-]{1,30}://\S{1,460}",
                example="mailto://name:password@example.org",
            ),
        ),
        only_sends=True,
        remedy="Check the address of the service, then save the channel again.",
    ),
    "webhook": PlatformInfo(
        title="Webhook",
        limits=Limits(length=MAX_TEXT),
        secrets=(
            Secret(
                name=TOKEN, label="secret of a webhook", pattern=r"[A-Za-z0-9_-]{43}", example="what this server makes"
            ),
        ),
        takes_address=True,
        own_secret=True,
        needs_address=True,
        remedy="Check the address of the receiver, then save the channel again.",
    ),
}


class ThisServer(msgspec.Struct, frozen=True, kw_only=True):
    """What an adapter may know of this server. `port`: of its API; 0: not known."""

    clock: Clock = msgspec.field(default_factory=SystemClock)
    port: int = 0


Kept = dict[str, Any]  # what an adapter leaves for the next one of the same channel, such as a session that continues
Build = Callable[[Channel, Mapping[str, str], Kept], ChannelAdapter]


def problem_of(secret: Secret, value: str) -> str | None:
    """Return why a text cannot be this secret; None if it can."""
    return None if secret.fits(value) else f"This is not the {secret.label}. It looks like {secret.example}."


def build_adapter(
    channel: Channel, secrets: Mapping[str, str], kept: Kept, *, server: ThisServer | None = None
) -> ChannelAdapter:
    """Return the adapter of a channel, without connecting. `secrets`: by name. The first one of a platform imports its
    module.

    Raises `Rejected` for a text that cannot be a secret, and if a package that the platform needs is not installed.
    """
    if PLATFORMS[channel.platform].own_secret and not secrets.get(TOKEN):
        raise Rejected("This channel has no secret yet, so nothing can be signed.", "Choose Create a secret.")
    for secret in PLATFORMS[channel.platform].secrets:
        if (problem := problem_of(secret, secrets.get(secret.name, ""))) is not None:
            raise Rejected(problem)
    try:
        return _adapter(channel, secrets, kept, server or ThisServer())
    except ModuleNotFoundError as error:
        raise _missing(error, channel.platform) from None


def _adapter(channel: Channel, secrets: Mapping[str, str], kept: Kept, server: ThisServer) -> ChannelAdapter:
    match channel.platform:
        case "telegram":
            from .telegram.adapter import TelegramAdapter

            return TelegramAdapter(secrets[TOKEN], channel.api_url)
        case "slack":
            from .slack.adapter import SlackAdapter

            return SlackAdapter(secrets[TOKEN], secrets[APP_TOKEN], channel.api_url)
        case "discord":
            from .discord.adapter import DiscordAdapter

            return DiscordAdapter(secrets[TOKEN], channel.api_url, kept)
        case "web":
            from .web_chat.adapter import WebChatAdapter

            return WebChatAdapter(channel.id)
        case "apprise":
            from .apprise.adapter import AppriseAdapter

            return AppriseAdapter(secrets[TOKEN], channel.title)
        case "webhook":
            from .webhook.adapter import WebhookAdapter

            return WebhookAdapter(channel, secrets[TOKEN], clock=server.clock, own_port=server.port)


def _missing(error: ModuleNotFoundError, platform: Platform) -> Rejected:
    """Return what to do about a package that only this platform needs."""
    package = (error.name or "").partition(".")[0]
    return Rejected(
        f"{PLATFORMS[platform].title} needs the package {package}, which is not installed.",
        f'Run pip install "jupyter_cabinet[{platform}]", then save the channel again.',
    )
