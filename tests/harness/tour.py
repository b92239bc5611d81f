"""The notebooks of the tour: executed in a fresh copy of the sample workspace, and what of their outputs matters.

`python tests/harness/tour.py` executes them and saves them with the outputs of today.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from harness.kernels import MIME_TYPE, NotebookKernel
from harness.server import Server

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NAMES = tuple(path.stem for path in sorted(NOTEBOOKS.glob("[1-9]-*.ipynb")))
EXPECTED_FAILURE = "raises-exception"  # tag of a cell, as nbclient and JupyterLab know it
OF_THIS_MACHINE = "%cabinet"  # lists the agent CLIs that are installed
WIDGET = "application/vnd.jupyter.widget-view+json"
FINAL = ("Succeeded", "Failed")

_ID = re.compile(r"\b01[0-9a-z]{24}\b")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_WORD = re.compile(r"(?<![\w/])[A-Za-z_]{2,}(?![\w/])")


def server_of_tour(place: Path, **options: Any) -> Server:
    """One that is not started yet, with the sample workspace as its folder. `options`: those of `Server`."""
    ignored = shutil.ignore_patterns(".*", "__pycache__")
    shutil.copytree(NOTEBOOKS, place / "root", ignore=ignored)
    return Server(place, **options)


def read(name: str) -> nbformat.NotebookNode:
    """As it is in the repository."""
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def executed(server: Server, name: str) -> nbformat.NotebookNode:
    """The notebook with what its cells have shown in a new kernel. Raises nbclient's error for a cell that fails."""
    kernel = NotebookKernel(server, f"{name}.ipynb")
    try:
        return kernel.execute(read(name))
    finally:
        kernel.close()


def said(notebook: nbformat.NotebookNode) -> dict[str, list[str]]:
    """The words of each cell's outputs by the cell's id: without numbers, ids, times, and what differs by machine."""
    cells = [cell for cell in _finished(notebook) if cell.source != OF_THIS_MACHINE]
    return {cell.id: [word for output in cell.outputs for word in _words(output)] for cell in cells}


def states(notebook: nbformat.NotebookNode) -> list[str]:
    """How the runs ended that its cells show, in order."""
    shown = [
        str(output["data"]["text/plain"]) for cell in _finished(notebook) for output in cell.outputs if _is_run(output)
    ]
    return [word for text in shown for word in FINAL if f": {word}" in text.partition("\n")[0]]


def readable(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """As it is saved: for a reader without this server, who has neither its runs nor its widgets."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in _code(notebook):
        for output in cell.outputs:
            data = output.get("data", {})
            for kind in (MIME_TYPE, WIDGET):
                data.pop(kind, None)
            for kind, text in data.items():
                data[kind] = _ID.sub("01…", text)
            if "text" in output:
                output["text"] = _ID.sub("01…", output["text"])
    return notebook


def _code(notebook: nbformat.NotebookNode) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _finished(notebook: nbformat.NotebookNode) -> list[Any]:
    """Without cells that do not wait: nbclient does not hear how their outputs continue."""
    return [cell for cell in _code(notebook) if "--background" not in cell.source]


def _is_run(output: Any) -> bool:
    return bool(output.get("data", {}).get(MIME_TYPE, {}).get("view") == "run")


def _words(output: Any) -> list[str]:
    text = output.get("text") or output.get("data", {}).get("text/plain") or "".join(output.get("traceback", ()))
    return _WORD.findall(_COLOUR.sub("", _ID.sub("", text)))


def main() -> None:
    """Save all of them."""
    with tempfile.TemporaryDirectory() as folder:
        (place := Path(folder, "tour")).mkdir()
        server = server_of_tour(place).start()
        try:
            for name in NAMES:
                nbformat.write(readable(executed(server, name)), NOTEBOOKS / f"{name}.ipynb")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
