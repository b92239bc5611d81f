"""The launcher with real processes: what it starts, what it passes on, and that nothing outlives it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import CabinetError
from jupyter_cabinet.sandboxes.launcher import NAME_BITS, START_BITS, TOP_LEVEL, start_time
from jupyter_cabinet.sandboxes.local import LocalSandbox
from jupyter_cabinet.sandboxes.local_pipes import LocalPipedProcess
from jupyter_cabinet.sandboxes.port import ProcessExit
from jupyter_cabinet.sandboxes.process_table.processes import end_orphans, is_same, table

PATH = {"PATH": os.environ["PATH"]}

# Ignores TERM, and has a descendant with a separate session.
STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
os.write(1, b"%d\\n" % os.getpid())
time.sleep(600)
"""

# Starts a program under a launcher, tells all pids, and stays until it is killed.
SERVER = """
import asyncio, sys
from jupyter_cabinet.sandboxes.local import LocalSandbox
async def main():
    process = await LocalSandbox().start([sys.executable, sys.argv[1]], cwd="/", environment={})
    await process.go()
    print(process.pid, flush=True)
    async for _, data in process.output():
        print(data.decode(), end="", flush=True)
asyncio.run(main())
"""

# 32 and 33: nobody but the C library can change them, so what the tests were started with stays.
C_LIBRARY_SIGNALS = 0b11 << 31


async def start(tmp_path: Path, source: str, *arguments: str, **environment: str) -> LocalPipedProcess:
    argv = [sys.executable, "-S", "-c", textwrap.dedent(source), *arguments]
    return await LocalSandbox().start(argv, cwd=str(tmp_path), environment={**PATH, **environment})


async def text_of(process: LocalPipedProcess, name: str = "stdout") -> bytes:
    """What it has written, when it has ended."""
    parts = [data async for source, data in process.output() if source == name]
    await process.wait()
    return b"".join(parts)


async def pids_from(process: LocalPipedProcess, count: int) -> list[int]:
    """The pids that a program printed, one a line."""
    text = b""
    async for _, data in process.output():
        text += data
        if text.count(b"\n") >= count:
            break
    return [int(line) for line in text.split()]


async def test_a_program_runs_with_its_own_arguments_folder_and_environment(tmp_path):
    source = "import os,sys; print(sys.argv[1:], os.getcwd(), os.environ['A'], 'HOME' in os.environ)"
    process = await start(tmp_path, source, "one two", "", A="é")
    await process.go()
    assert await text_of(process) == f"['one two', ''] {tmp_path} é False\n".encode()
    assert await process.wait() == ProcessExit(code=0)


async def test_nothing_is_executed_before_go(tmp_path, gone):
    process = await start(tmp_path, "open('ran', 'w')")
    assert table()[process.pid].alive
    assert not [row for row in table().values() if row.parent == process.pid]
    assert (await process.stop()).code is None
    assert not (tmp_path / "ran").exists()
    await gone(process.pid)


async def test_the_exit_code_and_the_signal_are_told_apart(tmp_path):
    process = await start(tmp_path, "raise SystemExit(3)")
    await process.go()
    assert await process.wait() == ProcessExit(code=3)
    process = await start(tmp_path, "import os; os.kill(os.getpid(), 9)")
    await process.go()
    assert await process.wait() == ProcessExit(signal=9)


@pytest.mark.parametrize(
    ("argv", "errno", "stage"),
    [
        (["/no/such/program"], "ENOENT", "exec"),
        (["/proc/self/status"], "EACCES", "exec"),
        ([sys.executable, "x" * 140_000], "E2BIG", "exec"),
    ],
)
async def test_a_program_that_cannot_be_executed_is_an_error_with_its_reason(tmp_path, argv, errno, stage, gone):
    process = await LocalSandbox().start(argv, cwd=str(tmp_path), environment=PATH)
    with pytest.raises(CabinetError) as caught:
        await process.go()
    assert caught.value.detail == {"errno": errno, "stage": stage}
    await gone(process.pid)


async def test_a_missing_working_folder_is_named_as_the_reason(tmp_path):
    process = await LocalSandbox().start([sys.executable], cwd=str(tmp_path / "no"), environment=PATH)
    with pytest.raises(CabinetError, match="working folder was not found"):
        await process.go()


