"""A link between a server and the worker that runs its program: messages both ways, over a stream that may break.

It knows neither Dask nor programs. Each end sends a sign of life every few seconds. If an end hears nothing for
`SILENCE_SECONDS`, it considers the link lost. `remote_process.py` and `program_host.py` are the two ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, Protocol

Message = dict[str, Any]  # `do` names it

PING_SECONDS: Final = 3.0
SILENCE_SECONDS: Final = 15.0
CLOSE_SECONDS: Final = 2.0  # for the last messages to be sent


class Stream(Protocol):
    """A connection that carries whole messages. It is no longer used after an error."""

    async def read(self) -> Message:
        """Return the next message, waiting for it. Raises `OSError` when the other end is gone."""

    async def write(self, message: Message) -> None:
        """Send a message; wait while the other end is slow. Raises `OSError` when it is gone."""

    def abort(self) -> None:
        """Close the connection at once."""


class Link:
    """One end of a link. Run it once with `run`; `say` and `spawn` may be used from the beginning."""

    def __init__(self, stream: Stream, hear: Callable[[Message], None]) -> None:
        self._stream = stream
        self._hear = hear
        self._outbox: asyncio.Queue[Message | None] = asyncio.Queue()  # bounded by the credit of each end's data
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def say(self, do: str, **fields: Any) -> None:
        """Send a message soon, after those before it. No effect once the link is closed."""
        if not self._closed:
            self._outbox.put_nowait({"do": do, **fields})

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine as a task until the link ends; then it is cancelled. Its error is lost."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """End the link after the messages that were given to `say` so far. Does not wait for that: see `run`."""
        if not self._closed:
            self._closed = True
            self._outbox.put_nowait(None)

    async def run(self) -> None:
        """Pass messages on until either end closes the link or it is lost. Never raises because the other end is gone.

        Then closes the stream and cancels what `spawn` has started. A lost link is noticed after `SILENCE_SECONDS`.
        """
        reading = asyncio.create_task(self._read())
        writing = asyncio.create_task(self._write())
        self.spawn(self._ping())
        try:
            await asyncio.wait({reading, writing}, return_when=asyncio.FIRST_COMPLETED)
            if self._closed and not writing.done():
                await asyncio.wait({writing}, timeout=CLOSE_SECONDS)
        finally:
            self._closed = True
            works = (reading, writing, *self._tasks)
            for task in works:
                task.cancel()
            await asyncio.gather(*works, return_exceptions=True)
            self._stream.abort()

    async def _read(self) -> None:
        with suppress(OSError, TimeoutError):
            while True:
                async with asyncio.timeout(SILENCE_SECONDS):
                    several = await self._stream.read()
                for message in several["messages"]:
                    if message["do"] == "close":
                        self._closed = True
                        return
                    if message["do"] != "ping":
                        self._hear(message)

    async def _write(self) -> None:
        with suppress(OSError):
            is_last = False
            while not is_last:
                waiting = [await self._outbox.get()]
                while not self._outbox.empty():  # sent together: each sending costs more than its message
                    waiting.append(self._outbox.get_nowait())
                is_last = None in waiting
                messages = [message or {"do": "close"} for message in waiting]
                await self._stream.write({"messages": messages})

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(PING_SECONDS)
            self.say("ping")
