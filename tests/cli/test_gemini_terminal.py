"""The real Gemini CLI in a PTY, against the suite's model server. Title and transcript tell: there are no hooks."""

from __future__ import annotations

import json

import psutil
import pytest
from harness.terminal_cli import prompt_file

from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    TextBlock,
    ToolCall,
    ToolResult,
    Warned,
)
from jupyter_cabinet.testing.model_script import Answer, Asked, ToolUse, echo

from .conftest import ANEW, opening

pytestmark = pytest.mark.realcli

WRITE = [
    Answer(
        text="I will write the file.",
        tools=(ToolUse(name="write_file", arguments={"path": "hello.txt", "content": "hello\n"}),),
    ),
    Answer(text="I wrote hello.txt."),
]


@pytest.fixture
def start(gemini_desk):
    with opening(Gemini(), gemini_desk) as open_cli:
        yield open_cli


def test_it_answers_stays_open_and_takes_a_second_instruction(gemini_desk, model, start):
    model.script = lambda asked: WRITE[asked.turn] if asked.prompt.startswith("Create") else echo(asked)
    cli = start("Create hello.txt.")
    assert cli.event(AnswerFinished).text == "I wrote hello.txt."
    assert (gemini_desk.folder / "hello.txt").read_text() == "hello\n"
    order = [SessionStarted, ToolCall, ToolResult, AnswerFinished]
    assert [type(event) for event in cli.events if type(event) in order] == order
    outcome = cli.outcome()
    assert outcome.failure is None
    assert outcome.text == "I wrote hello.txt."
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (200, 40)

    cli.settle()
    cli.instruct("second line one\n- and line two")
    assert cli.event(AnswerFinished, count=2).text == "You said: second line one\n- and line two"
    outcome = cli.outcome()
    assert outcome.text.startswith("You said: second")
    assert outcome.usage.input_tokens == 100
    assert [block.text for block in cli.of(TextBlock)].count("I wrote hello.txt.") == 1

    cli.settle()
    cli.keys(b"a person types\r")
    assert cli.event(AnswerFinished, count=3).text == "You said: a person types"
    assert cli.outcome().text == "You said: a person types"
    assert cli.typed_texts == ["a person types"]

    cli.settle()
    cli.keys(b"/quit")
    cli.settle()
    cli.keys(b"\r")
    assert cli.gone().code == 0


@pytest.mark.long(reason="a CLI that was held may draw nothing for up to a minute, and waits for that")
def test_an_enter_that_it_takes_for_a_new_line_is_pressed_again_and_sends_once(model, start):
    """0.61.0 does so until it has finished with a paste, which takes long on a busy machine: here it gets no time
    from the moment on when the text is on its screen until Enter was pressed."""
    model.script = echo
    cli = start("First.")
    assert cli.outcome(60).failure is None
    worker = psutil.Process(cli.pid).children()[0].children()[0]  # it starts itself a second time
    for text in ("The second.", "The third."):
        before = len(cli.screen)
        cli.instruct(text)
        cli.until(lambda before=before, text=text: text.encode() in cli.screen[before:])
        worker.suspend()
        cli.settle()
        worker.resume()
        assert cli.outcome(150).text == f"You said: {text}"
        assert [asked.prompt for asked in model.requests if not asked.aside].count(text) == 1
        cli.settle()


def test_a_session_goes_on_and_remembers(gemini_desk, model, start):
    """Beside `.cabinet/`, which it lists for the model, 0.61.0 may ask before it has loaded the session: it forgets."""
    (gemini_desk.folder / "below").mkdir()
    model.script = echo
    first = start("The word is plum.", cwd="below")
    session = first.outcome().native_id
    first.close()
    second = start("Which word?", resume=session, cwd="below")
    assert second.event(AnswerFinished).text == "You said: Which word?"
    assert second.outcome().native_id == session
    assert "The word is plum." in str(model.requests[-1].body["contents"])


