"""Questions of the real CLIs and their answers, by the channels of the product: control protocol and blocking hooks."""

from __future__ import annotations

import pytest
from harness.driving import run_headless
from harness.terminal_cli import TerminalCli

from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.model import AnswerFinished, QuestionAnswered, QuestionAsked, ToolResult
from jupyter_cabinet.runtimes.shared.screens.screen_phrases import compact
from jupyter_cabinet.terminals.vt.grid import Grid
from jupyter_cabinet.testing.model_script import Answer, ToolUse

from .conftest import opening

pytestmark = pytest.mark.realcli

TOUCH = ToolUse(name="Bash", arguments={"command": "touch made.txt", "description": "It needs a file"})
TWICE = [Answer(text="I do it.", tools=(TOUCH,)), Answer(text="Again.", tools=(TOUCH,)), Answer(text="Done.")]
QUESTION = ToolUse(
    name="AskUserQuestion",
    arguments={
        "questions": [
            {
                "question": "Which figures?",
                "header": "Figures",
                "multiSelect": False,
                "options": [
                    {"label": "Public", "description": "what everybody has"},
                    {"label": "Export", "description": "what comes tomorrow"},
                ],
            }
        ]
    },
)


def asking(desk, option: str, note: str = "", seen: list | None = None):
    """A headless run in the mode `ask`, every question answered in the same way."""

    def answers(asked: QuestionAsked) -> tuple[str, str]:
        (seen if seen is not None else []).append(asked)
        return option, note

    request = desk.request("Make a file.", permission_mode="ask")
    return run_headless(Claude(), request, desk.environment, answer=answers)


def drawn(cli: TerminalCli, words: str) -> bool:
    grid = Grid(120, 40)
    grid.feed(cli.screen)
    return compact(words) in compact(grid.text())


def test_claude_without_a_terminal_asks_each_time_and_goes_on_when_allowed(desk, model):
    model.script, seen = TWICE, []
    events, outcome = asking(desk, "allow", seen=seen)
    assert outcome.failure is None
    assert outcome.text == "Done."
    assert (desk.folder / "made.txt").exists()
    assert [(asked.tool, asked.input["command"], asked.why) for asked in seen] == [
        ("Bash", "touch made.txt", "It needs a file")
    ] * 2
    assert [option.id for option in seen[0].options] == ["allow", "session", "deny"]
    assert len([event for event in events if isinstance(event, ToolResult)]) == 2


def test_claude_does_not_ask_again_for_what_was_allowed_for_the_session(desk, model):
    model.script, seen = TWICE, []
    _, outcome = asking(desk, "session", seen=seen)
    assert outcome.text == "Done."
    assert len(seen) == 1


def test_claude_hears_why_not_and_a_persons_no_is_no_failure(desk, model):
    model.script = [Answer(text="I do it.", tools=(TOUCH,)), Answer(text="Then not.")]
    events, outcome = asking(desk, "deny", "use the replica")
    assert not (desk.folder / "made.txt").exists()
    assert outcome.failure is None
    assert outcome.text == "Then not."
    refused = next(event for event in events if isinstance(event, ToolResult))
    assert refused.is_error
    assert "use the replica" in refused.text


def test_claude_takes_the_answer_to_its_own_question(desk, model):
    model.script, seen = [Answer(text="I ask.", tools=(QUESTION,)), Answer(text="Thanks.")], []
    events, outcome = asking(desk, "choice-1", seen=seen)
    assert outcome.text == "Thanks."
    assert [(option.label, option.kind) for option in seen[0].options] == [
        ("Public", "choice"),
        ("Export", "choice"),
        ("Answer in words", "choice"),
        ("Deny", "deny"),
    ]
    assert "Export" in next(event for event in events if isinstance(event, ToolResult)).text


