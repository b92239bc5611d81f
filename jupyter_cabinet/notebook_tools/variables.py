"""The variables of a Python kernel: names, types and shapes, without values. Pure.

The kernel evaluates one expression. It imports nothing, because an agent may have put a module into the folder of the
notebook, and it calls nothing of the values but `len` and `shape` of well-known types.
"""

from __future__ import annotations

from typing import Final

import msgspec

from ..core.errors import Unavailable

MOST: Final = 200
# of the newest variables
EXPRESSION: Final = (
    "[[n[:100], str(type(v).__module__)[:100], type(v).__name__[:100],"
    " len(v) if type(v) in (str, bytes, list, tuple, dict, set, frozenset) else None,"
    " list(v.shape) if (type(v).__module__.partition('.')[0], type(v).__name__) in"
    " (('numpy', 'ndarray'), ('pandas', 'DataFrame'), ('pandas', 'Series')) else None]"
    " for n, v in list(globals().items())"
    " if n[:1] != '_' and n not in ('In', 'Out', 'exit', 'quit', 'get_ipython', 'open')"
    f" and type(v).__name__ != 'module'][-{MOST}:]"
)


class _Variable(msgspec.Struct, frozen=True, array_like=True):
    name: str
    module: str
    kind: str
    length: int | None
    shape: tuple[int, ...] | None


def listing(found: object) -> str:
    """Return a line for each of the newest 200 variables, without values; a sentence if there is none.

    `found`: the value of `EXPRESSION`. Raises `Unavailable` for anything else.
    """
    try:
        variables = msgspec.convert(found, tuple[_Variable, ...])
    except msgspec.ValidationError as error:
        raise Unavailable("The kernel cannot list its variables.") from error
    return "\n".join(map(_line, variables)) or "The kernel has no variables yet."


def _line(variable: _Variable) -> str:
    plain = variable.module in ("builtins", "__main__")
    kind = variable.kind if plain else f"{variable.module.partition('.')[0]}.{variable.kind}"
    size = f", {' × '.join(map(str, variable.shape))}" if variable.shape is not None else ""
    return f"{variable.name}: {kind}{size or ('' if variable.length is None else f', length {variable.length}')}"
