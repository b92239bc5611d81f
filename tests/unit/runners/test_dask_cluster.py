"""Programs on workers of a real Dask cluster in separate processes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.dask_cluster import DaskProcesses, dask_processes, tls_settings

from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.core.version import VERSION
from jupyter_cabinet.runners.dask_cluster import Arrival, DaskCluster, DaskSandbox
from jupyter_cabinet.runners.link import SILENCE_SECONDS
from jupyter_cabinet.runners.port import Placement, Where
from jupyter_cabinet.runners.remote_process import RemoteProcess
from jupyter_cabinet.sandboxes.port import ProcessExit
from jupyter_cabinet.testing.sandboxes import PipesConformance

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
BOUND_SECONDS = 40.0
SHARED = Path(tempfile.gettempdir())  # the server and the workers see it


@pytest.fixture(scope="module")
def processes() -> Iterator[DaskProcesses]:
    with dask_processes() as started:
        started.start_worker("first")
        yield started


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds. Each test has its own bound."""
    while not holds():
        await asyncio.sleep(0.01)


class Told:
    """What the runner says of one run."""

    def __init__(self) -> None:
        self.waits: list[str] = []
        self.where: Where | None = None

    def placement(self, folder: Path = SHARED) -> Placement:
        return Placement(run_id="run", folder=folder, state_folder=folder, waits=self.waits.append, placed=self._placed)

    def _placed(self, where: Where, uses_directory: bool) -> None:
        self.where = where


@asynccontextmanager
async def connected(processes: DaskProcesses) -> AsyncIterator[DaskCluster]:
    cluster = DaskCluster(processes.address)
    try:
        yield cluster
    finally:
        await cluster.close()


class ClosingSandbox(DaskSandbox):
    """Closes its connection to the scheduler after the end of its program."""

    def __init__(self, cluster: DaskCluster) -> None:
        super().__init__(cluster, Told().placement())
        self._closing = cluster

    async def start(self, *args: Any, **options: Any) -> RemoteProcess:
        process = await super().start(*args, **options)
        wait = process.wait

        async def wait_and_close() -> ProcessExit:
            exit = await wait()
            await self._closing.close()
            return exit

        process.wait = wait_and_close  # type: ignore[method-assign]
        return process


class TestPipes(PipesConformance):
    """A worker keeps the promises of the port for programs with pipes."""

    @pytest.fixture(autouse=True)
    def _use(self, processes: DaskProcesses) -> None:
        self._processes = processes

    def make(self) -> DaskSandbox:
        return ClosingSandbox(DaskCluster(self._processes.address))


async def test_a_program_on_a_worker_says_where_it_is(processes: DaskProcesses) -> None:
    async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
        told = Told()
        process = await cluster.sandbox(told.placement()).start(
            (sys.executable, "-c", "print('there')"), cwd="/", environment=ENVIRONMENT
        )
        await process.go()
        assert [chunk async for chunk in process.output()] == [("stdout", b"there\n")]
        assert (await process.wait()).code == 0
        assert told.where is not None and told.where.worker == "first" and told.where.machine
        assert told.waits


async def test_a_run_that_waits_gets_the_first_free_slot_and_no_later_run_overtakes_it() -> None:
    with dask_processes() as processes:
        processes.start_worker("busy", slots=1)
        async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
            long = await started(cluster, "import time; time.sleep(600)")
            told = [Told(), Told()]
            waiting = []
            for each in told:
                waiting.append(asyncio.create_task(started(cluster, "print(1)", each)))
                await until(lambda: len(cluster._waiting) == len(waiting))
            processes.start_worker("free", slots=1)
            first = await waiting[0]
            assert told[0].where is not None and told[0].where.worker == "free"
            assert not waiting[1].done()
            assert (await first.wait()).code == 0
            second = await waiting[1]
            assert told[1].where is not None and told[1].where.worker == "free"
            assert (await second.wait()).code == 0
            await long.stop()


@pytest.mark.long(reason="starts another cluster")
async def test_runs_that_start_together_get_different_workers() -> None:
    with dask_processes() as processes:
        for name in ("one", "two"):
            processes.start_worker(name, slots=1)
        async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
            told = [Told(), Told()]
            programs = await asyncio.gather(*(started(cluster, "import time; time.sleep(600)", each) for each in told))
            assert {each.where.worker for each in told if each.where} == {"one", "two"}
            await asyncio.gather(*(program.stop() for program in programs))


