"""A value of a notebook in a few lines: its type, its shape, its beginning. Never the whole value.

Nothing is computed for it: only data in memory is read, and the cost of showing a value is limited.
"""

from __future__ import annotations

import inspect
import itertools
import reprlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

import msgspec

from .sensitive import MARK, has_secret_name, without_secrets

HEAD_ROWS: Final = 5
MAX_COLUMNS: Final = 40  # whose type is shown
MAX_SUMMARY_BYTES: Final = 6_000
MAX_CELL_CHARACTERS: Final = 60
MOST_READ: Final = 4_000  # characters of a text of which a few hundred are shown
CUT: Final = "\n(cut)"


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The summary of a value. `title`: its name, type and shape; `text`: the rest; empty: there is no more."""

    title: str
    text: str = ""


def summary(name: str, value: object) -> Summary:
    """Summarize a value. Raises nothing: if it cannot be shown, only its type is.

    A value whose name is that of a secret is left out. The text has at most 6,000 bytes.
    """
    kind = type_name(value)
    if has_secret_name(name):
        return Summary(title=f"{name}, {kind}", text=MARK)
    try:
        shape, text = _described(value)
    except Exception as error:  # whatever somebody's class does when it is read
        return Summary(title=f"{name}, {kind}", text=f"(This value cannot be shown: {type(error).__name__}.)")
    title = ", ".join(each for each in (name, kind, shape) if each)
    return Summary(title=title, text=_bounded(without_secrets(text)))


def type_name(value: object) -> str:
    """Return `DataFrame`, `ndarray`, `list`; with its module if the name by itself says little."""
    kind = type(value)
    return (
        kind.__name__
        if kind.__module__ in ("builtins", "__main__")
        else f"{kind.__module__.split('.')[0]}.{kind.__name__}"
    )


def _described(value: object) -> tuple[str, str]:
    """Return the shape (empty: none) and the beginning of a value. Secrets in it are not all removed yet.

    Raises what the value's class raises when it is read.
    """
    describe = _KNOWN.get(type_name(value))
    if describe is not None:
        return describe(value)
    if isinstance(value, ModuleType):
        return "", value.__name__
    if inspect.isroutine(value) or inspect.isclass(value):
        return "", _signature(value)
    if isinstance(value, Mapping):
        return _counted(value, "key"), _mapping(value)
    if isinstance(value, (str, bytes, bytearray)):
        return f"{len(value):,} {'characters' if isinstance(value, str) else 'bytes'}", _short().repr(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return _counted(value, "item"), _short().repr(value)
    return _shape_of(value), _short().repr(value)


class _Marked:
    """Replaces a secret."""

    def __repr__(self) -> str:
        return MARK


class _Repr(reprlib.Repr):
    """Secrets are removed before anything is cut: in a cut text they are not recognized any more."""

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        few = itertools.islice(x.items(), self.maxdict + 1)
        return super().repr_dict({key: _Marked() if _is_secret(key) else value for key, value in few}, level)

    def repr_tuple(self, x: tuple[Any, ...], level: int) -> str:
        is_item = len(x) == 2 and _is_secret(x[0])
        return super().repr_tuple((x[0], _Marked()) if is_item else x, level)

    def repr_str(self, x: str, level: int) -> str:
        return super().repr_str(without_secrets(x[:MOST_READ]), level)

    def repr_bytes(self, x: bytes, level: int) -> str:
        return self._cut(repr(x[:MOST_READ]))

    repr_bytearray = repr_bytes

    def repr_instance(self, x: object, level: int) -> str:
        return self._cut(repr(x)[: 10 * MOST_READ])

    def _cut(self, text: str) -> str:
        text = without_secrets(text)
        half = (self.maxother - 3) // 2
        return text if len(text) <= self.maxother else f"{text[:half]}...{text[-half:]}"


def _is_secret(name: object) -> bool:
    return isinstance(name, (str, bytes)) and has_secret_name(name if isinstance(name, str) else repr(name))


def _short() -> reprlib.Repr:
    short = _Repr()
    short.maxstring = short.maxother = short.maxlong = 200
    short.maxlist = short.maxtuple = short.maxset = short.maxfrozenset = short.maxdict = short.maxdeque = 10
    short.maxlevel = 3
    return short


def _counted(value: Any, unit: str) -> str:
    count = len(value)
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def _mapping(value: Mapping[Any, Any]) -> str:
    short, lines = _short(), []
    for key in itertools.islice(value, HEAD_ROWS * 2):
        shown = MARK if _is_secret(key) else short.repr(value[key])
        lines.append(f"{short.repr(key)}: {shown}")
    if len(value) > len(lines):
        lines.append("…")
    return "\n".join(lines)


def _signature(value: Any) -> str:
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = "(…)"
    about = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return f"{getattr(value, '__name__', 'it')}{signature}\n{about}".strip()


def _shape_of(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and all(isinstance(each, int) for each in shape):
        return _times(shape)
    return ""


def _times(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{each:,}" for each in shape) or "a single value"


def _pandas_frame(frame: Any) -> tuple[str, str]:
    shown = {name: kind for name, kind in list(zip(frame.columns, frame.dtypes, strict=True))[:MAX_COLUMNS]}
    types = "\n".join(f"{name}: {kind}" for name, kind in shown.items())
    more = f"\n… {frame.shape[1] - len(shown):,} more columns" if frame.shape[1] > len(shown) else ""
    return _times(frame.shape), f"{types}{more}\n\n{_pandas_head(frame.iloc[:HEAD_ROWS, :MAX_COLUMNS])}"


def _pandas_head(head: Any) -> str:
    for at, name in enumerate(head.columns):
        if has_secret_name(str(name)):
            head = head.copy()
            head.isetitem(at, [MARK] * len(head))
    if any(_is_secret(label) for label in head.index):
        head = head.astype(object)
        head[[_is_secret(label) for label in head.index]] = MARK
    head = _without_secret_labels(head)
    return str(head.to_string(max_colwidth=MAX_CELL_CHARACTERS, max_cols=20, show_dimensions=False))


def _without_secret_labels(head: Any) -> Any:
    """Return its rows, without labels in an index that has the name of a secret."""
    if not any(_is_secret(name) for name in head.index.names):
        return head
    head = head.copy()
    head.index = [MARK] * len(head)
    return head


def _pandas_series(series: Any) -> tuple[str, str]:
    head = _pandas_head(series.iloc[:HEAD_ROWS].to_frame("value"))
    return _times(series.shape), f"dtype: {series.dtype}\n\n{MARK if has_secret_name(str(series.name)) else head}"


def _polars_frame(frame: Any) -> tuple[str, str]:
    columns = list(zip(frame.columns, frame.dtypes, strict=True))
    types = "\n".join(f"{name}: {kind}" for name, kind in columns[:MAX_COLUMNS])
    rows = [
        {name: MARK if has_secret_name(name) else row[name] for name, _ in columns[:MAX_COLUMNS]}
        for row in frame.head(HEAD_ROWS).to_dicts()
    ]
    return _times(frame.shape), "\n".join([types, "", *(_short().repr(row) for row in rows)])


def _array(array: Any) -> tuple[str, str]:
    start = array[tuple(slice(0, HEAD_ROWS) for _ in array.shape)]
    if any(map(_is_secret, getattr(array.dtype, "names", None) or ())):
        return _times(tuple(array.shape)), f"dtype: {array.dtype}\n{MARK}"
    return _times(tuple(array.shape)), f"dtype: {array.dtype}\nbegins with:\n{start!r}"


_KNOWN: Final[dict[str, Callable[[Any], tuple[str, str]]]] = {
    "pandas.DataFrame": _pandas_frame,
    "geopandas.GeoDataFrame": _pandas_frame,
    "pandas.Series": _pandas_series,
    "polars.DataFrame": _polars_frame,
    "numpy.ndarray": _array,
    "torch.Tensor": _array,
    "jax.Array": _array,
}


def _bounded(text: str) -> str:
    data = text.encode(errors="replace")
    if len(data) <= MAX_SUMMARY_BYTES:
        return data.decode()
    return data[: MAX_SUMMARY_BYTES - len(CUT)].decode(errors="ignore") + CUT
