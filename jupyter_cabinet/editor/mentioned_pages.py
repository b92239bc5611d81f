"""The document of an instruction and the pages that it mentions, read from disk. Called by `kind.py`. Blocks."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import CabinetError, Invalid, Malformed, NotFound, OutsideRoot
from ..core.paths import is_file_below
from .mentions import find_mentions, looks_like_path
from .pages import Page, read_page

MAX_MENTIONS = 20


def check_document(root: Path, path: str) -> None:
    """Raise `NotFound` if there is no such file below the root, and `OutsideRoot` if the path leads out of it."""
    if not is_file_below(root, path):
        raise NotFound(f"There is no file {path}. It may have been renamed or deleted.", field="path")


def check_mentions(root: Path, instruction: str) -> None:
    """Raise `Invalid`, `OutsideRoot` or `Malformed` for mentions from which no prompt can be built.

    More than 20 are `Invalid`. A mention of a file that does not exist is accepted: it stays in the text.
    """
    mentions = find_mentions(instruction)
    if len(mentions) > MAX_MENTIONS:
        raise Invalid("More than 20 files are mentioned. Name a folder instead.", field="instruction")
    for name in mentions:
        _check_mention(root, name)


def read_mentions(root: Path, instruction: str) -> tuple[list[Page], list[str]]:
    """Return the mentioned pages, and a sentence for each that could not be read or is only named.

    It raises nothing.
    """
    pages, warnings = [], []
    for name in find_mentions(instruction):
        try:
            pages.append(read_page(root, name))
        except Malformed as error:  # it became invalid after the instruction was accepted
            warnings.append(error.message)
        except CabinetError:
            if looks_like_path(name):
                warnings.append(f"@{name} was not found and stays in the text as written.")
    warnings += [f"{page.path}: {page.note}." for page in pages if page.note]
    return pages, warnings


def _check_mention(root: Path, name: str) -> None:
    try:
        read_page(root, name)
    except OutsideRoot:
        raise OutsideRoot(f"@{name} leads out of the server's root folder.", field="instruction") from None
    except Malformed:
        raise
    except CabinetError:
        return  # `read_mentions` returns a warning for it