async def test_a_run_gets_another_worker_if_its_own_dies_before_the_server_connects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with dask_processes() as processes:
        processes.start_worker("doomed", slots=2)  # the one with the most free slots is asked first
        processes.start_worker("other", slots=1)
        async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
            connect = cluster._comm

            async def connect_too_late(arrival: Arrival) -> Any:
                if arrival.name == "doomed":
                    await asyncio.to_thread(processes.kill_worker, "doomed")
                    while arrival.address in await cluster._workers(await cluster._connected()):
                        await asyncio.sleep(0.05)
                return await connect(arrival)

            monkeypatch.setattr(cluster, "_comm", connect_too_late)
            told = Told()
            program = await started(cluster, "print(1)", told)
            assert told.where is not None and told.where.worker == "other"
            assert (await program.wait()).code == 0


async def test_a_cluster_that_is_not_there_is_named(tmp_path: Path) -> None:
    cluster = DaskCluster(str(tmp_path / "scheduler.json"))
    state = await cluster.state()
    assert not state.works and "does not exist" in state.reason and "CabinetApp.cluster" in state.remedy
    with pytest.raises(Unavailable, match="does not exist"):
        await cluster.sandbox(Told().placement()).start(("/bin/true",), cwd="/", environment=ENVIRONMENT)


async def test_without_the_package_the_state_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    state = await DaskCluster("tcp://127.0.0.1:1").state()
    assert not state.works and "pip install 'jupyter_cabinet[dask]'" in state.remedy


@pytest.mark.long(reason="waits until a connection fails, in another interpreter")
async def test_dask_changes_nothing_about_how_the_server_logs() -> None:
    source = (
        "import asyncio, logging\n"
        "from jupyter_cabinet.runners.dask_cluster import DaskCluster\n"
        "state = asyncio.run(DaskCluster('tcp://127.0.0.1:1').state())\n"
        "assert not state.works and 'does not answer' in state.reason, state\n"
        "for name in ('tornado', 'tornado.application'):\n"
        "    logger = logging.getLogger(name)\n"
        "    assert (logger.level, logger.propagate, logger.handlers) == (0, True, []), name\n"
    )
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", source)
    assert await program.wait() == 0


UNREAD_BYTES = 200 * 2**20
FLOOD = f"""
import os, sys
for _ in range({UNREAD_BYTES} // 65536):
    sys.stdout.buffer.write(b"x" * 65536)
"""


async def started(cluster: DaskCluster, source: str, told: Told | None = None) -> RemoteProcess:
    """A Python program that has been released."""
    sandbox = cluster.sandbox((told or Told()).placement())
    process = await sandbox.start((sys.executable, "-u", "-c", source), cwd="/", environment=ENVIRONMENT)
    await process.go()
    return process


async def first_line(process: RemoteProcess) -> bytes:
    received = b""
    async for _, data in process.output():
        received += data
        if b"\n" in received:
            break
    return received


@pytest.mark.long(reason="sends 200 MiB")
async def test_a_reader_that_stops_stops_the_program_and_memory_stays_bounded(processes: DaskProcesses) -> None:
    worker = processes.start_worker("second")
    async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
        process = await started(cluster, FLOOD)
        chunks, taken = aiter(process.output()), 0
        while taken < 2**20:
            taken += len((await anext(chunks))[1])
        before = resident(worker.pid), resident(os.getpid())
        await asyncio.sleep(2)
        assert resident(worker.pid) - before[0] < 20 * 2**20 and resident(os.getpid()) - before[1] < 20 * 2**20
        async for _, data in chunks:
            taken += len(data)
        assert taken == UNREAD_BYTES
        assert (await process.wait()).code == 0
    processes.kill_worker("second")


