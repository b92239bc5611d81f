"""The archive of one month of an agent's memory, in parts of limited size. Pure.

It holds entries that no longer fit into the memory file. `effects/memory_files.py` reads and writes the parts. Each
part is small enough to be read like any file of an agent.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..prompts.text_trimming import size
from .entries import Section, pieces, read


def with_archived(parts: Sequence[str], sections: Sequence[Section], *, most: int) -> list[str]:
    """Return the parts of an archive with these sections added. A section whose text is there already is skipped.

    Only the last part grows. A new part begins when the last one would exceed `most` bytes, which must be a few KiB at
    least.
    """
    there = {each.text.strip() for part in parts for each in read(part).sections}
    new = [piece.text.strip() + "\n" for section in sections for piece in pieces(section, most - 2)]
    texts = [text for text in new if text.strip() not in there]
    done, last = list(parts[:-1]), [part.rstrip("\n") + "\n" for part in parts[-1:] if part.strip()]
    taken = sum(map(size, last))
    for text in texts:
        if last and taken + 1 + size(text) > most:
            done.append("\n".join(last))
            last, taken = [], 0
        last.append(text)
        taken += 1 + size(text)
    return [*done, "\n".join(last)] if texts else list(parts)
