"""Sessions that people began with a real CLI outside the product: found, read, and continued as a run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from harness.server import Server, until

from jupyter_cabinet.testing.model_script import Answer
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import NAMES, installed
from .servers import running_server
from .test_acp import AGENTS, program

pytestmark = pytest.mark.realcli
OPTIONS = {
    "claude": ("-p",),
    "codex": ("exec", "--skip-git-repo-check"),
    "gemini": ("-p",),
    "opencode": ("run",),
    "pi": ("-p",),
}


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    with running_server(NAMES, service.url) as server:
        yield server


@pytest.mark.parametrize("name", NAMES)
def test_a_session_begun_outside_is_found_read_and_continued_as_the_same_session(
    server: Server, service: ModelServer, name: str
) -> None:
    service.reset()
    service.script = [Answer(text="The walrus sleeps."), *[Answer(text="The walrus wakes up.")] * 5]
    done = subprocess.run(
        [installed(name), *OPTIONS[name], f"What does the walrus of {name} do?"],
        cwd=server.root,
        env=server.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with server.client("ada") as client:
        found = until(  # the index may have read the session while it was being written
            lambda: _answered(client.get("sessions", params={"q": f"walrus {name}", "runtime": name}).json()["items"]),
            seconds=60,
            what=done.stdout,
        )
        (session,) = found
        address = f"sessions/{session['id']}"
        assert session["path"] == "." and session["messages"] == 1, session
        assert session["grade"] == "A", session
        kinds = [each["kind"] for each in client.get(f"{address}/timeline").json()["items"]]
        assert (kinds[0], kinds[-1]) == ("user", "assistant")
        assert client.get(f"{address}/runs").json()["items"] == []

        body = {"instruction": "And now?", "mode": "headless"}
        run = client.post(f"{address}/continue", json=body).json()
        end = until(lambda: _final(client.get(f"runs/{run['id']}").json()), seconds=90, what="the run's end")
        assert end["state"] == "succeeded", end
        said = until(
            lambda: _asked(client.get(f"{address}/timeline").json()["items"], 2), seconds=60, what="both answers"
        )
        assert said == [f"What does the walrus of {name} do?", "And now?"]
        assert [each["id"] for each in client.get(f"{address}/runs").json()["items"]] == [run["id"]]
        sessions = client.get("sessions", params={"runtime": name}).json()["items"]
        assert [each["id"] for each in sessions] == [session["id"]]


@pytest.fixture
def acp_server(service: ModelServer, name: str) -> Iterator[Server]:
    """With the agents that are installed: `name` is one of them."""
    environment = {
        f"JUPYTER_CABINET_ACP_{name.upper()}_PATH": str(program(name)),
        "PI_ACP_PI_COMMAND": str(installed("pi")),
    }
    arguments = ("--CabinetApp.trust=always", "--CabinetApp.allow_bypass=True")
    with running_server([name], service.url, environment=environment, arguments=arguments) as server:
        yield server


@pytest.mark.parametrize("name", AGENTS)
def test_a_run_of_an_acp_agent_is_in_the_session_of_its_cli_and_continues_in_it(
    acp_server: Server, service: ModelServer, name: str
) -> None:
    service.reset()
    service.script = [Answer(text="The walrus sleeps."), *[Answer(text="The walrus wakes up.")] * 5]
    mode = "bypass" if name == "pi" else "edit"
    with acp_server.client("ada") as client:
        body = {"runtime": f"acp-{name}", "instruction": "What does the walrus do?", "permission_mode": mode}
        first = client.post("runs", json=body).json()
        first = until(lambda: _final(client.get(f"runs/{first['id']}").json()), seconds=90)
        assert first["state"] == "succeeded", first
        (session,) = until(lambda: client.get("sessions", params={"q": "walrus do"}).json()["items"], seconds=60)
        assert session["runtime"] == name
        address = f"sessions/{session['id']}"
        assert [each["id"] for each in client.get(f"{address}/runs").json()["items"]] == [first["id"]]

        _a_minute_later(acp_server)
        # through the same runtime, then through the CLI itself; Gemini CLI would write over the file that was renamed
        through = (None,) if name == "gemini" else (None, name)
        for runtime in through:
            body = {"instruction": f"And now, {runtime}?", "permission_mode": mode, "mode": "headless"}
            again = client.post(f"{address}/continue", json={**body, "runtime": runtime}).json()
            assert again["runtime"] == (runtime or f"acp-{name}"), again
            end = until(lambda run=again: _final(client.get(f"runs/{run['id']}").json()), seconds=90)
            assert end["state"] == "succeeded", end
        expected = ["What does the walrus do?", *(f"And now, {runtime}?" for runtime in through)]
        until(lambda: _asked(client.get(f"{address}/timeline").json()["items"], len(expected)) == expected, seconds=60)
        assert len(client.get(f"{address}/runs").json()["items"]) == len(expected)
        assert len(client.get("sessions").json()["items"]) == 1


def _a_minute_later(server: Server) -> None:
    """Gemini CLI 0.61.0 overwrites a session that is resumed in the minute in which it was started."""
    for path in server.home.glob(".gemini/tmp/*/chats/session-*.jsonl"):
        day, _, rest = path.name.removeprefix("session-").partition("T")
        path.rename(path.with_name(f"session-{day}T00-00-{rest.rpartition('-')[2]}"))


def _answered(sessions: list[dict]) -> list[dict]:
    return sessions if sessions and all(each["usage"]["output_tokens"] > 0 for each in sessions) else []


def _final(run: dict) -> dict | None:
    return run if run["state"] in ("succeeded", "failed", "timed_out", "cancelled") else None


def _asked(items: list[dict], count: int) -> list[str] | None:
    asked = [each["text"].strip().strip('"') for each in items if each["kind"] == "user"]
    return asked if len(asked) >= count else None
