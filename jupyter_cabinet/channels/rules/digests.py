"""One message about several things. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..port import Limits
from .splitting import length

MOST_LISTED = 20


def digest_text(sentences: Sequence[str], limits: Limits) -> str:
    """Return a message with the oldest of the sentences, at most 20, and the number of the rest. It fits into one
    message.

    A single sentence is returned unchanged, even if it is longer.
    """
    if len(sentences) == 1:
        return sentences[0]
    listed = min(MOST_LISTED, len(sentences))
    while listed > 1 and length(_text(sentences, listed), limits) > limits.length:
        listed -= 1
    return _text(sentences, listed)


def _text(sentences: Sequence[str], listed: int) -> str:
    lines = [f"{len(sentences)} notifications:", *(f"- {each}" for each in sentences[:listed])]
    if rest := len(sentences) - listed:
        lines.append(f"and {rest} more. See Activity in JupyterLab.")
    return "\n".join(lines)
