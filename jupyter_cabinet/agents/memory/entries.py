"""Entries of an agent's memory (`context.md`, `decisions.md`, `learnings.md`) as texts. Pure; `effects/` has the files.

An entry is a heading `## 2026-01-01T00:00:00Z <!-- <key> [tainted] -->` and the text below it, newest last. `key` is
`<run id>/<position>`. Other installations write only the time, some of them without its year; these are entries too.
Text that a person wrote above the first heading is kept there. A file without such a heading is one old entry, and gets
a heading when the next entry is added. Entries that no longer fit are archived by month (`archive.py`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec

from ..prompts.text_trimming import size

MAX_ENTRY_BYTES = 4 * 1024  # size of a new entry's text in UTF-8
CUT = " … (cut)"
CONTINUED = "… "  # starts a part of an entry that was split within a line, so that no part starts with a heading
LEFT_OUT = (
    "(A run that had read text from outside has written this entry. It is left out until a person takes the word "
    "tainted out of its heading.)"
)

_TIME = (
    r"(?P<year>[0-9]{4}-)?(?P<month>0[1-9]|1[0-2])-[0-9]{2}(?(year)[T ]|T)"
    r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_HEADING = re.compile(
    rf"^## {_TIME}(?: <!-- (?P<key>[^\s<>]{{1,256}})(?P<tainted> tainted)? -->)?[ \t]{{0,80}}\r?$", re.MULTILINE
)
_FORGED = re.compile(rf"^([ \t]*)(#+[ \t].*<!--|## {_TIME})", re.MULTILINE)
_HARD_BREAKS = re.compile(r"\r\n?")


class Cap(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a file: number of entries (None: any) and bytes of UTF-8. The newest entry is always kept."""

    entries: int | None = None
    size: int


CAPS = {
    "context": Cap(entries=20, size=128 * 1024),
    "decisions": Cap(size=32 * 1024),
    "learnings": Cap(size=32 * 1024),
}  # by file name without `.md`


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry to be added. `key`: the key of the directive that it comes from, `<run id>/<position>`."""

    key: str
    at: datetime
    text: str
    tainted: bool = False


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """An entry as written in a file.

    `month`: `2026-01`, or `01` as read from a heading without a year. `key`: empty if the heading has none. `text`:
    includes the heading and the empty lines below the entry.
    """

    month: str
    key: str
    text: str
    tainted: bool = False


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """The parsed content of a file. `preamble` and the texts of the sections, joined in order, are the whole file."""

    preamble: str = ""
    sections: tuple[Section, ...] = ()


class Trimmed(msgspec.Struct, frozen=True, kw_only=True):
    """The new content of a file, and the sections that must be archived first, both in the order of the file."""

    kept: str
    archived: tuple[Section, ...] = ()


def read(text: str) -> Memory:
    """Parse a file; any text is accepted. After a tainted entry, only a heading with a key begins a new entry."""
    headings: list[re.Match[str]] = []
    for heading in _HEADING.finditer(text):
        if heading["key"] or not headings or not headings[-1]["tainted"]:
            headings.append(heading)
    starts = [heading.start() for heading in headings]
    ends = [*starts[1:], len(text)][: len(starts)]
    sections = tuple(
        Section(
            month=f"{heading['year'] or ''}{heading['month']}",
            key=heading["key"] or "",
            text=text[start:end],
            tainted=bool(heading["tainted"]),
        )
        for heading, start, end in zip(headings, starts, ends, strict=True)
    )
    return Memory(preamble=text[: starts[0]] if starts else text, sections=sections)


def untainted(text: str) -> str:
    """Return the memory file with a short notice in place of each section that a tainted run has written.

    For a run whose effects need no approval. Headings and the preamble are kept.
    """
    memory = read(text)
    return memory.preamble + "".join(shown_section(each) for each in memory.sections)


def shown_section(section: Section) -> str:
    """Return the text of a section; if it is tainted, only its heading and a sentence."""
    if not section.tainted:
        return section.text
    heading, _, _ = section.text.partition("\n")
    return f"{heading}\n{LEFT_OUT}\n\n"


def with_entry(text: str, entry: Entry, *, cap: Cap, archive: str = "") -> Trimmed:
    """Return the file with one more entry, trimmed, and the sections to archive. Nothing is written.

    `archive`: the archive of the entry's month. If an entry with its key is already in the file or the archive, the
    text is returned unchanged, and nothing is archived.
    """
    memory = read(text)
    if entry.key in {each.key for each in (*memory.sections, *read(archive).sections)}:
        return Trimmed(kept=text)
    preamble, sections = memory.preamble, list(memory.sections)
    if not sections or size(preamble) > cap.size:
        preamble, sections = "", [*_old_entries(preamble, entry.at, cap), *sections]
    new = _section(entry.key, entry.at, shown(entry.text), entry.tainted)
    return _trimmed(preamble, _with_years([*sections[:-1], *map(_closed, sections[-1:]), new]), cap)


def pieces(section: Section, most: int) -> list[Section]:
    """Split a section into parts of about `most` bytes, each below the same heading, at ends of lines if possible."""
    if size(section.text) <= most:
        return [section]
    heading, _, body = section.text.partition("\n")
    room = max(most - size(f"{heading}\n{CONTINUED}\n\n"), MAX_ENTRY_BYTES // 2)
    texts = (f"{heading}\n{part}" for part in _divided(body, room))
    return [_closed(msgspec.structs.replace(section, text=text)) for text in texts]


def shown(text: str) -> str:
    """Return the text of an entry, cut to `MAX_ENTRY_BYTES`, with lines escaped that look like an entry's heading."""
    text = _FORGED.sub(r"\1\\\2", _HARD_BREAKS.sub("\n", text).strip())
    content = text.encode(errors="replace")
    if len(content) <= MAX_ENTRY_BYTES:
        return content.decode()
    return content[: MAX_ENTRY_BYTES - len(CUT.encode())].decode(errors="ignore").rstrip() + CUT


