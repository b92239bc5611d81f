"""Reads untrusted YAML as plain values: YAML 1.2 scalars, no aliases, limited depth. Pure.

PyYAML's safe parser reads the syntax. The meaning of scalars is decided here, because PyYAML follows YAML 1.1, where
`no` is false and `2026-10-01` is a date. Called by `front_matter.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

MAX_DEPTH = 10
MAX_DIGITS = 30  # limit for numbers; longer ones are a mistake, and slow to convert

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is ten times as fast

_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# The core schema of YAML 1.2.2, chapter 10.3.2
_INTEGER = re.compile(r"(?P<decimal>[-+]?[0-9]+)|0o(?P<octal>[0-7]+)|0x(?P<hexadecimal>[0-9a-fA-F]+)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


class NotReadable(Exception):
    """Raised if this YAML is not accepted. `line`: in the given text, counted from 0."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(problem)


class Span:
    """The lines of a field in a block mapping, from `start` up to, not including, `end`, counted from 0."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start + 1

    def reach(self, mark: Any) -> None:
        """Extend the span up to this mark."""
        self.end = max(self.end, mark.line + (1 if mark.column else 0))


def read_mapping(text: str) -> dict[str, Any]:
    """Parse the mapping in a YAML text; an empty text is an empty mapping. Keys are text, as written.

    Values are None, bool, int, float, str, list and dict. Raises `NotReadable` for anything else: also for anchors,
    aliases, tags, a field that occurs twice, more than ten levels, and numbers that are too large or not finite.
    """
    events = _events(text)
    first = next(events)
    if isinstance(first, yaml.StreamEndEvent):
        return {}
    if not isinstance(first, yaml.MappingStartEvent):
        raise NotReadable(first.start_mark.line, "fields were expected, each as `name: value`")
    value = _value(events, first, 1)
    if not isinstance(last := next(events), yaml.StreamEndEvent):
        raise NotReadable(last.start_mark.line, "one set of fields was expected, not several documents")
    assert isinstance(value, dict)
    return value


def spans(text: str) -> dict[str, Span] | None:
    """Return the lines of each field of a text that `read_mapping` accepts.

    None: the fields do not start on separate lines in the first column, as in `{name: Ada}`.
    """
    found: dict[str, Span] = {}
    depth, key = 0, ""
    for event in _events(text):
        if depth == 1 and not key and issubclass(type(event), yaml.ScalarEvent):
            if event.start_mark.column:
                return None
            key = event.value
            found[key] = Span(event.start_mark.line)
            continue
        if key and not _is_block_end(event):
            found[key].reach(event.end_mark)
        depth += _change_of_depth(event)
        key = "" if depth == 1 else key
    return found


def scalar(text: str) -> Any:
    """Return the value of a plain scalar. Raises `ValueError` for a number that is too large or not finite."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _NOT_FINITE.fullmatch(text) or (len(text) > MAX_DIGITS and _FLOAT.fullmatch(text)):
        raise ValueError(text)
    if (number := _INTEGER.fullmatch(text)) is not None:
        base = {"decimal": 10, "octal": 8, "hexadecimal": 16}[str(number.lastgroup)]
        return _in_64_bits(int(number[number.lastgroup or 0], base))
    if _FLOAT.fullmatch(text):
        value = float(text)
        if math.isinf(value):
            raise ValueError(text)
        return value
    return text


def is_text(text: str) -> bool:
    """Return whether a plain scalar with these characters is read as text."""
    try:
        return isinstance(scalar(text), str)
    except ValueError:
        return False


def _in_64_bits(value: int) -> int:
    """Return the number. Raises `ValueError` for a larger one, which could not be hashed or written as JSON."""
    if not -(2**63) <= value < 2**64:
        raise ValueError(value)
    return value


def _events(text: str) -> Iterator[Any]:
    """Yield PyYAML's events, without the start of the stream and the bounds of documents. Raises `NotReadable`.

    The type is `Any`, because PyYAML's types do not declare the marks of events.
    """
    passed_over = (yaml.StreamStartEvent, yaml.DocumentStartEvent, yaml.DocumentEndEvent)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            if not isinstance(event, passed_over):
                yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotReadable(mark.line if mark else 0, error.problem or "this is not YAML") from None
    except (yaml.YAMLError, ValueError, OverflowError):  # the last two are raised for an escape of an invalid character
        raise NotReadable(0, "it has a character that YAML does not allow") from None


def _value(events: Iterator[Any], event: Any, depth: int) -> Any:
    line = event.start_mark.line
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise NotReadable(line, "anchors and aliases (`&name`, `*name`) are not accepted, write the value out")
    if event.tag is not None:
        raise NotReadable(line, "tags (`!name`) are not accepted, write the plain value")
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event)
    if depth > MAX_DEPTH:
        raise NotReadable(line, f"at most {MAX_DEPTH} levels of nesting are accepted")
    if isinstance(event, yaml.SequenceStartEvent):
        return [_value(events, each, depth + 1) for each in _until(events, yaml.SequenceEndEvent)]
    return _mapping(events, depth)


def _mapping(events: Iterator[Any], depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in _until(events, yaml.MappingEndEvent):
        line = key.start_mark.line
        if not isinstance(key, yaml.ScalarEvent) or key.anchor is not None or key.tag is not None:
            raise NotReadable(line, "the name of a field must be plain text")
        name = _encodable(key.value, line)
        if name in found:
            raise NotReadable(line, f"the field {name} is there twice, keep one of them")
        found[name] = _value(events, next(events), depth + 1)
    return found


def _until(events: Iterator[Any], end: type[yaml.Event]) -> Iterator[Any]:
    """Yield events up to the matching end, which always exists, because the parser balances its events."""
    while not isinstance(event := next(events), end):
        yield event


def _scalar(event: Any) -> Any:
    line = event.start_mark.line
    text = _encodable(event.value, line)
    if not event.implicit[0]:  # quoted or block text
        return text
    try:
        return scalar(text)
    except ValueError:
        raise NotReadable(line, f"{text[:40]} is not a usable number") from None


def _encodable(text: str, line: int) -> str:
    """Return the text. Raises `NotReadable` for an escaped half of a surrogate pair, which is not a character."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise NotReadable(line, "it has a character that YAML does not allow")
    return text


def _is_block_end(event: Any) -> bool:
    """Return whether an event ends a block. Its mark is after the comments that follow the block."""
    return issubclass(type(event), yaml.CollectionEndEvent) and event.start_mark.index == event.end_mark.index


def _change_of_depth(event: Any) -> int:
    if isinstance(event, yaml.CollectionStartEvent):
        return 1
    return -1 if isinstance(event, yaml.CollectionEndEvent) else 0