@pytest.mark.parametrize("prompt", ["--help", "!touch x"])
def test_no_instruction_is_an_option_or_a_command(gemini_desk, model, start, prompt):
    model.script = echo
    cli = start(prompt)
    assert cli.event(AnswerFinished).text.strip().endswith(prompt)
    if prompt == "!touch x":
        # "@tmi": its list offers .cabinet/terminals for it, and no name of a file, which it would read, can hold it
        for count, further in enumerate(["/model", prompt, "look at @tmi"], start=2):
            cli.settle()
            cli.instruct(further)
            assert cli.event(AnswerFinished, count=count).text.strip().endswith(further)
    assert not (gemini_desk.folder / "x").exists()


def test_a_long_instruction_goes_through_a_file(gemini_desk, model, start):
    def read_first(asked: Asked) -> Answer:
        read = Answer(tools=(ToolUse(name="read_file", arguments={"path": prompt_file(asked.prompt)}),))
        return read if asked.turn == 0 else Answer(text="I have read it.")

    model.script = read_first
    cli = start("word " * 20_000, permission_mode="ask")
    assert cli.event(AnswerFinished).text == "I have read it."
    assert not cli.of(QuestionAsked)
    assert not cli.of(ToolResult)[0].is_error


def test_a_permission_box_is_a_question_and_yes_answers_it(gemini_desk, model, start):
    model.script = WRITE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    assert asked.in_terminal
    cli.settle()
    cli.keys(b"\r")
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    cli.event(AnswerFinished)
    assert cli.outcome().failure is None
    assert (gemini_desk.folder / "hello.txt").exists()


def test_no_to_a_permission_box_ends_the_answer(gemini_desk, model, start):
    model.script = WRITE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    cli.settle()
    cli.keys(b"\x1b")
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    cli.event(AnswerFinished)
    assert cli.outcome().failure.kind == "cancelled"
    assert not (gemini_desk.folder / "hello.txt").exists()


def test_an_interrupted_answer_ends(gemini_desk, model, start):
    model.script = [Answer(delay_seconds=60)]
    cli = start("Talk.")
    cli.until(lambda: len(model.requests) == 1)
    cli.settle()
    cli.keys(b"\x1b")
    cli.event(AnswerFinished)
    assert cli.outcome().failure.message == "Gemini CLI was interrupted."


def test_a_refusal_of_the_service_ends_the_answer_and_the_cli_stays_open(gemini_desk, model, start):
    model.script = echo
    model.always = Answer(error=401, text="scripted refusal")
    cli = start("Hello.")
    cli.event(AnswerFinished)
    assert cli.outcome().failure.kind == "not_logged_in"
    model.always = None
    cli.settle()
    cli.instruct("Again.")
    assert cli.event(AnswerFinished, count=2).text.endswith("Again.")
    assert cli.outcome().failure is None


def test_the_first_start_dialogs_are_questions(gemini_desk, model, start):
    settings = gemini_desk.home / ".gemini" / "settings.json"
    known = json.loads(settings.read_text())
    del known["security"]["folderTrust"]
    settings.write_text(json.dumps(known))
    model.script = echo
    cli = start("Hello.")
    assert cli.event(QuestionAsked).question_id == "dialog-trust"
    cli.settle()
    cli.keys(b"\r")
    cli.event(QuestionAnswered)
    # it starts itself anew with the same arguments; one that finds the session begun already is told to go on with it
    assert cli.event(AnswerFinished).text == "You said: Hello."


def test_a_session_that_is_gone_is_begun_anew(model, start):
    model.script = echo
    cli = start("Go on.", resume="ses_of_another_cli")
    assert cli.event(AnswerFinished).text == "You said: Go on."
    assert [event.message for event in cli.of(Warned)] == [ANEW.format("Gemini CLI")]


def test_a_mentioned_file_outside_the_folder_is_a_question_and_the_answer_lets_it_go_on(model, start):
    model.script = [Answer(text="Read.")]
    cli = start("@/etc/hostname")
    asked = cli.event(QuestionAsked)
    assert asked.question == "Gemini CLI asks whether it may read a file outside its folder."
    cli.settle()
    cli.keys(b"\r")
    assert cli.event(AnswerFinished).text == "Read."
    assert QuestionAnswered(question_id=asked.question_id) in cli.events
