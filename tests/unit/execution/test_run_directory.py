"""The run directory: private, opened by its ticket only, and gone afterwards."""

import asyncio
import stat
import sys
from pathlib import Path

from jupyter_cabinet.execution.run_directory import OnHook, RunDirectory


async def call_hook(command: tuple[str, ...], payload: bytes) -> int:
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
    await process.communicate(payload)
    assert process.returncode is not None
    return process.returncode


async def open_door(place: Path, on_hook: OnHook) -> RunDirectory:
    directory = await RunDirectory.create(place)
    await directory.listen(on_hook)
    return directory


async def ignore(payload: bytes, gone: asyncio.Event) -> bytes:
    """Nobody listens."""
    return b""


async def test_a_hook_reaches_the_server_and_a_wrong_ticket_does_not(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def hear(payload: bytes, gone: asyncio.Event) -> bytes:
        heard.append(payload)
        return b""

    directory = await open_door(tmp_path, hear)
    assert stat.S_IMODE(directory.path.stat().st_mode) == 0o700
    assert stat.S_IMODE((directory.path / "ticket").stat().st_mode) == 0o600
    payload = b'{"hook_event_name": "Stop"}' + b" " * 300_000
    assert await call_hook(directory.hook_command, payload) == 0
    assert heard == [payload]
    (directory.path / "ticket").write_text("guessed")
    assert await call_hook(directory.hook_command, b"{}") == 0
    assert heard == [payload]
    await directory.close()
    assert not directory.path.exists()
    assert await call_hook(directory.hook_command, b"{}") == 0  # never breaks the person's CLI


async def test_only_what_descends_from_the_runs_launcher_comes_in_with_its_ticket(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def hear(payload: bytes, gone: asyncio.Event) -> bytes:
        heard.append(payload)
        return b""

    directory = await open_door(tmp_path, hear)
    own = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import subprocess, sys; sys.stdin.read(1); subprocess.run(sys.argv[1:], input=b'own', start_new_session=True)",
        *directory.hook_command,
        stdin=asyncio.subprocess.PIPE,
    )
    directory._launcher = own.pid
    assert await call_hook(directory.hook_command, b"another run's") == 0
    assert heard == []
    await own.communicate(b"x")
    assert heard == [b"own"]
    await directory.close()


async def test_that_a_hook_has_ended_is_seen_while_its_reply_is_awaited(tmp_path: Path) -> None:
    waiting, told = asyncio.Event(), asyncio.Event()

    async def wait(payload: bytes, gone: asyncio.Event) -> bytes:
        waiting.set()
        await gone.wait()
        told.set()
        return b""

    directory = await open_door(tmp_path, wait)
    process = await asyncio.create_subprocess_exec(*directory.hook_command, stdin=asyncio.subprocess.PIPE)
    asyncio.get_running_loop().create_task(process.communicate(b"{}"))
    async with asyncio.timeout(10):
        await waiting.wait()
        process.kill()
        await told.wait()
    await directory.close()


async def test_no_secret_stands_in_the_command(tmp_path: Path) -> None:
    directory = await open_door(tmp_path, ignore)
    ticket = (directory.path / "ticket").read_text()
    assert ticket not in " ".join(directory.hook_command)
    await directory.close()


async def test_a_place_too_deep_for_a_socket_moves_to_the_temporary_folder(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    directory = await open_door(deep, ignore)
    assert len(str(directory.path / "socket")) < 100 and stat.S_IMODE(directory.path.stat().st_mode) == 0o700
    await directory.close()
