"""Questions over Claude Code's control protocol, whatever ids they come with."""

from __future__ import annotations

import json

from jupyter_cabinet.runtimes.claude import Claude
from jupyter_cabinet.runtimes.model import PermissionAnswered, PermissionAsked, Request

REQUEST = Request(
    prompt="Do it.",
    mode="headless",
    cwd="/w",
    session_id="5f0f1de1-9e20-4b5a-b5a5-000000000001",
    permission_mode="ask",
)


def request(command: str, request_id: str) -> bytes:
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": command}}
    return json.dumps({"type": "control_request", "request_id": request_id, "request": asked}).encode() + b"\n"


def test_a_yes_to_one_command_never_becomes_a_yes_to_another_under_the_same_id():
    conversation = Claude().conversation(REQUEST)
    (asked,) = conversation.feed("stdout", request("ls", "1") + request("rm -rf ~", "1"))
    assert isinstance(asked, PermissionAsked)
    answer = conversation.answer(asked.question_id, "allow").decode()
    assert '"ls"' in answer
    assert "rm -rf" not in answer
    assert conversation.answer(asked.question_id, "allow") == b""


def test_an_id_may_be_any_text_and_what_was_withdrawn_is_answered_no_more():
    conversation = Claude().conversation(REQUEST)
    (asked,) = conversation.feed("stdout", request("ls", "ünï \u202e"))
    cancelled = {"type": "control_cancel_request", "request_id": "ünï \u202e"}
    assert conversation.feed("stdout", json.dumps(cancelled).encode() + b"\n") == [
        PermissionAnswered(question_id=asked.question_id)
    ]
    assert conversation.answer(asked.question_id, "allow") == b""