async def test_16_mib_of_output_arrive_byte_for_byte(tmp_path):
    source = """
        import os, sys
        block = bytes(range(256)) * 256
        for _ in range(256):
            sys.stdout.buffer.write(block)
    """
    process = await start(tmp_path, source)
    await process.go()
    digest = hashlib.sha256()
    async for _, data in process.output():
        digest.update(data)
    assert digest.digest() == hashlib.sha256(bytes(range(256)) * 65536).digest()
    assert (await process.wait()).code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has pipes that can be made wider")
async def test_a_program_that_does_not_wait_and_leaves_at_once_loses_nothing_of_900_kb(tmp_path):
    source = "import os; os.set_blocking(1, False); print(os.write(1, b'x' * 900_000), file=open('written', 'w'))"
    process = await start(tmp_path, source)
    await process.go()
    output = asyncio.create_task(text_of(process))
    await process.wait()
    assert (tmp_path / "written").read_text() == "900000\n"
    assert len(await output) == 900_000


async def test_300_kb_of_input_arrive(tmp_path):
    process = await start(tmp_path, "import sys; print(len(sys.stdin.buffer.read()))")
    await process.go()
    await process.write(b"x" * 300_000)
    process.close_stdin()
    assert await text_of(process) == b"300000\n"


async def test_writing_to_a_program_that_does_not_read_and_has_ended_is_no_error(tmp_path):
    process = await start(tmp_path, "import os; os.close(0)")
    await process.go()
    async with asyncio.timeout(10):
        await process.write(b"x" * 300_000)
    await process.wait()


async def test_the_program_inherits_only_the_three_standard_descriptors_and_no_ignored_signal(tmp_path):
    process = await LocalSandbox().start(
        ["/bin/sh", "-c", "ls /proc/self/fd; grep -E 'SigIgn|SigBlk' /proc/self/status"],
        cwd=str(tmp_path),
        environment=PATH,
    )
    await process.go()
    *descriptors, blocked, ignored = (await text_of(process)).decode().splitlines()
    assert descriptors[:3] == ["0", "1", "2"]
    assert len(descriptors) == 4  # ls reads the folder through one more
    assert int(blocked.split()[1], 16) == 0
    assert int(ignored.split()[1], 16) & ~C_LIBRARY_SIGNALS == 0


async def test_a_double_forked_descendant_with_its_own_session_is_ended_after_the_program(tmp_path, gone):
    source = """
        import os, sys, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                print(os.getpid(), flush=True)
                time.sleep(600)
            os._exit(0)
        os.wait()
        sys.stdin.read()
    """
    process = await start(tmp_path, source)
    await process.go()
    [stray] = await pids_from(process, 1)
    process.close_stdin()
    assert await process.wait() == ProcessExit(code=0, survivors=1)
    await gone(stray, process.pid)


@pytest.mark.parametrize("stopped", [False, True])
async def test_a_process_whose_main_thread_has_ended_is_ended_like_others(tmp_path, stopped):
    source = """
    import ctypes, os, platform, threading, time
    def tick():
        while True:
            time.sleep(0.02)
            open("ticks", "a").write(".")
    if os.fork() == 0:
        os.setsid()
        threading.Thread(target=tick).start()
        ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
    while not os.path.exists("ticks"):
        time.sleep(0.02)
    os.write(1, b"up\\n")
    time.sleep(STOPPED * 600)
    """.replace("STOPPED", str(int(stopped)))
    process = await start(tmp_path, source)
    await process.go()
    await anext(process.output())
    async with asyncio.timeout(10):
        assert (await (process.stop() if stopped else process.wait())).killed is False
    ticks = (tmp_path / "ticks").stat().st_size
    await asyncio.sleep(0.2)
    assert (tmp_path / "ticks").stat().st_size == ticks


async def test_stop_ends_those_who_ignore_every_polite_signal_soon(tmp_path, gone):
    source = """
        import os, signal, time
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                break
        os.write(1, b'%d\\n' % os.getpid())
        while True:
            time.sleep(600)
    """
    process = await start(tmp_path, source)
    await process.go()
    pids = await pids_from(process, 4)
    async with asyncio.timeout(15):
        ended = await process.stop()
    assert ended.signal == signal.SIGKILL
    assert not ended.killed
    await gone(*pids, process.pid)


