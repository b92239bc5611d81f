"""What a worker sees of the server: it has to see the folder, and can get a copy of the run directory."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from harness.backend import ADA, Place, ended, submit, waiting_are
from harness.bubblewrap import NEEDS_BUBBLEWRAP
from harness.dask_cluster import DaskProcesses, dask_processes

from jupyter_cabinet.approvals.model import ApprovalFilter, NewAnswer
from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.execution.run_directory import RunDirectory
from jupyter_cabinet.runners.dask_cluster import DaskCluster
from jupyter_cabinet.runners.port import Placement, Where
from jupyter_cabinet.runners.remote_process import RemoteProcess

pytestmark = [NEEDS_BUBBLEWRAP, pytest.mark.long(reason="starts a scheduler and a worker in another mount namespace")]
BOUND_SECONDS = 40.0
SHARED = Path(tempfile.gettempdir())
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


class Elsewhere(NamedTuple):
    """A cluster whose worker has its own, empty folders at the place of `run_directories` and of `unseen`."""

    processes: DaskProcesses
    run_directories: Path
    unseen: Path


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    with tempfile.TemporaryDirectory(prefix="cabinet-") as base, dask_processes() as processes:
        hidden = [Path(base) / name for name in ("d", "unseen")]
        for folder in hidden:
            folder.mkdir()
        mounts = [argument for folder in hidden for argument in ("--tmpfs", str(folder))]
        processes.start_worker("first", before=("bwrap", "--dev-bind", "/", "/", *mounts))
        yield Elsewhere(processes, *hidden)


def placement(folder: Path, directory: RunDirectory | None = None, uses: list[bool] | None = None) -> Placement:
    def placed(where: Where, uses_directory: bool) -> None:
        if uses is not None:
            uses.append(uses_directory)

    return Placement(
        run_id="run",
        folder=folder,
        state_folder=folder,
        run_directory=directory.path if directory is not None else None,
        waits=lambda reason: None,
        placed=placed,
    )


async def started(cluster: DaskCluster, directory: RunDirectory, argv: tuple[str, ...]) -> RemoteProcess:
    """A program whose run has a run directory, and which waits to be released."""
    uses: list[bool] = []
    sandbox = cluster.sandbox(placement(SHARED, directory, uses))
    process = await sandbox.start(argv, cwd="/", environment=ENVIRONMENT)
    assert uses == [False]
    return process


async def python_output(cluster: DaskCluster, source: str) -> bytes:
    """What a Python program on the worker prints, in a run without a run directory."""
    argv = (sys.executable, "-c", source)
    return await output_of(await cluster.sandbox(placement(SHARED)).start(argv, cwd="/", environment=ENVIRONMENT), b"")


async def output_of(process: RemoteProcess, stdin: bytes) -> bytes:
    await process.go()
    await process.write(stdin)
    process.close_stdin()
    output = b"".join([data async for _, data in process.output()])
    await process.wait()
    return output


async def test_a_hook_on_a_worker_reaches_the_server_and_nothing_stays_there(elsewhere: Elsewhere) -> None:
    heard = []

    async def on_hook(payload: bytes, gone: asyncio.Event) -> bytes:
        heard.append(payload)
        return b"answer " * 50_000

    cluster = DaskCluster(elsewhere.processes.address)
    directory = await RunDirectory.create(elsewhere.run_directories)
    try:
        async with asyncio.timeout(BOUND_SECONDS):
            process = await started(cluster, directory, directory.hook_command)
            await directory.listen(on_hook, launcher=os.getpid())
            question = b'{"question": "' + b"x" * 300_000 + b'"}'
            assert await output_of(process, question) == b"answer " * 50_000
            assert heard == [question]
            left = f"import os; print(os.listdir({str(elsewhere.run_directories)!r}))"
            while await python_output(cluster, left) != b"[]\n":
                await asyncio.sleep(0.1)
    finally:
        await directory.close()
        await cluster.close()


async def test_the_files_of_a_run_directory_are_there_at_the_same_path(elsewhere: Elsewhere) -> None:
    cluster = DaskCluster(elsewhere.processes.address)
    directory = await RunDirectory.create(elsewhere.run_directories)
    skill = directory.path / "skills" / "one" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("How to do it.")
    try:
        async with asyncio.timeout(BOUND_SECONDS):
            look = f"import pathlib; print(pathlib.Path({str(skill)!r}).read_text())"
            process = await started(cluster, directory, (sys.executable, "-c", look))
            assert await output_of(process, b"") == b"How to do it.\n"
    finally:
        await directory.close()
        await cluster.close()


async def test_another_run_on_the_worker_cannot_use_the_socket(elsewhere: Elsewhere) -> None:
    async def on_hook(payload: bytes, gone: asyncio.Event) -> bytes:
        return b"secret"

    cluster = DaskCluster(elsewhere.processes.address)
    mine = await RunDirectory.create(elsewhere.run_directories)
    others = await RunDirectory.create(elsewhere.run_directories)
    try:
        async with asyncio.timeout(BOUND_SECONDS):
            process = await started(cluster, mine, mine.hook_command)
            await mine.listen(on_hook, launcher=os.getpid())
            await others.listen(on_hook, launcher=os.getpid())
            burglar = await started(cluster, others, mine.hook_command)
            assert await output_of(burglar, b"{}") == b""
            assert await output_of(process, b"{}") == b"secret"
    finally:
        await mine.close()
        await others.close()
        await cluster.close()


async def test_no_process_of_the_servers_machine_can_use_a_socket_that_is_passed_on(tmp_path: Path) -> None:
    async def on_hook(payload: bytes, gone: asyncio.Event) -> bytes:
        return b"secret"

    directory = await RunDirectory.create(tmp_path)
    await directory.listen(on_hook, launcher=os.getpid())
    try:
        process = await asyncio.create_subprocess_exec(
            *directory.hook_command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        assert await process.communicate(b"{}") == (b"", None)
    finally:
        await directory.close()


async def test_a_question_of_an_agent_on_a_worker_is_answered_by_a_person(tmp_path: Path, elsewhere: Elsewhere) -> None:
    plan = {"cluster": elsewhere.processes.address, "run_directories": elsewhere.run_directories}
    async with Place(tmp_path).backend(**plan) as backend:
        run = await submit(backend, "ask a question", mode="headless", runner="dask", permission_mode="ask")
        await waiting_are(backend, 1)
        [approval] = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
        await backend.approvals.answer(approval.id, NewAnswer(option=approval.options[0].id), ADA)
        run = await ended(backend, run)
        assert (run.state, run.where and run.where.worker) == ("succeeded", "first")


async def test_a_worker_elsewhere_that_shares_the_run_directory_is_refused(tmp_path: Path) -> None:
    directory = await RunDirectory.create(tmp_path)
    with dask_processes() as processes:
        container = ("bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--die-with-parent")
        processes.start_worker("contained", before=container)
        cluster = DaskCluster(processes.address)
        try:
            with pytest.raises(Unavailable, match=r"contained is .* in a container, but shares the folder"):
                sandbox = cluster.sandbox(placement(SHARED, directory))
                await sandbox.start(("/bin/true",), cwd="/", environment=ENVIRONMENT)
        finally:
            await cluster.close()
            await directory.close()


async def test_a_worker_that_does_not_see_the_folder_is_refused(elsewhere: Elsewhere) -> None:
    cluster = DaskCluster(elsewhere.processes.address)
    try:
        with pytest.raises(Unavailable, match="worker first does not see the folder"):
            await cluster.sandbox(placement(elsewhere.unseen)).start(("/bin/true",), cwd="/", environment=ENVIRONMENT)
        assert list(elsewhere.unseen.iterdir()) == []
    finally:
        await cluster.close()
