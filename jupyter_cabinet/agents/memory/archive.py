"""The archive of a month of an agent's memory: what no longer fits into the file, in parts of a bounded size. Pure.

`effects/memory_files.py` has the files. A part may be read wherever a file of an agent may be.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..prompts.text_trimming import size
from .entries import Section, pieces, read


def with_archived(parts: Sequence[str], sections: Sequence[Section], *, most: int) -> list[str]:
    """An archive with these sections, but for those that it has already, word for word.

    Only the last part grows. Another one begins where it would have more than `most` bytes, a few KiB at least.
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
