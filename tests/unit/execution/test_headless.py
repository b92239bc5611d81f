"""Headless CLIs that have answered: their recorded words, from a process that does not leave, or leaves badly."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from functools import partial
from pathlib import Path

import msgspec
import pytest
from harness.backend import BOUND_SECONDS
from harness.waiting import holds

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.execution import headless
from jupyter_cabinet.execution.headless import HeadlessExecution
from jupyter_cabinet.execution.raw_log import RawLog
from jupyter_cabinet.runtimes.acp.runtime import configured
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.demo.runtime import Demo
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import AnyAgentEvent, Launch, Outcome, Request, Warned
from jupyter_cabinet.runtimes.openclaw.runtime import Openclaw
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.port import Runtime
from jupyter_cabinet.sandboxes.local import LocalSandbox

FIXTURES = Path(__file__).parents[2] / "fixtures" / "cli"
REQUEST = Request(prompt="Hi.", mode="headless", cwd="/w", session_id="s1")
STREAMS: list[tuple[Runtime, str]] = [
    (Claude(), "claude/stream-json-2.1.329.jsonl"),
    (Codex(), "codex/exec-json-0.169.0.jsonl"),
    (Gemini(), "gemini/stream-json-0.61.0.jsonl"),
    (Opencode(), "opencode/run-json-1.18.33.jsonl"),
    (Pi(), "pi/mode-json-0.87.1.jsonl"),
    (Openclaw(), "openclaw/agent-exec-json-2026.9.6.json"),
    (Demo(), "demo/edit.jsonl"),
]
NAMES = [path.partition("/")[0] for _, path in STREAMS]
EACH = pytest.mark.parametrize(("runtime", "recording"), STREAMS, ids=NAMES)
SAY = "import os, signal, sys, time; sys.stdout.write(open(sys.argv[1]).read()); sys.stdout.flush()\n"
# Speaks the Agent Client Protocol as far as one prompt needs it.
ACP_AGENT = """
import json, os, sys, time
def reply(id, **result):
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            reply(message["id"], protocolVersion=1, agentCapabilities={}, authMethods=[])
        case "session/new":
            reply(message["id"], sessionId="s1")
        case "session/prompt":
            text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hello."}}
            update = {"sessionId": "s1", "update": text}
            print(json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": update}), flush=True)
            reply(message["id"], stopReason="end_turn")
"""


class Heard:
    """One run of a program that stands for a CLI."""

    def __init__(
        self, runtime: Runtime, program: str, *arguments: str, folder: Path, request: Request = REQUEST
    ) -> None:
        self.warnings: list[str] = []
        argv = (sys.executable, "-S", "-c", textwrap.dedent(program), *arguments)
        self.execution = HeadlessExecution(
            launch=Launch(argv=argv, stdin=b"Hi.", keep_stdin_open=request.permission_mode == "ask"),
            title=runtime.about.title,
            conversation=runtime.conversation(request),
            start=partial(LocalSandbox().start, argv, cwd=str(folder), environment={}),
            raw=RawLog(folder / "raw", Redactor(())),
            clock=SystemClock(),
            listener=self,  # type: ignore[arg-type]  # what it hears of headless CLIs that ask nothing
        )

    def heard(self, events: list[AnyAgentEvent]) -> None:
        self.warnings += [event.message for event in events if isinstance(event, Warned)]

    def wrote(self, count: int) -> None:
        """Nobody counts."""

    async def outcome(self) -> Outcome:
        async def on_process(pid: int, started_at: str) -> None:
            return None

        async with asyncio.timeout(BOUND_SECONDS):
            return await self.execution.work(on_process)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headless, "LEAVE_SECONDS", 0.2)


@pytest.mark.usefixtures("at_once")
@EACH
@pytest.mark.parametrize(
    "stays",
    ["time.sleep(600)", "signal.signal(2, signal.SIG_IGN); os.close(1); os.close(2); time.sleep(600)"],
    ids=["silent", "without-pipes"],
)
async def test_a_cli_that_has_answered_and_does_not_leave_is_ended_and_has_succeeded(
    tmp_path: Path, runtime: Runtime, recording: str, stays: str
) -> None:
    heard = Heard(runtime, SAY + stays, str(FIXTURES / recording), folder=tmp_path)
    outcome = await heard.outcome()
    assert outcome.failure is None and outcome.text
    assert heard.warnings[-1] == (
        f"{runtime.about.title} answered, but did not exit within 0.2 s and was ended. "
        "Something it has started may have kept it running."
    )


@EACH
@pytest.mark.parametrize(
    ("leaves", "words"),
    [
        ("sys.exit(3)", "ended with exit code 3"),
        ("os.kill(os.getpid(), 11)", "ended with signal 11"),
    ],
)
async def test_a_bad_end_after_the_answer_is_a_warning_that_names_it(
    tmp_path: Path, runtime: Runtime, recording: str, leaves: str, words: str
) -> None:
    heard = Heard(runtime, SAY + leaves, str(FIXTURES / recording), folder=tmp_path)
    outcome = await heard.outcome()
    assert outcome.failure is None and outcome.text
    assert heard.warnings[-1] == f"{runtime.about.title} had answered, then {words}."


@EACH
async def test_a_cli_that_leaves_as_it_should_is_not_worth_a_word(
    tmp_path: Path, runtime: Runtime, recording: str
) -> None:
    heard = Heard(runtime, SAY, str(FIXTURES / recording), folder=tmp_path)
    assert (await heard.outcome()).failure is None
    assert not [warning for warning in heard.warnings if "answered" in warning]


@pytest.mark.usefixtures("at_once")
async def test_a_dialogue_that_goes_on_after_its_input_has_ended_is_ended_too(tmp_path: Path) -> None:
    request = msgspec.structs.replace(REQUEST, permission_mode="ask")
    say = SAY + "sys.stdin.read(); time.sleep(600)"
    heard = Heard(Claude(), say, str(FIXTURES / STREAMS[0][1]), folder=tmp_path, request=request)
    assert (await heard.outcome()).failure is None
    assert "did not exit" in heard.warnings[-1]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("after", "words"), [("time.sleep(600)", "did not exit"), ("sys.exit(3)", "ended with exit code 3"), ("", "")]
)
async def test_an_agent_of_the_protocol_is_seen_off_too(tmp_path: Path, after: str, words: str) -> None:
    runtime = configured("mine", ("/x",))
    request = msgspec.structs.replace(REQUEST, permission_mode="bypass")
    heard = Heard(runtime, ACP_AGENT + after, folder=tmp_path, request=request)
    heard.execution._launch = msgspec.structs.replace(heard.execution._launch, stdin=b"", keep_stdin_open=True)
    heard.execution._dialogue = heard.execution._conversation  # type: ignore[assignment]
    outcome = await heard.outcome()
    assert (outcome.failure, outcome.text) == (None, "Hello.")
    told = [warning for warning in heard.warnings if "answered" in warning]
    assert (words in told[0]) if words else not told


async def test_an_agent_that_never_exits_by_itself_is_ended_soon_and_without_a_warning(tmp_path: Path) -> None:
    request = msgspec.structs.replace(REQUEST, permission_mode="bypass")
    heard = Heard(configured("mine", ("/x",)), f"{ACP_AGENT}time.sleep(600)", folder=tmp_path, request=request)
    changed = {"stdin": b"", "keep_stdin_open": True, "outlives_answer": True}
    heard.execution._launch = msgspec.structs.replace(heard.execution._launch, **changed)
    heard.execution._dialogue = heard.execution._conversation  # type: ignore[assignment]
    async with asyncio.timeout(headless.LEAVE_SECONDS - 2):
        outcome = await heard.outcome()
    assert (outcome.failure, outcome.text) == (None, "Hello.")
    assert heard.warnings == []


@pytest.mark.usefixtures("at_once")
async def test_a_cli_that_works_on_after_an_answer_is_let_work(tmp_path: Path) -> None:
    lines = (FIXTURES / STREAMS[0][1]).read_text()
    twice = tmp_path / "twice.jsonl"
    twice.write_text(lines)
    program = SAY + "sys.stdout.write(open(sys.argv[1]).read().rsplit(chr(10), 2)[0] + chr(10)); sys.stdout.flush()\n"
    program += "time.sleep(1); sys.stdout.write(open(sys.argv[1]).read()); open('worked', 'w')"
    heard = Heard(Claude(), program, str(twice), folder=tmp_path)
    assert (await heard.outcome()).failure is None
    assert (tmp_path / "worked").exists()
    assert not [warning for warning in heard.warnings if "answered" in warning]


async def test_what_a_person_stops_after_its_answer_has_succeeded_without_a_warning(tmp_path: Path) -> None:
    heard = Heard(Claude(), SAY + "time.sleep(600)", str(FIXTURES / STREAMS[0][1]), folder=tmp_path)
    working = asyncio.create_task(heard.outcome())
    await holds(lambda: heard.execution._leaving is not None)
    await heard.execution.stop()
    assert (await working).failure is None
    assert not [warning for warning in heard.warnings if "answered" in warning]
