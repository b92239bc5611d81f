"""The door for tools: within bounds, for the processes of its run only, and every refusal is an answer in words."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import NotAllowed
from jupyter_cabinet.execution.model import ToolAnswer
from jupyter_cabinet.execution.run_directory import MAX_TOOL_BYTES, RunDirectory
from jupyter_cabinet.execution.tools.tool_door import CUT, MAX_ANSWER_BYTES, MOST_AT_ONCE, ToolDoor

SECONDS = 10
# Stands for a process of a run: says what it is given to the socket, and prints what comes back.
GUEST = """
import socket, sys
sys.stdin.buffer.readline()
with socket.socket(socket.AF_UNIX) as door:
    door.connect(sys.argv[1])
    door.sendall(sys.stdin.buffer.read())
    while piece := door.recv(65536):
        sys.stdout.buffer.write(piece)
"""


async def echo(tool: str, arguments: dict[str, object]) -> ToolAnswer:
    return ToolAnswer(text=f"{tool} {json.dumps(arguments, sort_keys=True)}")


@asynccontextmanager
async def opened(
    place: Path, call: Callable[..., Awaitable[ToolAnswer]] = echo, *, seconds: float = SECONDS
) -> AsyncIterator[RunDirectory]:
    directory = await RunDirectory.create(place)
    await directory.listen(on_tool=ToolDoor(call, seconds=seconds).serve)
    try:
        yield directory
    finally:
        await directory.close()


def greeting(directory: RunDirectory, length: int, *, word: str = "tool") -> bytes:
    return f"{word} {(directory.path / 'ticket').read_text()} {length}\n".encode()


async def say(directory: RunDirectory, data: bytes) -> bytes:
    """What the door answers; nothing where it shuts."""
    reader, writer = await asyncio.open_unix_connection(directory.path / "socket")
    try:
        writer.write(data)
        async with asyncio.timeout(SECONDS):
            return await reader.read()
    finally:
        writer.close()


async def use(directory: RunDirectory, tool: str, **arguments: object) -> dict[str, object]:
    payload = json.dumps({"tool": tool, "arguments": arguments}).encode()
    answer: dict[str, object] = json.loads(await say(directory, greeting(directory, len(payload)) + payload))
    return answer


async def test_a_call_is_answered_as_its_run_answers_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as directory:
        assert await use(directory, "memory_read", file="context") == {
            "text": 'memory_read {"file": "context"}',
            "is_error": False,
        }


async def test_a_wrong_ticket_gets_nothing(tmp_path: Path) -> None:
    called = []

    async def call(tool: str, arguments: dict[str, object]) -> ToolAnswer:
        called.append(tool)
        return ToolAnswer(text="")

    async with opened(tmp_path, call) as directory:
        payload = b'{"tool": "memory_read"}'
        for word, ticket in (("tool", "guessed"), ("hook", (directory.path / "ticket").read_text()), ("", "")):
            assert await say(directory, f"{word} {ticket} {len(payload)}\n".encode() + payload) == b""
    assert called == []


async def test_another_process_than_those_of_the_run_gets_nothing_with_its_ticket(tmp_path: Path) -> None:
    payload = b'{"tool": "memory_read"}'
    async with opened(tmp_path) as directory:
        said = greeting(directory, len(payload)) + payload
        own, foreign = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", "-c", GUEST, str(directory.path / "socket")),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            for _ in range(2)
        ]
        directory._launcher = own.pid
        assert json.loads((await own.communicate(b"\n" + said))[0])["text"] == "memory_read {}"
        assert (await foreign.communicate(b"\n" + said))[0] == b""


async def test_when_the_run_is_over_nobody_answers(tmp_path: Path) -> None:
    async with opened(tmp_path) as directory:
        pass
    assert not directory.path.exists()
    with pytest.raises(OSError):
        await asyncio.open_unix_connection(directory.path / "socket")


async def test_a_call_that_is_too_large_is_refused_in_words_and_not_carried_out(tmp_path: Path) -> None:
    called = []

    async def call(tool: str, arguments: dict[str, object]) -> ToolAnswer:
        called.append(tool)
        return ToolAnswer(text="")

    async with opened(tmp_path, call) as directory:
        answer = await use(directory, "memory_append", text="x" * MAX_TOOL_BYTES)
        assert answer["is_error"] is True and "at most 1 MiB" in str(answer["text"])
        assert called == []
        await use(directory, "memory_append", text="x" * (MAX_TOOL_BYTES - 100))
        assert called == ["memory_append"]


@pytest.mark.parametrize("payload", [b"", b"[]", b'{"tool": 1}', b'{"tool": "x", "more": 1}', b"\xff", b"[" * 100_000])
async def test_what_is_no_call_is_refused_in_words(tmp_path: Path, payload: bytes) -> None:
    async with opened(tmp_path) as directory:
        answer = json.loads(await say(directory, greeting(directory, len(payload)) + payload))
    assert answer == {"text": "This is not a valid tool call. Nothing was done.", "is_error": True}


async def test_a_call_that_is_torn_off_is_not_carried_out_and_the_next_one_is(tmp_path: Path) -> None:
    called = []

    async def call(tool: str, arguments: dict[str, object]) -> ToolAnswer:
        called.append(tool)
        return ToolAnswer(text="")

    async with opened(tmp_path, call) as directory:
        for said in (greeting(directory, 100) + b'{"tool"', b"tool", b"\n", greeting(directory, 5)[:-3] + b"x\n"):
            reader, writer = await asyncio.open_unix_connection(directory.path / "socket")
            writer.write(said)
            writer.write_eof()
            async with asyncio.timeout(SECONDS):
                assert await reader.read() == b""
            writer.close()
        assert called == []
        await use(directory, "agents_list")
        assert called == ["agents_list"]


async def test_what_goes_wrong_is_told_and_a_bug_says_nothing_of_itself(tmp_path: Path) -> None:
    async def call(tool: str, arguments: dict[str, object]) -> ToolAnswer:
        raise NotAllowed("Not yours.") if tool == "mine" else RuntimeError("a secret")

    async with opened(tmp_path, call) as directory:
        assert await use(directory, "mine") == {"text": "Not yours.", "is_error": True}
        answer = await use(directory, "broken")
        assert answer == {
            "text": "Cabinet failed because of a bug. The details are in the server's log.",
            "is_error": True,
        }


async def test_a_call_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    async def call(tool: str, arguments: dict[str, object]) -> ToolAnswer:
        await asyncio.Event().wait()
        raise AssertionError

    async with opened(tmp_path, call, seconds=0.05) as directory:
        answer = await use(directory, "memory_read")
    assert answer["is_error"] is True and "took too long" in str(answer["text"])


async def test_no_more_calls_work_at_once_than_the_limit(tmp_path: Path) -> None:
    working, most, full, go = 0, 0, asyncio.Event(), asyncio.Event()

    async def call(tool: str, arguments: dict[str, object]) -> ToolAnswer:
        nonlocal working, most
        working, most = working + 1, max(most, working + 1)
        if working == MOST_AT_ONCE:
            full.set()
        await go.wait()
        working -= 1
        return ToolAnswer(text="done")

    async with opened(tmp_path, call) as directory, asyncio.timeout(SECONDS):
        calls = [asyncio.create_task(use(directory, "memory_read")) for _ in range(3 * MOST_AT_ONCE)]
        await full.wait()
        go.set()
        assert [answer["text"] for answer in await asyncio.gather(*calls)] == ["done"] * len(calls)
    assert most == MOST_AT_ONCE


async def test_a_long_answer_is_cut_between_characters(tmp_path: Path) -> None:
    async def call(tool: str, arguments: dict[str, object]) -> ToolAnswer:
        return ToolAnswer(text="é" * MAX_ANSWER_BYTES)

    async with opened(tmp_path, call) as directory:
        text = str((await use(directory, "memory_read"))["text"])
    assert text.endswith(CUT) and set(text.removesuffix(CUT)) == {"é"}
    assert MAX_ANSWER_BYTES - 2 <= len(text.encode()) <= MAX_ANSWER_BYTES


async def test_the_doors_of_two_runs_do_not_lead_to_each_other(tmp_path: Path) -> None:
    async def other(tool: str, arguments: dict[str, object]) -> ToolAnswer:
        return ToolAnswer(text="the other")

    async with opened(tmp_path) as one, opened(tmp_path, other) as two:
        assert (await use(one, "memory_read"))["text"] == "memory_read {}"
        assert (await use(two, "memory_read"))["text"] == "the other"
        payload = b'{"tool": "memory_read"}'
        assert await say(two, greeting(one, len(payload)) + payload) == b""