def test_several_questions_of_claude_are_answered_in_words(desk, model):
    asked = [
        {
            "question": text,
            "header": "H",
            "multiSelect": True,
            "options": [{"label": a, "description": a} for a in "AB"],
        }
        for text in ("Which first?", "Which then?")
    ]
    model.script = [
        Answer(tools=(ToolUse(name="AskUserQuestion", arguments={"questions": asked}),)),
        Answer(text="Thanks."),
    ]
    seen = []
    events, outcome = asking(desk, "words", note="A, B\nonly B", seen=seen)
    assert outcome.text == "Thanks."
    assert [option.id for option in seen[0].options] == ["words", "deny"]
    assert [question.choices for question in seen[0].options[0].questions] == [("A", "B")] * 2
    result = next(event for event in events if isinstance(event, ToolResult)).text
    assert result.index("Which first?") < result.index("A, B") < result.index("Which then?") < result.index("only B")


@pytest.fixture
def open_claude(desk, model):
    desk.seed()
    model.script = [Answer(text="I do it.", tools=(TOUCH,)), Answer(text="Done.")]
    with opening(Claude(), desk) as open_cli:
        yield open_cli("Make a file.", permission_mode="ask")


@pytest.mark.parametrize("option", ["allow", "session"])
def test_claudes_box_in_a_terminal_can_be_answered_by_its_hook(desk, open_claude, option):
    asked = open_claude.event(QuestionAsked)
    open_claude.until(lambda: drawn(open_claude, "Do you want to proceed?"))
    assert asked.in_terminal
    open_claude.answer(asked.question_id, option)
    assert open_claude.event(AnswerFinished).text == "Done."
    assert (desk.folder / "made.txt").exists()
    assert len(open_claude.of(QuestionAnswered)) == 1


def test_a_no_by_the_hook_reaches_claude_in_a_terminal_with_its_reason(desk, open_claude):
    asked = open_claude.event(QuestionAsked)
    open_claude.answer(asked.question_id, "deny", "use the replica")
    assert open_claude.event(AnswerFinished).text == "Done."
    assert not (desk.folder / "made.txt").exists()
    # the transcript is written a little after the hook was called
    assert "use the replica" in open_claude.event(ToolResult).text


def test_the_first_answer_counts_also_the_one_typed_into_claudes_box(desk, open_claude):
    asked = open_claude.event(QuestionAsked)
    open_claude.until(lambda: drawn(open_claude, "Do you want to proceed?"))
    open_claude.keys(b"1")
    assert open_claude.event(QuestionAnswered).question_id == asked.question_id
    assert open_claude.event(AnswerFinished).text == "Done."
    assert (desk.folder / "made.txt").exists()


@pytest.fixture
def open_codex(codex_desk, model):
    command = {"cmd": "touch made.txt", "sandbox_permissions": "require_escalated", "justification": "It needs a file"}
    model.script = [
        Answer(text="I do it.", tools=(ToolUse(name="exec_command", arguments=command),)),
        Answer(text="Done."),
    ]
    with opening(Codex(), codex_desk) as open_cli:
        yield open_cli("Make a file.", permission_mode="ask")


def test_codex_waits_for_its_hook_and_goes_on_when_allowed(codex_desk, open_codex):
    asked = open_codex.event(QuestionAsked)
    assert (asked.input["command"], asked.why) == ("touch made.txt", "It needs a file")
    assert [option.id for option in asked.options] == ["allow", "deny", "terminal"]
    open_codex.answer(asked.question_id, "allow")
    assert open_codex.event(AnswerFinished).text == "Done."
    assert (codex_desk.folder / "made.txt").exists()


def test_codex_takes_a_no_by_its_hook(codex_desk, open_codex):
    asked = open_codex.event(QuestionAsked)
    open_codex.answer(asked.question_id, "deny", "use the replica")
    assert open_codex.event(AnswerFinished).text == "Done."
    assert not (codex_desk.folder / "made.txt").exists()


def test_codex_shows_its_own_box_when_the_question_is_left_to_the_terminal(codex_desk, open_codex):
    asked = open_codex.event(QuestionAsked)
    open_codex.answer(asked.question_id, "terminal")
    open_codex.until(lambda: drawn(open_codex, "Yes, proceed"))
    open_codex.settle()
    open_codex.keys(b"y")
    assert open_codex.event(QuestionAnswered).question_id == asked.question_id
    assert open_codex.event(AnswerFinished).text == "Done."
    assert (codex_desk.folder / "made.txt").exists()
