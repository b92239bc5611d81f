"""Builtins that calculate. Shells run the commands in `a[$(command)]` where they expect a number. Pure.

Observed with bash 5.2, zsh 5.9 and mksh R59. Called by `shell_programs.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[+-]?[0-9]+")
_COUNTING = ("break", "bye", "continue", "exit", "logout", "return", "shift")  # zsh and mksh calculate their argument
_COMPARISONS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")  # mksh
# Of a variable (bash, zsh and mksh), a reference (bash) and a terminal (zsh).
_PRIMARIES = ("-v", "-R", "-t")
# zsh calculates an argument for each other conversion, and for `*`.
_TEXT_FORMAT = re.compile(r"([^%]|%%|%[-0-9.]*[sbcq])*", re.DOTALL)


def calculates(program: str, arguments: Sequence[str]) -> bool:
    """Return whether a shell may calculate an argument that is not plainly a number.

    False for programs that do not calculate.
    """
    if program in _COUNTING:
        return not _all_numbers(arguments)
    if program in ("test", "["):
        return _compares(arguments)
    if program == "printf":
        return _formats(arguments)
    return False


def _all_numbers(words: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(word) for word in words)


def _compares(arguments: Sequence[str]) -> bool:
    for at, word in enumerate(arguments):
        behind = arguments[at + 1 : at + 2]
        if word in _COMPARISONS and not _all_numbers((*arguments[max(at - 1, 0) : at], *behind)):
            return True
        if word in _PRIMARIES and not _all_numbers(behind):
            return True
    return False


def _formats(arguments: Sequence[str]) -> bool:
    arguments = arguments[1:] if arguments[:1] == ("--",) else arguments
    return not _TEXT_FORMAT.fullmatch("".join(arguments[:1])) and not _all_numbers(arguments[1:])
