"""The real Gemini CLI in a PTY, against the suite's model server. Title and transcript tell: there are no hooks."""

from __future__ import annotations

import json

import psutil
import pytest

from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
)
from jupyter_cabinet.testing.model_script import Answer, echo

from .clis import CLIS
from .conftest import opening

pytestmark = pytest.mark.realcli

WRITE = CLIS["gemini"].writing


@pytest.fixture
def start(gemini_desk):
    with opening(Gemini(), gemini_desk) as open_cli:
        yield open_cli


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
    # it starts itself again with the same arguments; if the session has begun already, it must resume that session
    assert cli.event(AnswerFinished).text == "You said: Hello."


def test_a_mentioned_file_outside_the_folder_is_a_question_and_the_answer_lets_it_go_on(model, start):
    model.script = [Answer(text="Read.")]
    cli = start("@/etc/hostname")
    asked = cli.event(QuestionAsked)
    assert asked.question == "Gemini CLI asks whether it may read a file outside its folder."
    cli.settle()
    cli.keys(b"\r")
    assert cli.event(AnswerFinished).text == "Read."
    assert QuestionAnswered(question_id=asked.question_id) in cli.events
