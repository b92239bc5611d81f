"""What a question says to a person, and which risks are seen in its words."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.approvals import rules
from jupyter_cabinet.approvals.model import AskingRun
from jupyter_cabinet.runtimes.model import AnswerOption, PermissionAsked
from jupyter_cabinet.runtimes.shared.permission_hook import PLAIN

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ROOT = "/home/ada/work"
RUN = AskingRun(
    id="r",
    session_id="s",
    terminal_id=None,
    path=None,
    runtime_title="Claude Code",
    instruction="Do it.",
    folder=ROOT,
    isolated=False,
    owner="ada",
    owner_name="Ada Lind",
    visibility="private",
)


def asked(tool: str = "Bash", options: tuple[AnswerOption, ...] = PLAIN, **arguments: object) -> PermissionAsked:
    return PermissionAsked(question_id="q", question="?", tool=tool, input=arguments, options=options)


def approval(question: PermissionAsked, **changes: object):
    made = rules.approval_of(RUN, question, id="a", root=ROOT, now=NOW, seconds=600)
    return msgspec.structs.replace(made, **changes)


def risks(question: PermissionAsked, folder: str = ROOT) -> set[str]:
    return set(rules.risks_of(question, isolated=True, root=ROOT, folder=folder))


@pytest.mark.parametrize(
    ("question", "title"),
    [
        (asked(command="ls"), "Claude Code asks to run a command"),
        (asked("shell", cmd=["ls", "-l"]), "Claude Code asks to run a command"),
        (asked("Write", file_path="a.md", content="x"), "Claude Code asks to edit a file"),
        (asked("apply_patch", path="a.md", diff="x"), "Claude Code asks to edit a file"),
        (asked("Read", file_path="a.md"), "Claude Code asks to use Read"),
        (asked("WebFetch", url="https://x.org"), "Claude Code asks to use WebFetch"),
        (
            asked("AskUserQuestion", (AnswerOption(id="c", label="Yes", kind="choice"), PLAIN[1])),
            "Claude Code asks a question",
        ),
    ],
)
def test_its_title_says_what_is_asked_for(question, title):
    assert approval(question).title == title


@pytest.mark.parametrize(
    ("command", "expected"),
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
def test_risks_are_seen_in_a_command(command, expected):
    assert risks(asked(command=command)) == expected


def test_a_folder_below_the_root_is_where_relative_paths_begin():
    assert risks(asked(command="cat ../a"), folder=f"{ROOT}/sub") == set()
    assert risks(asked(command="cat ../../a"), folder=f"{ROOT}/sub") == {"outside"}


def test_a_file_outside_and_a_tool_of_the_web_are_risks_too():
    assert risks(asked("Write", file_path="/etc/passwd", content="x")) == {"outside"}
    assert risks(asked("WebFetch", url="x.org")) == {"network"}
    assert rules.risks_of(asked(command="ls"), isolated=False, root=ROOT, folder=ROOT) == ("no_sandbox",)


def test_nothing_that_decides_is_hidden_but_the_reason_stands_apart():
    parts = rules.parts_of({"command": ["a b", "c"], "description": "why", "timeout": 5, "env": {"A": "1"}})
    assert [(part.label, part.text) for part in parts] == [
        ("Command", "'a b' c"),
        ("timeout", "5"),
        ("env", '{\n "A": "1"\n}'),
    ]
    assert rules.parts_of({"description": {"not": "text"}})[0].label == "description"


def test_what_a_person_is_asked_reads_as_a_question_unless_something_would_be_hidden():
    question = {
        "question": "Which?",
        "header": "Figures",
        "multiSelect": True,
        "options": [{"label": "A", "description": "the first"}, {"label": "B"}],
    }
    (part,) = rules.parts_of({"questions": [question]})
    assert part.label == "Figures"
    assert part.text == "Which?\n- A: the first\n- B\n(several answers are possible)"
    (part,) = rules.parts_of({"questions": [question | {"also": "rm -rf"}]})
    assert "rm -rf" in part.text
    assert len(rules.parts_of({"questions": []})) == 1


def test_what_no_screen_can_hold_is_cut_and_that_is_a_risk():
    question = asked("Write", file_path="a.md", content="x" * 100_001)
    made = approval(question)
    assert made.parts[1].label == "Content (the first 100000 of 100001 characters)"
    assert len(made.parts[1].text) == 100_000
    assert "cut" in made.risks


def test_many_arguments_together_are_cut_too():
    made = approval(asked("Write", **{f"a{number}": "x" * 90_000 for number in range(80)}))
    assert sum(len(part.text) for part in made.parts) == 400_000
    assert "cut" in made.risks
    assert made.parts[-1].label == "a79 (the first 0 of 90000 characters)"


def test_words_that_stand_in_titles_and_on_buttons_have_an_end():
    options = (AnswerOption(id="a", label="x" * 90_000, kind="choice", grants="y" * 90_000),)
    made = approval(PermissionAsked(question_id="q", question="Q" * 200_000, tool="t" * 90_000, options=options))
    assert len(msgspec.json.encode(made)) < 110_000
    assert made.options[0].id == "a"


@pytest.mark.parametrize("piece", ["git push ", "'a b ", "drop ", "git \t", "a=/../"])
def test_the_risks_of_a_command_without_end_are_looked_for_within_a_moment(piece):
    started = time.monotonic()
    risks(asked(command=piece * (2_000_000 // len(piece))))
    assert time.monotonic() - started < 2


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)))
def test_whatever_a_model_sends_every_argument_is_shown(arguments):
    question = PermissionAsked(question_id="q", question="", tool="t", input=arguments)
    made = approval(question)
    reasons = [name for name, value in arguments.items() if name in ("description", "justification")]
    assert len(made.parts) >= len(arguments) - len(reasons)
    assert msgspec.json.decode(msgspec.json.encode(made), type=type(made)) == made


def test_what_nobody_answers_is_denied_unless_it_stands_in_a_terminal():
    assert rules.expired(approval(asked(command="ls")), 600) == "Denied, nobody answered in 10 min"
    left = rules.expired(approval(asked(command="ls"), in_terminal=True), 90)
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
    assert rules.outcome_of(option, note) == said
