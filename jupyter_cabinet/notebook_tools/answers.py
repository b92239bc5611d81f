"""What the tools of a notebook answer to models: cells, outputs, kernels as text, with limits. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..agents.prompts.text_trimming import cut_end
from ..agents.prompts.tool_list import MAX_ANSWER_BYTES
from .cells import Cell, Notebook, cells_of, joined, name_of, source_of

MAX_SOURCE_BYTES: Final = 20 * 1024  # shown of a source
MAX_OUTPUTS_BYTES: Final = 10 * 1024  # shown of the outputs of a cell
MAX_LINE: Final = 100  # characters
LOOKED_AT: Final = 2000  # characters at the beginning of a source, in which its first line is searched
MOST_OUTPUTS: Final = 200  # shown of a cell
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_IMAGE: Final = "image/"


def kernel_line(path: str, name: str, language: str, state: str) -> str:
    """Return a sentence about the kernel of a notebook."""
    spoken = f" ({language})" if language else ""
    return f"The kernel of {path} is {name}{spoken}. It is {state}."


def cell_list(path: str, notebook: Notebook) -> str:
    """Return a line for each cell: number, name, type, and the beginning of its source. A very long list is cut."""
    cells = cells_of(notebook)
    lines = [f"{path} has {len(cells)} {'cell' if len(cells) == 1 else 'cells'}."]
    room = MAX_ANSWER_BYTES
    for index in range(len(cells)):
        lines.append(_line(cells, index))
        room -= len(lines[-1])
        if room < 0:
            break
    return cut_end("\n".join(lines), MAX_ANSWER_BYTES)[0]


def _line(cells: Sequence[Cell], index: int) -> str:
    cell = cells[index]
    beginning = source_of(cell)[:LOOKED_AT]
    first = next((line.strip() for line in beginning.splitlines() if line.strip()), "(empty)")
    failed = " failed" if any(each.get("output_type") == "error" for each in cell.get("outputs") or ()) else ""
    return f"{index + 1}  {name_of(cells, index)}  {cell['cell_type']}{_count(cell)}{failed}  {first[:MAX_LINE]}"


def _count(cell: Cell) -> str:
    count = cell.get("execution_count")
    return f" [{count}]" if isinstance(count, int) and count else ""


def cell(notebook: Notebook, index: int) -> str:
    """Return one cell: its source, at most 20 KiB, and what it has printed and shown, at most 10 KiB.

    `index`: from 0.
    """
    cells = cells_of(notebook)
    found = cells[index]
    heading = f"Cell {index + 1} of {len(cells)}, {name_of(cells, index)}, {found['cell_type']}{_count(found)}:"
    source = _beginning(source_of(found), MAX_SOURCE_BYTES)
    if found["cell_type"] != "code":
        return f"{heading}\n{source}"
    return f"{heading}\n{source}\n\n{outputs(found['outputs'])}"


def outputs(found: Iterable[dict[str, Any]]) -> str:
    """Return what a cell has printed and shown, as text, at most 10 KiB. Images are only named. Never empty."""
    parts = [part for each in list(found)[:MOST_OUTPUTS] if (part := _output(each).strip("\n"))]
    if not parts:
        return "It has no output."
    return f"Output:\n{_beginning(chr(10).join(parts), MAX_OUTPUTS_BYTES)}"


def _output(output: dict[str, Any]) -> str:
    match output.get("output_type"):
        case "stream":
            return _plain(output.get("text"))
        case "error":
            trace = output.get("traceback")
            text = _plain("\n".join(map(str, trace))) if isinstance(trace, list) else ""
            return text or f"{output.get('ename')}: {output.get('evalue')}"
    data = output.get("data")
    data = data if isinstance(data, dict) else {}
    named = "".join(f"\n({kind}, not shown)" for kind in data if kind.startswith(_IMAGE))
    text = data.get("text/markdown") or data.get("text/plain") or ("" if named else f"({', '.join(data)}, not shown)")
    return f"{_plain(text)}{named}"


def _plain(text: Any) -> str:
    return _ESCAPES.sub("", joined(text)[: 2 * MAX_OUTPUTS_BYTES])


def _beginning(text: str, size: int) -> str:
    """Cut by characters first: that costs nothing for a very long text."""
    return cut_end(text[: size + 1], size)[0]
