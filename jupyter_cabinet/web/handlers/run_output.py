"""`runs/{id}/output`: the output of one run, while it is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import msgspec
from tornado.iostream import StreamClosedError

from ...core.people import may_see
from ...execution.output import OutputEnd
from ..operation import Query, operation
from ..sockets import CabinetSocket

SILENCE_SECONDS = 15.0  # a reader of lines gets a sign of life after so long without events


class RunOutputHandler(CabinetSocket):
    """`runs/{id}/output`"""

    @operation(
        "read",
        socket=True,
        media="application/x-ndjson",
        query=(Query(name="since", kind="integer", about="index of the first event wanted"),),
    )
    async def get(self, run_id: str) -> None:
        """Stream the events of one run from index `since` on, then `end`.

        Without an upgrade to a WebSocket: one event per line, and an empty line after every 15 seconds of silence.
        """
        self.run = await self.services.runs.get(run_id, self.principal)
        self.since = self.integer_argument("since", 0)
        if self.request.headers.get("Upgrade", "").lower() == "websocket":
            await self.upgrade()
        else:
            await self._send_lines(run_id)

    def open(self, *arguments: str) -> None:
        super().open(*arguments)
        self.spawn(self._send_all(arguments[0]))

    def on_message(self, message: str | bytes) -> None:
        """Do nothing: a reader sends nothing."""

    async def is_welcome(self) -> bool:
        """Return whether the reader is still the same, and may still see this run.

        A person who is no longer an administrator may not see a run that is private to another.
        """
        return await super().is_welcome() and may_see(self.principal, self.run.owner, self.run.visibility)

    def send_away(self) -> None:
        """Check this for readers of lines, too."""
        if self.ws_connection is None:
            self._lines.cancel()
        else:
            super().send_away()

    async def _send_all(self, run_id: str) -> None:
        async for record in self._records(run_id):
            if not await self.send(record):
                return
        await self.send(OutputEnd())
        self.close()

    async def _send_lines(self, run_id: str) -> None:
        """A reader who may not read any more gets no `end`, nor does one whose stream failed."""
        self.set_header("Content-Type", "application/x-ndjson")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self._lines = self.spawn(self._write_lines(run_id))
        self.spawn(self._watch())
        try:
            await asyncio.wait([self._lines])
        finally:
            self.stop_tasks()
        error = None if self._lines.cancelled() else self._lines.exception()
        if error is not None and not isinstance(error, StreamClosedError):
            self.log.error("The output of a run could not be sent", exc_info=error)
        with suppress(StreamClosedError):  # the reader is gone
            await self.finish()

    async def _write_lines(self, run_id: str) -> None:
        records = self._records(run_id)
        coming = asyncio.ensure_future(anext(records, None))
        try:
            while not coming.done() or coming.result() is not None:
                await asyncio.wait([coming], timeout=SILENCE_SECONDS)
                if not coming.done():
                    self.write(b"\n")
                elif (record := coming.result()) is not None:
                    self.write(record + b"\n")
                    coming = asyncio.ensure_future(anext(records, None))
                await self.flush()
        finally:
            coming.cancel()
        self.write(msgspec.json.encode(OutputEnd()) + b"\n")

    def _records(self, run_id: str) -> AsyncIterator[bytes]:
        return self.services.runs.files.follow(run_id, self.since, self.principal)
