"""Recorded dialogues with real ACP agents: what they said gives the golden events, and we say what fits, in order.

A recording holds both directions of one or two processes; only the agent's lines are fed. Where a process was asked
for what we would not ask (files of ours), it is left out of the comparison of what we say.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from harness.golden import FIXTURES, golden

from jupyter_cabinet.runtimes.acp.client import AcpClient
from jupyter_cabinet.runtimes.model import QuestionAsked, Request
from jupyter_cabinet.runtimes.port import Exit

RECORDED = sorted((FIXTURES / "cli" / "acp").iterdir())
SETTINGS = {"session/set_mode", "session/set_model", "session/set_config_option"}
# The recordings were made in the agents' own modes; these ask, or would not have been held to anything.
KEPT = ("ask", "edit", "bypass")


def processes(path: Path) -> list[list[dict]]:
    """The lines of each process: it begins with `initialize`."""
    found: list[list[dict]] = []
    for line in path.read_text().splitlines():
        said = json.loads(line)
        if said["msg"].get("method") == "initialize":
            found.append([])
        found[-1].append(said)
    return found


CASES = [
    pytest.param(path, number, lines, id=f"{path.stem}-{number}")
    for path in RECORDED
    for number, lines in enumerate(processes(path))
]


def method_or_answer(message: dict) -> str:
    return message.get("method") or ("error" if "error" in message else "answer")


def dialogue(lines: list[dict]) -> tuple[list, dict, list[dict]]:
    """Feed what the agent said when it could have said it; answer questions as the person did then."""
    load = next((each["msg"]["params"] for each in lines if each["msg"].get("method") == "session/load"), None)
    asks = any(each["msg"].get("method") == "session/request_permission" for each in lines)
    answers = [
        each["msg"]["result"]["outcome"].get("optionId", "")
        for each in lines
        if each["dir"] == "->" and "outcome" in each["msg"].get("result", {})
    ]
    request = Request(
        prompt="Please create hello.txt",
        mode="headless",
        cwd="/workspace",
        session_id="s1",
        resume=load["sessionId"] if load else None,
        permission_mode="ask" if asks else "bypass",
    )
    client = AcpClient(request, "the agent", KEPT)
    ours = [each["msg"] for each in lines if each["dir"] == "->" and "method" in each["msg"]]
    asked = {message["id"]: message["method"] for message in ours}
    said = client.start()
    events = []
    for each in (line for line in lines if line["dir"] == "<-"):
        said += settled(client, client.outgoing() or b"")
        message = each["msg"]
        if "method" not in message:
            message = {**message, "id": number_of(said, asked.get(message["id"], ""))}
        new = client.feed("stdout", json.dumps(message).encode() + b"\n")
        events += new
        for event in new:
            if isinstance(event, QuestionAsked):
                said += client.answer(event.question_id, answers.pop(0))
    said += client.outgoing() or b""
    outcome = client.finish(Exit(code=0))
    found = json.loads(msgspec.json.encode({"events": events, "outcome": outcome}))
    return events, found, [json.loads(line) for line in said.splitlines()]


def name_of(path: Path, number: int) -> str:
    return f"{path.stem.replace('.', '_')}_{number}"


def number_of(said: bytes, method: str) -> int:
    """Our numbers differ from the recording's where we set a mode."""
    ours = [json.loads(line) for line in said.splitlines()]
    return next((message["id"] for message in ours if message.get("method") == method), -1)


def settled(client: AcpClient, said: bytes) -> bytes:
    """The recorded agents were not asked to change their mode: they agree."""
    whole = said
    for line in said.splitlines():
        message = json.loads(line)
        if message.get("method") in SETTINGS:
            client.feed("stdout", json.dumps({"id": message["id"], "result": {}}).encode() + b"\n")
            whole += settled(client, client.outgoing() or b"")
    return whole


@pytest.mark.parametrize(("path", "number", "lines"), CASES)
def test_a_recording_gives_its_golden_events(path, number, lines):
    _, found, _ = dialogue(lines)
    assert found == golden("acp", path.with_name(f"{name_of(path, number)}-0.jsonl"), found)


@pytest.mark.parametrize(("path", "number", "lines"), CASES)
def test_we_say_what_the_recorded_client_said_in_its_order(path, number, lines):
    _, found, said = dialogue(lines)
    recorded = [each["msg"] for each in lines if each["dir"] == "->"]
    if (found["outcome"]["failure"] or {}).get("kind") == "session_gone":
        recorded = recorded[:-1]  # it was asked something all the same
    ours = [method_or_answer(message) for message in said if message.get("method") not in SETTINGS]
    assert ours == [method_or_answer(message) for message in recorded]
    if recorded[-1].get("method") == "session/prompt":
        assert said[-1]["params"]["prompt"][0]["type"] == "text"


def test_every_golden_file_has_its_recording():
    names = {name_of(path, number) for path in RECORDED for number in range(len(processes(path)))}
    assert {path.stem for path in (FIXTURES / "golden" / "acp").iterdir()} == names
