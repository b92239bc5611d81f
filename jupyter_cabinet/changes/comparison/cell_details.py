"""The parts of a cell other than its source, as lines for people: outputs, number, metadata, attachments. Pure.

Based on the notebook format 4.5; a part that does not follow it is shown as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_SHOWN_MIME = ("text/plain", "text/markdown", "text/latex")  # shown in full; of everything else, its size
_TOP = ("cell_type", "id", "source", "outputs")


def lines_of_cell(cell: Mapping[str, Any]) -> list[bytes]:
    """Return one line each, with its end. Binary data and HTML are named with their size."""
    outputs = cell.get("outputs")
    lines = [line for output in outputs for line in _output(output)] if isinstance(outputs, list) else []
    for key in sorted(key for key in cell if key not in _TOP):
        value = cell[key]
        if value not in (None, {}, []):
            lines += [f"{key}: {line}" for line in _json(value).splitlines()]
    return [line.encode(errors="replace") + b"\n" for line in lines]


def _output(output: Any) -> Iterator[str]:
    kind = output.get("output_type") if isinstance(output, dict) else None
    if kind == "stream":
        yield from _named(str(output.get("name", "stream")), _text(output.get("text", "")))
    elif kind == "error":
        yield f"error: {output.get('ename', '')}: {output.get('evalue', '')}"
    elif kind in ("display_data", "execute_result") and isinstance(output.get("data"), dict):
        for mime, value in sorted(output["data"].items()):
            text = _text(value)
            if mime in _SHOWN_MIME:
                yield from _named(mime, text)
            else:
                yield f"{mime}: {len(text.encode(errors='replace')):,} bytes"
    else:
        yield f"output: {_json(output)}"


def _named(name: str, text: str) -> Iterator[str]:
    return (f"{name}: {line}" for line in text.splitlines())


def _text(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
