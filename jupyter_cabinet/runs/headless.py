"""One run without a terminal: pipes, structured events, the CLI's own end is the end.

Called by `worker.py`; starts the process under the launcher, feeds the conversation, reports events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Final

from ..runtimes.model import AnyAgentEvent, Launch, Outcome
from ..runtimes.port import Conversation, Dialogue, Exit
from ..sandboxes.port import Launched, Sandbox
from .raw import RawLog
from .temporary import written

LEAVE_SECONDS: Final = 10  # for a CLI to end by itself when it has nothing more to hear


class HeadlessExecution:
    """Work on one instruction. `stop` may be called at any time, also before `work` has begun."""

    def __init__(
        self,
        *,
        launch: Launch,
        conversation: Conversation,
        sandbox: Sandbox,
        cwd: str,
        environment: dict[str, str],
        raw: RawLog,
    ) -> None:
        self._launch = launch
        self._conversation = conversation
        self._sandbox = sandbox
        self._cwd = cwd
        self._environment = environment
        self._raw = raw
        self._launched: Launched | None = None
        self._stopped = False
        self._dialogue = conversation if launch.keep_stdin_open and isinstance(conversation, Dialogue) else None
        self._outbox: asyncio.Queue[bytes | None] = asyncio.Queue()  # None: no more comes

    async def work(
        self,
        *,
        on_process: Callable[[int, str], Awaitable[None]],
        on_events: Callable[[list[AnyAgentEvent]], None],
        on_bytes: Callable[[int], None],
    ) -> Outcome:
        """Run to the end. `on_process` must have put the pid on record when it returns: only then it goes."""
        with closing(self._raw), written(self._launch.files):
            launched = await self._sandbox.start(self._launch.argv, cwd=self._cwd, environment=self._environment)
            self._launched = launched
            try:
                await on_process(launched.pid, launched.started_at)
                if self._stopped:
                    await launched.stop()
                else:
                    await launched.go()
                    await self._converse(launched, on_events, on_bytes)
                exit = await launched.wait()
            except BaseException:
                await launched.stop()
                raise
        return self._conversation.finish(Exit(code=exit.code, signal=exit.signal))

    async def answer(self, question_id: str, option: str, note: str) -> bool:
        """Hand a person's answer to the CLI. False: it no longer asks."""
        data = self._conversation.answer(question_id, option, note)
        if data:
            self._outbox.put_nowait(data)
        return bool(data)

    async def stop(self) -> None:
        """End the process and all its descendants, confirmed."""
        self._stopped = True
        if self._launched is not None:
            await self._launched.stop()

    async def _converse(
        self,
        launched: Launched,
        on_events: Callable[[list[AnyAgentEvent]], None],
        on_bytes: Callable[[int], None],
    ) -> None:
        writing = asyncio.create_task(self._write(launched))
        try:
            async for source, data in launched.output():
                on_bytes(len(data))
                self._raw.write(data, source)
                on_events(self._conversation.feed(source, data))
                self._ask_for_more()
            if self._dialogue is None:
                await writing
        finally:
            writing.cancel()

    def _ask_for_more(self) -> None:
        """Put what the conversation has to say now into the outbox: reading never waits for writing."""
        piece = self._dialogue.outgoing() if self._dialogue is not None else b""
        if piece != b"":
            self._outbox.put_nowait(piece)

    async def _write(self, launched: Launched) -> None:
        await launched.write(self._launch.stdin + self._conversation.start())
        self._ask_for_more()
        while self._dialogue is not None and (piece := await self._outbox.get()) is not None:
            await launched.write(piece)
        launched.close_stdin()
        if self._dialogue is not None:
            await asyncio.sleep(LEAVE_SECONDS)
            await launched.stop()  # its answer is complete: whether it was a success does not hang on its exit
