"""Filters a PTY's output before anything else sees it: viewers, replays and recordings get no more. Pure.

Removed everywhere: OSC 52 (a program reads or sets the clipboard of all viewers) and strings over 4 KiB. The result
ends with a complete character and a complete sequence.
"""

from __future__ import annotations

from .sequences import Scanner, Sequence

CLIPBOARD = 52
IN_PLACE_OF_A_STRING = b"\x1b\\"  # only ends an open sequence, as the string's introducer did


class Sieve:
    """Follows one PTY's output."""

    def __init__(self) -> None:
        self._scanner = Scanner(modes=False)

    def feed(self, chunk: bytes) -> tuple[bytes, list[Sequence]]:
        """Return the kept part of the complete output, and the sequences in it that may have a meaning."""
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
        """Return the rest at the end of the output: an unfinished character.

        An unfinished sequence shows nothing, and might ask.
        """
        rest, self._scanner = self._scanner.open_bytes, Scanner(modes=False)
        return b"" if rest.startswith((b"\x1b", b"\xc2")) else rest


def _is_unwanted(sequence: Sequence) -> bool:
    return sequence.kind == "long" or (sequence.kind == "osc" and number_of(sequence) == CLIPBOARD)


def number_of(osc: Sequence) -> int | None:
    """Return the number of the operating system command; None if it has none."""
    number = osc.text.partition(b";")[0]
    return int(number) if number.isdigit() else None
