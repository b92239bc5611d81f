"""A WebSocket asks every few seconds whether its reader is still who they were."""

from __future__ import annotations

from typing import cast

from harness.in_process import OneUser, web_socket

from jupyter_cabinet.testing.manual_clock import ManualClock
from jupyter_cabinet.web.handlers.terminal_socket import SocketViewer, TerminalSocket
from jupyter_cabinet.web.server_status import ServerStatus
from jupyter_cabinet.web.sockets import LOST_RIGHT, RIGHTS_CHECKED_EVERY_SECONDS, CabinetSocket


class Listening(CabinetSocket):
    """Sends nothing by itself."""

    async def get(self) -> None:
        await self.upgrade()

    def on_message(self, message: str | bytes) -> None:
        """A reader has nothing to say."""


async def test_who_is_asked_for_every_few_seconds_and_is_gone_is_sent_away() -> None:
    provider, clock = OneUser(), ManualClock()
    rule = ("/events", Listening, {"server_status": ServerStatus(trouble="", clock=clock)})
    async with web_socket("/events", rule, provider) as client:
        before = provider.asked
        await clock.advance(RIGHTS_CHECKED_EVERY_SECONDS)
        assert provider.asked == before + 1
        provider.user = None
        await clock.advance(RIGHTS_CHECKED_EVERY_SECONDS - 0.1)
        assert provider.asked == before + 1
        await clock.advance(0.1)
        assert provider.asked == before + 2
        assert await client.read_message() is None
        assert client.close_code == LOST_RIGHT


class Closing(Listening):
    """Closes as the viewer of a terminal does."""

    def on_message(self, message: str | bytes) -> None:
        SocketViewer(cast(TerminalSocket, self)).close(1000, f"Closed by {'Zoë ' * 60}.")


async def test_a_reason_with_a_long_name_is_cut_where_a_frame_has_no_room_for_it() -> None:
    rule = ("/closing", Closing, {"server_status": ServerStatus(trouble="", clock=ManualClock())})
    async with web_socket("/closing", rule, OneUser()) as client:
        await client.write_message("close")
        assert await client.read_message() is None
        assert client.close_code == 1000
        assert client.close_reason is not None and client.close_reason.startswith("Closed by Zoë Zoë")
