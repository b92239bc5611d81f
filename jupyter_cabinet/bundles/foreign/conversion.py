"""Collects what the files of another system become, and what is left out and why. Pure.

A file that cannot be used is left out with the reason instead of refusing everything, because people see the table
before anything is written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from ...agents.files import front_matter, persona
from ...agents.files.agent_reader import MAX_TEXT_BYTES
from ...agents.files.file_versions import MAX_VERSIONS, EarlierText
from ...agents.files.persona_text import persona_file
from ...agents.files.safe_files import FACTS, PERSONA
from ...agents.prompts.gathering import MAX_SHARED_BYTES
from ...core.errors import Invalid, Malformed
from ...core.plain_text import one_line
from ...core.slugs import is_slug
from ...skills.outlines import skill_of
from ...skills.skill_folders import MOST_BYTES, MOST_FILES, TOO_LARGE, TOO_MANY
from ...skills.skill_text import MAIN_FILE, is_name
from ...skills.skill_versions import SkillFile, version_of
from ...storage.filesystem.zip_archives import ZippedFile
from ..archive import MEMORY, MOST_SKILLS, Bundle
from ..model import ConvertedFile, ForeignSystem
from .source import INCOMPLETE, SKILLS, Source, why_not_used

MAX_BODY_PART_BYTES = 64 * 1024  # of what becomes part of the instructions
MAX_MEMORY_BYTES = 4 * 2**20
MOST_ROWS = 300
LONGEST_REASON, LONGEST_PATH = 300, 300  # characters

NOT_TEXT = "It is not text in UTF-8."
EMPTY = "It is empty."
SAME_NAME = "Another file has the same name."
FOR_APPROVAL = "Agents do not receive it before you have approved its files."
IN_SEARCH = "Found by the search in the agent's memory. It is not part of the prompt."
IN_PROMPT = "It is part of the agent's prompt."
IF_ADDED = "Only if you choose to add it, and none is here. Every agent receives it."
A_VERSION = "earlier version of {name}, {day}"
NO_DATE = "Its name is not a date."
TOO_MANY_VERSIONS = f"Only the newest {MAX_VERSIONS} versions are kept."

PROMPT_FILES = ("context.md", "decisions.md", "learnings.md")

_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.md")


class Converted(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of another system. `rows`: what each of its files becomes. `versions`: earlier texts, by file name."""

    system: ForeignSystem
    bundle: Bundle
    rows: tuple[ConvertedFile, ...]
    versions: Mapping[str, tuple[EarlierText, ...]] = {}


