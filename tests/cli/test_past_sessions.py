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
        said = until(lambda: _two(client.get(f"{address}/timeline").json()["items"]), seconds=60, what="both answers")
        assert said == [f"What does the walrus of {name} do?", "And now?"]
        assert [each["id"] for each in client.get(f"{address}/runs").json()["items"]] == [run["id"]]
        sessions = client.get("sessions", params={"runtime": name}).json()["items"]
        assert [each["id"] for each in sessions] == [session["id"]]


def _answered(sessions: list[dict]) -> list[dict]:
    return sessions if sessions and all(each["usage"]["output_tokens"] > 0 for each in sessions) else []


def _final(run: dict) -> dict | None:
    return run if run["state"] in ("succeeded", "failed", "timed_out", "cancelled") else None


def _two(items: list[dict]) -> list[str] | None:
    asked = [each["text"].strip().strip('"') for each in items if each["kind"] == "user"]
    return asked if len(asked) > 1 else None
