"""Agents use our tools: the real CLIs within the product, in the mode in which they ask, and nobody is asked."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place

from jupyter_cabinet.approvals.model import Approval, ApprovalFilter
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import seed, variables

pytestmark = pytest.mark.realcli
SECONDS = 60
# CLI, preset of the agent, mode. Codex can be held to no list of tools, so that its agent has them all.
USERS = [
    ("claude", "messaging", "headless"),
    ("claude", "coding", "headless"),
    ("claude", "messaging", "terminal"),
    ("codex", "full", "headless"),
    ("codex", "full", "terminal"),
    ("opencode", "messaging", "headless"),
    ("opencode", "messaging", "terminal"),
]


@pytest.fixture
def place() -> Iterator[Place]:
    """Not below the temporary folder of the tests: some CLIs behave otherwise there."""
    folder = Path(tempfile.mkdtemp(prefix="cabinet-tools-", dir="/var/tmp"))
    try:
        yield Place(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(place: Place, name: str, model: ModelServer) -> dict[str, str]:
    """As if a person had set the CLI up."""
    seed(name, place.folder / "home", place.root, model.url)
    return {"TERM": "xterm-256color", "LANG": "C.UTF-8", **variables([name], model.url)}


def put_agent(place: Place, name: str, preset: str, slug: str = "ada") -> Path:
    folder = place.root / ".agents" / slug
    folder.mkdir(parents=True)
    fields = f"name: Ada\nruntime: {name}\ntool_preset: {preset}\npermission_mode: ask\nheartbeat_enabled: false\n"
    (folder / "persona.md").write_text(f"---\n{fields}---\n\nYou look after the notes.\n")
    return folder


def using(tool: str, **arguments: Any) -> Callable[[ModelRequest], Answer]:
    """The model uses one of our tools, as its CLI names it, and then says what it was answered."""

    def script(asked: ModelRequest) -> Answer:
        if asked.turn == 0:
            name = next((each for each in asked.tools if each.endswith(tool)), "")
            return Answer(tools=(ToolUse(name=name, arguments=arguments),))
        return Answer(text="It has answered." if "It is in your memory." in json.dumps(asked.body) else "Nothing.")

    return script


def talk(place: Place, instruction: str, mode: str, variables: dict[str, str]) -> tuple[Run, list[Approval]]:
    """One run of the agent in a separate server, as it is when that was closed, and what was asked in it."""

    async def work() -> tuple[Run, list[Approval]]:
        async with place.backend(environment=variables) as backend:
            body = {"kind": "message", "agent": "ada", "instruction": instruction, "mode": mode}
            run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
            await backend.runs.wait(run.id, SECONDS)
            return await backend.runs.get(run.id, ADA), await backend.approvals.find(ApprovalFilter(), ADA)

    return asyncio.run(work())


@pytest.mark.parametrize(("name", "preset", "mode"), USERS)
def test_an_agent_remembers_by_a_tool_and_nobody_is_asked(
    place: Place, model: ModelServer, name: str, preset: str, mode: str
) -> None:
    agent = put_agent(place, name, preset)
    model.script = using("memory_append", kind="learning", text="Plums are blue.")
    run, asked = talk(place, "Remember the colour of plums.", mode, environment(place, name, model))
    assert (run.state, run.result and run.result.text) == ("succeeded", "It has answered."), run
    assert asked == []
    learnings = (agent / "memory" / "learnings.md").read_text()
    assert f"<!-- {run.id}/tool-1 -->\nPlums are blue." in learnings
    said = (place.root / ".cabinet" / "runs" / run.id / "output.jsonl").read_text()
    assert said.count('"ToolCall"') == 1 and "QuestionAsked" not in said  # the CLI itself reports it, once
    assert list((place.folder / "d").iterdir()) == []  # nothing is left of the run directory


@pytest.mark.parametrize("name", ["claude", "codex", "opencode"])
def test_an_agent_starts_another_one_and_uses_its_answer(place: Place, model: ModelServer, name: str) -> None:
    persona = put_agent(place, name, "full") / "persona.md"
    persona.write_text(persona.read_text().replace("---\n", "---\nstarts_agents: true\n", 1))
    put_agent(place, name, "full", "ben")

    def script(asked: ModelRequest) -> Answer:
        said = json.dumps(asked.body)
        if "not a person, asks you" in said:
            return Answer(text="There are seven plums.")
        if asked.turn == 0:
            tool = next((each for each in asked.tools if each.endswith("sessions_spawn")), "")
            return Answer(tools=(ToolUse(name=tool, arguments={"agent": "ben", "prompt": "How many plums?"}),))
        if asked.turn == 1:
            tool = next((each for each in asked.tools if each.endswith("wait") and "cabinet" in each), "")
            found = re.search(r"Run (\S+) of ben is queued", said)
            return Answer(tools=(ToolUse(name=tool, arguments={"run": found[1] if found else ""}),))
        return Answer(text="Ben says seven." if "There are seven plums." in said else "Nothing.")

    model.script = script
    run, asked = talk(place, "Ask Ben for the number of plums.", "headless", environment(place, name, model))
    assert (run.state, run.result and run.result.text) == ("succeeded", "Ben says seven."), run
    assert asked == []


def test_an_agent_learns_how_the_task_that_it_gave_has_ended(place: Place, model: ModelServer) -> None:
    put_agent(place, "claude", "messaging")
    put_agent(place, "claude", "messaging", "ben")

    def script(asked: ModelRequest) -> Answer:
        said = json.dumps(asked.body)
        name = {each.rpartition("__")[2]: each for each in asked.tools}
        if asked.turn:
            return Answer(text="HEARTBEAT_OK")
        if found := re.search(r"### Task (\S+): Count", said):
            arguments = {"id": found[1], "result": "Seven plums."}
            return Answer(tools=(ToolUse(name=name["task_complete"], arguments=arguments),))
        if "Give Ben a task" in said:
            arguments = {"agent": "ben", "title": "Count the plums"}
            return Answer(tools=(ToolUse(name=name["task_create"], arguments=arguments),))
        return Answer(text="I know." if "is completed." in said and "Seven plums." in said else "Nothing.")

    model.script = script

    async def work() -> list[Run]:
        async with place.backend(environment=environment(place, "claude", model)) as backend:
            new = backend.runs.kinds.convert({"kind": "message", "agent": "ada", "instruction": "Give Ben a task."})
            runs = [await backend.runs.submit(new, ADA)]
            await backend.runs.wait(runs[0].id, SECONDS)
            for slug in ("ben", "ada"):
                runs.append(await backend.agents.run(slug, ADA))
                await backend.runs.wait(runs[-1].id, SECONDS)
                await backend.outbox.settled()
            return [await backend.runs.get(run.id, ADA) for run in runs]

    runs = asyncio.run(work())
    assert [run.state for run in runs] == ["succeeded"] * 3, runs
    assert runs[2].result is not None and runs[2].result.text == "I know."


@pytest.mark.parametrize("name", ["claude", "codex", "opencode"])
def test_an_agent_finds_a_note_by_a_tool_and_nobody_is_asked(place: Place, model: ModelServer, name: str) -> None:
    agent = put_agent(place, name, "full")
    (agent / "memory").mkdir()
    (agent / "memory" / "2026-01-14.md").write_text("Pears.\n\nPlums are blue.\n")

    def script(asked: ModelRequest) -> Answer:
        if asked.turn == 0:
            tool = next((each for each in asked.tools if each.endswith("memory_search")), "")
            return Answer(tools=(ToolUse(name=tool, arguments={"text": "PLUM", "limit": 3}),))
        found = "2026-01-14.md, lines 1 to 3" in json.dumps(asked.body)
        return Answer(text="It has found it." if found else "Nothing.")

    model.script = script
    run, asked = talk(place, "Which colour have plums?", "headless", environment(place, name, model))
    assert (run.state, run.result and run.result.text) == ("succeeded", "It has found it."), run
    assert asked == []


def test_without_a_tool_of_the_cli_the_model_is_offered_ours_alone(place: Place, model: ModelServer) -> None:
    put_agent(place, "claude", "messaging")
    model.script = using("memory_append", kind="decision", text="Only ours.")
    run, _ = talk(place, "Decide.", "headless", environment(place, "claude", model))
    assert run.state == "succeeded", run
    offered = {tool for asked in model.requests for tool in asked.tools}
    assert "mcp__cabinet__message_send" in offered
    # what Claude Code sends beside them is for the service, and no tool
    assert {tool for tool in offered if not tool.startswith("mcp__cabinet__")} <= {"DeferredToolPlaceholder"}


def test_a_cli_that_takes_no_tool_servers_says_so_and_works_without(place: Place, model: ModelServer) -> None:
    put_agent(place, "gemini", "full")
    model.script = [Answer(text="Without.")]
    run, _ = talk(place, "Hello.", "headless", environment(place, "gemini", model))
    assert (run.state, run.result and run.result.text) == ("succeeded", "Without."), run
    lost = "This run has none of Cabinet's own tools (memory, messaging, sessions): "
    told = f"{lost}Gemini CLI does not support tool servers."
    assert told in run.warnings
