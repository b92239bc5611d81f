"""What opencode asks for, and what it may be answered."""

from __future__ import annotations

import json

import pytest

from jupyter_cabinet.runtimes.opencode.questions import asked_of, question, reply
from jupyter_cabinet.runtimes.requested_actions import Argument, Command, ToolUse


def test_a_permission_that_is_no_known_tool_is_described_by_its_patterns():
    asks = asked_of({"permission": "skill", "metadata": {}, "patterns": ["review", "deploy"]})
    assert isinstance(asks, ToolUse)
    assert (asks.tool, asks.paths) == ("skill", ())
    (argument,) = asks.arguments
    assert isinstance(argument, Argument)
    assert argument.name == "patterns"
    assert "review" in str(argument) and "deploy" in str(argument)


def test_where_the_metadata_says_it_the_patterns_are_not_repeated():
    command = asked_of({"permission": "bash", "metadata": {"command": "ls /"}, "patterns": ["ls *"]})
    assert isinstance(command, Command)
    assert command.text == "ls /"
    file = asked_of({"permission": "read", "metadata": {"filePath": "/w/a"}, "patterns": ["/w/a"]})
    assert isinstance(file, ToolUse)
    assert (file.paths, file.arguments) == (("/w/a",), ())
    assert asked_of({"permission": "skill", "metadata": {}}) == ToolUse(tool="skill")


def test_only_what_it_would_remember_may_be_allowed_for_the_session():
    once = question({"id": "per_1", "permission": "skill", "patterns": ["review", 3], "always": "review"})
    assert once.question == "opencode asks to use skill: review"
    assert [option.id for option in once.options] == ["allow", "deny"]
    always = question({"id": "per_1", "permission": "bash", "metadata": {"command": "ls /"}, "always": ["ls *"]})
    assert [option.id for option in always.options] == ["allow", "session", "deny"]
    assert always.options[1].grants == "opencode uses bash without asking, for ls *, until it is closed."
    assert question({"id": "per_1"}).question == "opencode asks to use a tool."


@pytest.mark.parametrize(
    ("option", "note", "said"),
    [
        ("allow", "thanks", {"reply": "once"}),
        ("session", "", {"reply": "always"}),
        ("deny", "Use b.", {"reply": "reject", "message": "Use b."}),
        ("deny", "", {"reply": "reject"}),
    ],
)
def test_an_answer_is_said_in_its_words_and_a_note_goes_with_a_refusal(option, note, said):
    assert json.loads(reply(option, note)) == said


def test_without_an_answer_the_question_is_left_to_the_terminal():
    assert reply("", "") == b""
