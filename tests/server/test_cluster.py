"""A server with a Dask cluster: what it says of the cluster, and the end of its runs on workers when it is killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.dask_cluster import DaskProcesses, dask_processes
from harness.server import Server, processes_below, until

pytestmark = pytest.mark.long(reason="starts a scheduler, a worker and a server")


@pytest.fixture(scope="module")
def processes() -> Iterator[DaskProcesses]:
    with dask_processes() as started:
        started.start_worker("first")
        yield started


@pytest.fixture
def server(tmp_path: Path, processes: DaskProcesses) -> Iterator[Server]:
    arguments = ("--CabinetApp.trust=always", f"--CabinetApp.cluster={processes.scheduler_file}")
    server = Server(tmp_path, arguments=arguments).start()
    (server.root / "a.md").write_text("# A\n")
    yield server
    if server.is_running:
        server.stop()


def test_health_and_the_record_of_a_run_say_where_runs_work(server: Server) -> None:
    with server.client("ada") as client:
        until(lambda: client.get("health").json()["cluster"]["works"], what="the cluster")
        cluster = client.get("health").json()["cluster"]
        assert cluster == {"configured": True, "runner": "local", "works": True, "reason": "", "remedy": ""}
        choice = {"kind": "editor", "path": "a.md", "mode": "headless"}
        run = server.run(client, "append: from afar", runner="dask", **choice)
        assert (run["state"], run["where"]["runner"], run["where"]["worker"]) == ("succeeded", "dask", "first")
        assert run["where"]["machine"]
        assert client.get(f"runs/{run['id']}").json()["where"] == run["where"]
        refused = client.post("runs", json={**choice, "instruction": "hello", "mode": "terminal", "runner": "dask"})
        assert refused.status_code == 400 and "cannot work in a terminal" in refused.text


def test_nothing_works_on_the_worker_when_its_server_was_killed(server: Server, processes: DaskProcesses) -> None:
    worker = processes.pid_of("first")
    with server.client("ada") as client:
        run = server.run(client, "sleep 600", wait=0, kind="editor", path="a.md", mode="headless", runner="dask")
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="the run")
    assert processes_below(worker)
    server.kill()
    until(lambda: not processes_below(worker), what="the end of the program")
    server.start(again=True)
    with server.client("ada") as client:
        ended = client.get(f"runs/{run['id']}").json()
        assert (ended["state"], ended["where"]["worker"]) == ("interrupted", "first")
