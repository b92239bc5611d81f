"""Parses the arguments of `%%agent` and the other magics. Pure.

`parse` returns a value or raises `WrongArguments` with one sentence. The texts of `?` are the magics' docstrings.
"""

from __future__ import annotations

import argparse
import difflib
import keyword
import shlex
from collections.abc import Sequence
from typing import NoReturn

import msgspec

from .choosing import CHOICES, CannotChoose, Choice, numbers

MODES = ("ask", "edit", "bypass")
RUNNERS = ("local", "dask", "docker")


class WrongArguments(Exception):
    """Invalid arguments, with a sentence that says what is possible."""


class AgentArguments(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments of `%%agent`."""

    agent: str | None = None
    runtime: str | None = None
    model: str | None = None
    mode: str | None = None  # permission mode
    name: str | None = None  # the variable for the result
    choice: Choice = Choice()
    background: bool = False
    new_session: bool = False
    terminal: bool = False
    isolated: bool = False
    runner: str | None = None
    show: bool = False
    raises: bool = True


class PlayArguments(msgspec.Struct, frozen=True, kw_only=True):
    """Of `%play` and `%%play`."""

    play: str
    inputs: dict[str, str] = {}
    agent: str | None = None
    name: str | None = None
    background: bool = False
    raises: bool = True


def agent_arguments(line: str) -> AgentArguments:
    """Parse the line of `%%agent`. Raises `WrongArguments`, whose text suggests what is possible."""
    given = _parsed(AGENT, line, "%%agent")
    chosen = [each.strip() for each in ",".join(given.context).split(",") if each.strip()]
    for each in chosen:
        if each not in CHOICES:
            raise WrongArguments(f"--context {each} is not known. {_offer(each, CHOICES)}")
    choice = Choice(
        before="cell" in chosen,
        named="vars" in chosen,
        error="error" in chosen,
        variables=_variables(",".join(given.vars)),
        cells=_cells(given.cells),
    )
    return AgentArguments(
        agent=given.agent.removeprefix("@") if given.agent else None,
        runtime=given.runtime,
        model=given.model,
        mode=_one_of(MODES, "--mode", given.mode),
        name=_name(given.name),
        choice=choice,
        background=given.background,
        new_session=given.new_session,
        terminal=given.terminal,
        isolated=given.isolated,
        runner=_one_of(RUNNERS, "--runner", given.runner),
        show=given.show,
        raises=not given.no_raise,
    )


def play_arguments(line: str, cell: str | None) -> PlayArguments:
    """Parse the line of `%play`, or the line and the text of `%%play`.

    The text contains `name = value` lines, or the value of a single input that the line names. Raises `WrongArguments`.
    """
    given = _parsed(PLAY, line, "%play" if cell is None else "%%play")
    inputs: dict[str, str] = {}
    open_name = None
    for each in given.inputs:
        name, equals, value = each.partition("=")
        if not name.isidentifier():
            raise WrongArguments(
                f"{each} is not a valid input. Write name=value, with quotes around a value that has spaces."
            )
        if not equals:
            if cell is None or open_name is not None:
                raise WrongArguments(f"The input {name} has no value. Write {name}=value.")
            open_name = name
        inputs[name] = value
    if open_name is not None:
        inputs[open_name] = (cell or "").strip()
    elif cell is not None:
        inputs |= _input_lines(cell)
    return PlayArguments(
        play=given.play,
        inputs=inputs,
        agent=given.agent,
        name=_name(given.name),
        background=given.background,
        raises=not given.no_raise,
    )


class _Parser(argparse.ArgumentParser):
    """Reports an error in one sentence, and never ends the kernel."""

    def error(self, message: str) -> NoReturn:
        raise WrongArguments(message)


def _parser() -> _Parser:
    return _Parser(add_help=False, allow_abbrev=False)


def _agent_parser() -> _Parser:
    parser = _parser()
    parser.add_argument("agent", nargs="?")
    parser.add_argument("--runtime", "-r")
    parser.add_argument("--model", "-m")
    parser.add_argument("--mode")
    parser.add_argument("--as", dest="name")
    parser.add_argument("--context", "-c", action="append", default=[])
    parser.add_argument("--vars", action="append", default=[])
    parser.add_argument("--cells", action="append", default=[])
    parser.add_argument("--background", "-b", action="store_true")
    parser.add_argument("--new-session", action="store_true")
    parser.add_argument("--terminal", "-t", action="store_true")
    parser.add_argument("--isolated", action="store_true")
    parser.add_argument("--runner")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--no-raise", action="store_true")
    return parser


def _play_parser() -> _Parser:
    parser = _parser()
    parser.add_argument("play")
    parser.add_argument("inputs", nargs="*")
    parser.add_argument("--agent")
    parser.add_argument("--as", dest="name")
    parser.add_argument("--background", "-b", action="store_true")
    parser.add_argument("--no-raise", action="store_true")
    return parser


AGENT, PLAY = _agent_parser(), _play_parser()


def options(parser: argparse.ArgumentParser) -> tuple[str, ...]:
    """Return the long options of a parser, in its order, for completion and for the docs' test."""
    return tuple(text for action in parser._actions for text in action.option_strings if text.startswith("--"))


def _parsed(parser: _Parser, line: str, magic: str) -> argparse.Namespace:
    try:
        words = shlex.split(line)
    except ValueError:
        raise WrongArguments("A quotation mark is not closed.") from None
    _check_options(parser, words)
    try:
        given, rest = parser.parse_known_intermixed_args(words)
    except WrongArguments as error:
        raise WrongArguments(_plainly(str(error), magic)) from None
    if rest:
        what = "Put the instruction into the lines below" if parser is AGENT else "Write inputs as name=value"
        raise WrongArguments(f"{' '.join(rest)} was not understood after {magic}. {what}. {magic}? lists the options.")
    return given


def _check_options(parser: _Parser, words: Sequence[str]) -> None:
    known = [text for action in parser._actions for text in action.option_strings]
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("-") and len(name) > 1 and name not in known:
            raise WrongArguments(f"{name} is not known. {_offer(name, options(parser))}")


def _plainly(message: str, magic: str) -> str:
    """Rewrite argparse's message as ours."""
    if "expected one argument" in message:
        return f"{message.partition(':')[0].removeprefix('argument ').split('/')[0]} needs a value after it."
    if "required" in message:
        return f"{magic} needs a name after it."
    return f"{message[:1].upper()}{message[1:]}."


def _offer(word: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."


def what_there_is(kind: str, known: Sequence[str]) -> str:
    """Return the sentence that lists what a line could have named. `kind`: its plural, such as "plays"."""
    return f"There are: {', '.join(known)}." if known else f"There are no {kind} yet."


def _one_of(known: Sequence[str], option: str, text: str | None) -> str | None:
    if text is not None and text not in known:
        raise WrongArguments(f"{option} {text} is not known. {_offer(text, tuple(known))}")
    return text


def _name(text: str | None) -> str | None:
    if text is not None and (not text.isidentifier() or keyword.iskeyword(text)):
        raise WrongArguments(f"--as {text}: this is not a valid name for a variable.")
    return text


def _variables(text: str) -> tuple[str, ...]:
    names = [each.strip() for each in text.split(",") if each.strip()]
    for name in names:
        if not name.isidentifier():
            raise WrongArguments(f"--vars {name}: this is not a valid name for a variable.")
    return tuple(names)


def _cells(texts: Sequence[str]) -> tuple[int, ...]:
    try:
        return numbers(",".join(texts)) if texts else ()
    except CannotChoose as error:
        raise WrongArguments(f"--cells: {error}") from None


def _input_lines(cell: str) -> dict[str, str]:
    """Parse `name = value` lines; empty lines and comments (#) are skipped."""
    found = {}
    for line in cell.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip().isidentifier():
            raise WrongArguments(
                f"{line.strip()[:60]} is not a valid input. Write name = value in each line, or name the one "
                "input that the whole text is for: %%play NAME input."
            )
        found[name.strip()] = value.strip()
    return found