async def test_stop_sends_the_interrupt_first(tmp_path):
    process = await start(
        tmp_path,
        """
        import time
        try:
            print('up', flush=True)
            time.sleep(600)
        except KeyboardInterrupt:
            raise SystemExit(42)
        """,
    )
    await process.go()
    async for _ in process.output():
        break
    assert await process.stop() == ProcessExit(code=42)


async def test_processes_that_fork_anew_on_term_do_not_escape(tmp_path, gone):
    source = """
        import os, signal, time
        def again(*_):
            if os.fork() == 0:
                os.setsid()
        signal.signal(signal.SIGTERM, again)
        signal.signal(signal.SIGINT, again)
        print(os.getpid(), flush=True)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.02)
            if time.monotonic() > end - 18 and os.fork() == 0:
                time.sleep(0.5)
                os._exit(0)
    """
    process = await start(tmp_path, source)
    await process.go()
    [leader] = await pids_from(process, 1)
    session = table()[leader].session
    async with asyncio.timeout(15):  # a storm of forks on a busy machine; five seconds elsewhere
        await process.stop()
    await gone(leader, process.pid)
    assert not [row for row in table().values() if row.session == session and row.alive]


async def test_a_program_that_kills_its_own_group_does_not_hit_the_launcher(tmp_path):
    process = await start(tmp_path, "import os, signal; os.kill(0, signal.SIGKILL)")
    await process.go()
    assert await process.wait() == ProcessExit(signal=9)


async def test_a_signal_reaches_every_descendant(tmp_path, gone):
    source = """
        import os, signal, time
        signal.signal(signal.SIGQUIT, lambda *_: os._exit(7))
        child = os.fork()
        os.write(1, b'%d\\n' % os.getpid())
        if child == 0:
            time.sleep(600)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])) if False else time.sleep(600)
    """
    process = await start(tmp_path, source)
    await process.go()
    pids = await pids_from(process, 2)
    await process.signal("QUIT")
    assert (await process.wait()).code == 7
    await gone(*pids)


async def test_a_stopped_program_can_be_continued_and_ended(tmp_path, gone, until):
    process = await start(tmp_path, "import time\nprint(__import__('os').getpid(), flush=True)\ntime.sleep(600)")
    await process.go()
    [pid] = await pids_from(process, 1)
    await process.signal("STOP")
    await until(lambda: _state(pid) == "T")
    await process.signal("CONT")
    await until(lambda: _state(pid) != "T")
    await process.signal("STOP")
    async with asyncio.timeout(15):
        await process.stop()
    await gone(pid)


async def test_what_is_being_stopped_is_not_held_any_more_and_cleans_up(tmp_path):
    process = await start(
        tmp_path,
        """
        import signal, time
        try:
            print('up', flush=True)
            time.sleep(600)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            print('cleaning up', flush=True)
            time.sleep(0.2)
            raise SystemExit(42)
        """,
    )
    await process.go()
    stopping = None
    async for _, data in process.output():
        if stopping is None:
            stopping = asyncio.create_task(process.stop())
            await asyncio.sleep(0)
        for _ in range(3):
            await process.signal("STOP")
        if b"cleaning up" in data:
            break
    assert stopping is not None and (await stopping).code == 42


async def test_a_child_that_was_suspended_cleans_up_when_its_program_has_ended(tmp_path):
    source = """
        import os, signal
        if os.fork() == 0:
            def clean_up(*_):
                open("clean", "w").close()
                os._exit(0)
            signal.signal(signal.SIGTERM, clean_up)
            os.kill(os.getpid(), signal.SIGSTOP)
            signal.pause()
        os.waitpid(-1, os.WUNTRACED)
    """
    process = await start(tmp_path, source)
    await process.go()
    assert await process.wait() == ProcessExit(code=0, survivors=1)
    assert (tmp_path / "clean").exists()


