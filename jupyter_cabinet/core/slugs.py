"""Names that become paths."""

from __future__ import annotations

import re

SLUG_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def is_slug(text: str) -> bool:
    """Return whether `text` may be used as the name of a file or folder.

    It has 1 to 64 lower-case ASCII letters, digits or `-`, and does not begin with `-`.
    """
    return SLUG_PATTERN.fullmatch(text) is not None
