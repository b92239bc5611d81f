"""A model that says nothing: the watchdog ends every real CLI, says so and leaves no process. It takes seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness.server import Server, processes_below, until

from jupyter_cabinet.testing.model_script import Answer
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import NAMES
from .servers import running_server

pytestmark = pytest.mark.realcli
SILENCE_SECONDS = 8  # a slow CLI says nothing for some seconds while it starts


@pytest.fixture
def server(model: ModelServer) -> Iterator[Server]:
    limits = ("--CabinetApp.trust=always", f"--CabinetApp.silence_limit_seconds={SILENCE_SECONDS}")
    with running_server(NAMES, model.url, arguments=limits) as server:
        yield server


@pytest.mark.slow  # the silence itself
def test_silence_is_ended_and_called_by_its_name(server: Server, model: ModelServer) -> None:
    model.always = Answer(text="late", delay_seconds=120)
    with server.client("ada") as client:
        runs = {name: server.run(client, "think", wait=0, runtime=name) for name in NAMES}
        for name, run in runs.items():
            look = f"runs/{run['id']}"
            until(lambda look=look: client.get(look).json()["finished_at"], seconds=60, what=f"the end of {name}")
            ended = client.get(look).json()
            assert (ended["state"], ended["failure"]["kind"]) == ("timed_out", "stalled"), ended
            assert ended["reason"] == f"It wrote nothing for {SILENCE_SECONDS} s and was stopped."
    until(lambda: not processes_below(server.pid), what="their processes to be gone")
