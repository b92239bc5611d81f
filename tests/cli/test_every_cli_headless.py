"""Every real CLI without a terminal, against the suite's model server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness.driving import run_headless
from harness.failures import FAILURES, statuses

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.model import McpServer, Retrying, TextBlock, TextDelta, ToolCall, Warned
from jupyter_cabinet.testing.model_script import Answer, echo

from .clis import Cli, each, every
from .conftest import Desk, desk_of

pytestmark = pytest.mark.realcli


@pytest.fixture
def desk(cli: Cli, model):
    with desk_of(cli.name, model.url) as desk:
        yield desk


def run(cli: Cli, desk: Desk, prompt: str = "Hello.", *, stop_after=None, **fields: Any):
    return run_headless(cli.runtime(), desk.request(prompt, **fields), desk.environment, stop_after)


def of(kind: type, events) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


@every()
def test_it_writes_a_file_reports_every_step_and_remembers_when_resumed(cli: Cli, desk, model):
    model.script = cli.writing
    request = desk.request("Create hello.txt.")
    events, first = run_headless(cli.runtime(), request, desk.environment)
    assert (desk.folder / "hello.txt").read_text() == "hello\n"
    assert [type(event) for event in events if not isinstance(event, TextDelta)] == cli.events
    assert of(ToolCall, events)[0].summary == cli.write_summary
    blocks = "".join(event.text for event in of(TextBlock, events))
    assert "".join(event.text for event in of(TextDelta, events)) == (blocks if cli.streams else "")
    assert (first.failure, first.text) == (None, "I wrote hello.txt.")
    assert first.native_id == events[0].native_id
    assert (first.native_id == request.session_id) == cli.session_id_is_ours
    assert (first.usage.input_tokens, first.usage.output_tokens) == (200, 40)
    if cli.cost_usd is not None:
        assert first.cost_usd == pytest.approx(cli.cost_usd)

    model.script = echo
    before = {"session_usage_before": first.session_usage, "session_cost_before_usd": first.session_cost_usd}
    events, second = run(cli, desk, "Which file?", resume=first.native_id, **before)
    assert second.native_id == first.native_id
    assert "Create hello.txt." in json.dumps(model.requests[-1].body)
    assert not of(Warned, events)
    assert (second.usage.input_tokens, second.usage.output_tokens) == (100, 20)
    if cli.cost_usd is not None:
        assert second.cost_usd == pytest.approx(cli.cost_usd / 2)


@every("claude", "gemini")
def test_an_id_that_has_a_session_is_recognized_and_can_be_resumed(cli: Cli, desk, model):
    model.script = echo
    first = desk.request("The word is plum.")
    run_headless(cli.runtime(), first, desk.environment)
    _, refused = run(cli, desk, "Which word?", session_id=first.session_id)
    assert refused.failure.kind == "session_exists"
    _, outcome = run(cli, desk, "Which word?", resume=first.session_id)
    assert outcome.failure is None and outcome.native_id == first.session_id


@every()
def test_a_session_that_is_gone_is_called_gone(cli: Cli, desk, model):
    model.script = echo
    _, other = run(cli, desk)  # the CLI has a session, but not the one that is resumed
    asked = len(model.requests)
    for session in cli.gone_sessions:
        _, outcome = run(cli, desk, "Go on.", resume=session.format(other.native_id))
        assert outcome.failure.kind == FAILURES[cli.name]["session"], session
        assert len(model.requests) == asked


@each("refusal", lambda cli: [*((status, "unknown") for status in cli.unknown_statuses), *statuses(cli.name)])
def test_a_refusal_of_the_service_is_named(cli: Cli, desk, model, refusal):
    status, kind = refusal
    model.always = cli.refusal(status)
    events, outcome = run(cli, desk)
    assert outcome.failure.kind == kind
    assert outcome.text == ""
    assert [event.attempt for event in of(Retrying, events)] == list(range(1, cli.retries.get(status, 0) + 1))


@each("refusal", lambda cli: statuses(cli.name, 429, 500) if cli.name in ("gemini", "opencode") else [])
def test_a_service_that_is_busy_is_asked_again_and_each_retry_is_reported(cli: Cli, desk, model, refusal):
    """The CLI retries for minutes, or without end, until the watchdog stops it. Its output names the reason."""
    status, kind = refusal
    words = "Rate limit reached." if status == 429 else "scripted fault"
    model.always = Answer(error=status, text=words)
    events, outcome = run(cli, desk, stop_after=lambda: model.wait_for_requests(2, seconds=50))
    first = of(Retrying, events)[0]
    assert (first.attempt, first.reason) == (1, words if cli.name == "opencode" else str(status))
    assert outcome.failure.kind == kind


@every("claude", "codex", "pi")
def test_without_a_key_it_is_not_logged_in(cli: Cli, desk):
    assert cli.log_out is not None
    cli.log_out(desk)
    assert cli.runtime().locate(desk.environment).login == "no"
    for mode in cli.modes:
        _, outcome = run(cli, desk, permission_mode=mode)
        assert outcome.failure.kind == FAILURES[cli.name]["no login"], outcome


@every()
def test_a_connection_that_breaks_once_is_repaired_by_the_cli(cli: Cli, desk, model):
    model.script = echo
    model.faults.append(Answer(text="half a sentence that is cut off somewhere in it", cut=True))
    _, outcome = run(cli, desk)
    assert outcome.failure is None
    assert outcome.text.endswith("You said: Hello.")
    assert (outcome.text == "You said: Hello.") != cli.keeps_a_broken_answer


@every()
def test_a_terminated_run_is_stopped_not_crashed(cli: Cli, desk, model):
    model.script = [Answer(text="late", delay_seconds=60)]
    _, outcome = run(cli, desk, stop_after=lambda: model.wait_for_requests(1, seconds=50))
    assert outcome.failure.kind == FAILURES[cli.name]["stop"]


@each("mode", lambda cli: cli.modes)
def test_a_prompt_of_300_kb_that_begins_with_a_dash_arrives_whole(cli: Cli, desk, model, mode):
    model.script = echo
    prompt = "--help " + "".join(f"word {number} " for number in range(30_000))
    _, outcome = run(cli, desk, prompt, permission_mode=mode)
    assert outcome.failure is None
    assert model.requests[0].prompt.strip() == prompt.strip()


@each("prompt", lambda cli: cli.literal_prompts)
def test_no_prompt_is_an_option_a_command_or_a_file(cli: Cli, desk, model, prompt):
    model.script = echo
    _, outcome = run(cli, desk, prompt)
    assert outcome.failure is None
    assert model.requests[0].prompt.strip().removeprefix("Instruction: ") == prompt
    assert not (desk.folder / "x").exists()


@every("gemini", "opencode", "pi")
def test_no_tools_means_none_and_a_list_means_that_list_in_every_mode(cli: Cli, desk, model):
    cli.allow_everything(desk, model.url)
    model.script = echo
    _, outcome = run(cli, desk, allowed_tools=())
    assert outcome.failure is None
    assert model.requests == []  # it has asked, but with no tool at all
    run(cli, desk, allowed_tools=cli.some_tools, permission_mode="bypass")
    assert set(model.requests[0].tools) == set(cli.some_tools)


@every("gemini", "pi")
def test_a_run_that_brings_tool_servers_is_refused_before_the_start(cli: Cli, desk):
    server = McpServer(name="cab", command=("/bin/true",))
    with pytest.raises(Invalid, match="tool servers"):
        run(cli, desk, mcp_servers=(server,))
