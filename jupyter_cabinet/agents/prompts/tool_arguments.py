"""Converts the arguments with which a model calls a tool. Pure.

Models often send a number as a text, and null for what they leave out: both are accepted. For everything else that is
wrong, the model receives sentences from which it can correct its call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from ...core.errors import Invalid
from .tool_list import Arguments, schema_of

Asked = TypeVar("Asked", bound=Arguments)
MOST_REASONS = 5  # that the model receives at once
LONGEST_NAME = 100  # characters of an argument that does not exist
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def tool_arguments(given: Mapping[str, object], kind: type[Asked]) -> Asked:
    """Return the arguments of a call.

    Raises `Invalid` with a sentence for each of the first five that are missing, wrong or unknown; `field` names the
    first.
    """
    schema = schema_of(kind)
    known, required = schema["properties"], schema["required"]
    sent = {
        name: _number(value) if known.get(name, {}).get("type") == "integer" else value
        for name, value in given.items()
        if value is not None or name in required or name not in known
    }
    try:
        return msgspec.convert(sent, kind)
    except msgspec.ValidationError:
        reasons = list(_reasons(sent, kind, schema))
        text = " ".join(reason for _, reason in reasons[:MOST_REASONS])
        raise Invalid(f"Nothing was done. {text}", field=reasons[0][0]) from None


def _number(value: object) -> object:
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _reasons(sent: Mapping[str, object], kind: type[Arguments], schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each argument that is wrong, with a sentence."""
    known = schema["properties"]
    for field in msgspec.structs.fields(kind):
        if field.name not in sent:
            if field.required:
                yield field.name, f"`{field.name}` is missing. It must be {_wanted(known[field.name])}."
            continue
        try:
            msgspec.convert(sent[field.name], field.type)
        except msgspec.ValidationError:
            yield field.name, f"`{field.name}` must be {_wanted(known[field.name])}."
    names = ", ".join(f"`{name}`" for name in known)
    for name in sent:
        if name not in known:
            offered = f"Only these exist: {names}." if known else "This tool has no arguments."
            yield name, f"There is no argument `{name[:LONGEST_NAME]}`. {offered}"


def _wanted(about: dict[str, Any]) -> str:
    """Describe the values that an argument can have, from its schema."""
    if "enum" in about:
        *others, last = about["enum"]
        return f"{', '.join(others)} or {last}"
    if about["type"] == "integer":
        return "a whole number " + _limits("from", about.get("minimum"), about.get("maximum"))
    if about["type"] == "array":
        of_list = _limits("of", about.get("minItems"), about.get("maxItems"))
        return f"a list {of_list} texts, each {_length(about['items'])}"
    return f"a text {_length(about)}"


def _length(about: dict[str, Any]) -> str:
    return f"{_limits('of', about.get('minLength'), about.get('maxLength'))} characters"


def _limits(word: str, low: int | None, high: int | None) -> str:
    if high is None:
        return f"of at least {low:,}"
    return f"of at most {high:,}" if low is None else f"{word} {low:,} to {high:,}"
