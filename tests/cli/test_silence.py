"""A model that says nothing: the watchdog ends every real CLI, says so and leaves no process. It takes seconds."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.server import Server, processes_below, until

from jupyter_cabinet.testing.model_script import Answer
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import KEY, installed, search_path, seed_codex, seed_gemini, seed_opencode, seed_pi
from .test_product_claude import seed as seed_claude

pytestmark = pytest.mark.realcli
NAMES = ("claude", "codex", "gemini", "opencode", "pi")
SILENCE_SECONDS = 8  # a slow CLI says nothing for some seconds while it starts


@pytest.fixture
def server() -> Iterator[tuple[Server, ModelServer]]:
    place = Path(tempfile.mkdtemp(prefix="cabinet-silence-", dir="/var/tmp"))
    with ModelServer() as model:
        environment = {
            "PATH": search_path(),
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "OPENAI_API_KEY": KEY,
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": model.url,
            **{f"JUPYTER_CABINET_{name.upper()}_PATH": str(installed(name)) for name in NAMES},
        }
        limits = ("--CabinetApp.trust=always", f"--CabinetApp.silence_limit_seconds={SILENCE_SECONDS}")
        server = Server(place, environment=environment, arguments=limits)
        seed_claude(server.home, server.root)
        seed_codex(server.home, model.url)
        seed_gemini(server.home)
        seed_opencode(server.home, model.url)
        seed_pi(server.home, model.url)
        server.start()
        yield server, model
        assert server.stop() == 0
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.slow  # the silence itself
def test_silence_is_ended_and_called_by_its_name(server: tuple[Server, ModelServer]) -> None:
    cabinet, model = server
    model.always = Answer(text="late", delay_seconds=120)
    with cabinet.client("ada") as client:
        runs = {name: cabinet.run(client, "think", wait=0, runtime=name) for name in NAMES}
        for name, run in runs.items():
            look = f"runs/{run['id']}"
            until(lambda look=look: client.get(look).json()["finished_at"], seconds=60, what=f"the end of {name}")
            ended = client.get(look).json()
            assert (ended["state"], ended["failure"]["kind"]) == ("timed_out", "stalled"), ended
            assert ended["reason"] == f"It wrote nothing for {SILENCE_SECONDS} s and was stopped."
    until(lambda: not processes_below(cabinet.pid), what="their processes to be gone")
