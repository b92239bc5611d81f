"""The arguments of the magics: understood, or refused with a sentence that says what is possible."""

from __future__ import annotations

import re

import pytest

from jupyter_cabinet.notebook.arguments import (
    AGENT,
    PLAY,
    WrongArguments,
    agent_arguments,
    options,
    play_arguments,
    what_there_is,
)
from jupyter_cabinet.notebook.choosing import Choice
from jupyter_cabinet.notebook.magics import CabinetMagics


def test_everything_can_be_said_at_once() -> None:
    given = agent_arguments("@ada -b --as r --context cell,error --vars df,x --vars y --cells 3,5-7 -m opus --no-raise")
    assert (given.agent, given.background, given.name, given.model, given.raises) == ("ada", True, "r", "opus", False)
    assert given.choice == Choice(before=True, error=True, variables=("df", "x", "y"), cells=(3, 5, 6, 7))
    assert agent_arguments("").agent is None
    assert agent_arguments("--runner dask").runner == "dask"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--colour", "--colour is not known"),
        ("--contxt cell", "Did you mean --context?"),
        ("--context all", "--context all is not known. There are: cell, vars, error."),
        ("--context vras", "Did you mean vars?"),
        ("--model", "--model needs a value after it."),
        ("--as 1x", "this is not a valid name for a variable"),
        ("--as class", "this is not a valid name for a variable"),
        ("--cells a", "not a list of cells"),
        ("--cells 1-99999999", "at most 100"),
        ("--mode all", "--mode all is not known. There are: ask, edit, bypass."),
        ("--runner moon", "--runner moon is not known. There are: local, dask, docker."),
        ("ada What is this?", "What is this? was not understood after %%agent. Put the instruction into the lines"),
        ("--as 'x", "A quotation mark is not closed."),
    ],
)
def test_what_cannot_be_meant_is_refused_in_plain_words(line: str, words: str) -> None:
    with pytest.raises(WrongArguments) as refused:
        agent_arguments(line)
    assert words in str(refused.value)
    assert str(refused.value).endswith(".") or str(refused.value).endswith("?")


def test_a_play_takes_inputs_from_the_line_and_from_the_cell() -> None:
    assert play_arguments("triage days=7 who='Ada Lind'", None).inputs == {"days": "7", "who": "Ada Lind"}
    given = play_arguments("triage days=7", "# a comment\n\nwho = Ada Lind\nurl=https://a.example/?x=1\n")
    assert given.inputs == {"days": "7", "who": "Ada Lind", "url": "https://a.example/?x=1"}
    assert play_arguments("summarise text", "One.\nTwo = 2.\n").inputs == {"text": "One.\nTwo = 2."}


@pytest.mark.parametrize(
    ("line", "cell", "words"),
    [
        ("", None, "%play needs a name after it."),
        ("triage days", None, "The input days has no value. Write days=value."),
        ("triage 'a b'", None, "a b is not a valid input"),
        ("triage a b", "text", "The input b has no value"),
        ("triage", "just text", "just text is not a valid input. Write name = value in each line"),
    ],
)
def test_inputs_that_cannot_be_meant_are_refused(line: str, cell: str | None, words: str) -> None:
    with pytest.raises(WrongArguments) as refused:
        play_arguments(line, cell)
    assert words in str(refused.value)


@pytest.mark.parametrize(("magic", "parser"), [("agent", AGENT), ("play", PLAY)])
def test_the_help_names_every_option(magic: str, parser: object) -> None:
    text = getattr(CabinetMagics, magic).__doc__
    assert set(options(parser)) == set(re.findall(r"--[a-z][a-z-]+", text))  # type: ignore[arg-type]


def test_a_line_that_names_nothing_is_answered_with_what_there_is() -> None:
    assert what_there_is("plays", ["collect", "report"]) == "There are: collect, report."
    assert what_there_is("plays", []) == "There are no plays yet."
