"""Real ACP agents against the suite's model server, one dialogue a process.

Gemini CLI, opencode and pi-acp come with the pinned CLIs. The adapters for Claude Code and Codex bring those CLIs
once more (0.9 GB): `make test-cli LARGE=1` installs and tries them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from harness.driving import run_headless

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.acp.runtime import configured
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    McpServer,
    Outcome,
    QuestionAsked,
    Retrying,
    SessionStarted,
    TextBlock,
    TextDelta,
    ToolCall,
    ToolResult,
    UsageReported,
    Warned,
)
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .conftest import Desk, opened_desk
from .homes import INSTALLED, KEY, installed, seed

pytestmark = pytest.mark.realcli
LARGE = os.environ.get("JUPYTER_CABINET_TEST_LARGE", "")
PROGRAMS = {
    "gemini": "gemini",
    "opencode": "opencode",
    "pi": "pi-acp",
    "codex": "codex-acp",
    "claude": "claude-agent-acp",
}
WITHOUT_MODES = ("pi",)
needs_large = pytest.mark.skipif(not LARGE, reason="make test-cli LARGE=1 installs and tries it")
AGENTS = [
    "gemini",
    "opencode",
    "pi",
    pytest.param("codex", marks=needs_large),
    pytest.param("claude", marks=needs_large),
]
HELD = [agent for agent in AGENTS if agent != "pi"]
TOOL_SERVER = str(Path(__file__).with_name("tool_server.py"))


def program(name: str) -> Path:
    if name in ("codex", "claude"):
        return Path(LARGE).absolute() / "node_modules" / ".bin" / PROGRAMS[name]
    return installed(PROGRAMS[name])


@contextmanager
def desk_of(name: str, model: ModelServer) -> Iterator[Desk]:
    keys = {
        "gemini": {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": KEY},
        "opencode": {"OPENCODE_DISABLE_MODELS_FETCH": "1"},
        "pi": {"PI_OFFLINE": "1"},
        "codex": {"OPENAI_API_KEY": KEY},
        "claude": {
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        },
    }
    path = {f"JUPYTER_CABINET_ACP_{name.upper()}_PATH": str(program(name))}
    with opened_desk(**keys[name], **path) as desk:
        desk.environment["PATH"] = os.pathsep.join([desk.environment["PATH"], str((INSTALLED / ".bin").absolute())])
        seed(name, desk.home, desk.folder, model.url)
        yield desk


@pytest.fixture
def desk(name: str, model: ModelServer) -> Iterator[Desk]:
    with desk_of(name, model) as desk:
        yield desk


def run(name: str, desk: Desk, prompt: str = "Go.", *, stop_after=None, answer=None, **changes: Any):
    changes.setdefault("permission_mode", "bypass" if name in WITHOUT_MODES else "edit")
    agent = import_module(f"jupyter_cabinet.runtimes.{name}.acp").agent()
    request = desk.request(prompt, **changes)
    return run_headless(agent, request, desk.environment, stop_after, answer=answer)


def write(name: str, path: str = "hello.txt") -> list[Answer]:
    if name == "codex":
        use = ToolUse(name="exec_command", arguments={"cmd": f"printf 'hello\\n' > {path}"})
    else:
        tool = "write_file" if name == "gemini" else "write"
        use = ToolUse(name=tool, arguments={"path": path, "content": "hello\n"})
    return [Answer(text="I will write the file.", tools=(use,)), Answer(text="I wrote hello.txt.")]


def command(name: str, *, escalated: bool = True) -> list[Answer]:
    """One that every agent asks for where it asks at all. `escalated`: what Codex may not say where it asks nobody."""
    tools = {"gemini": "run_shell_command", "opencode": "bash", "codex": "exec_command", "claude": "Bash"}
    text = "curl http://127.0.0.1:1/ -o made; touch made"
    arguments = {"command": text, "description": "It needs a file"}
    if name == "codex":
        more = {"sandbox_permissions": "require_escalated", "justification": "It needs a file"} if escalated else {}
        arguments = {"cmd": text, **more}
    return [Answer(tools=(ToolUse(name=tools[name], arguments=arguments),)), Answer(text="Done.")]


def echo(asked: ModelRequest) -> Answer:
    return Answer(text=f"You said: {asked.prompt[-200:]}")


def option(asked: QuestionAsked, kind: str) -> tuple[str, str]:
    return next(each.id for each in asked.options if each.kind == kind), ""


def a_minute_later(desk: Desk) -> None:
    """Gemini CLI 0.61.0 overwrites a session that is resumed in the minute in which it was started."""
    for path in desk.home.glob(".gemini/tmp/*/chats/session-*.jsonl"):
        day, _, rest = path.name.removeprefix("session-").partition("T")
        path.rename(path.with_name(f"session-{day}T00-00-{rest.rpartition('-')[2]}"))


@pytest.mark.parametrize("name", AGENTS)
def test_it_writes_a_file_and_a_session_in_a_new_process_remembers(name, desk, model):
    model.script = write(name)
    events, first = run(name, desk, "Create hello.txt.")
    assert (desk.folder / "hello.txt").read_text() == "hello\n"
    expected = [SessionStarted, TextBlock, ToolCall, ToolResult, TextBlock, UsageReported, AnswerFinished]
    told = [type(event) for event in events if not isinstance(event, TextDelta)]
    assert told == [kind for kind in expected if kind is not UsageReported or name != "pi"]
    assert (first.failure, first.text) == (None, "I wrote hello.txt.")
    if name != "pi":
        # opencode counts the last turn alone
        assert first.usage.output_tokens == (20 if name == "opencode" else 40)

    a_minute_later(desk)
    model.script = echo
    events, second = run(name, desk, "Which file?", resume=first.native_id)
    assert (second.failure, second.text) == (None, "You said: Which file?")
    assert second.native_id == first.native_id
    assert "Create hello.txt." in json.dumps(model.requests[-1].body)
    # what was said before is not told again
    assert [event.text for event in events if isinstance(event, TextBlock)] == ["You said: Which file?"]
    assert not [event for event in events if isinstance(event, ToolCall)]


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("kind", ["allow_once", "deny"])
def test_a_question_is_answered_with_the_agents_own_words(name, desk, model, kind):
    model.script, asked = command(name), []

    def answer(question: QuestionAsked) -> tuple[str, str]:
        asked.append(question)
        return option(question, kind)

    _, outcome = run(name, desk, permission_mode="ask", answer=answer)
    assert len(asked) == 1
    assert "touch made" in asked[0].input["command"]
    assert {each.kind for each in asked[0].options} >= {"allow_once", "deny"}
    assert (desk.folder / "made").exists() == (kind == "allow_once")
    # Codex and opencode leave it at a no
    leaves = kind == "deny" and name in ("codex", "opencode")
    assert (outcome.failure.kind if outcome.failure else None) == ("cancelled" if leaves else None)


@pytest.mark.parametrize("name", HELD)
def test_edit_mode_has_nobody_to_ask_and_a_refused_tool_fails_the_run(name, desk, model):
    model.script = command(name)
    events, outcome = run(name, desk)
    assert not (desk.folder / "made").exists()
    assert any(isinstance(event, Warned) and "was not allowed to use" in event.message for event in events)
    assert outcome.failure.kind == "permission_denied"


@pytest.mark.parametrize("name", HELD)
def test_bypass_asks_nobody(name, desk, model):
    model.script = command(name, escalated=False)
    _, outcome = run(name, desk, permission_mode="bypass")
    assert outcome.failure is None
    assert (desk.folder / "made").exists()


@pytest.mark.parametrize("name", HELD)
def test_a_tool_server_of_the_run_works_and_its_secret_is_in_no_argument(name, desk, model):
    def script(asked: ModelRequest) -> Answer:
        tool = next((tool for tool in asked.tools if tool.endswith("double")), "mcp__cab__double")
        if asked.turn == 0:
            return Answer(tools=(ToolUse(name=tool, arguments={"word": "plum"}),))
        return Answer(text="heard" if "plum plum sesame" in json.dumps(asked.body) else "nothing")

    model.script = script
    good = McpServer(name="cab", command=(sys.executable, TOOL_SERVER), environment={"CAB_TICKET": "sesame"})
    broken = McpServer(name="gone", command=("/nonexistent/server",))
    events, outcome = run(name, desk, mcp_servers=(good, broken))
    assert (outcome.failure, outcome.text) == (None, "heard")
    told = [event.message for event in events if isinstance(event, Warned)]
    assert bool(told) == (name != "opencode")  # it says nothing of one that does not start


@pytest.mark.parametrize("name", AGENTS)
def test_a_refused_key_is_never_a_success(name, desk, model):
    model.always = Answer(error=401, text="scripted refusal", error_type="authentication_error")
    _, outcome = run(name, desk)
    # pi-acp ends as if all were well, without a word; opencode gives no status
    expected = "unknown" if name in ("pi", "opencode") else "not_logged_in"
    assert outcome.failure.kind == expected
    assert outcome.text == ""


@pytest.mark.parametrize("name", ["pi", pytest.param("codex", marks=needs_large)])
def test_an_adapter_that_says_of_a_failure_that_all_is_well_is_not_believed(name, desk, model):
    model.always = Answer(error=500, text="scripted refusal")
    events, outcome = run(name, desk)
    assert outcome.failure.kind == ("model_unavailable" if name == "codex" else "unknown")
    assert name == "codex" or [event.attempt for event in events if isinstance(event, Retrying)] == [1, 2, 3]


@pytest.mark.parametrize("name", AGENTS)
def test_a_terminated_agent_is_stopped_not_crashed(name, desk, model):
    model.script = [Answer(text="late", delay_seconds=60)]
    _, outcome = run(name, desk, stop_after=lambda: model.wait_for_requests(1, seconds=40))
    assert outcome.failure.kind == "cancelled"


@pytest.mark.parametrize("name", AGENTS)
def test_a_prompt_of_300_kb_arrives_whole_and_is_no_command(name, desk, model):
    model.script = echo
    prompt = "/model " + "".join(f"word {number} " for number in range(30_000))
    _, outcome = run(name, desk, prompt)
    assert outcome.failure is None
    assert model.requests[0].prompt.strip() == f"Instruction: {prompt.strip()}"


@pytest.mark.parametrize("name", AGENTS)
def test_a_session_that_is_gone_is_called_gone_and_nothing_is_asked(name, desk, model):
    _, outcome = run(name, desk, resume="00000000-0000-4000-8000-00000000000a")
    assert outcome.failure.kind == "session_gone"
    assert model.requests == []


@pytest.mark.parametrize("name", AGENTS)
def test_a_model_must_be_offered(name, desk, model):
    _, outcome = run(name, desk, model="no-such-model")
    assert outcome.failure.kind == "model_unavailable"
    assert model.requests == []


@pytest.mark.parametrize("name", AGENTS)
def test_the_model_and_the_added_system_text_are_those_of_the_run(name, desk, model):
    model.script = echo
    others = {"gemini": ("gemini-3-flash-preview",) * 2, "codex": ("gpt-5.5",) * 2, "claude": ("sonnet",) * 2}
    wanted, named = others.get(name, ("suite/other-model", "other-model"))
    events, outcome = run(name, desk, "One.", model=wanted, system="MARK-ONE")
    assert outcome.failure is None
    last = model.requests[-1]
    assert named in f"{last.body.get('model')} {last.path}"
    assert last.prompt == "# Standing instructions\n\nMARK-ONE\n\n# Instruction\n\nOne."
    assert any(isinstance(event, Warned) and "placed before the message" in event.message for event in events)


@pytest.mark.parametrize("name", ["pi"])
def test_an_agent_that_cannot_be_held_to_a_mode_is_not_started(name, desk):
    with pytest.raises(Invalid, match=r"cannot (?:enforce|be limited)"):
        run(name, desk, permission_mode="edit")


def test_an_agent_from_the_configuration_is_held_to_what_it_offers(model):
    """Gemini CLI under a name that nobody knows."""
    with desk_of("gemini", model) as desk:
        path = desk.environment["JUPYTER_CABINET_ACP_GEMINI_PATH"]
        agent = configured("mine", (path, "--acp"))
        model.script = write("gemini")
        _, outcome = run_headless(agent, desk.request("Create it."), desk.environment)
        assert isinstance(outcome, Outcome)
        assert outcome.failure is None
        assert (desk.folder / "hello.txt").exists()
