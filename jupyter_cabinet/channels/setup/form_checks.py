"""Checks what people write in the forms of channels and connected accounts. Each raises `Invalid` with its field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from ...agents.roster.roster import Roster
from ...core.errors import Invalid, NotAllowed, NotFound
from ...core.people import Principal
from ...core.slugs import is_slug
from ...schedules.schedule_parser import parse_zone
from ..model import MAX_NAME, MAX_NAMED_CHATS, ChannelFields, KnownChat, NamedChat, NotifyFields, Platform
from ..platforms import PLATFORMS, problem_of
from ..rules.notifications import LONGEST_DIGEST, is_time

LONGEST_SECRET = 500
MAX_TITLE = 300  # of a chat
LONGEST_ADDRESS = 2_000  # characters
# Nothing that a library reads as another name: other letters, other dots, percent signs.
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|[0-9a-f:.]*:[0-9a-f:.]*")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
IN_BROWSER = "Only a person in the browser may change channels. Open JupyterLab to do this."


def require_browser(principal: Principal) -> None:
    """Raise `NotAllowed` for a program."""
    if not principal.in_browser:
        raise NotAllowed(IN_BROWSER)


async def check_agent(slug: str, principal: Principal, roster: Roster) -> None:
    """Raise `Invalid` if the agent does not exist, or if the caller may not see it. An empty slug is no agent."""
    if not slug:
        return
    try:
        if not is_slug(slug):
            raise NotFound
        await roster.get(slug, principal)
    except NotFound:
        raise Invalid(f"There is no agent named {slug[:MAX_NAME]}.", field="agent") from None


def check_notify(fields: NotifyFields) -> None:
    """Raise `Invalid`, with the field, for what a person wants to hear in a chat, and when, if it is not valid."""
    if not 0 <= fields.digest_minutes <= LONGEST_DIGEST:
        raise Invalid(f"Choose at most {LONGEST_DIGEST} minutes, or 0 for at once.", field="digest_minutes")
    for name in ("quiet_from", "quiet_until"):
        time = getattr(fields, name)
        if time and not is_time(time):
            raise Invalid("Enter a time of day such as 22:00.", field=name)
    if bool(fields.quiet_from) != bool(fields.quiet_until):
        missing = "quiet_until" if fields.quiet_from else "quiet_from"
        raise Invalid("Quiet hours need a start and an end. Leave both empty if you want none.", field=missing)
    if fields.quiet_from and fields.quiet_from == fields.quiet_until:
        raise Invalid("Quiet hours cannot end when they start.", field="quiet_until")
    if fields.quiet_from and not fields.zone:
        raise Invalid("Quiet hours need a time zone, such as Europe/Berlin.", field="zone")
    if fields.zone:
        checked_zone(fields.zone)


def checked_zone(name: str) -> str:
    """Return the name of a time zone. Raises `Invalid` if there is none of that name."""
    try:
        return parse_zone(name)
    except Invalid as error:
        raise Invalid(error.message, field="zone") from None


def check_named_chats(chats: Sequence[NamedChat]) -> None:
    """Raise `Invalid` if the names that a person gives to chats are not valid, too many, or twice the same."""
    if len(chats) > MAX_NAMED_CHATS:
        raise Invalid(f"At most {MAX_NAMED_CHATS} chats of a channel have a name.", field="named_chats")
    for each in chats:
        if not is_slug(each.name):
            raise Invalid("A name has small letters, digits and hyphens, such as team-news.", field="named_chats")
        if not 0 < len(each.chat) <= MAX_NAME or len(each.title) > MAX_TITLE:
            raise Invalid("This is not a chat of this channel.", field="named_chats")
    if len({(each.name, each.chat) for each in chats}) < len(chats):
        raise Invalid("A chat has the same name twice.", field="named_chats")


def as_known(
    named: Sequence[NamedChat], known: Sequence[KnownChat], before: Sequence[NamedChat]
) -> tuple[NamedChat, ...]:
    """Return named chats with the facts that the bot knows about them. Nobody can claim that a chat is not direct.

    `before`: the chats that have a name already; they keep what is stored. Raises `Invalid` for a chat that the bot
    does not know.
    """
    facts = {each.chat: (each.title, each.direct) for each in before}
    facts |= {each.chat: (each.title, each.direct) for each in known}
    for each in named:
        if each.chat not in facts:
            raise Invalid(
                "The bot does not know this chat. Write to the bot, or mention it in the group.", field="named_chats"
            )
    return tuple(
        NamedChat(name=each.name, chat=each.chat, title=facts[each.chat][0][:MAX_TITLE], direct=facts[each.chat][1])
        for each in named
    )


def checked_secrets(platform: Platform, given: Mapping[str, str]) -> dict[str, str]:
    """Return secrets without the spaces around them. Raises `Invalid` for one that is unknown, too long or of another
    form.

    Missing ones are no error: see `require_all`.
    """
    known = {secret.name: secret for secret in PLATFORMS[platform].secrets}
    if given and PLATFORMS[platform].own_secret:
        raise Invalid("This server makes the secret itself.", field="token")
    checked = {}
    for name, value in given.items():
        if name not in known:
            raise Invalid(f"{PLATFORMS[platform].title} has no such secret.", field="more_secrets")
        checked[name] = value.strip()
        problem = problem_of(known[name], checked[name])
        if problem is not None or len(checked[name]) > LONGEST_SECRET:
            raise Invalid(f"{problem or 'It is too long.'} Copy it as the platform shows it.", field=name)
    return checked


def require_all(platform: Platform, given: Mapping[str, str]) -> None:
    """Raise `Invalid`, with the name of the secret as the field, if one that the platform needs is missing."""
    for secret in PLATFORMS[platform].secrets:
        if secret.name not in given:
            raise Invalid(
                f"{PLATFORMS[platform].title} needs the {secret.label}. It looks like {secret.example}",
                field=secret.name,
            )


def check_address(platform: Platform, fields: ChannelFields) -> None:
    """Raise `Invalid` if the address of another server, or what a webhook needs besides, is not valid or missing."""
    info = PLATFORMS[platform]
    if fields.shows_buttons and platform != "webhook":
        raise Invalid("Only the receiver of a webhook can be said to show buttons.", field="shows_buttons")
    if fields.api_url and not info.takes_address:
        raise Invalid(f"{info.title} has no other server.", field="api_url")
    if fields.api_url:
        check_url(fields.api_url)
    elif info.needs_address:
        raise Invalid(
            "Enter the address that receives the answers, such as https://example.org/answers.", field="api_url"
        )


def check_url(url: str) -> None:
    """Raise `Invalid` for the address of another server that is not valid.

    A token is sent there, so it must not travel in clear text, except within this machine. Everybody who can see the
    channel sees it, so it must not have a password. Nothing is resolved or called.
    """
    if len(url) > LONGEST_ADDRESS:
        raise Invalid(f"The address may have at most {LONGEST_ADDRESS} characters.", field="api_url")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise Invalid(
            "The address may contain only plain letters, digits and signs. Write other letters of the host as xn--, "
            "and those of the path with percent signs.",
            field="api_url",
        )
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    is_plain = _HOST.fullmatch(host) is not None and "@" not in parts.netloc
    if parts.scheme not in ("http", "https") or not is_plain or parts.query or parts.fragment:
        raise Invalid("The address of the platform's server must be like https://example.org.", field="api_url")
    if parts.scheme == "http" and host not in LOCAL_HOSTS:
        raise Invalid("The address must begin with https://, because the bot's token is sent there.", field="api_url")
