"""Hooks of an open CLI that wait until a person has answered, by question. Knows no CLI and no record.

Called by `open_cli.py`. A hook waits for one reply; one that is gone can hear none, and its question is left to the
terminal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

from ...core.clock import Clock

# A CLI whose box was answered in the terminal ends the hook, and tells of the answer a little later.
TOLD_SECONDS: Final = 2.0

Reply = asyncio.Future[bytes]


class WaitingHooks:
    """`left`: called with a question that can only be answered in the terminal any more."""

    def __init__(self, left: Callable[[str], None], clock: Clock) -> None:
        self._clock = clock
        self._left = left
        self._replies: dict[str, Reply] = {}

    def expect(self, question_ids: Iterable[str]) -> dict[str, Reply]:
        """A reply to come for each question that no hook waits for yet."""
        new = {each: asyncio.get_running_loop().create_future() for each in question_ids if each not in self._replies}
        self._replies |= new
        return new

    def listens(self, question_id: str) -> bool:
        """Whether a hook would hear a reply."""
        reply = self._replies.get(question_id)
        return reply is not None and not reply.done()

    def reply(self, question_id: str, data: bytes) -> None:
        """What the hook prints for this question. Only while `listens` says that it would be heard."""
        self._replies[question_id].set_result(data)

    def let_go(self, question_id: str) -> None:
        """The question is no longer open, or nobody here will answer it: the hook ends without a word."""
        reply = self._replies.pop(question_id, None)
        if reply is not None and not reply.done():
            reply.set_result(b"")

    def let_all_go(self) -> None:
        """Let every hook end without a word: the CLI ends, or its questions are no longer open."""
        for question_id in list(self._replies):
            self.let_go(question_id)

    async def all_of(self, replies: dict[str, Reply], gone: asyncio.Event) -> bytes:
        """What the hook is to print, once all are there. `gone`: set when it waits no more."""
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
