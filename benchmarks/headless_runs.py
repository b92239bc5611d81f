"""What a headless run costs beyond its CLI: `POST runs?wait` against the same command in a bare process."""

from __future__ import annotations

from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.demo.runtime import Demo
from jupyter_cabinet.runtimes.port import Runtime
from jupyter_cabinet.testing.model_script import Answer
from jupyter_cabinet.testing.model_server import ModelServer

from .agents import Bare, claude_environment, claude_path, through_the_product
from .figures import Figure, interleave
from .servers import TimedServer, serving

AIM = 1.05
MODEL_THINKS_SECONDS = 1.6  # with the CLI's own start that makes a run of about two seconds


def measure(rounds: int) -> list[Figure]:
    return [_demo(rounds), *_claude(rounds)]


def _demo(rounds: int) -> Figure:
    with serving() as server:
        return _compare(server, Demo(), "sleep 2", rounds, "a headless run of 2 s, demo agent")


def _claude(rounds: int) -> list[Figure]:
    path = claude_path()
    if path is None:
        print("Claude Code is not there, so it was not measured: `make test-cli` installs it.")
        return []
    with ModelServer() as service:
        service.always = Answer(text="Thought about it.", delay_seconds=MODEL_THINKS_SECONDS)
        with serving(environment=claude_environment(path, service.url)) as server:
            return [_compare(server, Claude(), "think", rounds, "a headless run of 2 s, Claude Code")]


def _compare(server: TimedServer, runtime: Runtime, instruction: str, rounds: int, what: str) -> Figure:
    def bare() -> float:
        return Bare(server, runtime, instruction, "headless").seconds()

    with server.client("ada") as client:

        def product() -> float:
            fields = {"runtime": runtime.about.name, "instruction": instruction, "mode": "headless"}
            return through_the_product(client, **fields)

        interleave(1, {"ours": product, "peer": bare})  # once without counting: everything comes from the disk
        found = interleave(rounds, {"ours": product, "peer": bare})
    return Figure(what=what, unit="s", **found, peer_is="the same command, bare", measure="ratio", aim=AIM)
