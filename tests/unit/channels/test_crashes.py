"""A server that dies at any write while messages come in and answers go out, and the next one on the same folder."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness.agents import make
from harness.backend import ADA, Place
from harness.channels import messages, paired, telegram_channel
from harness.crash_trial import KILLED, Side, forked
from harness.examples import cases

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.testing.telegram import TelegramServer

WORDS = ("alpha", "omega")


async def prepare(place: Place, telegram: TelegramServer) -> None:
    async with place.backend() as backend:
        await make(backend, "helper")
        channel = await telegram_channel(backend, telegram, agent="helper")
        await paired(backend, telegram, channel)


async def work(place: Place, expected: int = len(WORDS)) -> None:
    """Receive the messages, and answer them. Ends when everything on record is finished."""
    async with place.backend() as backend:
        while not await _is_finished(backend, expected):
            await asyncio.sleep(0.02)
        await backend.outbox.settled()


async def _is_finished(backend: Backend, expected: int) -> bool:
    (channel,) = await backend.channels.find(ADA)
    found = await messages(backend, channel.id)
    incoming = [each for each in found if each.direction == "in"]
    unfinished = [each for each in found if each.state in ("received", "working", "waiting", "sending")]
    answered = {each.run_id for each in found if each.direction == "out" and each.run_id}
    return len(incoming) == expected and not unfinished and answered >= {each.run_id for each in incoming}


def trial(folder: Path, at: int | None, side: Side) -> tuple[int, list[str]]:
    """Kill a server at a write, let the next one finish, and return the number of writes and what is wrong."""
    folder.mkdir()
    place = Place(folder)
    with TelegramServer() as telegram:
        asyncio.run(prepare(place, telegram))
        for word in WORDS:
            telegram.write(f"remember {word}")
        code, count = forked(lambda: work(place), at, side)
        if at is not None:
            assert code in (KILLED, 0), code
            assert forked(lambda: work(place))[0] == 0, "the next server has not finished"
        return count, wrong(telegram, place)


def wrong(telegram: TelegramServer, place: Place) -> list[str]:
    """Return what must not be: an answer that came twice, or a message without an answer that nobody hears of."""
    states = asyncio.run(_states(place))
    found = []
    for word in WORDS:
        answers = [text for text in telegram.texts() if text == f"I have noted: {word}"]
        told = [text for text in telegram.texts() if "server" in text and "noted" not in text]
        if len(answers) > 1:
            found.append(f"{word} was answered {len(answers)} times")
        if not answers and not told and "unknown" not in states:
            found.append(f"{word} was lost: {telegram.texts()}, {states}")
    return found


async def _states(place: Place) -> list[str]:
    async with place.backend() as backend:
        (channel,) = await backend.channels.find(ADA)
        return [each.state for each in await messages(backend, channel.id)]


def main(folder: Path, sides: tuple[Side, ...]) -> None:
    """Kill the server at every write, and print what is wrong, a line each."""
    count, problems = trial(folder / "whole", None, "before")
    print(f"{count} writes", *problems, sep="\n")
    for at in range(1, count + 1):
        for side in sides:
            try:
                _, problems = trial(folder / f"{at}-{side}", at, side)
            except AssertionError as error:
                problems = [str(error)]
            for problem in problems:
                print(f"write {at}, {side}: {problem}", flush=True)


@pytest.mark.skipif(sys.platform == "darwin", reason="forks with threads")
@pytest.mark.parametrize(("at", "side"), cases((20, "after"), (12, "before"), (28, "before"), (34, "after")))
def test_a_message_is_answered_once_although_the_server_was_killed(tmp_path: Path, at: int, side: Side) -> None:
    assert trial(tmp_path / "trial", at, side)[1] == []


@pytest.mark.skipif(sys.platform == "darwin", reason="forks with threads")
@pytest.mark.long(reason="kills a server 80 times")
@pytest.mark.timeout(900)
def test_a_message_is_answered_once_wherever_the_server_was_killed(tmp_path: Path) -> None:
    command = (sys.executable, str(Path(__file__)), str(tmp_path))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=880)
    assert done.returncode == 0, done.stderr[-2000:]
    (first, *problems) = done.stdout.splitlines()
    assert first.endswith(" writes") and int(first.split()[0]) > 20
    assert problems == []


if __name__ == "__main__":
    main(Path(sys.argv[1]), ("before", "after"))
