"""`web-chats`: what the page of the web chat reads and writes. Everybody reaches only their own conversation.

Only a person in the browser writes or presses a button. They may do what they may do in JupyterLab.
"""

from __future__ import annotations

import msgspec

from ...channels.model import Right
from ...channels.web_chat.model import (
    ChatMessage,
    NewChatMessage,
    PressButton,
    PressNote,
    WebChatInfo,
    account_of,
)
from ..handler import CabinetHandler
from ..operation import Query, operation

MAX_PAGE = 200


class WebChatList(msgspec.Struct, frozen=True, kw_only=True):
    """The oldest first. `account`: whose conversations they are. `may_ask`, `may_approve`: whether the caller may
    write, and answer approval requests.
    """

    items: tuple[WebChatInfo, ...]
    account: str
    display_name: str
    may_ask: bool
    may_approve: bool


class ChatMessageList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page."""

    items: tuple[ChatMessage, ...]
    next: int | None = None


class WebChatHandler(CabinetHandler):
    """What the handlers of web chats share."""

    auth_resource = "cabinet-channels"

    async def rights(self) -> tuple[Right, ...]:
        """Return what the caller may do by a message or a button, now."""
        if not await self.may("execute"):
            return ()
        found: list[Right] = ["ask"] if await self.may("execute", "cabinet-runs") else []
        return (*found, "approve") if await self.may("execute", "cabinet-approvals") else tuple(found)


class WebChatsHandler(WebChatHandler):
    """`web-chats`"""

    @operation("read", gives=WebChatList)
    async def get(self) -> None:
        """List the web chats that the caller may use, and what they may do there."""
        found, rights = await self.services.web_chat.find(self.principal), await self.rights()
        name, may_write = self.principal.display_name, self.principal.in_browser
        self.reply(
            WebChatList(
                items=tuple(found),
                account=account_of(self.principal),
                display_name=name,
                may_ask=may_write and "ask" in rights,
                may_approve=may_write and "approve" in rights,
            )
        )


class WebChatMessagesHandler(WebChatHandler):
    """`web-chats/{id}/messages`"""

    @operation(
        "read",
        gives=ChatMessageList,
        query=(
            Query(name="limit", kind="integer", about="at most 200"),
            Query(name="cursor", kind="integer", about="`next` of the page before"),
        ),
    )
    async def get(self, channel_id: str) -> None:
        """List the messages of the caller's own conversation, newest first."""
        limit = max(1, min(self.integer_argument("limit", 50), MAX_PAGE))
        before = self.integer_argument("cursor", 0) or None
        found = await self.services.web_chat.messages(channel_id, self.principal, before=before, limit=limit)
        self.reply(ChatMessageList(items=tuple(found), next=found[-1].number if len(found) >= limit else None))

    @operation("execute", body=NewChatMessage, gives=ChatMessage, status=201)
    async def post(self, channel_id: str) -> None:
        """Write a message, and return it when it is stored. Only in the browser."""
        new, rights = self.body(NewChatMessage), await self.rights()
        self.reply(await self.services.web_chat.write(channel_id, new, self.principal, rights), 201)


class WebChatPressHandler(WebChatHandler):
    """`web-chats/{id}/press`"""

    @operation("execute", body=PressButton, gives=PressNote)
    async def post(self, channel_id: str) -> None:
        """Press a button of a message in the caller's own conversation. Only in the browser."""
        pressed, rights = self.body(PressButton), await self.rights()
        self.reply(PressNote(note=await self.services.web_chat.press(channel_id, pressed, self.principal, rights)))
