"""Reads a skill from a zip file that a person uploads. Nothing is written."""

from __future__ import annotations

from base64 import b64decode

from ..storage.filesystem.zip_archives import ZipLimits, read_zip, refused
from .skill_folders import DEEPEST, MOST_BYTES, MOST_FILES
from .skill_text import MAIN_FILE
from .skill_versions import SkillFile, SkillVersion, version_of

LIMITS = ZipLimits(files=MOST_FILES, size=MOST_BYTES, depth=DEEPEST)


def read_archive(encoded: str) -> SkillVersion:
    """Return the skill in a zip file, given in Base64. Its SKILL.md is not read.

    SKILL.md is in the archive itself, or in the only folder of it. Raises `Invalid` (field `archive`) with the reason
    if the archive cannot be read, contains more than the limits of a skill, or has no SKILL.md.
    """
    try:
        content = b64decode(encoded, validate=True)
    except ValueError as error:
        raise refused("it is not a zip file that can be read") from error
    found = read_zip(content, LIMITS)
    files = {path: SkillFile(path, file.executable, file.content) for path, file in found.items()}
    if MAIN_FILE in files:
        return version_of(files)
    tops = {path.partition("/")[0] for path in files}
    if len(tops) != 1 or f"{(top := tops.pop())}/{MAIN_FILE}" not in files:
        raise refused(f"there is no {MAIN_FILE} in it, nor in its only folder")
    inner = {path[len(top) + 1 :]: file for path, file in files.items()}
    return version_of({path: SkillFile(path, file.executable, file.content) for path, file in inner.items()})
