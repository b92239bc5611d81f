"""The hooks of an open CLI that wait for a person's answer, by question. Independent of the CLI and of records.

Called by `open_cli.py`. A hook waits for one reply. If a hook is gone, nothing can answer it, so its question is left
to the terminal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

from ...core.clock import Clock

# If its dialog was answered in the terminal, a CLI ends the hook at once and reports the answer a little later.
TOLD_SECONDS: Final = 2.0

Reply = asyncio.Future[bytes]


class WaitingHooks:
    """The waiting hooks of one CLI. `left`: called with a question that can now only be answered in the terminal."""

    def __init__(self, left: Callable[[str], None], clock: Clock) -> None:
        self._clock = clock
        self._left = left
        self._replies: dict[str, Reply] = {}

    def expect(self, question_ids: Iterable[str]) -> dict[str, Reply]:
        """Return a new reply for each of these questions that no hook waits for yet; the others are left out."""
        new = {each: asyncio.get_running_loop().create_future() for each in question_ids if each not in self._replies}
        self._replies |= new
        return new

    def listens(self, question_id: str) -> bool:
        """Return whether a hook would receive a reply."""
        reply = self._replies.get(question_id)
        return reply is not None and not reply.done()

    def reply(self, question_id: str, data: bytes) -> None:
        """Set what the hook prints for this question.

        Call it only while `listens` returns True: otherwise it raises.
        """
        self._replies[question_id].set_result(data)

    def let_go(self, question_id: str) -> None:
        """Release the hook without an answer, because the question is closed or nobody here will answer it.

        Without effect for an unknown question. `left` is not called.
        """
        reply = self._replies.pop(question_id, None)
        if reply is not None and not reply.done():
            reply.set_result(b"")

    def let_all_go(self) -> None:
        """Release every hook without an answer, because the CLI ends or its questions are closed."""
        for question_id in list(self._replies):
            self.let_go(question_id)

    async def all_of(self, replies: dict[str, Reply], gone: asyncio.Event) -> bytes:
        """Return what the hook prints, once all replies are set. Waits without a limit.

        `gone`: set when the hook stops waiting. If the hook is gone before, `left` is called after `TOLD_SECONDS` for
        each of its questions that is still open.
        """
        leaving = asyncio.create_task(gone.wait())
        try:
            while not gone.is_set() and (missing := [reply for reply in replies.values() if not reply.done()]):
                awaited: list[asyncio.Future[Any]] = [*missing, leaving]
                await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
        await self._abandon({each: reply for each, reply in replies.items() if not reply.done()})
        return b"".join(reply.result() for reply in replies.values() if not reply.cancelled())

    async def _abandon(self, deaf: dict[str, Reply]) -> None:
        for reply in deaf.values():
            reply.cancel()
        if deaf:
            await self._clock.sleep(TOLD_SECONDS)
        for question_id in [each for each, reply in deaf.items() if self._replies.get(each) is reply]:
            del self._replies[question_id]
            self._left(question_id)