class Conversion:
    """The agent that is being put together. Each file of the source is taken once; the rest is left out."""

    def __init__(self, source: Source, shown_below: str = "") -> None:
        self.source = source
        self._shown_below = shown_below  # in front of the paths in rows
        self.agent: dict[str, bytes] = {}
        self.plays: dict[str, bytes] = {}
        self.skills: dict[str, Any] = {}
        self.user: bytes | None = None
        self._versions: dict[str, tuple[EarlierText, ...]] = {}
        self._rows: list[ConvertedFile] = []
        self._taken: set[str] = set()
        self._folders: set[str] = set()  # of those, the folders
        self._spelled: set[str] = set()  # the names in the memory as a disk that ignores case has them

    # --- the table ---------------------------------------------------------------------------

    def becomes(self, path: str, what: str, note: str = "") -> None:
        """Note what a file, or a part of it, becomes, and take it."""
        self.taken(path)
        self._rows.append(self._row(path, what, note))

    def leaves(self, path: str, why: str) -> None:
        """Note why a file, a folder (with a slash at its end) or a part of a file is left out, and take it.

        Nothing in such a folder gets another row.
        """
        self.taken(path)
        self._rows.append(self._row(path, "", why))

    def outside(self, path: str, why: str) -> None:
        """Note why something beside the folder of the source is left out."""
        self._rows.append(ConvertedFile(path=one_line(path), note=why))

    def _row(self, path: str, what: str, note: str) -> ConvertedFile:
        shown = one_line(f"{self._shown_below}{path}", most=LONGEST_PATH)
        return ConvertedFile(path=shown, becomes=what, note=one_line(note, most=LONGEST_REASON))

    def taken(self, path: str) -> None:
        """Note that a file, or all parts of it, have rows."""
        self._taken.add(path)
        if path.endswith("/"):
            self._folders.add(path)

    def explain(self, what: str, note: str) -> None:
        """Replace the note in the rows of what a file became. `what`: as given to `becomes`."""
        self._rows = [msgspec.structs.replace(row, note=note) if row.becomes == what else row for row in self._rows]

    # --- files -------------------------------------------------------------------------------

    def find(self, name: str, folder: str = "") -> str | None:
        """Return the path of a file that nothing has taken, whatever the case of its name; None if there is none."""
        wanted = f"{folder}{name}"
        found = [each for each in self.free() if each.casefold() == wanted.casefold()]
        return wanted if wanted in found else min(found, default=None)

    def free(self, folder: str = "") -> list[str]:
        """Return the paths of all files in or below a folder that nothing has taken yet, sorted."""
        found = (path for path in self.source.files if path.startswith(folder) and path not in self._taken)
        return sorted(path for path in found if not self._is_left(path))

    def text(self, path: str | None, limit: int) -> str | None:
        """Return a file as text. None: there is none, or it is larger than `limit` bytes, not UTF-8 or empty.

        In the last three cases it gets a row with the reason, and so it is taken. Otherwise it is not.
        """
        if path is None:
            return None
        content = self.source.files[path].content
        if len(content) > limit:
            self.leaves(path, f"It is larger than {limit // 1024} KiB.")
            return None
        try:
            text = content.decode().removeprefix("\ufeff")
        except UnicodeDecodeError:
            self.leaves(path, NOT_TEXT)
            return None
        if not text.strip():
            self.leaves(path, EMPTY)
            return None
        return text

    def steering(self, name: str, folder: str = "") -> None:
        """Take `SOUL.md`, `TOOLS.md` or `HEARTBEAT.md`. Nothing happens if there is none."""
        path = self.find(name, folder)
        text = self.text(path, MAX_TEXT_BYTES)
        if path is not None and text is not None:
            self.agent[name] = text.encode()
            self.becomes(path, name)

    def about_people(self, path: str | None) -> None:
        """Take `USER.md`. `path`: as `find` returns it; nothing happens for None."""
        text = self.text(path, MAX_SHARED_BYTES)
        if path is not None and text is not None:
            self.user = text.encode()
            self.becomes(path, "USER.md", IF_ADDED)

    def memory(self, folder: str = "") -> None:
        """Take the facts and the other texts of the memory: only Markdown files directly in its folder."""
        facts = self.find(FACTS, folder) or self.find(FACTS, f"{folder}{MEMORY}")
        text = self.text(facts, MAX_MEMORY_BYTES)
        if facts is not None and text is not None:
            self.agent[f"{MEMORY}{FACTS}"] = text.encode()
            self._spelled.add(_same(f"{MEMORY}{FACTS}"))
            self.becomes(facts, f"{MEMORY}{FACTS}", IN_PROMPT)
        for path in self.free(f"{folder}{MEMORY}"):
            self._memory_file(path, path.removeprefix(f"{folder}{MEMORY}"))

    def _memory_file(self, path: str, name: str) -> None:
        target = f"{MEMORY}{name}"
        if "/" in name or not name.endswith(".md") or name.startswith("."):
            return
        if _same(target) in self._spelled:
            self.leaves(path, SAME_NAME)
        elif (text := self.text(path, MAX_MEMORY_BYTES)) is not None:
            self.agent[target] = text.encode()
            self._spelled.add(_same(target))
            self.becomes(path, target, IN_PROMPT if name in PROMPT_FILES else IN_SEARCH)

    def history(self, folder: str, name: str) -> None:
        """Take earlier versions of a file, whose names are days, such as `2026-01-31.md`.

        Only the newest ones are kept. `folder`: with a slash at its end. `name`: of the file whose versions they are.
        """
        found: list[tuple[str, EarlierText]] = []
        for path in self.free(folder):
            saved = _day(path.removeprefix(folder))
            if saved is None:
                self.leaves(path, NO_DATE)
            elif (text := self.text(path, MAX_TEXT_BYTES)) is not None:
                found.append((path, EarlierText(saved=saved, content=text.encode())))
        found.sort(key=lambda each: each[1].saved)
        for path, earlier in found[-MAX_VERSIONS:]:
            self.becomes(path, A_VERSION.format(name=name, day=earlier.saved.date()))
        for path, _earlier in found[:-MAX_VERSIONS]:
            self.leaves(path, TOO_MANY_VERSIONS)
        if found:
            self._versions[name] = tuple(earlier for _path, earlier in found[-MAX_VERSIONS:])

    def skill(self, folder: str) -> None:
        """Take a skill, or leave it out completely. `folder`: its path, with a slash at its end."""
        name = folder.rstrip("/").rpartition("/")[2]
        paths = self.free(folder)
        files = {path.removeprefix(folder): self.source.files[path] for path in paths}
        self._taken.update(paths)
        if why := self._skill_problem(name, folder, files):
            self.leaves(folder, why)
            return
        version = version_of({path: SkillFile(path, each.executable, each.content) for path, each in files.items()})
        try:
            skill_of(name, version)
        except Malformed as error:
            self.leaves(folder, error.message)
            return
        self.skills[name] = version
        self.becomes(folder, f"skill {name}", FOR_APPROVAL)

    def _skill_problem(self, name: str, folder: str, files: Mapping[str, ZippedFile]) -> str:
        if not is_name(name) or MAIN_FILE not in files:
            return f"Its name is not one of a skill, or there is no {MAIN_FILE}."
        if any(path.startswith(folder) for path in self.source.unread):
            return INCOMPLETE
        if name in self.skills:
            return SAME_NAME
        if len(files) > MOST_FILES:
            return f"{TOO_MANY[0].upper()}{TOO_MANY[1:]}."
        if sum(len(each.content) for each in files.values()) > MOST_BYTES:
            return f"{TOO_LARGE[0].upper()}{TOO_LARGE[1:]}."
        return f"More than {MOST_SKILLS} skills cannot come along." if len(self.skills) == MOST_SKILLS else ""

    def skills_in(self, folder: str = SKILLS + "/") -> list[str]:
        """Return the paths of the folders directly in `folder` that have files which nothing has taken.

        They are sorted and end with a slash. Whether each is a skill is not checked: `skill` does that.
        """
        inner = (path.removeprefix(folder).partition("/") for path in self.free(folder))
        return sorted({f"{folder}{name}/" for name, slash, _rest in inner if slash})

    # --- the result --------------------------------------------------------------------------

    def finished(self, system: ForeignSystem, slug: str, fields: Mapping[str, Any], body: str) -> Converted:
        """Return the agent, with a row for each item that was not taken. `fields`, `body`: of its persona.

        Fields that a persona cannot have are left out, with a row. Raises `Invalid` if nothing of it can be used.
        """
        if not body.strip() and not self.agent and not self.user:
            raise Invalid("Nothing in it can be used: its texts are missing, empty or not text.", field="archive")
        kept = self._valid(slug, fields)
        text = f"{front_matter.changed('', kept, file=PERSONA)}{body.strip()}\n"
        self.agent[PERSONA] = text.encode()
        bundle = Bundle(slug=slug, agent=self.agent, plays=self.plays, skills=self.skills, user=self.user, cabinet="")
        return Converted(system=system, bundle=bundle, rows=tuple(self._all_rows()), versions=self._versions)

    def _valid(self, slug: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that a persona can have. The others become rows."""
        found = persona.validate(fields, "", slug=slug, file=persona_file(slug))
        wrong = {re.split(r"[.\[]", error.field)[0]: error.message for error in found.errors}
        for name, message in wrong.items():
            self.leaves(f"setting {name}", message)
        return {name: value for name, value in fields.items() if name not in wrong}

    def _all_rows(self) -> Iterator[ConvertedFile]:
        """Yield the rows, then one for each file or folder of the source that was not used."""
        used = self._used_folders()
        reasons = {(top := self._top(path, used)): why_not_used(top) for path in self.free()}
        reasons |= {path: why for path, why in self.source.unread.items() if not self._is_left(path)}
        rows = [*self._rows, *(self._row(path, "", why) for path, why in sorted(reasons.items()))]
        yield from rows[:MOST_ROWS]
        if len(rows) > MOST_ROWS:
            yield ConvertedFile(path="…", note=f"{len(rows) - MOST_ROWS} more are not listed here.")

    def _is_left(self, path: str) -> bool:
        """Return whether a folder around this path has a row already."""
        parts = path.split("/")
        return any("/".join(parts[:count]) + "/" in self._folders for count in range(1, len(parts)))

    def _top(self, path: str, used: frozenset[str]) -> str:
        """Return the outermost folder of an unused file of which nothing is used; else the file."""
        agent = self.source.agent
        first, slash, _rest = path.removeprefix(agent).partition("/")
        top = f"{agent if path.startswith(agent) else ''}{first}{slash}"
        return path if slash and top in used else top

    def _used_folders(self) -> frozenset[str]:
        """Return all folders around what is used."""
        parts = (path.rstrip("/").split("/") for path in self._taken)
        return frozenset("/".join(each[:count]) + "/" for each in parts for count in range(1, len(each)))


def slug_of(name: str, otherwise: str) -> str:
    """Return the name of a folder for an agent or a play, of at most 60 characters; `otherwise` if none can be made."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")
    return slug if is_slug(slug) else otherwise


def _same(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _day(name: str) -> datetime | None:
    found = _DAY.fullmatch(name)
    try:
        return datetime.fromisoformat(found[1]).replace(tzinfo=UTC) if found else None
    except ValueError:
        return None
