"""Names that become paths."""

from __future__ import annotations

import re

SLUG_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def is_slug(text: str) -> bool:
    """Return whether `text` may be used as the name of a file or folder."""
    return SLUG_PATTERN.fullmatch(text) is not None