async def test_everything_is_gone_when_the_server_is_killed(tmp_path, gone):
    program = tmp_path / "program.py"
    program.write_text(STUBBORN)
    with subprocess.Popen([sys.executable, "-c", SERVER, program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pids = [int(process.stdout.readline()) for _ in range(3)]
        process.kill()
    await gone(*pids)


async def test_a_killed_launcher_leaves_nothing_behind(tmp_path, gone):
    source = """
        import os, time
        if os.fork() == 0:
            os.setsid()
        os.write(1, b'%d\\n' % os.getpid())
        time.sleep(600)
    """
    process = await start(tmp_path, source)
    await process.go()
    pids = await pids_from(process, 2)
    os.kill(process.pid, signal.SIGKILL)
    async with asyncio.timeout(15):
        ended = await process.wait()
    assert ended.killed
    await gone(*pids, process.pid)


# Leaves its session, its parent and its environment behind, closes what it was given, and kills its launcher when that
# has reported the start.
ESCAPES = """
    import os, sys, time
    launcher = os.getppid()
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.write(1, b'%d\\n' % os.getpid())
        os.closerange(0, 100)
        wait = "import os, time\\nwhile not os.path.exists('started'): time.sleep(0.01)\\n"
        kill = f"{wait}os.kill({launcher}, 9); time.sleep(600)"
        os.execve(sys.executable, [sys.executable, "-S", "-c", kill], {})
    time.sleep(600)
"""


async def test_what_leaves_everything_behind_and_kills_its_launcher_is_found_and_ended(tmp_path, gone):
    for _ in range(3):
        process = await start(tmp_path, ESCAPES)
        await process.go()
        (tmp_path / "started").touch()
        [stray] = await pids_from(process, 1)
        async with asyncio.timeout(15):
            ended = await process.wait()
        assert ended.killed and ended.survivors
        await gone(stray, process.pid)
        (tmp_path / "started").unlink()


async def test_a_launcher_below_a_launcher_marks_its_own(tmp_path):
    """An agent may start this very server."""
    inner = tmp_path / "inner.py"
    inner.write_text("import resource; print(resource.getrlimit(resource.RLIMIT_RTTIME)[1])")
    outer = await LocalSandbox().start([sys.executable, "-c", SERVER, str(inner)], cwd=str(tmp_path), environment=PATH)
    await outer.go()
    launcher, limit = map(int, (await text_of(outer)).split())
    assert limit % (1 << NAME_BITS) >> START_BITS == launcher
    assert limit >> NAME_BITS < TOP_LEVEL


async def test_a_launcher_that_does_not_answer_is_replaced_by_the_process_table(tmp_path, monkeypatch, gone):
    monkeypatch.setattr("jupyter_cabinet.sandboxes.control.STOP_CONFIRMED_SECONDS", 0.3)
    process = await start(tmp_path, "import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    await process.go()
    [pid] = await pids_from(process, 1)
    os.kill(process.pid, signal.SIGSTOP)
    async with asyncio.timeout(15):
        assert (await process.stop()).killed
    await gone(pid, process.pid)


async def test_orphans_of_an_earlier_server_are_ended_by_their_record(tmp_path, gone):
    process = await start(
        tmp_path,
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
        os.write(1, b'%d\\n' % os.getpid())
        time.sleep(600)
        """,
    )
    await process.go()
    pids = await pids_from(process, 2)
    await end_orphans(process.pid, "1@another-boot")
    assert all(table()[pid].alive for pid in pids)
    await end_orphans(process.pid, process.started_at)
    await gone(*pids, process.pid)
    await process.wait()


async def test_a_process_that_has_the_number_of_an_old_launcher_by_chance_is_left_alone(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        boot = start_time(bystander.pid).rpartition("@")[2]
        await end_orphans(bystander.pid, f"1@{boot}")
        bystander.communicate(b"\n", timeout=30)
    assert bystander.returncode == 0


def test_a_process_is_known_by_its_number_and_its_start():
    own = start_time(os.getpid())
    assert own is not None and is_same(os.getpid(), own)
    for other in (f"1@{own.rpartition('@')[2]}", "unknown", ""):
        assert not is_same(os.getpid(), other)


async def test_no_descriptor_is_left_after_many_programs(tmp_path, until):
    async def once() -> None:
        process = await start(tmp_path, "print('x')")
        await process.go()
        await text_of(process)
        await process.wait()

    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    await once()
    before = count()
    for _ in range(4):
        await once()
    await until(lambda: count() <= before)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
