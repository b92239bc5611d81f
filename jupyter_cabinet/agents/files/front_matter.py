"""Files with front matter: fields in YAML between two lines of `---`, followed by a body of text. Pure.

Reading is strict: if front matter cannot be read, `Malformed` names the file, the line and what was expected; no
default is used. Changes keep comments, order, unknown fields, quotes and the body as they were. For personas, plays and
messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from ...core.errors import Invalid, Malformed
from . import yaml_change, yaml_values

MAX_BYTES = 64 * 1024  # limit for the fields; callers limit the body

_BREAK = r"(?:\r\n|\n|\r)"
_OPENING = re.compile(rf"\ufeff?---[ \t]*{_BREAK}")
_CLOSING = re.compile(rf"(?<![^\r\n])---[ \t]*(?:{_BREAK}|\Z)")

_FIELD = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:")


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """The fields, in the order of the file, and the body after them. A file without front matter is only a body."""

    fields: dict[str, Any]
    body: str


class _Sections(msgspec.Struct, frozen=True):
    opening: str
    fields: str
    closing: str
    body: str


def decoded(content: bytes, *, file: str) -> str:
    """Decode a file. `file`: its name in errors. Raises `Malformed` if it is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _malformed(file, line, "the text is not UTF-8, save it as UTF-8") from None


def read(text: str, *, file: str) -> FrontMatter:
    """Split a text and parse its fields. A text without front matter has no fields.

    `file`: its name in errors. Raises `Malformed`, with file and line, if the fields are not closed, too large, or
    cannot be read.
    """
    sections = _split(text, file)
    try:
        fields = yaml_values.read_mapping(_with_plain_breaks(sections.fields))
    except yaml_values.NotReadable as problem:
        raise _malformed(file, problem.line + 2, problem.problem) from None
    return FrontMatter(fields=fields, body=sections.body)


def lines_of(text: str, *, file: str) -> dict[str, int]:
    """Return the line of the file where each field begins, counted from 1, by the field's unquoted name.

    Raises `Malformed` if no line ends the fields.
    """
    lines = _with_plain_breaks(_split(text, file).fields).split("\n")
    found = ((number, _FIELD.match(line)) for number, line in enumerate(lines, 2))
    return {match[1]: number for number, match in found if match}


def changed(text: str, changes: Mapping[str, Any], *, file: str) -> str:
    """Return the text with other values for some fields; None removes a field.

    Comments, order, other fields and the body are unchanged; new fields are added at the end. Raises `Malformed` if the
    text cannot be read, and `Invalid` if the values cannot be written without loss.
    """
    before = read(text, file=file)
    wanted = {name: value for name, value in {**before.fields, **changes}.items() if name not in _removed(changes)}
    if _same(wanted, before.fields):
        return text
    sections = _split(text, file)
    fields = yaml_change.rewritten(_with_plain_breaks(sections.fields), changes)
    line_break = "\r\n" if sections.opening.endswith("\r\n") else "\n"
    result = sections.opening + fields.replace("\n", line_break) + sections.closing + sections.body
    _check_kept(result, FrontMatter(fields=wanted, body=sections.body), file)
    return result


def _removed(changes: Mapping[str, Any]) -> set[str]:
    return {name for name, value in changes.items() if value is None}


def _check_kept(text: str, wanted: FrontMatter, file: str) -> None:
    """Raise `Invalid` if the new text would be read as other fields or another body than wanted."""
    try:
        found = read(text, file=file)
    except Malformed:
        found = None
    if found is None or found.body != wanted.body or not _same(found.fields, wanted.fields):
        raise Invalid(f"{file}: these values cannot be written without a loss. Edit the file by hand.", file=file)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Compare as JSON, so that 1, 1.0 and true differ."""
    try:
        return msgspec.json.encode(one, order="deterministic") == msgspec.json.encode(other, order="deterministic")
    except (TypeError, ValueError, RecursionError, OverflowError):
        return False  # a value that front matter cannot hold


def _split(text: str, file: str) -> _Sections:
    opening = _OPENING.match(text)
    if opening is None:
        line_break = "\r\n" if "\r\n" in text else "\n"
        mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
        return _Sections(f"{mark}---{line_break}", "", f"---{line_break}", body)
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise _malformed(file, 1, "the fields begin here, but no line `---` ends them")
    fields = text[opening.end() : closing.start()]
    if len(fields) > MAX_BYTES or len(fields.encode(errors="replace")) > MAX_BYTES:
        raise _malformed(file, 1, f"at most {MAX_BYTES // 1024} KiB of fields are accepted")
    return _Sections(opening[0], fields, closing[0], text[closing.end() :])


def _with_plain_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _malformed(file: str, line: int, problem: str) -> Malformed:
    return Malformed(f"{file}, line {line}: {problem}.", file=file, line=line, problem=problem)
