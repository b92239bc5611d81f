"""Makes a driver's errors presentable: which value was refused and why, without any value of a row.

SQLite accepts every value; PostgreSQL checks the type of a column and accepts no NUL character. Called by
`database.py`, on the database's thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import BigInteger, Engine, Integer, SmallInteger, String, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DataError
from sqlalchemy.types import TypeEngine

from ..core.errors import Invalid

UNKNOWN = "The database cannot store a value of this request: {reason}."


def explain_errors(engine: Engine) -> None:
    """Install an error handler on this engine.

    Values that the database refuses raise `Invalid` with their column. Messages of other errors are cut to their first
    line.
    """

    @event.listens_for(engine, "handle_error")
    def _explain(context: ExceptionContext) -> Invalid | None:
        """Return the error to raise instead."""
        if context.sqlalchemy_exception is not None:
            _shorten(context.sqlalchemy_exception, context.original_exception)
        return Invalid(_refusal(context)) if isinstance(context.sqlalchemy_exception, DataError) else None


def _refusal(context: ExceptionContext) -> str:
    """Return the first value that does not fit, else the database's own reason."""
    found = next(_unfit(context), None)
    return found or UNKNOWN.format(reason=first_line(context.original_exception))


def _shorten(error: BaseException, original: BaseException) -> None:
    reason = first_line(original)
    if hasattr(original, "diag"):  # of PostgreSQL
        error.args = (f"({type(original).__name__}) {reason}", *error.args[1:])
        original.args = (reason,)


def first_line(error: BaseException) -> str:
    """Return a driver's message without the lines after the first: PostgreSQL puts complete rows into them."""
    text = getattr(getattr(error, "diag", None), "message_primary", None) or str(error)
    return str(text).partition("\n")[0]


def _unfit(context: ExceptionContext) -> Iterator[str]:
    types = _types(context)
    for values in _rows(context.parameters):
        for name, value in values.items():
            column, kind = types.get(name, (name, None))
            if (problem := problem_of(value, kind)) is not None:
                yield f"The database cannot store the value of {column}: {problem}."


def _types(context: ExceptionContext) -> dict[str, tuple[str, TypeEngine[Any]]]:
    """Return the column and its type by the name of the parameter."""
    compiled = getattr(context.execution_context, "compiled", None)
    binds = getattr(compiled, "binds", {})
    return {name: (_column(name, getattr(bind, "_orig_key", "")), bind.type) for name, bind in binds.items()}


def _column(name: str, key: str | None) -> str:
    """In a condition, the parameter is the column's name with a number; in an insert, it is the name itself."""
    return name if key in (None, "", "param") else key


def _rows(parameters: object) -> Iterable[Mapping[str, object]]:
    rows = parameters if isinstance(parameters, list | tuple) else (parameters,)
    return [row for row in rows if isinstance(row, Mapping)]


def problem_of(value: object, kind: TypeEngine[Any] | None) -> str | None:
    """Return why PostgreSQL does not store this value in a column of this kind; None if it does."""
    if isinstance(value, str):
        return _problem_of_text(value, kind)
    if isinstance(value, int) and not isinstance(value, bool):
        bits = _bits(kind)
        return (
            None if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else f"{value} is a number of more than {bits} bits"
        )
    return None


def _problem_of_text(value: str, kind: TypeEngine[Any] | None) -> str | None:
    if "\0" in value:
        return "the text contains a NUL character"
    most = kind.length if isinstance(kind, String) else None
    if most is not None and len(value) > most:
        return f"the text has {len(value)} characters, at most {most} fit"
    return None


def _bits(kind: TypeEngine[Any] | None) -> int:
    if isinstance(kind, BigInteger):
        return 64
    return 16 if isinstance(kind, SmallInteger) else 32 if isinstance(kind, Integer) else 64
