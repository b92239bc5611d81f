"""Entries of an agent's memory: `context.md`, `decisions.md`, `learnings.md`, as texts. Pure; `effects/` has the files.

An entry is a heading `## 2026-01-01T00:00:00Z <!-- <key> [tainted] -->` and the text below it, the newest last; `key`
is `<run id>/<position>`. What a person wrote above the first heading stays there. A file without such a heading is one
old entry, and gets a heading when the next one is added. What no longer fits goes to an archive, one for each month.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

MAX_ENTRY_BYTES = 4 * 1024  # of the text of a new entry, in UTF-8
CUT = " … (cut)"
LEFT_OUT = (
    "(A run that had read text from outside has written this entry. It is left out until a person takes the word "
    "tainted out of its heading.)"
)

_HEADING = re.compile(r"## (\d{4}-\d\d)-\d\dT\d\d:\d\d:\d\dZ <!-- ([^\s<>]+)( tainted)? -->[ \t]*\r?")
_FORGED = re.compile(r"^([ \t]*)(#+[ \t].*<!--)", re.MULTILINE)
_HARD_BREAKS = re.compile(r"\r\n?")


class Cap(msgspec.Struct, frozen=True, kw_only=True):
    """How much a file keeps: entries (None: any number), and bytes of UTF-8. The newest entry always stays."""

    entries: int | None = None
    size: int


CAPS = {
    "context": Cap(entries=20, size=128 * 1024),
    "decisions": Cap(size=32 * 1024),
    "learnings": Cap(size=32 * 1024),
}  # by the name of the file, without `.md`


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Something to be remembered. `key` names the directive it comes from: `<run id>/<position>`."""

    key: str
    at: datetime
    text: str
    tainted: bool = False


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """An entry as it stands in a file. `month`: `2026-01`; `text` includes the heading and the empty lines below."""

    month: str
    key: str
    text: str
    tainted: bool = False


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """A file, taken apart; `preamble` and the sections' texts, one behind the other, are the file."""

    preamble: str = ""
    sections: tuple[Section, ...] = ()


class Trimmed(msgspec.Struct, frozen=True, kw_only=True):
    """What a file shall be, and what has to be in an archive before; both in the order of the file."""

    kept: str
    archived: tuple[Section, ...] = ()


def read(text: str) -> Memory:
    """Take a file apart."""
    preamble: list[str] = []
    parts: list[tuple[re.Match[str], list[str]]] = []
    for line in _lines(text):
        heading = _HEADING.fullmatch(line.removesuffix("\n"))
        if heading is not None:
            parts.append((heading, [line]))
        else:
            (parts[-1][1] if parts else preamble).append(line)
    sections = tuple(
        Section(month=heading[1], key=heading[2], text="".join(lines), tainted=bool(heading[3]))
        for heading, lines in parts
    )
    return Memory(preamble="".join(preamble), sections=sections)


def untainted(text: str) -> str:
    """The file for a run whose effects wait for nobody: without what runs with text from outside have written."""
    memory = read(text)
    return memory.preamble + "".join(shown_section(each) for each in memory.sections)


def shown_section(section: Section) -> str:
    """Its text, or its heading and a sentence where it is tainted."""
    if not section.tainted:
        return section.text
    heading, _, _ = section.text.partition("\n")
    return f"{heading}\n{LEFT_OUT}\n\n"


def with_entry(text: str, entry: Entry, *, cap: Cap, archive: str = "") -> Trimmed:
    """The file with one more entry, trimmed.

    `archive`: the archive of the entry's month. An entry whose key is in the file or there is not added again.
    """
    memory = read(text)
    if entry.key in {each.key for each in (*memory.sections, *read(archive).sections)}:
        return Trimmed(kept=text)
    if not memory.sections:
        old = (_old_entry(text, entry.at),) if text.strip() else ()
        memory = Memory(sections=old)
    new = _section(entry.key, entry.at, shown(entry.text), entry.tainted)
    return _trimmed(memory.preamble, (*memory.sections[:-1], *map(_closed, memory.sections[-1:]), new), cap)


def with_archived(archive: str, sections: Sequence[Section]) -> str:
    """An archive with these sections, but for those that it has already, word for word."""
    there = {each.text.strip() for each in read(archive).sections}
    more = [each.text.strip() + "\n" for each in sections if each.text.strip() not in there]
    return "\n".join([*([archive.rstrip("\n") + "\n"] if archive.strip() else []), *more])


def shown(text: str) -> str:
    """The text of an entry: cut to `MAX_ENTRY_BYTES`, and no line of it looks like the heading of another one."""
    text = _FORGED.sub(r"\1\\\2", _HARD_BREAKS.sub("\n", text).strip())
    content = text.encode(errors="replace")
    if len(content) <= MAX_ENTRY_BYTES:
        return content.decode()
    return content[: MAX_ENTRY_BYTES - len(CUT.encode())].decode(errors="ignore").rstrip() + CUT


def month_of(at: datetime) -> str:
    """The month whose archive an entry of that time would go to, such as `2026-01`."""
    return at.astimezone(UTC).strftime("%Y-%m")


def _lines(text: str) -> list[str]:
    """Split behind each line feed alone."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _section(key: str, at: datetime, text: str, tainted: bool = False) -> Section:
    mark = " tainted" if tainted else ""
    heading = f"## {at.astimezone(UTC).strftime('%Y-%m-%dT%H:%M:%SZ')} <!-- {key}{mark} -->"
    return Section(month=month_of(at), key=key, text=f"{heading}\n{text}\n", tainted=tainted)


def _old_entry(text: str, at: datetime) -> Section:
    """When it was written is not known: it gets the time of the next one. Its key is that of its text."""
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
    return _section(f"earlier/{digest}", at, text.strip("\n"))


def _closed(section: Section) -> Section:
    """With an empty line behind it, for the next one's heading."""
    return msgspec.structs.replace(section, text=section.text.rstrip("\n") + "\n\n")


def _trimmed(preamble: str, sections: tuple[Section, ...], cap: Cap) -> Trimmed:
    sizes = [len(each.text.encode(errors="replace")) for each in sections]
    left = len(preamble.encode(errors="replace")) + sum(sizes)
    cut = max(0, len(sections) - cap.entries) if cap.entries is not None else 0
    left -= sum(sizes[:cut])
    while left > cap.size and cut < len(sections) - 1:
        left -= sizes[cut]
        cut += 1
    return Trimmed(kept=preamble + "".join(each.text for each in sections[cut:]), archived=sections[:cut])
