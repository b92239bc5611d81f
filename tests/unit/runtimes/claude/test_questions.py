"""What the answers to Claude Code's questions grant, and how they are spelled."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_cabinet.runtimes.claude.questions import (
    asked_of,
    control_refusal,
    control_reply,
    decision,
    options,
)
from jupyter_cabinet.runtimes.model import QuestionAsked
from jupyter_cabinet.runtimes.requested_actions import Argument, Choice, ChoiceAnswer, ChoiceQuestion

FORMAT = {
    "question": "Which format?",
    "header": "Format",
    "options": [{"label": "CSV", "description": "Plain text"}, {"label": "Parquet"}],
    "multiSelect": False,
}


def asked(tool: str, **arguments: Any) -> QuestionAsked:
    asks = asked_of(tool, arguments)
    offered = options("Claude Code", tool, arguments, asks)
    return QuestionAsked(question_id="q", question="?", tool=tool, input=arguments, asks=asks, options=offered)


def ids(question: QuestionAsked) -> list[str]:
    return [option.id for option in question.options]


@pytest.mark.parametrize(
    ("tool", "arguments", "grants", "granted"),
    [
        (
            "Write",
            {"file_path": "/w/a.txt", "content": "a"},
            "Claude Code edits files in its folder without asking, until this session ends.",
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        ),
        (
            "Bash",
            {"command": "make test"},
            "Claude Code runs exactly this command without asking, until this session ends.",
            {
                "type": "addRules",
                "rules": [{"toolName": "Bash", "ruleContent": "make test"}],
                "behavior": "allow",
                "destination": "session",
            },
        ),
        (
            "mcp__notes__add",
            {"text": "a"},
            "Claude Code uses mcp__notes__add without asking, until this session ends.",
            {
                "type": "addRules",
                "rules": [{"toolName": "mcp__notes__add"}],
                "behavior": "allow",
                "destination": "session",
            },
        ),
    ],
)
def test_a_yes_for_the_session_grants_what_its_button_says(tool, arguments, grants, granted):
    question = asked(tool, **arguments)
    assert ids(question) == ["allow", "session", "deny"]
    assert question.options[1].grants == grants
    assert decision("session", question, "") == {
        "behavior": "allow",
        "updatedInput": arguments,
        "updatedPermissions": [granted],
    }


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Bash", {"command": "rm *.tmp"}),  # in a rule it would stand for anything
        ("Bash", {"command": "  "}),
        ("Bash", {"script": "ls"}),  # not told as expected
        ("Edit", {"old_string": "a"}),
    ],
)
def test_nothing_is_granted_for_the_session_where_it_would_be_more_than_people_think(tool, arguments):
    assert ids(asked(tool, **arguments)) == ["allow", "deny"]


def test_a_plain_yes_grants_nothing_more_and_a_no_tells_why():
    question = asked("Bash", command="ls")
    assert decision("allow", question, "") == {"behavior": "allow", "updatedInput": {"command": "ls"}}
    assert decision("deny", question, "Not now.") == {"behavior": "deny", "message": "Not now."}


def test_one_question_with_one_answer_has_a_button_for_each_choice():
    question = asked("AskUserQuestion", questions=[FORMAT])
    assert question.asks == Choice(
        questions=(
            ChoiceQuestion(
                question="Which format?",
                header="Format",
                answers=(ChoiceAnswer(label="CSV", description="Plain text"), ChoiceAnswer(label="Parquet")),
            ),
        )
    )
    assert ids(question) == ["choice-0", "choice-1", "words", "deny"]
    assert [option.grants for option in question.options[:2]] == ["Plain text", ""]


@pytest.mark.parametrize(
    ("option", "label"),
    [("choice-1", "Parquet"), ("choice-7", ""), ("choice-", ""), ("choice--1", "")],
)
def test_a_button_answers_with_its_label_and_one_that_there_is_not_with_nothing(option, label):
    question = asked("AskUserQuestion", questions=[FORMAT])
    assert decision(option, question, "")["updatedInput"] == {
        "questions": [FORMAT],
        "answers": {"Which format?": label},
    }


def test_a_question_that_is_not_asked_as_expected_is_shown_as_it_is():
    odd = [{**FORMAT, "preview": "<b>"}]
    question = asked("AskUserQuestion", questions=odd)
    shown = json.dumps(odd, sort_keys=True, separators=(",", ":"))
    assert question.asks.questions == ()
    (more,) = question.asks.more
    assert (more.name, json.loads(more.value), more.is_json) == ("questions", json.loads(shown), True)


def test_an_empty_list_of_questions_hides_nothing():
    assert asked("AskUserQuestion", questions=[]).asks == Choice(
        more=(Argument(name="questions", value="[]", is_json=True),)
    )


def test_replies_of_the_control_protocol_are_a_line_each_and_name_the_request():
    reply = control_reply("7", {"behavior": "allow"})
    assert reply.endswith(b"}\n")
    assert json.loads(reply) == {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": "7", "response": {"behavior": "allow"}},
    }
    refusal = control_refusal("8")
    assert refusal.endswith(b"}\n")
    assert json.loads(refusal)["response"] == {"subtype": "error", "request_id": "8", "error": "Not supported."}