def resident(pid: int) -> int:
    """Return the memory of a process, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.long(reason="starts another cluster and kills a worker")
async def test_a_worker_that_is_killed_is_named_and_nothing_stays_there(gone: Callable[..., Any]) -> None:
    with dask_processes() as processes:
        processes.start_worker("doomed")
        async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
            process = await started(cluster, "import os, time; print(os.getpid()); time.sleep(600)")
            pid = int(await first_line(process))
            processes.kill_worker("doomed")
            exit = await process.wait()
            assert exit.killed and exit.lost_worker == "doomed"
            await gone(pid, process.pid)


@pytest.mark.long(reason="waits until a silent server is given up")
async def test_a_program_ends_when_its_server_is_silent_for_15_seconds(
    processes: DaskProcesses, gone: Callable[..., Any]
) -> None:
    async with asyncio.timeout(BOUND_SECONDS):
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SERVER, processes.address, stdout=asyncio.subprocess.PIPE
        )
        assert server.stdout is not None
        pids = tuple(map(int, (await server.stdout.readline()).split()))
        try:
            server.send_signal(signal.SIGSTOP)  # its connections stay open, as those of a machine without power
            begin = asyncio.get_running_loop().time()
            await gone(*pids)
            assert asyncio.get_running_loop().time() - begin < SILENCE_SECONDS + 5
        finally:
            server.kill()
            await server.wait()


@pytest.mark.long(reason="starts an interpreter that connects to the cluster")
async def test_a_program_ends_with_its_server(processes: DaskProcesses, gone: Callable[..., Any]) -> None:
    async with asyncio.timeout(BOUND_SECONDS):
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SERVER, processes.address, stdout=asyncio.subprocess.PIPE
        )
        assert server.stdout is not None
        pids = tuple(map(int, (await server.stdout.readline()).split()))
        server.kill()
        await server.wait()
        await gone(*pids)


@pytest.mark.long(reason="starts another cluster and an interpreter that connects to it")
async def test_a_cluster_that_speaks_tls_is_used_with_dasks_own_settings(tmp_path: Path) -> None:
    settings = tls_settings(tmp_path)
    with dask_processes(settings) as processes:
        processes.start_worker("first")
        assert processes.address.startswith("tls://")
        async with asyncio.timeout(BOUND_SECONDS):
            server = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", SERVER, processes.address),
                stdout=asyncio.subprocess.PIPE,
                env={**os.environ, **settings},
            )
            assert server.stdout is not None
            assert len((await server.stdout.readline()).split()) == 2
            server.kill()
            await server.wait()
        async with connected(processes) as cluster:  # without the settings
            state = await cluster.state()
            assert not state.works and "TLS" in state.remedy


SERVER = """
import asyncio, sys
from pathlib import Path
from jupyter_cabinet.runners.dask_cluster import DaskCluster
from jupyter_cabinet.runners.port import Placement

async def main():
    cluster = DaskCluster(sys.argv[1])
    placement = Placement(
        run_id="run", folder=Path("/tmp"), state_folder=Path("/tmp"), waits=lambda _: None, placed=lambda *_: None
    )
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    process = await cluster.sandbox(placement).start((sys.executable, "-c", program), cwd="/", environment={})
    await process.go()
    async for _, data in process.output():
        print(process.pid, int(data), flush=True)

asyncio.run(main())
"""


@pytest.mark.long(reason="starts another cluster")
async def test_a_run_waits_until_a_slot_is_free_and_can_be_given_up_meanwhile() -> None:
    with dask_processes() as processes:
        processes.start_worker("small", slots=1)
        async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
            first = await started(cluster, "print('up'); import time; time.sleep(600)")
            given_up = asyncio.create_task(started(cluster, "print('given up')"))
            second = asyncio.create_task(started(cluster, "print('second')"))
            await until(lambda: len(cluster._waiting) == 2)
            assert not second.done() and not given_up.done()
            given_up.cancel()
            await asyncio.gather(given_up, return_exceptions=True)
            await first.stop()
            process = await second
            assert await first_line(process) == b"second\n"
            await process.stop()


@pytest.mark.long(reason="starts another cluster")
async def test_a_scheduler_that_restarts_loses_nothing_that_waits() -> None:
    with dask_processes() as processes:
        async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
            port = int(processes.address.rpartition(":")[2])
            told = Told()
            waiting = asyncio.create_task(started(cluster, "print('after all')", told))
            await until(lambda: bool(cluster._arrivals))  # it waits at the scheduler
            processes.end_scheduler()
            await until(lambda: any("does not answer" in sentence for sentence in told.waits))
            processes.start_scheduler(port)
            processes.start_worker("late")
            process = await waiting
            assert await first_line(process) == b"after all\n"
            await process.stop()


@pytest.mark.long(reason="starts another cluster")
async def test_a_worker_with_another_version_is_refused_with_both_versions(tmp_path: Path) -> None:
    other = tmp_path / "other_version.py"
    other.write_text("import jupyter_cabinet.core.version as version\nversion.VERSION = '0.0.1'\n")
    with dask_processes() as processes:
        processes.start_worker("old", more=("--preload", str(other)))
        async with asyncio.timeout(BOUND_SECONDS), connected(processes) as cluster:
            with pytest.raises(Unavailable, match=rf"worker old has Jupyter Cabinet 0\.0\.1.*{re.escape(VERSION)}"):
                await started(cluster, "")
