"""The server is killed in the middle of the work: afterwards every run has an end, and no process is left."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import nbformat
import psutil
import pytest
from harness.server import Server, lives, until


@pytest.mark.slow(reason="starts a server three times")
def test_after_sigkill_every_run_has_a_reason_no_process_lives_and_nothing_queued_is_lost(tmp_path: Path) -> None:
    server = Server(tmp_path, arguments=("--CabinetApp.trust=always", "--CabinetApp.max_concurrent_runs=2")).start()
    (server.root / "a.md").write_text("# A\n")
    with server.client("ada") as client:
        idle = server.run(client, "append: before", kind="editor", path="a.md", mode="terminal")
        headless = server.run(client, "sleep 300", wait=0)
        terminal = server.run(client, "sleep 300", kind="editor", path="a.md", wait=0)
        queued = server.run(client, "hello", wait=0)
        for run in (headless, terminal):
            until(lambda run=run: client.get(f"runs/{run['id']}").json()["state"] == "running", what="both to work")
        assert client.get(f"runs/{queued['id']}").json()["state"] == "queued"
        children = psutil.Process(server.pid).children(recursive=True)
    assert children
    server.kill()
    until(lambda: not [child for child in children if lives(child)], what="every process to end")

    server.start()
    with server.client("ada") as client:
        for run in (headless, terminal):
            ended = client.get(f"runs/{run['id']}").json()
            assert (ended["state"], ended["reason"]) == (
                "interrupted",
                "The server ended while this run was working.",
            )
        finished = until(lambda: _final(client.get(f"runs/{queued['id']}").json()), what="the queued run")
        assert finished["state"] == "succeeded"
        session = client.get(f"editor/sessions/{idle['session_id']}").json()
        assert session["session"]["terminal_id"] is None
        resumed = server.run(client, "append: after", kind="editor", path="a.md", mode="terminal")
        assert resumed["state"] == "succeeded" and resumed["session_id"] == idle["session_id"]
    lines = (server.root / ".agents/.history/editor-sessions.jsonl").read_text().splitlines()
    assert sum(terminal["id"] in line for line in lines) == 1
    assert server.stop() == 0


@pytest.mark.slow(reason="starts a server of its own")
def test_an_interrupted_server_ends_although_it_watches_folders_and_works(tmp_path: Path) -> None:
    """Without a terminal Jupyter just leaves its event loop then; so does JupyterHub when it stops a server."""
    server = Server(tmp_path, arguments=("--CabinetApp.trust=always",)).start()
    with server.client("ada") as client:
        assert client.post("agents", json={"slug": "ann", "template": "ops"}).status_code == 201
        working = server.run(client, "sleep 300", wait=0)
        until(lambda: client.get(f"runs/{working['id']}").json()["state"] == "running", what="it to work")
        children = psutil.Process(server.pid).children(recursive=True)
    os.kill(server.pid, signal.SIGINT)
    server.ended(10)
    until(lambda: not [child for child in children if lives(child)], what="every process to end")


@pytest.mark.long(reason="fills a large notebook")
@pytest.mark.slow(reason="starts a server of its own")
def test_a_server_ends_although_it_was_answering_a_request_for_a_large_notebook(tmp_path: Path) -> None:
    server = Server(tmp_path).start()
    cells = [nbformat.v4.new_code_cell("x" * 3000, id=f"cell-{number}") for number in range(10_000)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), server.root / "large.ipynb")
    with server.client("ada") as client, ThreadPoolExecutor() as pool:
        process = psutil.Process(server.pid)
        threads = process.num_threads()
        answer = pool.submit(client.get, f"{server.url}api/contents/large.ipynb", params={"content": 1}, timeout=60)
        until(lambda: process.num_threads() > threads or answer.done(), what="a thread that reads the file")
        assert server.stop() == 0
        assert isinstance(answer.exception(), httpx.TransportError), "It was answered before the server stopped."


@pytest.mark.slow(reason="starts a server of its own")
def test_an_orderly_stop_ends_what_works_keeps_what_waits_and_leaves_no_process(tmp_path: Path) -> None:
    server = Server(tmp_path, arguments=("--CabinetApp.trust=always", "--CabinetApp.max_concurrent_runs=1")).start()
    with server.client("ada") as client:
        working = server.run(client, "sleep 300", wait=0)
        queued = server.run(client, "hello", wait=0)
        until(lambda: client.get(f"runs/{working['id']}").json()["state"] == "running", what="it to work")
        children = psutil.Process(server.pid).children(recursive=True)
    assert server.stop() == 0
    assert not [child for child in children if lives(child)]
    server.start()
    with server.client("ada") as client:
        ended = client.get(f"runs/{working['id']}").json()
        assert (ended["state"], ended["reason"]) == (
            "interrupted",
            "The server was stopped while this run was working.",
        )
        finished = until(lambda: _final(client.get(f"runs/{queued['id']}").json()), what="the queued run")
        assert finished["state"] == "succeeded"
    server.stop()


def _final(run: dict[str, object]) -> dict[str, object] | None:
    return run if run["finished_at"] else None
