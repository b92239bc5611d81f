"""A text that people have open and whose file an agent has written: both changes in one. Pure."""

from __future__ import annotations

from ..changes.comparison.lines import joined_keeping_ours, lines_of


class KnownText:
    """What the file of an open text had at last: what is written into it then is compared with that."""

    def __init__(self) -> None:
        self._state: list[bytes] | None = None

    def note(self, content: str, *, by_agent: bool = False) -> None:
        """The file has this, or is about to have it."""
        self._state = _lines(content)

    def merged(self, ours: str, theirs: str) -> str:
        """`theirs`, which the file has now, with what is new in `ours`; where both have changed a line, `ours`."""
        base, written = self._state, _lines(theirs)
        self._state = written
        return theirs if base is None else b"".join(joined_keeping_ours(base, _lines(ours), written)).decode()


def _lines(text: str) -> list[bytes]:
    return lines_of(text.encode(errors="replace"))
