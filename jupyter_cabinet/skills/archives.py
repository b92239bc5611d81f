"""Reads a skill from a zip file that a person uploads. Pure: nothing is written, and nothing is extracted to disk."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO

from ..core.errors import Invalid
from .skill_folders import DEEPEST, MOST_BYTES, MOST_FILES, TOO_DEEP, TOO_LARGE, TOO_MANY
from .skill_text import MAIN_FILE
from .skill_versions import SkillFile, SkillVersion, version_of

# Of the others, Python unpacks a whole piece at once, whatever was asked for: gigabytes of memory for a small file.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What `zipfile` raises for damaged archives.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    IndexError,
    ValueError,
)
LEFT_OUT = ("__MACOSX/", ".DS_Store")  # what some systems add to archives


def read_archive(encoded: str) -> SkillVersion:
    """Return the skill in a zip file, given in Base64.

    SKILL.md is in the archive itself, or in the only folder of it. Raises `Invalid` (field `archive`) with the reason.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(b64decode(encoded, validate=True)))
        files = dict(_files(archive))
    except DAMAGED as error:
        raise _refused("it is not a zip file that can be read") from error
    if MAIN_FILE in files:
        return version_of(files)
    tops = {path.partition("/")[0] for path in files}
    if len(tops) != 1 or f"{(top := tops.pop())}/{MAIN_FILE}" not in files:
        raise _refused(f"there is no {MAIN_FILE} in it, nor in its only folder")
    inner = {path[len(top) + 1 :]: file for path, file in files.items()}
    return version_of({path: SkillFile(path, file.executable, file.content) for path, file in inner.items()})


def _files(archive: zipfile.ZipFile) -> Iterator[tuple[str, SkillFile]]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir() and not _is_left_out(entry.filename)]
    if len(entries) > MOST_FILES:
        raise _refused(TOO_MANY)
    left, seen = MOST_BYTES, set[str]()
    for entry in entries:
        path, mode = entry.filename, entry.external_attr >> 16
        _check(path, mode)
        if entry.compress_type not in METHODS:
            raise _refused(f"{path} is compressed by a method that is not read here. Use an ordinary zip file")
        if path in seen or any(other.startswith(f"{path}/") or path.startswith(f"{other}/") for other in seen):
            raise _refused(f"{path} occurs twice in it")
        seen.add(path)
        with archive.open(entry) as file:
            content = file.read(left + 1)  # never trusts the size that the archive states
        left -= len(content)
        if left < 0:
            raise _refused(TOO_LARGE)
        yield path, SkillFile(path, bool(mode & stat.S_IXUSR), content)


def _is_left_out(path: str) -> bool:
    return path.startswith(LEFT_OUT[0]) or path.rpartition("/")[2] == LEFT_OUT[1]


def _check(path: str, mode: int) -> None:
    parts = path.split("/")
    if not path.isprintable() or "\\" in path or any(part in ("", ".", "..") or len(part) > 120 for part in parts):
        raise _refused("a name in it is not a relative path that everybody can read")
    if len(parts) > DEEPEST + 1:
        raise _refused(TOO_DEEP)
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise _refused(f"{path} is a link or a device")


def _refused(why: str) -> Invalid:
    return Invalid(f"The archive was not accepted: {why}.", field="archive")
