"""Which questions of an open CLI are open, and what tells that one is not any more."""

from __future__ import annotations

from jupyter_cabinet.runtimes.model import QuestionAnswered, QuestionAsked
from jupyter_cabinet.runtimes.requested_actions import Choice, Command
from jupyter_cabinet.runtimes.shared.question_hook import PLAIN
from jupyter_cabinet.runtimes.shared.screens.open_questions import OpenQuestions, question_for_tool

LS, MAKE = Command(text="ls"), Command(text="make")


def gone(question_id: str) -> QuestionAnswered:
    return QuestionAnswered(question_id=question_id)


def ask(questions: OpenQuestions, command: Command) -> QuestionAsked:
    return questions.ask_for_tool("Bash", {"command": command.text}, command, PLAIN)[0]


def test_a_dialog_is_asked_once_and_takes_the_place_of_the_one_before():
    questions = OpenQuestions("Codex")
    assert not questions
    trust = QuestionAsked(question_id="dialog-trust", question="Trusted?", in_terminal=True)
    assert questions.ask_dialog("trust", "Trusted?") == [trust]
    assert questions.ask_dialog("trust", "Trusted?") == []
    answered, login = questions.ask_dialog("login", "Logged in?")
    assert (answered, login.question_id) == (gone("dialog-trust"), "dialog-login")
    assert questions.close_dialog("trust") == []
    assert questions.close_dialog("login") == [gone("dialog-login")]
    assert not questions


def test_a_hook_tells_more_exactly_than_a_dialog_what_is_asked():
    questions = OpenQuestions("Codex")
    questions.ask_dialog("screen", "Codex asks something.")
    asked, answered = questions.ask_for_tool("Bash", {"command": "ls", "description": "To look"}, LS, PLAIN)
    assert answered == gone("dialog-screen")
    assert asked == QuestionAsked(
        question_id="question-1",
        question="Codex asks to use Bash: ls",
        tool="Bash",
        input={"command": "ls", "description": "To look"},
        asks=LS,
        why="To look",
        options=PLAIN,
        in_terminal=True,
    )
    assert questions.find("question-1") == asked
    assert questions.find("question-2") is None
    assert questions.close_dialogs() == []


def test_a_call_that_went_on_closes_its_question_and_the_others_are_asked_again():
    questions = OpenQuestions("Codex")
    ask(questions, LS)
    other = ask(questions, MAKE)
    assert questions.close(LS) == [gone("question-1"), other]
    assert questions.close(LS) == []


def test_a_call_that_was_allowed_from_here_is_not_taken_for_one_that_looks_the_same():
    questions = OpenQuestions("Codex")
    ask(questions, LS)
    ask(questions, LS)
    questions.answered("question-1", allowed=True)
    assert questions.close(LS) == []
    assert questions.close(LS) == [gone("question-2")]


def test_a_no_is_waited_for_by_no_call_and_an_answer_to_nothing_changes_nothing():
    questions = OpenQuestions("Codex")
    ask(questions, LS)
    questions.answered("question-1", allowed=False)
    questions.answered("question-1", allowed=True)
    ask(questions, LS)
    assert questions.close(LS) == [gone("question-2")]


def test_what_was_left_to_the_terminal_is_closed_with_its_box():
    questions = OpenQuestions("Codex")
    ask(questions, LS)
    ask(questions, MAKE)
    questions.leave("question-1")
    assert questions.close_left() == [gone("question-1")]
    assert questions.close_left() == []
    assert questions.close_all() == [gone("question-2")]
    assert not questions


def test_a_question_reads_as_a_sentence():
    def sentence(tool: str, **arguments: object) -> str:
        return question_for_tool("Claude Code", "q", tool, arguments, Choice(), ()).question

    assert sentence("Bash") == "Claude Code asks to use Bash."
    asked = [{"question": "Which format?"}, {"question": "Which columns?"}]
    assert sentence("AskUserQuestion", questions=asked) == "Claude Code asks: Which format? Which columns?"
    assert sentence("AskUserQuestion") == "Claude Code asks:"
