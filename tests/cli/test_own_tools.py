"""Agents use our tools: the real CLIs within the product, in the mode in which they ask, and nobody is asked."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place

from jupyter_cabinet.agents.model import BrowserAsked
from jupyter_cabinet.approvals.model import Approval, ApprovalFilter
from jupyter_cabinet.core.events import Event, Scope
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import installed, seed, variables
from .quick_tests import REASON
from .tool_calls import Call, Results, ScriptedCalls

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
    """As if a person had set the CLI up. `acp-` before its name: it is used over the Agent Client Protocol."""
    cli = name.removeprefix("acp-")
    seed(cli, place.folder / "home", place.root, model.url)
    over_protocol = {f"JUPYTER_CABINET_ACP_{cli.upper()}_PATH": str(installed(cli))} if cli != name else {}
    return {"TERM": "xterm-256color", "LANG": "C.UTF-8", **variables([cli], model.url), **over_protocol}


def put_agent(place: Place, name: str, preset: str, slug: str = "ada", more: str = "") -> Path:
    folder = place.root / ".agents" / slug
    folder.mkdir(parents=True)
    fields = f"name: Ada\nruntime: {name}\ntool_preset: {preset}\npermission_mode: ask\nheartbeat_enabled: false\n"
    (folder / "persona.md").write_text(f"---\n{fields}{more}---\n\nYou look after the notes.\n")
    return folder


def using(tool: str, **arguments: Any) -> Callable[[ModelRequest], Answer]:
    """The model uses one of our tools, as its CLI names it, and then says what it was answered."""

    def script(asked: ModelRequest) -> Answer:
        if asked.turn == 0:
            name = next((each for each in asked.tools if each.endswith(tool)), "")
            return Answer(tools=(ToolUse(name=name, arguments=arguments),))
        return Answer(text="It has answered." if "It is in your memory." in json.dumps(asked.body) else "Nothing.")

    return script


CLIS = ["claude", "codex", "opencode", "acp-gemini", "acp-opencode"]  # that take tool servers
POWERS = "starts_agents: true\nbrowser_actions: [notify, open, clipboard]\nproposes_tool_servers: true\n"


def found(pattern: str, number: int) -> Callable[[Results], str]:
    """Find a text in an earlier answer. `number`: of its call."""

    def find(results: Results) -> str:
        match = re.search(pattern, results[number])
        return match[1] if match else f"no {pattern} in {results[number]}"

    return find


def given(tool: str, *, shows: str, **arguments: Any) -> Call:
    """Build a call. An argument may be a function of the earlier answers."""

    def filled(results: Results) -> dict[str, Any]:
        return {name: each(results) if callable(each) else each for name, each in arguments.items()}

    return Call(tool, filled, shows)


MEMORY = [
    given("memory_append", kind="learning", text="Plums are blue.", shows="It is in your memory."),
    given("memory_append", kind="dream", text="x", shows="kind"),
    given("memory_append", kind="decision", text="", shows="text"),
    given("memory_append", kind="decision", shows="text"),
    given("memory_append", kind="decision", text="x" * 16_385, shows="text"),
    given("memory_list", shows="learnings.md"),
    given("memory_read", file="learnings", shows="Plums are blue."),
    given("memory_read", file="learnings", offset=2, limit=1, shows="learnings.md, lines 2 to 2"),
    given("memory_read", file="../persona.md", shows="Your memory has no such file."),
    given("memory_read", file="learnings", limit="ten", shows="limit"),
    given("memory_search", text="PLUMS", shows="learnings.md, lines 1 to 2"),
    given("memory_search", text="x" * 201, shows="text"),
    given("skill_create", name="count-plums", description="Counting.", instructions="Count.", shows="was stored"),
    given("skill_create", name="Count!", description="x", instructions="x", shows="lowercase letters, digits"),
    given("sessions_list", shows="Say hello."),
    given("session_read", id=found(r"(01[0-9a-z]{24})", 14), shows="Say hello."),
    given("session_read", id="nobody", shows="There is no such run."),
]
MESSAGING = [
    given("agents_list", shows="ben"),
    given("message_send", agent="ben", text="Are there plums?", shows="The message is in the inbox of ben."),
    given("message_send", agent="ada", text="Good morning.", shows="The message is in the inbox of ada."),
    given("message_send", agent="nobody", text="x", shows="nobody"),
    given("message_send", agent="ben", text=["x"], shows="text"),
    given("task_create", agent="ben", title="Count the plums", priority=1, shows="was given to ben"),
    given("task_create", agent="ben", title="a | b", shows="A title has no “|” in it."),
    given("task_create", agent="ben", title="Count", priority=9, shows="priority"),
    given("task_create", agent="ada", title="Eat a plum", shows="was given to ada"),
    given("task_create", agent="ada", title="Eat a pear", description="All of it.", shows="was given to ada"),
    given("task_list", shows="Eat a plum"),
    given("task_complete", id=found(r"task (\S+) was", 8), result="It was sweet.", shows="is completed"),
    given("task_complete", id=found(r"task (\S+) was", 5), result="Not mine.", shows="task"),
    given("task_fail", id=found(r"task (\S+) was", 9), reason="No pears.", shows="has ended as failed"),
    given("task_fail", id="../x", reason="x", shows="task"),
    given("inbox_read", shows="Good morning."),
    given("chat_post", name="nowhere", text="Hello.", shows="no chat named “nowhere”"),
    given("chat_post", name="", text="Hello.", shows="name"),
]
OTHERS = [
    given("sessions_spawn", agent="ben", prompt="How many plums?", shows="of ben is queued"),
    given("wait", run=found(r"Run (\S+) of ben", 0), shows="There are seven plums."),
    given("sessions_send", run=found(r"Run (\S+) of ben", 0), message="Sure?", shows="of ben is queued"),
    given("wait", run=found(r"Run (\S+) of ben", 2), seconds=40, shows="There are seven plums."),
    given("sessions_spawn", agent="nobody", prompt="x", shows="There is no other agent “nobody”."),
    given("wait", run="nothing", shows="nothing"),
    given("wait", run="nothing", seconds=51, shows="seconds"),
    given("notify", text="The plums are counted.", shows="Do not wait for it."),
    given("notify", text="x" * 121, shows="text"),
    given("open", path="a.md", shows="Do not wait for it."),
    given("open", path="none.md", shows="There is no file none.md."),
    given("clipboard_write", text="seven", shows="Do not wait for it."),
    given("clipboard_write", text="a\u202eb", shows="invisible characters"),
    given("mcp_list", shows="There are no tool servers."),
    given("mcp_create", name="toy", program="true", arguments=["x"], reason="It counts.", shows="toy"),
    given("mcp_create", name="shell", program="bash", arguments=["-c", "x"], reason="x", shows="shell"),
    given("mcp_create", name="toy", program="true", arguments="x", reason="x", shows="arguments"),
    given("mcp_list", shows="toy"),
]


def used(agent: str, calls: list[Call], quick: str) -> list[Any]:
    """Each CLI makes all these calls in one run. `quick`: the one that does so in the quick tier."""
    long = pytest.mark.long(reason=REASON)
    slow = pytest.mark.slow(reason="a real CLI makes up to 18 calls")
    return [pytest.param(name, calls, id=f"{agent}-{name}", marks=slow if name == quick else long) for name in CLIS]


@dataclass
class Outcome:
    """What is there after a run in which all calls were made."""

    run: Run
    asked: list[Approval]
    skills: list[str]
    servers: list[str]
    told: list[tuple[str, str]]


async def all_called(place: Place, variables: dict[str, str], script: ScriptedCalls, model: ModelServer) -> Outcome:
    told: list[tuple[str, str]] = []

    def hear(event: Event, scope: Scope) -> None:
        if isinstance(event, BrowserAsked):
            told.append((event.action, event.text))

    async with place.backend(environment=variables) as backend:
        backend.bus.subscribe(hear)
        for instruction in ("Say hello.", "Use your tools."):
            model.script = script if instruction.startswith("Use") else [Answer(text="Hello.")]
            body = {"kind": "message", "agent": "ada", "instruction": instruction, "mode": "headless"}
            run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
            await backend.runs.wait(run.id, SECONDS)
        await backend.outbox.settled()
        return Outcome(
            run=await backend.runs.get(run.id, ADA),
            asked=await backend.approvals.find(ApprovalFilter(), ADA),
            skills=[path.parent.name for path in place.root.rglob("SKILL.md")],
            servers=[each.name for each in (await backend.tool_servers.find(ADA))[0]],
            told=told,
        )


def as_ben(asked: ModelRequest) -> Answer | None:
    return Answer(text="There are seven plums.") if "not a person, asks you" in json.dumps(asked.body) else None


def check_memory(place: Place, outcome: Outcome) -> None:
    memory = place.root / ".agents" / "ada" / "memory"
    assert (memory / "learnings.md").read_text().count("Plums are blue.") == 1
    assert [path.name for path in memory.glob("*.md")] == ["learnings.md"]
    assert outcome.skills == ["count-plums"]


def check_messaging(place: Place, outcome: Outcome) -> None:
    texts = [path.read_text() for path in (place.root / ".agents").rglob("*") if path.is_file()]
    for sent in ("Are there plums?", "Count the plums", "It was sweet.", "No pears."):
        assert any(sent in text for text in texts), sent
    assert not any("Not mine." in text for text in texts)


def check_others(place: Place, outcome: Outcome) -> None:
    assert outcome.told == [("notify", "The plums are counted."), ("open", "a.md"), ("clipboard", "seven")]
    assert outcome.servers == ["toy"]


CHECKS = {id(MEMORY): check_memory, id(MESSAGING): check_messaging, id(OTHERS): check_others}


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        *used("memory", MEMORY, quick="claude"),
        *used("messaging", MESSAGING, quick="opencode"),
        *used("others", OTHERS, quick="codex"),
    ],
)
def test_every_tool_works_and_a_wrong_call_is_answered_with_a_sentence(
    place: Place, model: ModelServer, name: str, calls: list[Call]
) -> None:
    put_agent(place, name, "full", more=POWERS)
    put_agent(place, name, "full", "ben")
    script = ScriptedCalls(calls, as_ben)
    outcome = asyncio.run(all_called(place, environment(place, name, model), script, model))
    script.check()
    run = outcome.run
    assert (run.state, run.result and run.result.text) == ("succeeded", "All calls are made."), run
    assert outcome.asked == []
    assert not [each for each in run.warnings if "own tools" in each or "did not exit" in each]
    CHECKS[id(calls)](place, outcome)


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
