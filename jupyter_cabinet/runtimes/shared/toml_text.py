"""Writes values as TOML in one line, for CLIs whose settings are overridden by arguments or files. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

TomlValue = str | bool | int | Sequence["TomlValue"] | Mapping[str, "TomlValue"]


def toml(value: TomlValue) -> str:
    """Return one value as TOML in one line; a mapping becomes an inline table with quoted keys."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_string(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    return "[" + ", ".join(toml(inner) for inner in value) + "]"


def _string(text: str) -> str:
    # A JSON string is a TOML string, with three exceptions: surrogate pairs, lone surrogates, and the DEL character.
    plain = text.encode(errors="replace").decode()
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
