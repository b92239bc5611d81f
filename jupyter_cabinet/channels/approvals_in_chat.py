"""Shows approval requests in chats, takes answers by button, and removes the buttons when a request ends.

A request is shown completely or not at all: if it does not fit into one message, the chat only says that it waits in
JupyterLab. A button refers to what was shown by its hash, so it cannot answer anything else.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from ..approvals import outcomes
from ..approvals.card import shown_of
from ..approvals.model import Approval, ApprovalClosed, ApprovalRequested, NewAnswer
from ..approvals.service import Approvals
from ..core.errors import CabinetError
from ..core.events import Event, Scope
from ..core.plain_text import one_line, plain
from ..foundation import Foundation
from . import store
from .delivery.background import Background
from .delivery.outgoing import Outgoing, send
from .model import Channel, ChannelMessage, Pairing
from .platforms import PLATFORMS
from .port import Limits
from .records import changed_event, place_of, scope_of
from .rules.splitting import length
from .setup.book import ChannelBook, principal_of

ROOM_FOR_END = 300  # for the sentence that is added when it was answered
MOST_BUTTONS = 8
LONGEST_LABEL = 60
BY_BUTTON = ("allow_once", "deny", "choice")  # nothing that allows more than this one call
_PRESS = re.compile(r"ap:([0-9a-z]{26}):([0-9]{1,2}):([0-9a-f]{20})")

ELSEWHERE = "It is too long to show here. Answer it in JupyterLab."
NO_BUTTONS = "Answer it in JupyterLab: the receiver of this channel shows no buttons."
NOT_HERE = "Answer it in JupyterLab: this account may not answer approval requests."
UNKNOWN_BUTTON = "This button no longer works. Answer in JupyterLab."
NO_RIGHT = "This account may not answer approval requests. Answer it in JupyterLab."
CHANGED = "The agent now asks something else than this message shows. Answer it in JupyterLab."


class ChatApprovals:
    """Hears of approval requests, shows those of channels, and takes the answers of buttons."""

    def __init__(self, foundation: Foundation, *, book: ChannelBook, approvals: Approvals) -> None:
        self._book = book
        self._approvals = approvals
        self._root = foundation.root
        self._database = foundation.database
        self._commits = foundation.commits
        self._clock = foundation.clock
        self._background = Background("An approval request could not be shown in its chat")

    def hear(self, event: Event, scope: Scope) -> None:
        """Take an event of the bus: show a request that has begun, and the end of one. It does not wait."""
        if isinstance(event, ApprovalRequested):
            self._background.do(self._show(event.approval))
        elif isinstance(event, ApprovalClosed):
            self._background.do(self._show_end(event.approval))

    async def settled(self) -> None:
        """Return when everything that was heard is done."""
        await self._background.settled()

    async def press(self, data: str, pairing: Pairing) -> str:
        """Take the press of a button, which may answer a request, and return what to tell the person.

        It raises nothing that the person can cause: an unknown button, a missing right or a changed request is only
        reported.
        """
        found = _PRESS.fullmatch(data)
        if found is None:
            return UNKNOWN_BUTTON
        if "approve" not in pairing.may:
            return NO_RIGHT
        principal = principal_of(pairing)
        try:
            approval = await self._approvals.get(found[1], principal)
            if hash_of(approval) != found[3]:
                return CHANGED
            if int(found[2]) >= len(approval.options):
                return UNKNOWN_BUTTON
            option = approval.options[int(found[2])]
            if option.kind not in BY_BUTTON:
                return UNKNOWN_BUTTON
            answer = NewAnswer(option=option.id, shown=shown_of(approval))
            closed = await self._approvals.answer(approval.id, answer, principal)
        except CabinetError as error:
            return error.message
        return f"{closed.outcome}." if closed.outcome else "Answered."

    async def _show(self, approval: Approval) -> None:
        message = await self._database.read(lambda c: store.message_of_run(c, approval.run_id))
        channel = self._book.channel(message.channel_id) if message else None
        if message is None or channel is None:
            return
        pairing = self._book.pairing_of(message.channel_id, message.sender_id)
        if pairing is None or pairing.username != message.username:
            return  # the account was disconnected
        limits = PLATFORMS[channel.platform].limits
        text, buttons = card(approval, self._root, limits, not_here=why_not_here(channel, pairing))

        outgoing = Outgoing(
            channel=channel,
            place=place_of(message),
            key=f"approval/{approval.id}",
            at=self._clock.now(),
            buttons=tuple(buttons),
        )
        await send(text, outgoing, book=self._book, commits=self._commits)

    async def _show_end(self, approval: Approval) -> None:
        """Replace the message that has the buttons, so that no one presses them in vain."""
        message = await self._database.read(lambda c: store.message_of_run(c, approval.run_id))
        if message is None:
            return
        key = f"approval/{approval.id}/"
        sent = await self._database.read(lambda c: store.messages_with_key(c, message.channel_id, key))
        shown = next((each for each in sent if each.buttons), None)
        if shown is not None:
            await self.end_card(shown, approval)

    async def end_card(self, shown: ChannelMessage, approval: Approval) -> None:
        """Write into the message with a request how the request has ended, and remove its buttons.

        If the message still waits for the end of quiet hours, it is deleted instead.
        """
        connection = self._book.connection_of(shown)
        by = f" by {approval.answered_by.display_name}" if approval.answered_by else ""
        end = f"{approval.outcome}{by}." if approval.outcome else "It is no longer open."
        now = await self._drop_buttons(shown, end)
        if now.platform_id and connection is not None:
            connection.replace(place_of(now), now.platform_id, f"{now.text}\n\n{end}")

    async def _drop_buttons(self, shown: ChannelMessage, end: str) -> ChannelMessage:
        """Put the end of a request on record, and return its message as it is now."""

        def change(connection: Connection) -> ChannelMessage:
            now = store.load_message(connection, shown.id) or shown
            match now.state:
                case "later":
                    store.delete_message(connection, now)
                    return now
                case "waiting":
                    return store.update_message(connection, now, text=f"{now.text}\n\n{end}", buttons=())
                case "sending" | "sent" | "unknown":
                    return store.update_message(connection, now, ending=end)
                case _:
                    return now

        channel = self._book.channel(shown.channel_id)
        scope = scope_of(channel) if channel is not None else None
        return await self._commits.commit(change, lambda now: [changed_event(now, scope)] if scope else [])


def card(
    approval: Approval, root: Path, limits: Limits, *, not_here: str = "", about: str = ""
) -> tuple[str, list[tuple[str, str]]]:
    """Return a request as a text, and its buttons as labels and data; no buttons if it cannot be answered here.

    It must fit into one message: of several, only the one with the buttons might arrive. If it does not fit, the text
    only says that it waits in JupyterLab. `not_here`: why it cannot be answered in this chat, as a sentence. `about`:
    what the agent works on, as a sentence, if the chat does not show it.
    """
    head = "\n".join([without_fences(approval.title), *([without_fences(about)] if about else [])])
    lines = [head]
    if approval.question:
        lines += ["", *_fenced(approval.question)]
    for part in approval.parts:
        lines += ["", f"{without_fences(part.label)}:", *_fenced(part.text)]
    folder = os.path.relpath(approval.folder, root)
    where = "the server's folder" if folder == "." else one_line(folder)
    lines += ["", f"In {where}, {'isolated' if approval.isolated else 'not isolated'}."]
    text = "\n".join(lines)
    if length(text, limits) > limits.length - ROOM_FOR_END or "cut" in approval.risks:
        return f"{head}\n\n{ELSEWHERE}", []
    if not_here:
        return f"{text}\n\n{not_here}", []
    shown = hash_of(approval)
    buttons = [
        (one_line(option.label, most=LONGEST_LABEL), f"ap:{approval.id}:{number}:{shown}")
        for number, option in enumerate(approval.options)
        if option.kind in BY_BUTTON and not outcomes.needs_words(option) and one_line(option.label)
    ]
    others = len(approval.options) - len(buttons)
    if not 0 < len(buttons) <= MOST_BUTTONS:
        return f"{text}\n\nIt cannot be answered by a button. Answer it in JupyterLab.", []
    return (f"{text}\n\nJupyterLab offers more answers." if others else text), buttons


def why_not_here(channel: Channel, pairing: Pairing) -> str:
    """Return why an account cannot answer a request in a channel, as a sentence; empty if it can."""
    if "approve" not in pairing.may:
        return NOT_HERE
    return NO_BUTTONS if channel.platform == "webhook" and not channel.shows_buttons else ""


def hash_of(approval: Approval) -> str:
    """Return a hash of everything that a person sees of a request."""
    return hashlib.sha256(msgspec.json.encode(shown_of(approval))).hexdigest()[:20]


def without_fences(label: str) -> str:
    """Return a label that an agent may have chosen, so that it cannot begin a code block."""
    return one_line(label).replace("`", "'").replace("~", "-")


def _fenced(text: str) -> list[str]:
    """Return the lines of a code block, in which a text of an agent is shown as it is."""
    fence = "`" * max(3, _longest_ticks(text) + 1)
    return [fence, plain(text), fence]


def _longest_ticks(text: str) -> int:
    return max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
