"""Merges an open text with its file that an agent has written. Pure."""

from __future__ import annotations

from ..changes.comparison.lines import joined_keeping_ours, lines_of


class KnownText:
    """The last content of an open text's file: later content is compared with that."""

    def __init__(self) -> None:
        self._state: list[bytes] | None = None

    def note(self, content: str, *, by_agent: bool = False) -> None:
        """Record that the file has this content, or is about to have it."""
        self._state = _lines(content)

    def merged(self, ours: str, theirs: str) -> str:
        """Return `theirs`, the file's content, with the new parts of `ours`; if both have changed a line, `ours`.

        `theirs` is noted as the file's content. If none was noted before, it is returned unchanged.
        """
        base, written = self._state, _lines(theirs)
        self._state = written
        return theirs if base is None else b"".join(joined_keeping_ours(base, _lines(ours), written)).decode()


def _lines(text: str) -> list[bytes]:
    return lines_of(text.encode(errors="replace"))
