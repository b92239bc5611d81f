"""Which sessions are written for agents that keep none, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, BOUND_SECONDS, Place
from harness.waiting import QUERY_SECONDS
from msgspec.structs import replace
from sqlalchemy import Connection

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs import store
from jupyter_cabinet.runs.model import NewManualRun, Run, RunFilter
from jupyter_cabinet.runs.service import Runs
from jupyter_cabinet.transcripts.model import SessionFilter
from jupyter_cabinet.transcripts.recorded import session_recorder

AGENT = Path(__file__).parents[2] / "harness" / "toy_acp_agent.py"


def settings(place: Path, *arguments: str) -> dict[str, Any]:
    """Of a backend with the toy agent."""
    kept = place / "agent"
    kept.mkdir()
    return {
        "acp_agents": {"toy": [sys.executable, str(AGENT), *arguments]},
        "runtime_env": ("TOY_AGENT_HOME",),
        "environment": {"TOY_AGENT_HOME": str(kept)},
        "session_index": True,
    }


async def work(backend: Backend, instruction: str, principal: Principal = ADA, session: str | None = None) -> Run:
    """A run of the toy agent, to its end."""
    subject: dict[str, Any] = {"runtime": "toy"} if session is None else {"session_id": session}
    new = backend.runs.kinds.convert({"kind": "manual", "mode": "headless", "instruction": instruction, **subject})
    run = await backend.runs.submit(new, principal)
    await backend.runs.wait(run.id, BOUND_SECONDS)
    run = await backend.runs.get(run.id, principal)
    assert run.state == "succeeded", run.reason
    return run


async def until_written(place: Path, text: str) -> None:
    async with asyncio.timeout(BOUND_SECONDS):
        while text not in "".join(file.read_text() for file in recorded(place)):
            await asyncio.sleep(QUERY_SECONDS)


def recorded(place: Path) -> list[Path]:
    """The files of the recorded sessions."""
    return [each for each in place.rglob("sessions/recorded/*/toy/*.jsonl") if each.is_file()]


async def test_a_database_that_was_away_for_one_session_does_not_end_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Place(tmp_path).backend(**settings(tmp_path)) as backend:
        all_of_session, failures = backend.runs.all_of_session, [Unavailable("The database does not answer.")]

        async def read_or_fail(id: str) -> AsyncIterator[Run]:
            if failures:
                raise failures.pop()
            async for run in all_of_session(id):
                yield run

        monkeypatch.setattr(backend.runs, "all_of_session", read_or_fail)
        monkeypatch.setattr(session_recorder, "AGAIN_SECONDS", 0.1)
        for instruction in ("Remember the okapis", "Remember the tapirs"):
            await work(backend, instruction)
            await until_written(tmp_path, instruction)
        assert not failures


@pytest.mark.parametrize("method", ["session_pairs", "latest"])
async def test_a_database_that_is_away_at_the_start_does_not_end_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    place, values = Place(tmp_path), settings(tmp_path)
    async with place.backend(**{**values, "session_index": False}) as backend:
        await work(backend, "Remember the okapis")
    original, failures = getattr(Runs, method), [Unavailable("The database does not answer.")]

    async def read_or_fail(runs: Runs, asked: Any) -> Any:
        if failures:
            raise failures.pop()
        return await original(runs, asked)

    monkeypatch.setattr(Runs, method, read_or_fail)
    monkeypatch.setattr(session_recorder, "AGAIN_SECONDS", 0.1)
    async with place.backend(**values):
        await until_written(tmp_path, "okapis")
    assert not failures


async def test_two_people_whose_agent_gives_them_the_same_id_have_their_own_sessions(tmp_path: Path) -> None:
    ada, ben = (Principal(username=name, display_name=name.title()) for name in ("ada", "ben"))
    async with Place(tmp_path).backend(**settings(tmp_path, "counts")) as backend:
        for principal, secret in ((ada, "okapis"), (ben, "tapirs")):
            run = await work(backend, f"Remember the {secret}", principal)
            assert run.visibility == "private"
            await until_written(tmp_path, secret)
        texts = [file.read_text() for file in recorded(tmp_path)]
        assert len(texts) == 2 and all(("okapis" in text) != ("tapirs" in text) for text in texts)
        for principal, secret in ((ada, "okapis"), (ben, "tapirs")):
            async with asyncio.timeout(BOUND_SECONDS):
                while not (found := (await backend.cli_sessions.find(SessionFilter(runtime="toy"), principal)).items):
                    await asyncio.sleep(QUERY_SECONDS)
            assert [each.title for each in found] == [f"Remember the {secret}"]


async def test_a_session_of_many_runs_has_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_recorder, "PART_BYTES", 1000)
    async with Place(tmp_path).backend(**settings(tmp_path)) as backend:
        first = await work(backend, "Remember the okapis")

        def fill(connection: Connection) -> None:
            for number in range(450):
                run = replace(first, id=f"run-{number}", instruction=f"Count okapi {number}.")
                store.insert_run(connection, run, NewManualRun(instruction="x"), "h")

        await backend.database.write(fill)
        await work(backend, "Forget the okapis", session=first.session_id)
        await until_written(tmp_path, "Forget")
        (file,) = recorded(tmp_path)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        asked = [line["text"] for line in lines if line["type"] == "instruction"]
        counted = [f"Count okapi {number}." for number in range(450)]
        assert asked == ["Remember the okapis", *counted, "Forget the okapis"]


async def test_a_conversation_with_an_agent_that_loads_none_is_one_session(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(**settings(tmp_path, "forgets")) as backend:
        first = await work(backend, "Remember the okapis")
        second = await work(backend, "Remember the tapirs", session=first.session_id)
        assert second.session_id == first.session_id
        await until_written(tmp_path, "tapirs")
        (file,) = recorded(tmp_path)
        assert "okapis" in file.read_text()


async def test_what_was_deleted_while_nothing_was_recorded_is_removed_at_the_next_start(tmp_path: Path) -> None:
    place, values = Place(tmp_path), settings(tmp_path)
    async with place.backend(**values) as backend:
        await work(backend, "Remember the okapis")
        kept = await work(backend, "Remember the tapirs")
        gone = await work(backend, "Forget the tapirs", session=kept.session_id)
        await until_written(tmp_path, "okapis")
        await until_written(tmp_path, "Forget")
    async with place.backend(**{**values, "session_index": False}) as backend:
        await backend.runs.delete(gone.id, ADA)
        (run,) = [each for each in await backend.runs.find(RunFilter(), ADA) if "okapis" in each.instruction]
        await backend.runs.delete(run.id, ADA)
    left = next(iter(recorded(tmp_path))).with_name(f".left.jsonl.{'0' * 12}")
    left.write_text("by a server that was killed")
    left.with_name("aa.jsonl").mkdir()  # cannot be removed as a file: the others still are
    async with place.backend(**values):
        async with asyncio.timeout(BOUND_SECONDS):
            while any(word in file.read_text() for file in recorded(tmp_path) for word in ("okapis", "Forget")):
                await asyncio.sleep(QUERY_SECONDS)
        await until_written(tmp_path, "Remember the tapirs")
        assert not left.exists()
