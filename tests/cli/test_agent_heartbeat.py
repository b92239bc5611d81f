"""A heartbeat with the real Claude Code: what its model receives, the block of its answer, files, the next trigger."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from harness.backend import ADA, Place

from jupyter_cabinet.agents.model import EffectReport
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .test_own_tools import environment, place  # noqa: F401 - a fixture

pytestmark = pytest.mark.realcli
SECONDS = 60
PERSONA = """\
---
name: Ada
runtime: claude
model: claude-sonnet-4-5
heartbeat: "0 8 * * *"
timezone: Europe/Berlin
tool_preset: coding
permission_mode: edit
max_turns: 7
goals:
  - {metric: pages, target: 10}
---
You look after the notes.
"""
BLOCK = """\
I have read everything.

```memory
CONTEXT_UPDATE: Read the notes.
GOAL_UPDATE [pages]: +2
MESSAGE_TO [ben]: The notes are read.
TASK_CREATE [ben] [1]: Check them | All of them
```
"""


def set_up(place: Place) -> None:  # noqa: F811
    for slug in ("ada", "ben"):
        folder = place.root / ".agents" / slug
        folder.mkdir(parents=True)
        (folder / "persona.md").write_text(PERSONA.replace("Ada", slug.title()))
    (place.root / ".agents/ada/SOUL.md").write_text("You are calm.\n")


def beat(place: Place, variables: dict[str, str]) -> tuple[Run, list[EffectReport], dict[str, Any]]:  # noqa: F811
    async def work() -> tuple[Run, list[EffectReport], dict[str, Any]]:
        async with place.backend(environment=variables) as backend:
            message = await backend.agent_work.send("ada", "Are the notes in order?", ADA)
            run = await backend.agents.run("ada", ADA)
            await backend.runs.wait(run.id, SECONDS)
            await backend.outbox.settled()
            run = await backend.runs.get(run.id, ADA)
            after = {
                "message": message.id,
                "unread": (await backend.agent_work.inbox("ada", ADA)).messages,
                "told": (await backend.agent_work.inbox("ben", ADA)).messages,
                "tasks": (await backend.agent_work.tasks("ben", ADA)).tasks,
                "ada": await backend.agents.get("ada", ADA),
            }
            return run, await backend.aftermath.reports(run.id), after

    return asyncio.run(work())


def test_a_heartbeat_is_carried_through(place: Place, model: ModelServer) -> None:  # noqa: F811
    set_up(place)

    def script(asked: ModelRequest) -> Answer:
        if asked.turn == 0:
            return Answer(tools=(ToolUse(name="Read", arguments={"path": str(place.document)}),))
        return Answer(text=BLOCK)

    model.script = script
    run, reports, after = beat(place, environment(place, "claude", model))
    assert (run.state, run.kind, run.attempt) == ("succeeded", "heartbeat", 1), run
    told = next(asked for asked in model.requests if not asked.aside)
    assert told.body["model"] == "claude-sonnet-4-5"
    assert "You look after the notes." in told.system and "You are calm." in told.system
    assert f"### Message {after['message']} from ada" in told.prompt and "Are the notes in order?" in told.prompt
    assert "pages: 0 of 10" in told.prompt and "This is a heartbeat" in told.prompt
    assert {"Read", "Edit", "Bash"} <= set(told.tools) and "WebFetch" not in told.tools
    assert [report.state for report in reports] == ["applied"] * 4
    assert after["unread"] == ()
    assert [message.body for message in after["told"]] == ["The notes are read."]
    assert [(task.title, task.priority) for task in after["tasks"]] == [("Check them", 1)]
    detail = after["ada"]
    assert [goal.current for goal in detail.goals] == [2]
    assert (detail.heartbeats_used, detail.cost_today_usd > 0) == (1, True)
    assert detail.next_heartbeat is not None and detail.schedule == "every day at 08:00"


def test_a_login_that_is_gone_ends_it_once_and_opens_the_breaker(place: Place, model: ModelServer) -> None:  # noqa: F811
    set_up(place)
    model.script = lambda asked: Answer(error=401, error_type="authentication_error", text="invalid x-api-key")
    run, reports, after = beat(place, environment(place, "claude", model))
    assert (run.state, run.attempt, run.failure and run.failure.kind) == ("failed", 1, "not_logged_in"), run
    assert reports == [] and len(after["unread"]) == 1
