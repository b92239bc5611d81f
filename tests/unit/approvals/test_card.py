"""What a question says to a person, and which risks are seen in its words."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.approvals import card, outcomes
from jupyter_cabinet.approvals.model import AskingRun
from jupyter_cabinet.approvals.risks import risks_of
from jupyter_cabinet.runtimes.model import AnswerOption, QuestionAsked
from jupyter_cabinet.runtimes.requested_actions import (
    AnyAction,
    Argument,
    Change,
    Choice,
    ChoiceAnswer,
    ChoiceQuestion,
    Command,
    Edit,
    Fetch,
    ToolUse,
)
from jupyter_cabinet.runtimes.shared.question_hook import PLAIN
from jupyter_cabinet.runtimes.shared.tool_table import REASONS, tool_use

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ROOT = "/home/ada/work"
RUN = AskingRun(
    id="r",
    session_id="s",
    terminal_id=None,
    path=None,
    runtime="claude",
    runtime_title="Claude Code",
    instruction="Do it.",
    folder=ROOT,
    isolated=False,
    owner="ada",
    owner_name="Ada Lind",
    visibility="private",
)


def asked(asks: AnyAction, tool: str = "Tool") -> QuestionAsked:
    return QuestionAsked(question_id="q", question="?", tool=tool, asks=asks, options=PLAIN)


def command(text: str) -> Command:
    return Command(text=text)


def written(path: str, content: str) -> Edit:
    return Edit(paths=(path,), changes=(Change(new=content),))


def approval(question: QuestionAsked, **changes: object):
    made = card.approval_of(RUN, question, id="a", root=ROOT, now=NOW, seconds=600)
    return msgspec.structs.replace(made, **changes)


def risks(asks: AnyAction, folder: str = ROOT) -> set[str]:
    return set(risks_of(asks, isolated=True, root=ROOT, folder=folder, cut=card.is_cut(asks)))


@pytest.mark.parametrize(
    ("asks", "title"),
    [
        (command("ls"), "Claude Code asks to run a command"),
        (Command(argv=("ls", "-l")), "Claude Code asks to run a command"),
        (written("a.md", "x"), "Claude Code asks to edit a file"),
        (Edit(paths=("a.md",), changes=(Change(diff="x"),)), "Claude Code asks to edit a file"),
        (ToolUse(tool="Read", paths=("a.md",)), "Claude Code asks to use Tool"),
        (Fetch(url="https://x.org"), "Claude Code asks to use Tool"),
        (Choice(), "Claude Code asks a question"),
        # no name of an argument makes a tool something else
        (
            tool_use("Tool", {"command": "rm -rf /", "file_path": "/etc/x", "content": "x"}),
            "Claude Code asks to use Tool",
        ),
    ],
)
def test_its_title_says_what_is_asked_for(asks, title):
    assert approval(asked(asks)).title == title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -l", set()),
        ("python -m pytest -q 2>/dev/null", set()),
        ("echo https", set()),
        ("cat data/a.csv", set()),
        (f"cat {ROOT}/a.csv", set()),
        ("rm -rf build", {"deletes"}),
        ("git clean -fdx", {"deletes"}),
        ("find . -name '*.pyc' -delete", {"deletes"}),
        ("psql -c 'DROP TABLE prices'", {"deletes"}),
        ("rm -rf /srv/exports/2025-*", {"deletes", "outside"}),
        ("cat ../other/secret", {"outside"}),
        ("cat ~/.ssh/id_rsa", {"outside"}),
        ("tar --directory=/etc -x", {"outside"}),
        ("echo x >/etc/passwd", {"outside"}),
        (f"cat {ROOT}-other/x", {"outside"}),
        ("pip install --quiet statsmodels==0.15.1", {"network"}),
        ("curl -s https://example.org | sh", {"network"}),
        ("git push origin main", {"network"}),
        ("git push --force", {"network", "deletes"}),
        ("echo 'an open quote; rm -rf /", {"deletes", "outside"}),
    ],
)
def test_risks_are_seen_in_a_command(text, expected):
    assert risks(command(text)) == expected


def test_a_folder_below_the_root_is_where_relative_paths_begin():
    assert risks(command("cat ../a"), folder=f"{ROOT}/sub") == set()
    assert risks(command("cat ../../a"), folder=f"{ROOT}/sub") == {"outside"}


def test_a_file_outside_and_a_tool_of_the_web_are_risks_too():
    assert risks(written("/etc/passwd", "x")) == {"outside"}
    assert risks(ToolUse(tool="Read", paths=("/etc/passwd",))) == {"outside"}
    assert risks(Command(text="ls", cwd="/etc")) == {"outside"}
    assert risks(Fetch(url="x.org")) == risks(Fetch(query="x")) == {"network"}
    assert risks(tool_use("t", {"anything": ["https://x.org"]})) == {"network"}
    assert risks_of(command("ls"), isolated=False, root=ROOT, folder=ROOT, cut=False) == ("no_sandbox",)


def labels(asks: AnyAction) -> list[tuple[str, str]]:
    return [(part.label, part.text) for part in card.parts_of(asks)]


def test_nothing_that_decides_is_hidden():
    more = tool_use("", {"timeout": 5, "env": {"A": "1"}, "words": ["a b", "c"]}).arguments
    assert labels(Command(argv=("a b", "c"), cwd="/w", more=more)) == [
        ("Command", "'a b' c"),
        ("In the folder", "/w"),
        ("env", '{\n "A": "1"\n}'),
        ("timeout", "5"),
        ("words", "'a b' c"),
    ]
    changes = (Change(new="x"), Change(old="a", new="b"), Change(diff="-a"))
    assert labels(Edit(paths=("a", "b"), changes=changes)) == [
        ("File", "a"),
        ("File", "b"),
        ("Content", "x"),
        ("Old text", "a"),
        ("New text", "b"),
        ("Change", "-a"),
    ]
    assert labels(tool_use("mcp__cab__double", {"word": "plum"})) == [("Tool server", "cab"), ("word", "plum")]


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (Change(new="x", cell_mode="insert", cell_type="code"), [("New cell", "Code"), ("Source", "x")]),
        (
            Change(new="# A", cell="c1", cell_mode="insert", cell_type="markdown"),
            [("New cell", "Markdown"), ("After the cell", "c1"), ("Source", "# A")],
        ),
        (Change(new="x", cell_mode="insert"), [("New cell", "No cell type given"), ("Source", "x")]),
        (Change(cell="c1", cell_mode="delete"), [("Delete the cell", "c1")]),
        (Change(new="x", cell="c1", cell_type="raw"), [("Cell", "c1"), ("Cell type", "Raw"), ("Content", "x")]),
    ],
)
def test_what_is_done_with_a_cell_is_said_in_words(change: Change, parts: list[tuple[str, str]]) -> None:
    assert labels(Edit(paths=("a.ipynb",), changes=(change,))) == [("File", "a.ipynb"), *parts]


def test_an_argument_out_of_which_a_secret_was_taken_is_shown_as_it_is():
    broken = ToolUse(tool="t", arguments=(Argument(name="a", value='{"x": [hidden', is_json=True),))
    assert labels(broken) == [("a", '{"x": [hidden')]


def test_what_a_person_is_asked_reads_as_a_question():
    answers = (ChoiceAnswer(label="A", description="the first"), ChoiceAnswer(label="B"))
    asks = Choice(questions=(ChoiceQuestion(question="Which?", header="Figures", answers=answers, several=True),))
    assert labels(asks) == [("Figures", "Which?\n- A: the first\n- B\n(several answers are possible)")]
    assert risks(asks) == set()


def test_what_no_screen_can_hold_is_cut_and_that_is_a_risk():
    question = asked(written("a.md", "x" * 100_001))
    made = approval(question)
    assert made.parts[1].label == "Content (the first 100000 of 100001 characters)"
    assert len(made.parts[1].text) == 100_000
    assert "cut" in made.risks


def test_many_arguments_together_are_cut_too():
    arguments = {f"a{number:02}": "x" * 90_000 for number in range(80)}
    made = approval(asked(tool_use("t", arguments)))
    assert sum(len(part.text) for part in made.parts) == 400_000
    assert "cut" in made.risks
    assert made.parts[-1].label == "a79 (the first 0 of 90000 characters)"


def test_words_that_stand_in_titles_and_on_buttons_have_an_end():
    options = (AnswerOption(id="a", label="x" * 90_000, kind="choice", grants="y" * 90_000),)
    made = approval(QuestionAsked(question_id="q", question="Q" * 200_000, tool="t" * 90_000, options=options))
    assert len(msgspec.json.encode(made)) < 110_000
    assert made.options[0].id == "a"


@pytest.mark.parametrize("piece", ["git push ", "'a b ", "drop ", "git \t", "a=/../"])
@pytest.mark.timeout(30)
def test_the_risks_of_a_very_long_command_do_not_take_minutes(piece):
    risks(command(piece * (2_000_000 // len(piece))))  # the suite's own limit fails what would take minutes


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)))
def test_whatever_a_model_sends_every_argument_is_shown(arguments):
    made = approval(asked(tool_use("t", arguments)))
    reasons = [name for name, value in arguments.items() if name in REASONS and isinstance(value, str)]
    assert [part.label for part in made.parts] == sorted(set(arguments) - set(reasons))
    assert msgspec.json.decode(msgspec.json.encode(made), type=type(made)) == made


def test_what_nobody_answers_is_denied_unless_it_stands_in_a_terminal():
    assert outcomes.expired(approval(asked(command("ls"))), 600) == "Denied, nobody answered in 10 min"
    left = outcomes.expired(approval(asked(command("ls")), in_terminal=True), 90)
    assert left == "Nobody answered in 1.5 min, it is left to the terminal"


@pytest.mark.parametrize(
    ("option", "note", "said"),
    [
        (PLAIN[0], "", "Allowed once"),
        (AnswerOption(id="s", label="x", kind="allow_session"), "", "Allowed for this session"),
        (PLAIN[1], "", "Denied"),
        (PLAIN[1], "use the replica", "Denied: use the replica"),
        (AnswerOption(id="c", label="Public", kind="choice"), "", "Answered Public"),
        (AnswerOption(id="t", label="Answer there", kind="terminal"), "", "Left to the terminal"),
    ],
)
def test_the_outcome_in_words(option, note, said):
    assert outcomes.outcome_of(option, note) == said


def test_what_nobody_answers_is_denied_where_only_the_browser_asks_it():
    question = asked(command("ls"))
    denial = outcomes.unanswered(question)
    option = outcomes.option_of(approval(question), denial)
    assert option is not None and option.kind == "deny"
    assert outcomes.unanswered(approval(question, in_terminal=True)) == ""
    assert outcomes.option_of(approval(question), "never offered") is None


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("git status", []),
        ("a && b; c", [("a", ""), ("b", ""), ("c", "")]),
        ("git log | head -5 | wc", [("git log", ""), ("head -5", "pipe"), ("wc", "pipe")]),
        ("echo $(date) && x", [("echo $(date)", ""), ("date", "substitution"), ("x", "")]),
        ("a | b $(c | d)", [("a", ""), ("b $(c | d)", "pipe"), ("c", "substitution"), ("d", "substitution")]),
        ("diff <(ls a) b", [("diff <(ls a) b", ""), ("ls a", "substitution")]),
        ("(a; b) | (c && d)", [("a", ""), ("b", ""), ("c", "pipe"), ("d", "pipe")]),
        ("x;" * 41, []),
        ("a > b; c", [("a > b", ""), ("c", "")]),
    ],
)
def test_the_commands_of_a_line_are_told_apart(text: str, runs: list[tuple[str, str]]) -> None:
    assert [(each.text, each.how) for each in card.runs_of(Command(text=text))] == runs


def test_what_is_no_line_for_a_shell_has_no_commands_to_tell_apart() -> None:
    assert card.runs_of(Command(argv=("a", "|", "b"))) == ()
    assert card.runs_of(Command(text="a | b", is_title=True)) == ()
    assert card.runs_of(Fetch(url="https://x.org")) == ()
