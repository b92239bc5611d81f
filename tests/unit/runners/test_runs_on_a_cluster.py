"""Runs of the demo agent on a worker of a real cluster, from the request to the record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place, ended, submit
from harness.dask_cluster import DaskProcesses, dask_processes
from harness.waiting import QUERY_SECONDS

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runs.settings import RunSettings

BOUND_SECONDS = 40.0


@pytest.fixture(scope="module")
def processes() -> Iterator[DaskProcesses]:
    with dask_processes() as started:
        started.start_worker("first", slots=1)
        yield started


async def becomes(backend: Backend, run: Run, condition: Callable[[Run], bool]) -> Run:
    """Wait until the record of a run fulfils a condition."""
    async with asyncio.timeout(BOUND_SECONDS):
        while not condition(run := await backend.runs.get(run.id, ADA)):
            await asyncio.sleep(QUERY_SECONDS)
    return run


@pytest.mark.slow(reason="starts a scheduler, a worker and an agent")
async def test_a_run_on_a_worker_succeeds_and_its_record_says_where(tmp_path: Path, processes: DaskProcesses) -> None:
    place = Place(tmp_path)
    async with place.backend(cluster=processes.address) as backend:
        assert backend.cluster is not None and (await backend.cluster.runner.state()).works
        run = await ended(backend, await submit(backend, "append: from afar", mode="headless", runner="dask"))
        assert (run.state, run.reason) == ("succeeded", "Finished.")
        assert run.where is not None
        assert (run.where.runner, run.where.worker, run.runner) == ("dask", "first", "dask")
        assert "from afar" in place.document.read_text()
        at_home = await ended(backend, await submit(backend, "hello", mode="headless"))
        assert at_home.state == "succeeded" and at_home.where is not None and at_home.where.runner == "local"


@pytest.mark.long(reason="starts a scheduler, a worker and several agents")
async def test_the_servers_setting_decides_about_runs_that_do_not_choose(
    tmp_path: Path, processes: DaskProcesses
) -> None:
    settings = RunSettings(runner="dask")
    async with Place(tmp_path).backend(cluster=processes.address, runs=settings) as backend:
        run = await ended(backend, await submit(backend, "hello", mode="headless"))
        assert run.where is not None and (run.runner, run.where.runner) == (None, "dask")
        run = await ended(backend, await submit(backend, "hello", mode="headless", runner="local"))
        assert run.where is not None and run.where.runner == "local"
        run = await ended(backend, await submit(backend, "hello", mode="terminal"))
        assert run.state == "succeeded" and run.where is not None and run.where.runner == "local"


@pytest.mark.long(reason="starts a scheduler, a worker and several agents")
async def test_a_run_says_that_it_waits_for_a_worker_and_can_be_cancelled_meanwhile(
    tmp_path: Path, processes: DaskProcesses
) -> None:
    place = Place(tmp_path)
    for name in ("b.md", "c.md"):
        (place.root / name).write_text("")
    async with place.backend(cluster=processes.address) as backend:
        first = await submit(backend, "sleep 600", mode="headless", runner="dask")
        await becomes(backend, first, lambda run: run.state == "running")
        second = await submit(backend, "hello", mode="headless", runner="dask", path="b.md")
        waiting = await becomes(backend, second, lambda run: bool(run.reason))
        assert (waiting.state, waiting.reason) == ("starting", "Waiting for a worker of the cluster.")
        await backend.runs.cancel(second.id, ADA)
        assert (await ended(backend, second)).state == "cancelled"
        third = await submit(backend, "hello", mode="headless", runner="dask", path="c.md")
        await backend.runs.cancel(first.id, ADA)
        assert (await ended(backend, third)).state == "succeeded"


@pytest.mark.long(reason="starts a scheduler, a worker and several agents")
async def test_an_agent_whose_persona_names_the_cluster_works_there(tmp_path: Path, processes: DaskProcesses) -> None:
    async with Place(tmp_path).backend(cluster=processes.address) as backend:
        await make(backend, "ada", runner="dask")
        await make(backend, "ben")
        runs = [await heartbeat(backend, slug) for slug in ("ada", "ben")]
        assert [run.state for run in runs] == ["succeeded", "succeeded"]
        assert [run.where and run.where.runner for run in runs] == ["dask", "local"]


@pytest.mark.long(reason="starts another cluster and kills its worker")
async def test_a_run_whose_worker_dies_fails_with_the_workers_name(tmp_path: Path) -> None:
    with dask_processes() as processes:
        processes.start_worker("doomed")
        async with Place(tmp_path).backend(cluster=processes.address) as backend:
            run = await submit(backend, "sleep 600", mode="headless", runner="dask")
            await becomes(backend, run, lambda run: run.state == "running")
            processes.kill_worker("doomed")
            run = await ended(backend, run)
            assert (run.state, run.failure and run.failure.kind) == ("failed", "crashed")
            assert run.reason == "Demo agent was ended because the connection to the worker doomed was lost."


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ({"mode": "headless"}, "no cluster"),
        ({"mode": "terminal"}, "cannot work in a terminal"),
        ({"mode": "headless", "isolate": True}, "cannot be isolated"),
    ],
)
async def test_what_a_cluster_cannot_do_is_refused_with_the_reason(
    tmp_path: Path, choice: dict[str, object], why: str
) -> None:
    cluster = {} if "no cluster" in why else {"cluster": "tcp://127.0.0.1:9"}
    async with Place(tmp_path).backend(**cluster) as backend:
        with pytest.raises(Invalid, match=why) as refused:
            await submit(backend, "hello", runner="dask", **choice)
        assert refused.value.detail == {"field": "runner"}


async def test_a_cluster_that_does_not_answer_is_named_with_a_remedy(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(cluster=str(tmp_path / "scheduler.json")) as backend:
        assert backend.cluster is not None
        state = await backend.cluster.state_soon()
        assert not state.works and "does not exist" in state.reason and "CabinetApp.cluster" in state.remedy
        run = await ended(backend, await submit(backend, "hello", mode="headless", runner="dask"))
        assert run.state == "failed" and run.reason == state.reason
