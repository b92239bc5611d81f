"""Notifies people in their direct chat with a bot of what needs them: approval requests, failures, finished work.

An account hears only of what belongs to its person and was not started by it, because the chat hears of that anyway.
Everything is put on record with its own key, so nothing is sent twice. What waits for the end of quiet hours or for a
digest is on record too. This listens to the bus and has no timer: a server without such accounts never wakes up.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from ...approvals.model import Approval, ApprovalClosed, ApprovalRequested
from ...approvals.service import Approvals
from ...core.errors import NotFound
from ...core.events import Event, Scope
from ...core.people import owns
from ...foundation import Foundation
from ...runs.model import Run, RunFinished
from .. import store
from ..approvals_in_chat import ChatApprovals, card, why_not_here
from ..model import Channel, ChannelMessage, Pairing
from ..platforms import PLATFORMS
from ..port import Place
from ..rules.notices import Ending, Notice, harmless, notice_of_plan, notice_of_run, title_of
from ..rules.notifications import send_at
from ..setup.book import ChannelBook, principal_of
from .background import Background
from .outgoing import MOST_DIGESTS, Outgoing, collect, send

ANSWER_THERE = "Answer it in JupyterLab."


class Listener(NamedTuple):
    """An account that is notified, and where."""

    pairing: Pairing
    channel: Channel
    chat: str


class Notifications:
    """Hears the bus, and is called when a plan has stopped."""

    def __init__(
        self, foundation: Foundation, *, book: ChannelBook, in_chat: ChatApprovals, approvals: Approvals
    ) -> None:
        self._book = book
        self._in_chat = in_chat
        self._approvals = approvals
        self._root = foundation.root
        self._database = foundation.database
        self._commits = foundation.commits
        self._clock = foundation.clock
        self._redactor = foundation.redactor
        self._background = Background("A notification could not be sent")

    def hear(self, event: Event, scope: Scope) -> None:
        """Take an event of the bus: the end of a run, or an approval request. It does not wait."""
        match event:
            case RunFinished():
                if (notice := notice_of_run(self._redacted(event.run))) is not None:
                    self._background.do(self._notify(notice))
            case ApprovalRequested():
                self._background.do(self._show(event.approval))
            case ApprovalClosed():
                self._background.do(self._show_end(event.approval))

    def hear_plan(self, *, key: str, title: str, how: Ending, reason: str, owner: str) -> None:
        """Take that a plan has stopped, without waiting. May be called again for the same stop, with the same key."""
        title, reason = self._redactor.redact(title), self._redactor.redact(reason)
        self._background.do(self._notify(notice_of_plan(key=key, title=title, how=how, reason=reason, owner=owner)))

    def _redacted(self, run: Run) -> Run:
        """Return a run without secrets in what is cut later: a part of a secret would not be recognised."""
        instruction, reason = self._redactor.redact(run.instruction), self._redactor.redact(run.reason)
        return msgspec.structs.replace(run, instruction=instruction, reason=reason)

    async def settled(self) -> None:
        """Return when everything that was heard is done."""
        await self._background.settled()

    async def close(self) -> None:
        """Finish what was heard, and hear nothing more."""
        await self._background.close()

    async def open(self) -> None:
        """Forget the requests that wait for the end of quiet hours, but have ended with an earlier server."""
        for channel in self._book.configuration.channels:
            for message in await self._waiting_until_later(channel.id):
                approval_id = _approval_of(message)
                if approval_id and not await self._still_waits(approval_id, message):
                    await self._forget(message)

    # --- what ends or fails ------------------------------------------------------------------

    async def _notify(self, notice: Notice) -> None:
        now = self._clock.now()
        for each in await self._listeners(notice.owner, notice.run_id):
            due = send_at(notice.severity, each.pairing, now)
            if due is None:
                continue
            prefix = _prefix(each.pairing)
            key = f"{prefix}{notice.key}"
            if await self._is_known(each, notice):
                continue
            if due <= now:
                await self._send(notice.text, self._outgoing(each, key, now))
            else:
                digest = self._outgoing(each, f"{prefix}digest/{int(due.timestamp())}", now, not_before=due)
                await collect(
                    (notice.key, notice.text), digest, series=f"{prefix}digest/", book=self._book, commits=self._commits
                )

    async def _is_known(self, to: Listener, notice: Notice) -> bool:
        """Return whether an account was notified of something already, or will be by a digest."""
        prefix, channel = _prefix(to.pairing), to.channel.id

        def read(connection: Connection) -> bool:
            if store.messages_with_key(connection, channel, f"{prefix}{notice.key}/", newest=1):
                return True
            digests = store.messages_with_key(connection, channel, f"{prefix}digest/", newest=MOST_DIGESTS)
            return any(key == notice.key for each in digests for key, _ in each.items)

        return await self._database.read(read)

    # --- approval requests -------------------------------------------------------------------

    async def _show(self, approval: Approval) -> None:
        now = self._clock.now()
        title = title_of(self._redactor.redact(approval.instruction))
        about = f"It works on {title}." if title else ""
        for each in await self._listeners(approval.owner, approval.run_id):
            due = send_at("warn", each.pairing, now)
            if due is None:
                continue
            buttons: list[tuple[str, str]] = []
            if not why_not_here(each.channel, each.pairing):
                limits = PLATFORMS[each.channel.platform].limits
                text, buttons = card(approval, self._root, limits, about=about)
            else:
                text = " ".join(filter(None, (f"{harmless(approval.title)}.", about, ANSWER_THERE)))
            key = f"{_prefix(each.pairing)}approval/{approval.id}"
            outgoing = self._outgoing(each, key, now, not_before=due if due > now else None)
            await self._send(text, msgspec.structs.replace(outgoing, buttons=tuple(buttons)))

    async def _show_end(self, approval: Approval) -> None:
        await self._book.refresh()
        for pairing in self._book.configuration.pairings:
            if pairing.notify == "off" or not owns(principal_of(pairing), approval.owner):
                continue
            key = f"{_prefix(pairing)}approval/{approval.id}/"
            for shown in await self._with_key(pairing.channel_id, key):
                if shown.buttons or shown.state == "later":
                    await self._in_chat.end_card(shown, approval)

    async def _still_waits(self, approval_id: str, message: ChannelMessage) -> bool:
        pairing = next((each for each in self._book.configuration.pairings if _is_of(message, each)), None)
        if pairing is None:
            return False
        try:
            return (await self._approvals.get(approval_id, principal_of(pairing))).state == "waiting"
        except NotFound:
            return False

    # --- records ------------------------------------------------------------------------------

    async def _waiting_until_later(self, channel_id: str) -> list[ChannelMessage]:
        return await self._database.read(lambda c: store.in_state(c, channel_id, "later", store.MOST_LATER))

    async def _with_key(self, channel_id: str, key: str) -> list[ChannelMessage]:
        return await self._database.read(lambda c: store.messages_with_key(c, channel_id, key))

    async def _forget(self, message: ChannelMessage) -> None:
        await self._commits.commit(lambda c: store.delete_message(c, message))

    # --- to whom -----------------------------------------------------------------------------

    async def _listeners(self, owner: str, run_id: str) -> list[Listener]:
        """Return the accounts that may be notified of something: not that which has started the run itself."""
        await self._book.refresh()
        mine = [
            each
            for each in self._book.configuration.pairings
            if each.notify != "off" and each.shared_login == self._book.shared_login and owns(principal_of(each), owner)
        ]
        if not mine:
            return []

        def read(connection: Connection) -> list[Listener]:
            source = store.message_of_run(connection, run_id) if run_id else None
            started_by = (source.channel_id, source.sender_id) if source else None
            found = []
            for each in mine:
                channel = self._book.channel(each.channel_id)
                if channel is None or not channel.enabled or started_by == (each.channel_id, each.sender_id):
                    continue
                if chat := each.direct_chat or store.direct_chat(connection, each.channel_id, each.sender_id):
                    found.append(Listener(each, channel, chat))
            return found

        return await self._database.read(read)

    def _outgoing(self, to: Listener, key: str, now: datetime, *, not_before: datetime | None = None) -> Outgoing:
        return Outgoing(
            channel=to.channel, place=Place(chat=to.chat, direct=True), key=key, at=now, not_before=not_before
        )

    async def _send(self, text: str, outgoing: Outgoing) -> None:
        await send(text, outgoing, book=self._book, commits=self._commits)


def _prefix(pairing: Pairing) -> str:
    """Return how the keys of all notifications of an account begin."""
    return f"told/{pairing.id}/"


def _is_of(message: ChannelMessage, pairing: Pairing) -> bool:
    return message.channel_id == pairing.channel_id and message.key.startswith(_prefix(pairing))


def _approval_of(message: ChannelMessage) -> str:
    """Return the id of the approval request that a notification shows; empty for any other message."""
    parts = message.key.split("/")
    return parts[3] if parts[0] == "told" and len(parts) > 3 and parts[2] == "approval" else ""
