"""Builds, opens and closes the services of channels. Called by `backend.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..agents.run_kinds.agent_terms import AgentTerms
from ..agents.wiring import AgentRoom
from ..approvals.service import Approvals
from ..foundation import Foundation
from ..runs.kinds import RunKind
from ..runs.records import RunRecords
from ..runs.service import Runs
from ..sessions.service import Sessions
from .approvals_in_chat import ChatApprovals
from .connections import Connections
from .conversations import Conversations
from .delivery.message_cleanup import MessageCleanup
from .delivery.notifications import Notifications
from .delivery.posts import Posts
from .intake import RECEIVED, Intake
from .message_kind import ENDED, ChannelMessageKind
from .platforms import ThisServer, build_adapter
from .rules.pairing_codes import PairingCodes
from .service import Channels
from .setup.accounts import ConnectedAccounts
from .setup.book import ChannelBook
from .setup.configuration import ConfigurationFile
from .web_chat.service import WebChat
from .webhook.service import Webhooks


class ChannelRoom:
    """All services of channels. `backend.py`, `web/` and tests use the attributes without an underscore."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        agents: AgentRoom,
        approvals: Approvals,
        sessions: Sessions,
        records: RunRecords,
        shared_login: bool,
        own_port: int = 0,
    ) -> None:
        """`own_port`: of this server's API, to which no webhook sends anything; 0: not known."""
        terms = AgentTerms(agents.runs, agents.briefing)
        codes = PairingCodes()
        self.book = ChannelBook(ConfigurationFile(foundation.data, foundation.root), shared_login=shared_login)
        self.kind: RunKind = ChannelMessageKind(book=self.book, agents=terms, runs=agents.runs, sessions=sessions)
        self.in_chat = ChatApprovals(foundation, book=self.book, approvals=approvals)
        self.notifications = Notifications(foundation, book=self.book, in_chat=self.in_chat, approvals=approvals)
        self.conversations = Conversations(
            foundation,
            book=self.book,
            roster=agents.roster,
            agents=terms,
            sessions=sessions,
            records=records,
        )
        intake = Intake(
            book=self.book, codes=codes, approvals=self.in_chat, commits=foundation.commits, clock=foundation.clock
        )
        self._connections = Connections(
            foundation,
            book=self.book,
            receive=intake.receive,
            build=partial(build_adapter, server=ThisServer(clock=foundation.clock, port=own_port)),
            answer_left=self._answer_left,
        )
        self.cleanup = MessageCleanup(foundation, book=self.book)
        self.channels = Channels(
            foundation,
            book=self.book,
            codes=codes,
            connections=self._connections,
            roster=agents.roster,
            cleanup=self.cleanup,
        )
        self.accounts = ConnectedAccounts(foundation, book=self.book, codes=codes, roster=agents.roster)
        agents.posts.open(Posts(foundation, book=self.book).deliver)
        self.web_chat = WebChat(foundation, book=self.book, connections=self._connections)
        self.webhooks = Webhooks(
            foundation, book=self.book, connections=self._connections, channels=self.channels, intake=intake
        )
        foundation.outbox.register(RECEIVED, self.conversations.do_received)
        foundation.outbox.register(ENDED, self.conversations.do_ended)
        self._bus = foundation.bus
        self._unhear: list[Callable[[], None]] = []

    def begin(self, runs: Runs) -> None:
        """Take the service of runs, which is created later than this one. Nothing connects to a platform yet."""
        self.conversations.begin(runs)

    async def disown(self) -> None:
        """Mark what waits in another server's database as failed. Called before anything is started."""
        await self.conversations.disown()

    def start(self) -> None:
        """Connect to the platforms, and delete what is too old, in the background."""
        listeners = (self.conversations.hear, self.in_chat.hear, self.notifications.hear)
        self._unhear = [self._bus.subscribe(each) for each in listeners]
        self._connections.start()
        self.cleanup.start()

    async def close(self) -> None:
        """Disconnect, and finish notifications that were begun. What waits to be sent stays on record."""
        for unhear in self._unhear:
            unhear()
        await self.cleanup.close()
        await self._connections.close()
        await self.in_chat.settled()
        await self.notifications.close()

    async def _answer_left(self) -> None:
        """Treat what an earlier server has left."""
        await self.conversations.open()
        await self.notifications.open()
