"""Enter behind an instruction that is typed: when it is pressed again, and when never."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.execution.interactive import instruction_typing
from jupyter_cabinet.execution.interactive.instruction_typing import InstructionTyping
from jupyter_cabinet.runtimes.port import InputState

PASTE, ENTER = b"Do it.", b"\r"
HALF_DRAWN_SECONDS = 0.05
SENT, NEW_LINE, QUESTION, NOTHING = "sent", "new line", "question", "nothing"


class Cli:
    """An agent and its conversation, as far as typing needs them. `enters`: what it makes of each Enter."""

    title = "The CLI"
    ended = False
    at_work = True

    def __init__(self, *enters: str) -> None:
        self.keys: list[bytes] = []
        self.heard = False
        self._enters = list(enters)
        self._shown: InputState = "empty"
        self._drawn_at = time.monotonic() - 1

    @property
    def still_seconds(self) -> float:
        return time.monotonic() - self._drawn_at

    def input(self) -> InputState:
        return self._shown

    def send(self, text: str) -> bytes:
        return text.encode()

    async def type(self, data: bytes, *, submit: bool, admitted: Callable[[], bool]) -> bool:
        if not admitted():
            return False
        self.keys.append(data)
        made = self._enters.pop(0) if data == ENTER else "text"
        if made != NOTHING:
            self.draw("typed" if made == "text" else "other")  # half a picture
        if made in (SENT, NEW_LINE):
            after: InputState = "empty" if made == SENT else "typed"
            asyncio.get_running_loop().call_later(HALF_DRAWN_SECONDS, self.draw, after)
        return True

    def draw(self, shown: InputState) -> None:
        self._shown, self._drawn_at = shown, time.monotonic()


async def put(cli: Cli) -> list[bytes]:
    """Which keys reach it with one instruction."""
    typing = InstructionTyping(cli, cli, lambda: cli.heard, SystemClock())  # type: ignore[arg-type]
    async with asyncio.timeout(20):
        await typing.put(PASTE.decode(), lambda reason: None, lambda: True)
    return cli.keys


async def test_an_enter_that_became_a_new_line_is_pressed_again_however_the_cli_draws() -> None:
    assert await put(Cli(NEW_LINE, SENT)) == [PASTE, ENTER, ENTER]


async def test_what_was_sent_is_sent_once() -> None:
    assert await put(Cli(SENT)) == [PASTE, ENTER]


async def test_no_enter_goes_into_a_question() -> None:
    assert await put(Cli(QUESTION)) == [PASTE, ENTER]
    assert await put(Cli(NEW_LINE, QUESTION)) == [PASTE, ENTER, ENTER]


@pytest.mark.long(reason="waits for what must not come")
async def test_a_cli_that_draws_nothing_after_an_enter_gets_no_other_one_until_it_draws() -> None:
    """It may not have read the first one yet."""
    cli = Cli(NOTHING, SENT)
    putting = asyncio.create_task(put(cli))
    for _ in range(2):
        await asyncio.wait([putting], timeout=instruction_typing.TAKEN_SECONDS)
        assert cli.keys == [PASTE, ENTER]
    cli.draw("typed")
    assert await putting == [PASTE, ENTER, ENTER]
