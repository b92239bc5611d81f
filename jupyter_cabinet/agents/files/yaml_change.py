"""Changes values in a YAML mapping and keeps the rest of its text. Pure. Called by `front_matter.py`.

Only the lines of a changed field are rewritten, by ruamel.yaml, which keeps the comments and quotes in them. All other
lines stay the same, byte for byte. The caller checks the result by reading it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, MutableSequence
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import (
    DoubleQuotedScalarString,
    LiteralScalarString,
    SingleQuotedScalarString,
)

from ...core.errors import Invalid
from . import yaml_values

NO_WRAP = 1 << 20  # characters in a line, so that ruamel.yaml never wraps

_INDENTED_ITEM = re.compile(r"^ +- ", re.MULTILINE)
_UNINDENTED_ITEM = re.compile(r"^- ", re.MULTILINE)


class _Text:
    """The stream that ruamel.yaml writes to."""

    encoding = None  # text, not bytes

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def write(self, piece: str) -> None:
        self.pieces.append(piece)

    def flush(self) -> None:
        """Do nothing: there is no buffer."""


def rewritten(text: str, changes: Mapping[str, Any]) -> str:
    """Return the YAML text of a mapping with other values for some fields; None removes a field. Raises `Invalid`.

    `yaml_values.read_mapping` must accept `text`.
    """
    places = yaml_values.spans(text)
    if places is None:  # fields on one line, as in `{name: Ada}`
        return _fragment(text, changes)
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", text)
    for name in sorted(set(changes) & set(places), key=lambda name: -places[name].start):
        place = places[name]
        lines[place.start : place.end] = [_field("".join(lines[place.start : place.end]), name, changes[name])]
    added = {name: value for name, value in changes.items() if name not in places and value is not None}
    return "".join(lines) + (_fragment("", added) if added else "")


def _field(text: str, name: str, value: Any) -> str:
    return "" if value is None else _fragment(text, {name: value})


def _fragment(text: str, changes: Mapping[str, Any]) -> str:
    """Change a self-contained piece of YAML with ruamel.yaml. Raises `Invalid`."""
    before = yaml_values.read_mapping(text)
    wanted = {name: value for name, value in {**before, **changes}.items() if changes.get(name, "") is not None}
    sink = _Text()
    writer = _writer(text)
    try:
        writer.dump(_merged(writer.load(text) or {}, before, wanted), sink)
    except (YAMLError, ValueError, TypeError, LookupError, AttributeError, NotImplementedError, RecursionError):
        raise Invalid("These values cannot be written as YAML. Edit the file by hand.") from None
    return "".join(sink.pieces)


def _writer(text: str) -> YAML:
    writer = YAML()
    writer.width = NO_WRAP
    writer.preserve_quotes = True
    if _INDENTED_ITEM.search(text) or not _UNINDENTED_ITEM.search(text):
        writer.indent(mapping=2, sequence=4, offset=2)
    return writer


def _merged(node: Any, before: Any, wanted: Any) -> Any:
    """Return the current value, changed to the wanted one. Equal parts keep their formatting."""
    if _same(before, wanted):
        return node
    if isinstance(wanted, Mapping) and isinstance(node, MutableMapping) and isinstance(before, Mapping):
        return _merged_mapping(node, before, wanted)
    if isinstance(wanted, list | tuple) and isinstance(node, MutableSequence) and isinstance(before, list):
        return _merged_list(node, before, wanted)
    return _as_written(node, wanted)


def _merged_mapping(node: Any, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> Any:
    keys = dict(zip(before, list(node), strict=True))  # because ruamel.yaml reads some keys as numbers
    for name in set(before) - set(wanted):
        del node[keys[name]]
    for name, value in wanted.items():
        if name in before:
            node[keys[name]] = _merged(node[keys[name]], before[name], value)
        else:
            node[name] = _plain(value)
    return node


def _merged_list(node: Any, before: list[Any], wanted: list[Any] | tuple[Any, ...]) -> Any:
    for index, value in enumerate(wanted):
        if index < len(before):
            node[index] = _merged(node[index], before[index], value)
        else:
            node.append(_plain(value))
    del node[len(wanted) :]
    return node


def _as_written(node: Any, wanted: Any) -> Any:
    """Return the wanted value; a text keeps the quotes of the text that it replaces."""
    quoted = (DoubleQuotedScalarString, SingleQuotedScalarString)
    if isinstance(wanted, str) and isinstance(node, quoted) and "\n" not in wanted:
        return type(node)(wanted)
    return _plain(wanted)


def _plain(value: Any) -> Any:
    """Return the value for ruamel.yaml. Texts of several lines become blocks, which people can read."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return LiteralScalarString(value) if isinstance(value, str) and _is_block(value) else value


def _is_block(text: str) -> bool:
    return text.endswith("\n") and text.strip() != "" and not text.startswith((" ", "\n")) and text.isascii()


def _same(one: Any, other: Any) -> bool:
    return msgspec.json.encode(one) == msgspec.json.encode(other)
