"""A task moves by its table of states, and its agent completes it, once."""

import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.correspondence import tasks as t
from jupyter_cabinet.agents.directives.answer_block import TaskCreate

NOW = datetime(2026, 1, 14, 12, tzinfo=UTC)
TASK = t.Task(id="run-1", from_agent="ada", to_agent="bob", title="Fix it", created_at="2026-01-01T00:00:00Z")


def test_a_directive_makes_a_task_of_the_shape_of_the_files() -> None:
    directive = TaskCreate(position=1, line=1, agent="bob", priority=2, title="Fix it", description="Now")
    task = t.created(
        directive,
        t.Task(id=t.id_of("run/1"), from_agent="ada", title="", created_at="2026-01-01T00:00:00Z", key="run/1"),
    )
    assert json.loads(json.dumps(t.written(task, {}))) == {
        "id": "run-1",
        "fromAgent": "ada",
        "toAgent": "bob",
        "title": "Fix it",
        "description": "Now",
        "kbRefs": [],
        "status": "pending",
        "priority": 2,
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-01-01T00:00:00Z",
        "key": "run/1",
    }


def test_what_is_not_ours_stays() -> None:
    raw = {"id": "t", "title": "x", "toAgent": "bob", "colour": "red", "result": None}
    done = t.ended(t.read(raw, agent="bob"), "completed", tainted=False, result="Done", at=NOW, key="run/2")
    found = t.written(done, raw)
    assert found["colour"] == "red" and found["result"] == "Done" and found["completedBy"] == "run/2"
    assert found["completedAt"] == found["updatedAt"] == "2026-01-14T12:00:00Z"


def test_a_field_with_null_counts_as_absent() -> None:
    nothing: dict[str, Any] = dict.fromkeys(("fromAgent", "description", "kbRefs", "priority", "createdAt", "result"))
    assert t.read({"id": "t", "title": "x", **nothing}, agent="bob") == t.Task(id="t", title="x", to_agent="bob")
    with pytest.raises(t.BadTask, match="title"):
        t.read({"id": "t", "title": None}, agent="bob")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([], "Expected `object`"),
        ({"id": "t"}, "`title`"),
        ({"id": "t", "title": 5}, "`title`"),
        ({"id": "t", "title": "x", "status": "done"}, "`status`"),
        ({"id": "t", "title": "x", "priority": 6}, "priority"),
        ({"id": "t", "title": "x", "priority": 0}, "priority"),
    ],
)
def test_a_file_that_is_no_task_is_told_by_field(raw: Any, reason: str) -> None:
    with pytest.raises(t.BadTask, match=reason):
        t.read(raw, agent="bob")


def test_a_task_is_one_of_the_agent_in_whose_folder_it_lies() -> None:
    assert t.read(t.written(TASK, {}), agent="robert") == msgspec.structs.replace(TASK, to_agent="robert")


def test_a_task_is_completed_once_for_each_key() -> None:
    once = t.ended(TASK, "completed", tainted=False, result="x", at=NOW, key="run/1")
    assert t.ended(once, "completed", tainted=False, result="y", at=NOW, key="run/1") == once
    with pytest.raises(t.RefusedMove, match="is completed; it cannot become completed"):
        t.ended(once, "completed", tainted=False, result="y", at=NOW, key="run/2")


STATUSES = st.sampled_from(sorted(t.TRANSITIONS))


@given(st.lists(STATUSES, max_size=10))
def test_a_task_only_goes_where_the_table_leads(wanted: list[t.Status]) -> None:
    task = TASK
    for to in wanted:
        if to in t.TRANSITIONS[task.status]:
            task = t.moved(task, to, at=NOW)
            assert task.status == to and (task.completed_at is not None) is (to in ("completed", "failed"))
        else:
            with pytest.raises(t.RefusedMove):
                t.moved(task, to, at=NOW)
        assert t.read(json.loads(json.dumps(t.written(task, {}))), agent="bob") == task
