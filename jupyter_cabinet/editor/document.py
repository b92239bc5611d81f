"""Reads the document of a run again, for a caller that waited for the run's end.

`pages.py` reads the mentioned files for the prompt.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..core.errors import CabinetError
from ..core.paths import open_below
from ..storage.filesystem.untrusted_files import decoded, size_of
from .model import Document

MAX_DOCUMENT_BYTES = 1_000_000


def read_document(root: Path, path: str) -> Document:
    """Return the current document: text, or the JSON of a notebook. If it cannot be returned, a note says why.

    It is not returned if it is over 1 MB, is not UTF-8, is missing or leads out of the root. A notebook that is not
    valid JSON is returned as text. It raises nothing.
    """
    try:
        with os.fdopen(open_below(root, path), "rb") as file:
            size, data = size_of(file), file.read(MAX_DOCUMENT_BYTES + 1)
    except CabinetError as error:
        return Document(path=path, note=error.message)
    except OSError as error:
        return Document(path=path, note=f"{path} cannot be read: {error.strerror}.")
    if len(data) > MAX_DOCUMENT_BYTES:
        return Document(path=path, size=size, note="Over 1 MB.")
    if path.endswith(".ipynb") and isinstance(notebook := decoded(data), dict):
        return Document(path=path, size=size, format="json", content=notebook)
    try:
        return Document(path=path, size=size, format="text", content=data.decode())
    except UnicodeDecodeError:
        return Document(path=path, size=size, note="Not UTF-8 text.")
