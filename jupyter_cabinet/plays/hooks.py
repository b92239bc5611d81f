"""Requests from outside that start a play: their secrets, and how one is handled.

A secret is stored outside the root, in `<jupyter data>/cabinet/hooks/`, so that neither a sandboxed agent nor a clone
of the folder contains it. It is created when a person asks in the browser, and shown once. The reply to an unsigned
request does not reveal whether a play exists.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from pathlib import Path

from ..core.clock import Clock
from ..core.errors import AlreadyFired, Conflict, NotAllowed, TooLarge
from ..runs.model import Run
from ..storage.filesystem import files, untrusted_files
from ..storage.filesystem.private_folders import private_folder
from . import triggers
from .model import MAX_ABOUT_BYTES
from .play_files import checked
from .playbook import Playbook
from .signatures import MAX_BODY_BYTES, Delivery, is_genuine, signature
from .starters.starter import Happening, PlayStarter

MAX_SECRET_BYTES = 200
NOT_GENUINE = "This request is not signed for a play of this server, or too old, or it has come before."


class Secrets:
    """The secrets of the plays of one root. All methods block, so call them off the event loop."""

    def __init__(self, data: Path, root: Path) -> None:
        """Use a subfolder of `data`, a folder outside the root."""
        self._folder = data / "hooks" / hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:32]

    def make(self, slug: str) -> str:
        """Create and return a new secret; the previous one becomes invalid.

        Whether there is such a play is not checked. Raises `NotFound` for a slug that is not valid, and `Unavailable`
        or `OSError` if the secret cannot be stored.
        """
        secret = secrets.token_urlsafe(32)
        private_folder(self._folder.parent)
        files.replace(private_folder(self._folder) / checked(slug), secret.encode())
        return secret

    def get(self, slug: str) -> str | None:
        """Return the secret, or None if there is none or it cannot be read."""
        try:
            content = untrusted_files.read(self._folder / checked(slug), limit=MAX_SECRET_BYTES, beneath=self._folder)
        except OSError:
            return None
        return content.decode(errors="replace") or None

    def forget(self, slug: str) -> None:
        """Delete the secret, if there is one. Raises `OSError` if it cannot be deleted."""
        (self._folder / checked(slug)).unlink(missing_ok=True)


class Hooks:
    """Handles signed requests."""

    def __init__(self, *, secrets: Secrets, playbook: Playbook, starter: PlayStarter, clock: Clock) -> None:
        self._secrets = secrets
        self._playbook = playbook
        self._starter = starter
        self._clock = clock

    async def receive(self, slug: str, delivery: Delivery) -> Run:
        """Start the play, and return its run as queued.

        Raises `TooLarge` for a body over 256 KiB. Raises `NotAllowed` for a request that is not genuine, is too old or
        has come before, also if there is no such play, and `NotFound` for a slug that no play can have. For a genuine
        request, raises `NotFound` if the play is gone, `Conflict` if it has no trigger webhook, and all other errors
        that prevent the start.
        """
        if len(delivery.body) > MAX_BODY_BYTES:
            raise TooLarge(f"The body is too large. The limit is {MAX_BODY_BYTES // 1024} KiB.")
        known = await asyncio.to_thread(self._secrets.get, slug)
        genuine = is_genuine(delivery, known or secrets.token_urlsafe(32), self._clock.now())
        if not genuine or known is None:
            raise NotAllowed(NOT_GENUINE)
        play = (await self._playbook.get(slug)).require()
        if triggers.Webhook() not in play.triggers:
            raise Conflict("This play has no trigger webhook.")
        return await self._start(slug, delivery)

    async def send_test(self, slug: str, body: bytes) -> Run:
        """Sign a request as a sender would, and receive it: this starts the play.

        Raises `Conflict` if there is no secret, and as `receive`.
        """
        secret = await asyncio.to_thread(self._secrets.get, slug)
        if secret is None:
            raise Conflict("This play has no secret yet. Make one first.")
        timestamp, delivery = str(int(self._clock.now().timestamp())), f"test-{secrets.token_hex(8)}"
        signed = signature(secret, timestamp, delivery, body)
        return await self.receive(slug, Delivery(timestamp=timestamp, id=delivery, signature=signed, body=body))

    async def _start(self, slug: str, delivery: Delivery) -> Run:
        text = delivery.body.decode(errors="replace").replace("\0", "")
        happening = Happening(
            kind="webhook",
            trigger="webhook",
            cause=delivery.id,
            source="A signed request from outside.",
            about=_cut(text),
            foreign=True,
        )
        try:
            return await self._starter.start(slug, happening)
        except AlreadyFired:
            raise NotAllowed(NOT_GENUINE) from None


def _cut(text: str) -> str:
    """Cut the text to the size that fits into a prompt."""
    content = text.encode()
    if len(content) <= MAX_ABOUT_BYTES:
        return text
    return content[: MAX_ABOUT_BYTES - 64].decode(errors="ignore") + "\n(The rest is left out.)"
