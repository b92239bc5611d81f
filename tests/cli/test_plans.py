"""A plan of three steps, carried out by the real CLIs: they report by our tool, or else in their answer."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.backend import Place
from harness.plans import named, ran, step

from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.plans.model import PlanView, StepDetail
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import seed, variables

pytestmark = pytest.mark.realcli
ADA = Principal(username="ada", display_name="Ada", shared_token=True)
SECONDS = 200
BY_TOOL, BY_BLOCK = ("claude", "codex", "opencode"), ("pi", "gemini")
_TITLE = re.compile(r"Step (\d) of \d")
_NONCE = re.compile(r"```step ([0-9a-z]{8})")


@pytest.fixture
def place() -> Iterator[Place]:
    """Not below the temporary folder of the tests: some CLIs behave otherwise there."""
    folder = Path(tempfile.mkdtemp(prefix="cabinet-plans-", dir="/var/tmp"))
    try:
        yield Place(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def reports(asked: ModelRequest) -> Answer:
    """Report the step by our tool if the CLI offers it, else in the answer. Other requests of a CLI get a word."""
    body = json.dumps(asked.body)
    numbers, nonces = _TITLE.findall(body), _NONCE.findall(body)
    if not nonces:
        return Answer(text="Plan")  # such as a title for the session
    summary = f"Step {numbers[-1]} has found plums."
    tool = next((each for each in asked.tools if each.endswith("step_report")), "")
    if tool and asked.turn == 0:
        return Answer(tools=(ToolUse(name=tool, arguments={"status": "done", "summary": summary}),))
    if tool:
        return Answer(text="It is reported.")
    return Answer(text=f"I am done.\n\n```step {nonces[-1]}\nstatus: done\nsummary: {summary}\n```")


@pytest.mark.parametrize("name", [*BY_TOOL, *BY_BLOCK])
def test_three_steps_report_and_hand_over(place: Place, model: ModelServer, name: str) -> None:
    seed(name, place.folder / "home", place.root, model.url)
    environment = {"TERM": "xterm-256color", "LANG": "C.UTF-8", **variables([name], model.url)}
    model.script = reports

    async def work() -> tuple[PlanView, StepDetail, tuple[str, ...]]:
        async with place.backend(environment=environment) as backend:
            steps = step("one", "Look."), step("two", "Compare.", "one"), step("three", "Decide.", "two")
            plan = await ran(backend, *steps, seconds=SECONDS, runtime=name)
            three = named(plan, "three")
            run = await backend.runs.get(three.work_run_id or "", ADA)
            return plan, await backend.plans.step(plan.id, three.id, ADA), run.warnings

    plan, three, warnings = asyncio.run(work())
    assert plan.state == "done", [(each.title, each.state, each.reason) for each in plan.steps]
    assert [each.text for each in three.receives] == ["Step 2 has found plums."]
    assert [each.attempts for each in plan.steps] == [1, 1, 1]
    assert not [warning for warning in warnings if "own tools" in warning]
    by_tool = any(each.endswith("step_report") for asked in model.requests for each in asked.tools)
    assert by_tool == (name in BY_TOOL)
