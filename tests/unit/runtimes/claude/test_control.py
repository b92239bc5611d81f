"""Questions over Claude Code's control protocol, whatever ids they come with."""

from __future__ import annotations

import json

import pytest

from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.model import QuestionAnswered, QuestionAsked, Request, WordedQuestion

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
    assert isinstance(asked, QuestionAsked)
    answer = conversation.answer(asked.question_id, "allow").decode()
    assert '"ls"' in answer
    assert "rm -rf" not in answer
    assert conversation.answer(asked.question_id, "allow") == b""


def questions(*asked):
    """The question, and what answers it."""
    request = {"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": {"questions": list(asked)}}
    line = json.dumps({"type": "control_request", "request_id": "1", "request": request}).encode() + b"\n"
    conversation = Claude().conversation(REQUEST)
    (question,) = conversation.feed("stdout", line)
    return question, lambda note: json.loads(conversation.answer("1", "words", note))["response"]["response"]


FORMAT = {
    "question": "Which format?",
    "options": [{"label": "CSV"}, {"label": "Par\nquet"}, {"label": "CSV"}],
    "multiSelect": False,
}
COLUMNS = {"question": "Which columns?", "options": [{"label": "date"}, {"label": "amount"}], "multiSelect": True}


def test_several_questions_at_once_are_answered_by_a_line_each():
    asked, answer = questions(FORMAT, COLUMNS)
    words = next(option for option in asked.options if option.id == "words")
    assert words.questions == (
        WordedQuestion(question="Which format?", choices=("CSV", "Par quet")),
        WordedQuestion(question="Which columns?", choices=("date", "amount"), several=True),
    )
    assert answer("CSV\r\ndate, amount")["updatedInput"]["answers"] == {
        "Which format?": "CSV",
        "Which columns?": "date, amount",
    }


def test_words_that_are_no_line_for_each_question_answer_all_of_them():
    _, answer = questions(FORMAT, COLUMNS)
    assert answer("as\nyou\nlike")["updatedInput"]["answers"] == dict.fromkeys(
        ("Which format?", "Which columns?"), "as\nyou\nlike"
    )


@pytest.mark.parametrize(
    "asked",
    [
        [FORMAT],  # its choices are buttons
        [COLUMNS] * 11,
        [{**COLUMNS, "options": [{"label": str(number)} for number in range(21)]}],
        [{**COLUMNS, "options": [{"label": "x" * 201}]}],
        [],
    ],
)
def test_what_is_one_answer_or_too_much_for_a_form_takes_words_alone(asked):
    question, _ = questions(*asked)
    assert next(option for option in question.options if option.id == "words").questions == ()


def test_one_question_with_more_choices_than_a_card_can_hold_takes_words_alone():
    question, _ = questions({**FORMAT, "options": [{"label": str(number)} for number in range(21)]})
    assert [option.id for option in question.options] == ["words", "deny"]


def test_an_id_may_be_any_text_and_what_was_withdrawn_is_answered_no_more():
    conversation = Claude().conversation(REQUEST)
    (asked,) = conversation.feed("stdout", request("ls", "ünï \u202e"))
    cancelled = {"type": "control_cancel_request", "request_id": "ünï \u202e"}
    assert conversation.feed("stdout", json.dumps(cancelled).encode() + b"\n") == [
        QuestionAnswered(question_id=asked.question_id)
    ]
    assert conversation.answer(asked.question_id, "allow") == b""
