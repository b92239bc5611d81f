"""`recordings`: the recorded output of terminals. The files themselves are served at `terminals/{id}/recording`."""

from __future__ import annotations

import msgspec

from ...terminals.model import Recording
from ..handler import CabinetHandler
from ..operation import operation


class RecordingList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first."""

    items: tuple[Recording, ...]
    next: str | None = None


class RecordingsHandler(CabinetHandler):
    """`recordings`"""

    auth_resource = "cabinet-terminals"

    @operation("read", gives=RecordingList)
    async def get(self) -> None:
        """List the recordings that the caller may see."""
        self.reply(RecordingList(items=tuple(await self.services.recordings.find(self.principal))))


class RecordingHandler(CabinetHandler):
    """`recordings/{id}`"""

    auth_resource = "cabinet-terminals"

    @operation("read", gives=Recording)
    async def get(self, recording_id: str) -> None:
        """Return one recording: its parts, and whether it is still being written."""
        self.reply(await self.services.recordings.get(recording_id, self.principal))

    @operation("execute", status=204)
    async def delete(self, recording_id: str) -> None:
        """Remove a recording that is complete. For the person who started the terminal, and administrators."""
        await self.services.recordings.delete(recording_id, self.principal)
        self.reply_empty()
