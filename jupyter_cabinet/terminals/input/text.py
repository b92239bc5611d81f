"""Types a text into a program like a person: the text, then Enter once the program has read it.

A program may take a text and its Enter in one write for one paste. The caller checks who may type.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from .pty_writer import PtyWriter

ENTER_AFTER_SECONDS = 0.05
ENTER_AT_LAST_SECONDS = 1.0  # a spinner is never quiet


class TextTarget(Protocol):
    """The PTY of the program."""

    input: PtyWriter

    def subscribe(self, callback: Callable[[bytes], None]) -> Callable[[], None]:
        """Pass the program's output to `callback`; the returned function ends that."""


async def type_text(
    target: TextTarget, data: bytes, *, submit: bool, admitted: Callable[[], bool] | None = None
) -> bool:
    """Type the text. Return whether the program has all of it. There is no time limit.

    With `submit`, Enter follows when the program has been quiet for a moment, at the latest after a second. `admitted`
    is checked again whenever bytes leave; None: always.
    """
    taken = not data or await target.input.type(data, admitted)
    if taken and submit:
        await _until_quiet(target)
        taken = await target.input.type(b"\r", admitted)
    return taken


async def _until_quiet(target: TextTarget) -> None:
    loop = asyncio.get_running_loop()
    written_at = quiet_since = loop.time()

    def has_written(_data: bytes) -> None:
        nonlocal quiet_since
        quiet_since = loop.time()

    unsubscribe = target.subscribe(has_written)
    try:
        while True:
            now = loop.time()
            if now - quiet_since >= ENTER_AFTER_SECONDS or now - written_at >= ENTER_AT_LAST_SECONDS:
                return
            await asyncio.sleep(quiet_since + ENTER_AFTER_SECONDS - now)
    finally:
        unsubscribe()
