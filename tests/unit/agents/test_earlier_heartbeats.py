"""Heartbeats that another installation has recorded: shown beside the runs of this server, whatever a line holds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.roster.earlier_heartbeats import MAX_SUMMARY_CHARACTERS, heartbeat_in, read_history
from jupyter_cabinet.core.errors import NotFound

OLD = {
    "agentSlug": "ada",
    "timestamp": "2024-04-03T08:00:00.000Z",
    "duration": 61_500,
    "status": "completed",
    "summary": "Wrote the report.",
}


def history_of(root: Path) -> Path:
    folder = root / ".agents" / ".history"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "ada.jsonl"


async def test_heartbeats_of_another_installation_are_in_the_history_beside_our_own(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await make(backend, "ada", "answer: HEARTBEAT_OK")
        failed = {**OLD, "status": "failed", "timestamp": "2024-04-04T08:00:00Z", "runId": "of-another-server"}
        history = history_of(place.root)
        history.write_text(f"{json.dumps(OLD)}\n{json.dumps(failed)}\n{{torn")
        run = await heartbeat(backend, "ada")
        assert run.id in history.read_text(), "our own line follows theirs"
        assert [(each.timestamp, each.status) for each in await backend.agent_work.earlier("ada", 50, ADA)] == [
            ("2024-04-04T08:00:00Z", "failed"),
            ("2024-04-03T08:00:00.000Z", "completed"),
        ]
        (last,) = await backend.agent_work.earlier("ada", 1, ADA)
        assert last.run_id == "of-another-server"
        with pytest.raises(NotFound):
            await backend.agent_work.earlier("nobody", 50, ADA)


def test_a_line_is_read_whatever_types_its_values_have() -> None:
    found = heartbeat_in(OLD)
    assert (found.duration_seconds, found.status, found.summary, found.run_id) == (
        61.5,
        "completed",
        "Wrote the report.",
        None,
    )
    odd = heartbeat_in({"timestamp": 5, "duration": "long", "status": None, "summary": ["x"], "runId": 7})
    assert (odd.timestamp, odd.duration_seconds, odd.status, odd.summary, odd.run_id) == ("", None, "failed", "", None)
    assert len(heartbeat_in({"summary": "x" * 10_000}).summary) == MAX_SUMMARY_CHARACTERS


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from([*OLD, "runId", "more"]), VALUES))
def test_any_line_gives_a_heartbeat(line: dict[str, object]) -> None:
    assert heartbeat_in(line).status in ("completed", "failed")


def test_what_is_no_history_gives_none(tmp_path: Path) -> None:
    assert read_history(tmp_path, "ada") == [] and read_history(tmp_path, "../x") == []
    history = history_of(tmp_path)
    secret = tmp_path / "secret.jsonl"
    secret.write_text(json.dumps(OLD))
    history.symlink_to(secret)
    assert read_history(tmp_path, "ada") == []
    history.unlink()
    os.mkfifo(history)
    assert read_history(tmp_path, "ada") == []
    history.unlink()
    history.write_text(f'[1]\n"x"\n{{"summary": "no status"}}\n\n{json.dumps(OLD)}\r\n')
    assert [each.summary for each in read_history(tmp_path, "ada")] == ["Wrote the report."]