def month_of(at: datetime) -> str:
    """Return the month of the archive for an entry of that time, such as `2026-01`."""
    return at.astimezone(UTC).strftime("%Y-%m")


def _section(key: str, at: datetime, text: str, tainted: bool = False) -> Section:
    mark = " tainted" if tainted else ""
    heading = f"## {at.astimezone(UTC).strftime('%Y-%m-%dT%H:%M:%SZ')} <!-- {key}{mark} -->"
    return Section(month=month_of(at), key=key, text=f"{heading}\n{text}\n", tainted=tainted)


def _old_entries(text: str, at: datetime, cap: Cap) -> list[Section]:
    """Return text without a heading as one entry, or as several if it is larger than the file may be.

    The time when it was written is unknown, so it gets the time of the next entry. Its key is derived from its text.
    Entries of the usual size let the end of a long text stay in the file.
    """
    if not text.strip():
        return []
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
    old = _section(f"earlier/{digest}", at, text.strip("\n"))
    return [old] if size(text) <= cap.size else pieces(old, MAX_ENTRY_BYTES)


def _divided(text: str, room: int) -> Iterator[str]:
    """Yield parts of at most `room` bytes. A part that starts within a line begins with `CONTINUED`."""
    data, start = text.encode(errors="replace"), 0
    while start < len(data):
        end = start + room
        if end < len(data):
            end = data.rfind(b"\n", start, end) + 1 or _start_of_character(data, end)
        mark = CONTINUED if start and data[start - 1 : start] != b"\n" else ""
        yield mark + data[start:end].decode()
        start = end


def _start_of_character(data: bytes, index: int) -> int:
    """Return the index, or a lower one, at which a character of UTF-8 begins."""
    return next(place for place in range(index, index - 4, -1) if data[place] & 0xC0 != 0x80)


def _with_years(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Add a year to each month that has none: the latest year in which it is not later than the next entry."""
    months: list[str] = []
    for section in reversed(sections):
        month = section.month
        if "-" not in month:
            year = int(months[-1][:4]) - (month > months[-1][5:])
            month = f"{max(0, year):04}-{month}"
        months.append(month)
    dated = zip(sections, reversed(months), strict=True)
    return tuple(msgspec.structs.replace(section, month=month) for section, month in dated)


def _closed(section: Section) -> Section:
    """Return the section with an empty line at its end, before the next heading."""
    return msgspec.structs.replace(section, text=section.text.rstrip("\n") + "\n\n")


def _trimmed(preamble: str, sections: tuple[Section, ...], cap: Cap) -> Trimmed:
    sizes = [size(each.text) for each in sections]
    left = size(preamble) + sum(sizes)
    cut = max(0, len(sections) - cap.entries) if cap.entries is not None else 0
    left -= sum(sizes[:cut])
    while left > cap.size and cut < len(sections) - 1:
        left -= sizes[cut]
        cut += 1
    return Trimmed(kept=preamble + "".join(each.text for each in sections[cut:]), archived=sections[:cut])
