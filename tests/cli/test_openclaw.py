"""The real OpenClaw without a terminal, against the suite's model server. Behind a switch: it is large and slow."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from harness.driving import run_headless
from harness.failures import FAILURES, statuses
from harness.server import Server, processes_below

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    McpServer,
    Retrying,
    SessionStarted,
    TextBlock,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.openclaw.runtime import Openclaw
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

from .conftest import opened_desk
from .homes import KEY, installed, search_path

pytestmark = [
    pytest.mark.realcli,
    pytest.mark.skipif(
        not os.environ.get("JUPYTER_CABINET_TEST_OPENCLAW"), reason="make test-cli OPENCLAW=1 installs and tries it"
    ),
    pytest.mark.timeout(240),  # up to 30 s for a run on a busy machine
]
# Tools of servers are found by its own search.
TOOL_CALL = ToolUse(name="tool_call", arguments={"id": "cab__double", "args": {"word": "plum"}})
TOOL_SERVER = str(Path(__file__).with_name("tool_server.py"))
WRITE = [
    Answer(
        text="I will write the file.",
        tools=(ToolUse(name="write", arguments={"path": "hello.txt", "content": "hello\n"}),),
    ),
    Answer(text="I wrote hello.txt."),
]


@pytest.fixture
def desk(model, monkeypatch):
    with opened_desk(JUPYTER_CABINET_OPENCLAW_PATH=str(installed("openclaw"))) as desk:
        seed(desk.home, model.url)
        monkeypatch.setenv("HOME", str(desk.home))  # where the adapter looks for the person's settings
        yield desk


def seed(home: Path, url: str, **settings: object) -> None:
    """As if a person had set up their own provider. `settings`: what else they have chosen."""
    (home / ".openclaw").mkdir(exist_ok=True)
    price = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}  # dollars for a million tokens
    about = {"reasoning": False, "input": ["text"], "cost": price, "contextWindow": 200_000, "maxTokens": 8192}
    models = [{"id": name, "name": name, **about} for name in ("mock-model", "other-model")]
    provider = {"baseUrl": f"{url}/v1", "apiKey": KEY, "api": "openai-completions", "models": models}
    chosen = {
        "models": {"mode": "merge", "providers": {"suite": provider}},
        "agents": {"defaults": {"model": {"primary": "suite/mock-model"}}},
    }
    (home / ".openclaw" / "openclaw.json").write_text(json.dumps({**chosen, **settings}))


def run(desk, prompt="Hello.", stop_after=None, **changes):
    return run_headless(Openclaw(), desk.request(prompt, **changes), desk.environment, stop_after)


def test_it_writes_a_file_into_the_folder_and_tells_at_its_end(desk, model):
    model.script = WRITE
    events, outcome = run(desk, "Create hello.txt.")
    assert outcome.failure is None, outcome
    assert (desk.folder / "hello.txt").read_text() == "hello\n"
    assert [type(event) for event in events] == [SessionStarted, TextBlock, UsageReported, AnswerFinished]
    assert outcome.text == "I wrote hello.txt."
    assert outcome.native_id
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (200, 40)
    assert outcome.cost_usd == pytest.approx(0.00028)
    assert not {"exec", "process", "message"} & set(model.requests[0].tools)  # mode `edit` has no shell
    assert "Create hello.txt." in model.requests[0].prompt


def shell(command: str) -> Answer:
    return Answer(tools=(ToolUse(name="exec", arguments={"command": command}),))


def test_modes_take_tools_away_also_where_the_persons_settings_allow_them(desk, model):
    seed(desk.home, model.url, tools={"profile": "full", "fs": {"workspaceOnly": False}})
    outside = desk.home / "outside.txt"
    beyond = Answer(tools=(ToolUse(name="write", arguments={"path": str(outside), "content": "x"}),))
    model.script = [WRITE[0], beyond, shell("touch made"), Answer(text="Done.")]
    there = (desk.folder / "hello.txt", outside, desk.folder / "made")
    for mode, expected in (("ask", "000"), ("edit", "100"), ("bypass", "111")):  # in this order: files stay
        events, outcome = run(desk, "Create it.", permission_mode=mode)
        assert outcome.failure is None, (mode, outcome)
        assert "".join(str(int(path.exists())) for path in there) == expected, (mode, events)
        assert any(isinstance(each, Warned) and "cannot ask" in each.message for each in events) == (mode == "ask")


def test_no_tools_means_none(desk, model):
    _, outcome = run(desk, allowed_tools=(), permission_mode="bypass")
    assert outcome.failure is None, outcome
    assert model.requests == []  # it has asked, but with no tool at all


def test_tool_servers_of_the_run_work_and_a_broken_one_stops_nothing(desk, model):
    servers = (
        McpServer(name="cab", command=(sys.executable, TOOL_SERVER), environment={"CAB_TICKET": "secret-ticket"}),
        McpServer(name="broken", command=("/bin/false",)),
    )
    model.script = [Answer(tools=(TOOL_CALL,)), Answer(text="Done.")]
    _, outcome = run(desk, mcp_servers=servers)
    assert outcome.failure is None, outcome
    assert "plum plum secret-ticket" in str(model.requests[-1].body["messages"]), sorted(model.requests[0].tools)


@pytest.mark.parametrize(("status", "kind"), statuses("openclaw"))
def test_a_refusal_of_the_service_is_named(desk, model, status, kind):
    model.always = Answer(error=status, text="scripted refusal")
    _, outcome = run(desk)
    assert outcome.failure is not None and outcome.failure.kind == kind, outcome
    assert outcome.text == ""


def test_without_a_provider_it_is_not_logged_in(desk):
    (desk.home / ".openclaw" / "openclaw.json").unlink()
    assert Openclaw().locate(desk.environment).login == "no"
    _, outcome = run(desk)
    assert outcome.failure is not None and outcome.failure.kind == FAILURES["openclaw"]["no login"], outcome


def test_a_connection_that_breaks_once_is_mended_by_the_cli(desk, model):
    model.script = echo
    model.faults.append(Answer(text="half a sentence that is cut off somewhere in it", cut=True))
    events, outcome = run(desk)
    assert outcome.failure is None, outcome
    assert any(isinstance(event, Retrying) for event in events)


@pytest.mark.parametrize(("status", "kind"), statuses("openclaw", 429, 500))
def test_a_service_that_is_busy_is_asked_again_and_each_retry_is_told(desk, model, status, kind):
    """It would continue for minutes; the watchdog ends it. What it said until then names the reason."""
    model.always = Answer(error=status, text="scripted refusal")
    events, outcome = run(desk, stop_after=lambda: model.wait_for_requests(3, seconds=90))
    retries = [event for event in events if isinstance(event, Retrying)]
    assert retries and retries[0].attempt == 1, (events, outcome)
    assert outcome.failure.kind == kind


def test_a_terminated_run_is_no_success(desk, model):
    """On a busy machine its own starter kills it (signal 9), which tells nothing; who stopped it knows why."""
    model.script = [Answer(text="late", delay_seconds=120)]
    _, outcome = run(desk, stop_after=lambda: model.wait_for_requests(1, seconds=90))
    assert outcome.failure is not None and outcome.failure.kind in (FAILURES["openclaw"]["stop"], "crashed"), outcome


def test_a_prompt_of_300_kb_that_begins_with_a_dash_arrives_whole(desk, model):
    model.script = echo
    prompt = "--help " + "".join(f"word {number} " for number in range(30_000))
    _, outcome = run(desk, prompt, model="suite/other-model")
    assert outcome.failure is None, outcome
    assert prompt.strip() in model.requests[0].prompt
    assert model.requests[0].body["model"] == "other-model"


def test_the_added_system_text_stands_at_the_head_of_the_message(desk, model):
    model.script = echo
    events, _ = run(desk, "One.", system="MARK-ONE")
    assert "# Standing instructions\n\nMARK-ONE\n\n# Instruction\n\nOne." in model.requests[0].prompt
    assert any(isinstance(event, Warned) and "placed before the message" in event.message for event in events)


def test_through_the_whole_product_a_further_instruction_brings_what_was_said_before(model):
    place = Path(tempfile.mkdtemp(prefix="cabinet-openclaw-", dir="/var/tmp"))
    environment = {"PATH": search_path(), "JUPYTER_CABINET_OPENCLAW_PATH": str(installed("openclaw"))}
    server = Server(place, environment=environment)
    seed(server.home, model.url)
    server.start()
    document = server.root / "doc.md"
    document.write_text("# Doc\n")
    write = ToolUse(name="write", arguments={"path": str(document), "content": "from the model"})
    model.script = [Answer(tools=(write,)), Answer(text="I changed it.")]
    values = {"kind": "editor", "path": document.name, "runtime": "openclaw", "mode": "headless"}
    with server.client("ada") as client:
        first = server.run(client, "add a plum", wait=120, **values)
        assert (first["state"], first["result"]["text"]) == ("succeeded", "I changed it."), first
        assert document.read_text() == "from the model"
        model.script = echo
        second = server.run(client, "and now?", wait=120, **values)
        assert second["state"] == "succeeded", second
    assert "add a plum" in model.requests[-1].prompt
    assert not processes_below(server.pid)
    assert server.stop() == 0
    shutil.rmtree(place, ignore_errors=True)
