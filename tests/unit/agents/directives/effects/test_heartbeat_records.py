"""A heartbeat leaves its output, a line of history and a count, each once."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from harness.agent_files import NOW, contents

from jupyter_cabinet.agents.directives.effects.doer import DirectiveDoer
from jupyter_cabinet.agents.directives.effects.heartbeat_records import MAX_COUNTED_RUNS, HeartbeatRecord
from jupyter_cabinet.core.errors import Malformed


def record(run_id: str = "r1", **changes: Any) -> HeartbeatRecord:
    fields = {
        "run_id": run_id,
        "at": NOW,
        "duration_seconds": 1.2345,
        "completed": True,
        "summary": "Fine",
        "output": "Out",
    }
    return HeartbeatRecord(**{**fields, **changes})


def stats(agents: Path) -> Any:
    return json.loads((agents / "ada" / "memory" / "stats.json").read_text())


def test_the_files_have_the_shapes_of_the_format(doer: DirectiveDoer, agents: Path) -> None:
    doer.record_heartbeat("ada", record(summary="x" * 600))
    doer.record_heartbeat("ada", record(summary="x" * 600))
    found = contents(agents)
    assert set(found) == {"ada/memory/stats.json", "ada/sessions/2026-01-14T12-30-00Z-r1.txt", ".history/ada.jsonl"}
    assert json.loads(found[".history/ada.jsonl"]) == {
        "agentSlug": "ada",
        "timestamp": "2026-01-14T12:30:00Z",
        "duration": 1234,
        "status": "completed",
        "summary": "x" * 500,
        "runId": "r1",
    }
    assert stats(agents) == {"heartbeatsUsed": 1, "lastHeartbeat": "2026-01-14T12:30:00Z", "countedRuns": ["r1"]}


def test_a_failed_heartbeat_counts_and_needs_no_output(doer: DirectiveDoer, agents: Path) -> None:
    doer.record_heartbeat("ada", record(completed=False, output=None, summary="a\ud800b"))
    line = json.loads(contents(agents)[".history/ada.jsonl"])
    assert (line["status"], line["summary"]) == ("failed", "a?b") and len(contents(agents)) == 2
    assert stats(agents)["heartbeatsUsed"] == 1


def test_two_heartbeats_of_one_second_keep_both_outputs(doer: DirectiveDoer, agents: Path) -> None:
    doer.record_heartbeat("ada", record("r1", output="one"))
    doer.record_heartbeat("ada", record("r2", output="two"))
    assert [path.read_text() for path in sorted((agents / "ada" / "sessions").iterdir())] == ["one", "two"]


def test_the_count_begins_anew_with_the_month_of_the_agents_zone(doer: DirectiveDoer, agents: Path) -> None:
    last = datetime(2026, 1, 31, 22, 59, tzinfo=UTC)
    doer.record_heartbeat("ada", record("r1", at=last - timedelta(days=1)))
    doer.record_heartbeat("ada", record("r2", at=last))
    assert stats(agents)["heartbeatsUsed"] == 2
    doer.record_heartbeat("ada", record("r3", at=last + timedelta(minutes=2)))  # past midnight in Berlin
    assert stats(agents)["heartbeatsUsed"] == 1


def test_what_is_not_ours_stays_and_the_list_of_runs_is_capped(doer: DirectiveDoer, agents: Path) -> None:
    (agents / "ada" / "memory").mkdir(parents=True)
    before = {"heartbeatsUsed": 7, "lastHeartbeat": "long ago", "x": 1, "countedRuns": [f"o{n}" for n in range(60)]}
    (agents / "ada" / "memory" / "stats.json").write_text(json.dumps(before))
    doer.record_heartbeat("ada", record())
    found = stats(agents)
    assert (found["heartbeatsUsed"], found["x"], len(found["countedRuns"])) == (8, 1, MAX_COUNTED_RUNS)


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"heartbeatsUsed": "3"}', '{"countedRuns": 3}', '{"heartbeatsUsed": true}']
)
def test_a_malformed_count_is_told_and_left_and_the_rest_is_kept(
    doer: DirectiveDoer, agents: Path, content: str
) -> None:
    (agents / "ada" / "memory").mkdir(parents=True)
    (agents / "ada" / "memory" / "stats.json").write_text(content)
    with pytest.raises(Malformed, match=r"stats.json: "):
        doer.record_heartbeat("ada", record())
    found = contents(agents)
    assert found["ada/memory/stats.json"] == content and len(found) == 3
