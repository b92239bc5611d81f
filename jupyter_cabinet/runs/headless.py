"""One run without a terminal: pipes, structured events, the CLI's own end is the end.

Called by `service.py`; starts the process under the launcher, feeds the conversation, reports events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing

from ..runtimes.model import AnyAgentEvent, Launch, Outcome
from ..runtimes.port import Conversation, Exit
from ..sandboxes.port import Launched, Sandbox
from .raw import RawLog
from .temporary import written


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
        writing = asyncio.create_task(self._write_prompt(launched))
        try:
            async for source, data in launched.output():
                on_bytes(len(data))
                self._raw.write(data, source)
                on_events(self._conversation.feed(source, data))
            await writing
        finally:
            writing.cancel()

    async def _write_prompt(self, launched: Launched) -> None:
        await launched.write(self._launch.stdin + self._conversation.start())
        if not self._launch.keep_stdin_open:
            launched.close_stdin()
