"""Takes files and commands out of a page of the docs, so that a test can follow it."""

from __future__ import annotations

import re
from pathlib import Path

# "`name`:" on its own line, or a name at the end of a sentence that ends in a colon, and the block after it
_FILE = re.compile(r"`([\w.]+\.\w+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
_SHELL = re.compile(r"```bash\n(.*?)```", re.DOTALL)


def files_of(page: Path) -> dict[str, str]:
    """The page's files by name, in the order in which they come."""
    return dict(_FILE.findall(page.read_text()))


def shells_of(page: Path) -> list[str]:
    """The page's commands, block by block."""
    return [block.strip() for block in _SHELL.findall(page.read_text())]
