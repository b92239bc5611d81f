"""Runs of the demo agent on a worker of a real cluster, from the request to the record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.backend import Place, ended, submit
from harness.dask_cluster import DaskProcesses, dask_processes

from jupyter_cabinet.core.errors import Invalid


@pytest.fixture(scope="module")
def processes() -> Iterator[DaskProcesses]:
    with dask_processes() as started:
        started.start_worker("first")
        yield started


@pytest.mark.slow(reason="starts a scheduler, a worker and an agent")
async def test_a_run_on_a_worker_succeeds_and_its_record_says_where(tmp_path: Path, processes: DaskProcesses) -> None:
    async with Place(tmp_path).backend(cluster=processes.address) as backend:
        run = await ended(backend, await submit(backend, "hello", mode="headless", runner="dask"))
        assert (run.state, run.reason) == ("succeeded", "Finished.")
        assert run.where is not None
        assert (run.where.runner, run.where.worker, run.runner) == ("dask", "first", "dask")
        at_home = await ended(backend, await submit(backend, "hello", mode="headless"))
        assert at_home.state == "succeeded" and at_home.where is not None and at_home.where.runner == "local"


async def test_what_a_cluster_cannot_do_is_refused_with_the_reason(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        with pytest.raises(Invalid, match="no cluster"):
            await submit(backend, "hello", mode="headless", runner="dask")
