"""What a list needs to know of each skill, kept until one of its files changes. Lists would be slow otherwise.

Only lists use it. Decisions and runs read all files again, because times of files can be forged. Blocks: call it off
the loop.
"""

from __future__ import annotations

import time

import msgspec

from ..core.errors import Malformed, NotFound
from ..storage.filesystem.file_cache import SETTLED_NS
from .skill_folders import SkillFolders, path_of
from .skill_text import MAIN_FILE, Skill
from .skill_text import read as read_text
from .skill_versions import SkillVersion


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """A skill without its files. `hash`: empty if they cannot be read. `skill`: None if they are not a skill, and
    `problem` says why. `files` and `size` (in bytes) are those of all its files. `modified_ns`: when the newest of
    them was changed; only in lists.
    """

    hash: str = ""
    files: int = 0
    size: int = 0
    modified_ns: int = 0
    has_scripts: bool = False
    skill: Skill | None = None
    problem: str = ""


class Outlines:
    """The outlines of all skills of a root. Threads may share it."""

    def __init__(self, folders: SkillFolders) -> None:
        self._folders = folders
        self._kept: dict[str, tuple[object, Outline]] = {}  # by name, with the state of its files

    def of(self, name: str) -> Outline:
        """Return the outline of a skill; one with a `problem` if it cannot be read. Raises `NotFound`."""
        at = time.time_ns()
        try:
            state, newest = self._folders.state(name)
        except Malformed as error:
            return Outline(problem=error.message)
        kept = self._kept.get(name)
        if kept is not None and kept[0] == state:
            return kept[1]
        try:
            made = outline_of(name, self._folders.read(name))
        except Malformed as error:
            made = Outline(problem=error.message)
        made = msgspec.structs.replace(made, modified_ns=newest)
        if newest < at - SETTLED_NS and self._is_still(name, state):
            self._kept[name] = state, made
        return made

    def _is_still(self, name: str, state: object) -> bool:
        try:
            return self._folders.state(name)[0] == state
        except (Malformed, NotFound):  # it was replaced meanwhile
            return False

    def of_all(self) -> list[tuple[str, Outline]]:
        """Return the outlines of all skills, by name, also of those that cannot be read."""
        found = []
        for name in self._folders.names():
            try:
                found.append((name, self.of(name)))
            except NotFound:  # it was removed meanwhile
                continue
        names = {name for name, _ in found}
        self._kept = {name: kept for name, kept in self._kept.items() if name in names}
        return found


def outline_of(name: str, version: SkillVersion) -> Outline:
    """Return the outline of these files, without `modified_ns`. If they are not a skill, its `problem` says why."""
    try:
        skill, problem = skill_of(name, version), ""
    except Malformed as error:
        skill, problem = None, error.message
    return Outline(
        hash=version.hash,
        files=len(version.files),
        size=version.size,
        has_scripts=any(file.is_script for file in version.files),
        skill=skill,
        problem=problem,
    )


def skill_of(name: str, version: SkillVersion) -> Skill:
    """Return what a skill says about itself.

    Raises `Malformed` with what is wrong: SKILL.md does not exist or is invalid, or it has another name than its
    folder.
    """
    file = f"{path_of(name)}/{MAIN_FILE}"
    content = version.content(MAIN_FILE)
    if content is None:
        raise Malformed(f"{path_of(name)}: there is no {MAIN_FILE}.", file=file)
    skill = read_text(content, file=file)
    if skill.name != name:
        raise Malformed(
            f"{file}: it says that its name is {skill.name}. Its folder has to have the same name.", file=file
        )
    return skill
