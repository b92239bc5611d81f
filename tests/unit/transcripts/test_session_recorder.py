"""What the recorder of sessions does when something is away for a moment."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from harness.backend import Place, ended, submit
from harness.waiting import QUERY_SECONDS

from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.sessions.model import Session

AGENT = Path(__file__).parents[2] / "harness" / "toy_acp_agent.py"


async def test_a_database_that_was_away_for_one_session_does_not_end_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "agent"
    kept.mkdir()
    settings = {
        "acp_agents": {"toy": [sys.executable, str(AGENT)]},
        "runtime_env": ("TOY_AGENT_HOME",),
        "environment": {"TOY_AGENT_HOME": str(kept)},
        "session_index": True,
    }
    async with Place(tmp_path).backend(**settings) as backend:
        load, failures = backend.sessions.load, [Unavailable("The database does not answer.")]

        async def load_or_fail(id: str) -> Session | None:
            if failures and asyncio.current_task().get_coro().__qualname__ == "SessionRecorder._work":  # type: ignore[union-attr]
                raise failures.pop()
            return await load(id)

        monkeypatch.setattr(backend.sessions, "load", load_or_fail)
        for instruction in ("Remember the okapis", "Remember the tapirs"):
            run = await ended(backend, await submit(backend, instruction, runtime="toy", kind="manual", path=None))
            assert run.state == "succeeded", run.reason
        assert not failures
        async with asyncio.timeout(20):
            while "tapirs" not in written(tmp_path):
                await asyncio.sleep(QUERY_SECONDS)


def written(place: Path) -> str:
    """Everything that was recorded."""
    files = [Path(folder, name) for folder, _, names in os.walk(place) for name in names if "recorded" in folder]
    return "".join(file.read_text() for file in files)
