"""Determines whether the words of a command show what is run: programs may run others, or change the shell. Pure.

`program_manuals.py` lists the programs. A person who allows a program by a rule allows everything else that it can do.
"""

from __future__ import annotations

import posixpath

from .program_manuals import GIT_SUBCOMMANDS, LAUNCHERS, LAUNCHING_SUBCOMMANDS, OLD_STYLE, OPTIONS
from .shell_arithmetic import calculates

RUNS_OTHERS = frozenset(name for each in LAUNCHERS for name in each.names.split())
_SUBCOMMANDS = {each.program: frozenset(each.names.split()) for each in LAUNCHING_SUBCOMMANDS}
_OPTIONS = {each.command: tuple(each.names.split()) for each in OPTIONS}
_TAKE_PROGRAMS = ("find", "fd", "fdfind")  # among the words after an option
_CHANGES_SHELL_TEXT = """alias autoload bind bindkey cd chdir compadd compctl complete compopt declare dirs disable
    disown emulate enable export fc float function functions getln getopts global hash history integer let limit local
    mapfile nameref popd private pushd pushln read readarray readonly rehash set setopt shopt typeset ulimit umask
    unalias unfunction unhash unlimit unset unsetopt vared zcompile zformat zle zmodload zparseopts zregexparse
    zstyle"""
_CHANGES_SHELL = frozenset(_CHANGES_SHELL_TEXT.split())
# all others set where git searches, or the programs that it runs
_GIT_BEFORE_SUBCOMMAND = ("--no-pager", "--version", "--help")


def program_of(words: tuple[str, ...]) -> str:
    """Return the last part of the program's path; empty if there are no words."""
    return posixpath.basename(words[0]) if words else ""


def doubt_of(words: tuple[str, ...]) -> str:
    """Return why these words do not show everything that would be run; empty if they do.

    The result continues the sentence “the command …”.
    """
    program = program_of(words)
    if not program:
        return "has no program"
    if _known_as(program) in RUNS_OTHERS:
        return f"runs another program by way of `{program}`"
    if program in _CHANGES_SHELL or words[0].startswith("%"):  # `%1` is a job that comes to the foreground
        return f"changes the shell by `{program}`"
    if calculates(program, words[1:]):
        return f"may calculate a word by `{program}`, which can run other programs"
    return _doubt_of_git(words) if program == "git" else _doubt_of_arguments(words)


def runs_others(words: tuple[str, ...]) -> bool:
    """Return whether another program, or shell text, may be among the words. The case of the program is ignored."""
    program = _known_as(program_of(words).casefold())
    return program in RUNS_OTHERS or program in _TAKE_PROGRAMS or bool(_launching(program, words))


def _known_as(program: str) -> str:
    """GNU's programs have a `g` before their name if the system has others: `genv`."""
    without = program.removeprefix("g")
    known = len(without) > 2 and (without in RUNS_OTHERS or without in _OPTIONS or without in _TAKE_PROGRAMS)
    return without if known else program


def _doubt_of_git(words: tuple[str, ...]) -> str:
    """Check each option before the subcommand: `git --no-pager -c alias.x='!command' x`."""
    options_end = next((at for at, word in enumerate(words) if at and not word.startswith("-")), len(words))
    if before := next((word for word in words[1:options_end] if word not in _GIT_BEFORE_SUBCOMMAND), ""):
        return f"gives git an option before its subcommand, `{before}`"
    subcommand = "".join(words[options_end : options_end + 1])
    if subcommand in _SUBCOMMANDS["git"]:
        return f"can run other programs by `git {subcommand}`"
    if subcommand and subcommand not in GIT_SUBCOMMANDS:
        return f"has `git {subcommand}`, which may be an alias or run other programs"
    return _doubt_of_options(words, (*_OPTIONS["git"], *_OPTIONS.get(f"git {subcommand}", ())))


def _doubt_of_arguments(words: tuple[str, ...]) -> str:
    program = program_of(words)
    known_as = _known_as(program)
    if subcommand := _launching(known_as, words):
        return f"runs another program by way of `{program} {subcommand}`"
    if known_as in OLD_STYLE and len(words) > 1 and not words[1].startswith("-"):
        words = (words[0], f"-{words[1]}", *words[2:])
    return _doubt_of_options(words, _OPTIONS.get(known_as, ()))


def _doubt_of_options(words: tuple[str, ...], options: tuple[str, ...]) -> str:
    risky = next((word for word in words[1:] if any(_may_mean(word, option) for option in options)), "")
    return f"has `{risky}`, which can run or write more than it says" if risky else ""


def _launching(program: str, words: tuple[str, ...]) -> str:
    """Return the subcommand that takes another program; a rule could be about none of git's."""
    subcommands = _SUBCOMMANDS.get(program, frozenset()) if program != "git" else frozenset()
    return next((word for word in words[1:] if word in subcommands), "")


def _may_mean(word: str, option: str) -> bool:
    """Return whether a program may take the word for this option: abbreviated, or with a value joined to it."""
    name = word.partition("=")[0]
    if option.startswith("--"):
        return len(name) > 2 and option.startswith(name)
    if len(option) > 2:
        return name == option
    return word.startswith("-") and not word.startswith("--") and option[1] in word[1:]
