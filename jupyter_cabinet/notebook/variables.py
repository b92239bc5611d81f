"""The variables of a kernel, for the tool `variables_list`: names, types and shapes, without values."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

from .summaries import summary

MOST: Final = 200
_IPYTHON: Final = frozenset({"In", "Out", "exit", "quit", "get_ipython", "open"})


def listing() -> str:
    """Return a line for each variable of this kernel; empty if there are none, or if this is no IPython."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    return "" if shell is None else listing_of(shell.user_ns)


def listing_of(variables: dict[str, Any]) -> str:
    """Return a line for each variable that a person has defined."""
    names = [
        name
        for name, value in variables.items()
        if not name.startswith("_") and name not in _IPYTHON and not isinstance(value, ModuleType)
    ]
    lines = [summary(name, variables[name]).title for name in names[:MOST]]
    left = [f"({len(names) - MOST} more are left out.)"] if len(names) > MOST else []
    return "\n".join([*lines, *left])
