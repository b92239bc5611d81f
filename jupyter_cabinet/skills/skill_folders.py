"""The folders of skills below `.playbooks/skills/`: list, read, write, put into the trash.

Anybody may write there, also agents, so nothing is followed, and everything has a limit. No agent CLI loads skills from
this folder by itself: agents receive approved ones only (`in_runs.py`). All functions block: call them off the loop.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from ..agents.files.safe_files import SafeFolder, disk_errors
from ..core.errors import Conflict, Malformed, NotFound
from ..core.plain_text import one_line
from ..runs.rules.trigger_chain import PLAYBOOKS
from ..storage.filesystem import untrusted_files
from .skill_text import MAIN_FILE, NAME_RULE, is_name
from .skill_versions import SkillFile, SkillVersion, version_of

SKILLS, TRASH = "skills", ".trash"  # below `PLAYBOOKS`
SOURCES = f"{SKILLS}/.sources"  # where each came from; for people, and never approved
MOST_SKILLS = 200
MOST_PROBLEMS = 10  # that are listed one by one
MOST_FILES = 200
MOST_BYTES = 4 * 2**20  # of all files of a skill
DEEPEST = 6  # folders below a skill's own
LONGEST_SOURCE = 500  # characters
TOO_MANY = f"it has more than {MOST_FILES} files"
TOO_LARGE = f"its files are larger than {MOST_BYTES // 2**20} MiB"
TOO_DEEP = f"its folders are nested more than {DEEPEST} deep"


class SkillFolders:
    """All skills below `root`, the server's root folder."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._safe = SafeFolder(self._root, PLAYBOOKS)

    def names(self) -> tuple[str, ...]:
        """Return the names of all skills, sorted; at most 200."""
        return tuple(entry.name for entry in self._folders() if is_name(entry.name))[:MOST_SKILLS]

    def problems(self) -> tuple[str, ...]:
        """Return a sentence for each folder whose name is not valid, and one if there are too many skills."""
        found = [entry.name for entry in self._folders()]
        wrong = [name for name in found if not is_name(name)]
        sentences = [f"{path_of(one_line(name, most=80))} is not read. {NAME_RULE}" for name in wrong[:MOST_PROBLEMS]]
        if len(wrong) > MOST_PROBLEMS:
            sentences.append(f"{len(wrong) - MOST_PROBLEMS} more folders are not read for the same reason.")
        if len(found) - len(wrong) > MOST_SKILLS:
            sentences.append(f"There are more than {MOST_SKILLS} skills. The rest is not read.")
        return tuple(sentences)

    def read(self, name: str) -> SkillVersion:
        """Return a skill as it is now. Its SKILL.md is not checked.

        Raises `NotFound`, and `Malformed` for what can never be approved: a link, a device, a file that cannot be read,
        an invisible character in a name, more than 200 files or 4 MiB, or folders nested too deeply.
        """
        if not is_name(name) or not self._safe.exists(f"{SKILLS}/{name}"):
            raise NotFound("There is no such skill.")
        return self.read_elsewhere(path_of(name))

    def state(self, name: str) -> tuple[tuple[tuple[int | str, ...], ...], int]:
        """Return a value that changes with the files of a skill, without reading them, and when the newest of them was
        changed, in nanoseconds. Raises as `read`.
        """
        if not is_name(name) or not self._safe.exists(f"{SKILLS}/{name}"):
            raise NotFound("There is no such skill.")
        self._refuse_link(path_of(name))
        found = list(_walk(self._root / path_of(name), path_of(name)))
        states = tuple(
            (path, about.st_mode, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
            for path, about in found
        )
        return states, max((about.st_ctime_ns for _, about in found), default=0)

    def read_elsewhere(self, path: str) -> SkillVersion:
        """Return the files of any folder below the root.

        Raises `Malformed` as `read`, and if there is no such folder.
        """
        self._refuse_link(path)
        return _read_folder(self._root / path, beneath=self._root, shown=path)

    def write(self, name: str, version: SkillVersion, *, source: str) -> None:
        """Create a skill. Neither its name nor its SKILL.md is checked here.

        `source`: where it comes from, for people; cut after 500 characters. Raises `Conflict` if a skill of this name
        exists, `OutsideRoot` for a link in the path, and `NoRoom` or `Unavailable` if the disk cannot be written.
        """
        place = f"{SKILLS}/{name}"
        if self._safe.exists(place):
            raise Conflict(f"There is a skill named {name} already. Remove it first, or choose another name.")
        unfinished = f"{SKILLS}/.new-{name}-{os.urandom(4).hex()}"
        with disk_errors(f"the skill {name}"):
            try:
                for file in version.files:
                    self._safe.write(
                        f"{unfinished}/{file.path}", file.content, mode=0o755 if file.executable else 0o644
                    )
                self.note_source(name, source)
                (self._safe.path / unfinished).rename(self._safe.path / place)
            except FileExistsError:
                raise Conflict(f"There is a skill named {name} already.") from None
            finally:
                shutil.rmtree(self._safe.path / unfinished, ignore_errors=True)

    def note_source(self, name: str, source: str) -> None:
        """Write down where a skill came from, in at most 500 characters. Raises `OutsideRoot`, `OSError`."""
        self._safe.write(f"{SOURCES}/{name}", source[:LONGEST_SOURCE].encode())

    def replace_main_file(self, name: str, content: bytes) -> None:
        """Create or replace SKILL.md. Its text is not checked.

        Raises `OutsideRoot` for a link in the path, and `NoRoom` or `Unavailable` if the disk cannot be written.
        """
        with disk_errors(f"the skill {name}"):
            self._safe.write(f"{SKILLS}/{name}/{MAIN_FILE}", content)

    def remove(self, name: str) -> str:
        """Move a skill to the trash below `.playbooks/`. Return its name there.

        Raises `NotFound`, `OutsideRoot` for a link in the path, and `NoRoom` or `Unavailable` if it cannot be moved.
        """
        place = f"{SKILLS}/{name}"
        if not is_name(name) or not self._safe.exists(place):
            raise NotFound("There is no such skill.")
        self._safe.refuse_links(SKILLS)
        kept_as = f"skill-{name}-{os.urandom(4).hex()}"
        with disk_errors(f"the skill {name}"):
            self._safe.make_folder(TRASH)
            (self._safe.path / place).rename(self._safe.path / TRASH / kept_as)
            self._safe.remove(f"{SOURCES}/{name}")
        return kept_as

    def source_of(self, name: str) -> str:
        """Return where a skill came from, as its folder says; empty if that is not known."""
        try:
            return (self._safe.read(f"{SOURCES}/{name}", limit=4 * LONGEST_SOURCE) or b"").decode(errors="replace")
        except Malformed:
            return ""

    def _refuse_link(self, path: str) -> None:
        parts = Path(path).parts
        if any((self._root / Path(*parts[:count])).is_symlink() for count in range(1, len(parts) + 1)):
            raise _refused(path, "it is a link, or behind one")

    def _folders(self) -> Iterator[os.DirEntry[str]]:
        return (entry for entry in self._safe.names(SKILLS) if not entry.name.startswith("."))


def path_of(name: str) -> str:
    """Return the folder of a skill, relative to the server's root. The name is not checked."""
    return f"{PLAYBOOKS}/{SKILLS}/{name}"


def _read_folder(folder: Path, *, beneath: Path, shown: str) -> SkillVersion:
    """Read every file of a folder. `shown`: its path in errors.

    Raises `Malformed` for a link, a device, a file that cannot be read, or too much of anything: what is not read could
    not be shown to the person who approves.
    """
    files: dict[str, SkillFile] = {}
    left = MOST_BYTES
    for path, about in _walk(folder, shown):
        if len(files) == MOST_FILES:
            raise _refused(shown, TOO_MANY)
        try:
            content = untrusted_files.read(folder / path, limit=left, beneath=beneath)
        except OSError as error:
            why = TOO_LARGE if error.errno == errno.EFBIG else f"{path} cannot be read ({error.strerror})"
            raise _refused(shown, why) from error
        left -= len(content)
        files[path] = SkillFile(path, bool(about.st_mode & stat.S_IXUSR), content)
    return version_of(files)


def _walk(folder: Path, shown: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the path and state of every file."""
    waiting = [""]
    seen = 0
    while waiting:
        inner = waiting.pop()
        try:
            with os.scandir(folder / inner) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            raise _refused(shown, f"its folder cannot be read ({error.strerror})") from error
        for entry in entries:
            seen += 1
            path = f"{inner}/{entry.name}".lstrip("/")
            about = entry.stat(follow_symlinks=False)
            _check(path, about.st_mode, shown)
            if seen > 2 * MOST_FILES:
                raise _refused(shown, TOO_MANY)
            if stat.S_ISDIR(about.st_mode):
                waiting.append(path)
            else:
                yield path, about


def _check(path: str, mode: int, shown: str) -> None:
    if not path.isprintable():
        raise _refused(shown, "a name in it has characters that cannot be seen")
    if path.count("/") >= DEEPEST:
        raise _refused(shown, TOO_DEEP)
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise _refused(shown, f"{path} is a link or a device")


def _refused(shown: str, why: str) -> Malformed:
    return Malformed(f"{shown}: {why}.", file=shown)
