"""Writes a reply of the server into a new file of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..client.api import Api
from ..client.errors import CabinetError
from ..core.plain_text import one_line
from .printing import Printed


def written(api: Api, path: str, query: Mapping[str, str], file: Path) -> Printed:
    """Save a route's reply as a new file, and return what the command prints.

    Raises `CabinetError` if the file exists already, which then stays as it is, or if the download fails; no partial
    file remains.
    """
    try:
        with file.open("xb") as target:
            try:
                api.save(path, query, target)
            except BaseException:
                file.unlink()
                raise
    except FileExistsError:
        raise CabinetError(f"{file} exists already.", "Name another file.") from None
    except OSError as error:
        raise CabinetError(f"{file} could not be written: {error.strerror or error}. Check the path.") from error
    return Printed(value={"file": str(file)}, lines=(f"Written to {one_line(str(file))}.",))
