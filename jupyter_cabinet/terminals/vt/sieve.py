"""What a PTY's output goes through before anything else sees it, so that no viewer, replay or recording has more. Pure.

Taken out everywhere: OSC 52 (a program reads or sets the clipboard of all who watch) and strings over 4 KiB. What is
given out ends with a whole character and a whole sequence.
"""

from __future__ import annotations

from .sequences import Scanner, Sequence

CLIPBOARD = 52
IN_PLACE_OF_A_STRING = b"\x1b\\"  # does nothing but end what was open, as the string's introducer did


class Sieve:
    """Follows one PTY's output."""

    def __init__(self) -> None:
        self._scanner = Scanner(modes=False)

    def feed(self, chunk: bytes) -> tuple[bytes, list[Sequence]]:
        """Return what is kept of what is complete, and the sequences in it that may mean something."""
        scan = self._scanner.feed(chunk)
        unwanted = [each for each in scan.sequences if _is_unwanted(each)]
        if not unwanted:
            data = scan.data
            return data if scan.settled == len(data) else data[: scan.settled], scan.sequences
        parts, place = [], 0
        for each in unwanted:
            parts += [scan.data[place : each.start], IN_PLACE_OF_A_STRING]
            place = each.end
        parts.append(scan.data[place : scan.settled])
        return b"".join(parts), [each for each in scan.sequences if each not in unwanted]

    def rest(self) -> bytes:
        """The output has ended: the beginning of a character. That of a sequence shows nothing, and might ask."""
        rest, self._scanner = self._scanner.open_bytes, Scanner(modes=False)
        return b"" if rest.startswith((b"\x1b", b"\xc2")) else rest


def _is_unwanted(sequence: Sequence) -> bool:
    return sequence.kind == "long" or (sequence.kind == "osc" and number_of(sequence) == CLIPBOARD)


def number_of(osc: Sequence) -> int | None:
    """Which operating system command it is."""
    number = osc.text.partition(b";")[0]
    return int(number) if number.isdigit() else None
