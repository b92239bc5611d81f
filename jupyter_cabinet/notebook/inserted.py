"""`{expression}` in the text of a cell is replaced by its value, in a few words. Pure, except for the evaluation.

`{{` and `}}` are braces. Text in braces that is not a Python expression starting with a name, such as JSON, is
unchanged.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

import msgspec

from .sensitive import MARK, has_secret_name, without_secrets
from .summaries import Summary, summary

MAX_INSERTED_CHARACTERS = 2_000
_PIECE = re.compile(r"\{\{|\}\}|\{(?P<expression>[^{}\n]+)\}")

Evaluate = Callable[[str], object]


class Inserted(msgspec.Struct, frozen=True, kw_only=True):
    """The text with its values. `attached`: context for values that are longer than a word."""

    text: str
    attached: tuple[Summary, ...] = ()


class NotInserted(Exception):
    """An expression without a value, with a sentence for the person who wrote it."""


def inserted(text: str, evaluate: Evaluate) -> Inserted:
    """Insert the values, without likely secrets. `evaluate`: returns the value of a Python expression, or raises.

    A text or number is inserted, at most 2,000 characters of it. Of other values the expression stays as a word, and
    the value is in `attached`. Raises `NotInserted` if `evaluate` raises.
    """
    attached: dict[str, Summary] = {}

    def replaced(found: re.Match[str]) -> str:
        expression = found["expression"]
        if expression is None:
            return found[0][0]
        if not _is_expression(expression):
            return found[0]
        name, value = expression.strip(), _value(expression, evaluate)
        if has_secret_name(name):
            return MARK
        if isinstance(value, (str, int, float, complex, bool, type(None))):
            return without_secrets(str(value)[: 4 * MAX_INSERTED_CHARACTERS])[:MAX_INSERTED_CHARACTERS]
        attached[name] = summary(name, value)
        return name

    return Inserted(text=_PIECE.sub(replaced, text), attached=tuple(attached.values()))


def names_in(text: str) -> tuple[str, ...]:
    """Return the words of a text that could be variables, in the order of their first occurrence."""
    return tuple(dict.fromkeys(re.findall(r"\b[^\W\d]\w*\b", text)))


def _value(expression: str, evaluate: Evaluate) -> Any:
    try:
        return evaluate(expression)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise NotInserted(f"{{{expression}}} has no value: {said}. For literal braces write {{{{ and }}}}.") from None


def _is_expression(text: str) -> bool:
    """Return whether it starts with a name: a variable, an attribute, an item, a call."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return False
    while isinstance(tree, (ast.Attribute, ast.Subscript, ast.Call)):
        tree = tree.func if isinstance(tree, ast.Call) else tree.value
    return isinstance(tree, ast.Name)
