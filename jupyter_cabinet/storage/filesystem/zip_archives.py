"""Reads zip files of strangers within limits, and writes the same bytes for the same files. It does not use the disk.

The only reader of uploaded archives. Callers decide what the files mean.
"""

from __future__ import annotations

import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO

import msgspec

from ...core.errors import Invalid

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
LONGEST_PART = 120  # characters of a file's or folder's name
ENTRY_MARK = b"PK\x01\x02"  # begins each entry of the list of contents
MOST_ENTRIES = 100_000  # Python reads the whole list of contents at once, about 1 KiB of memory for each entry
EARLIEST_TIME = (1980, 1, 1, 0, 0, 0)  # the format cannot store an earlier one
LEVEL = 6  # of compression


class ZipLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive may have at most. `size`: bytes of all files, unpacked. `depth`: folders around a file."""

    files: int
    size: int
    depth: int


class ZippedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `path`: relative, checked, with `/` between its parts. `executable`: by its permissions."""

    path: str
    content: bytes
    executable: bool = False


def read_zip(content: bytes, limits: ZipLimits) -> dict[str, ZippedFile]:
    """Return the files of an archive by path, without folders, `__MACOSX/` and `.DS_Store`.

    Raises `Invalid` (field `archive`) with the reason: it is damaged, exceeds `limits`, contains a link, an unsafe name
    or a name twice, or uses an unusual compression.
    """
    if content.count(ENTRY_MARK) > MOST_ENTRIES:
        raise refused(_too_many(limits))
    try:
        return {file.path: file for file in _files(zipfile.ZipFile(BytesIO(content)), limits)}
    except DAMAGED as error:
        raise refused("it is not a zip file that can be read") from error


def write_zip(files: Iterable[ZippedFile]) -> bytes:
    """Return an archive of these files, in this order. The same files give the same bytes."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.path, EARLIEST_TIME)
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = (stat.S_IFREG | (0o755 if file.executable else 0o644)) << 16
            archive.writestr(entry, file.content, zipfile.ZIP_DEFLATED, LEVEL)
    return content.getvalue()


def refused(why: str) -> Invalid:
    """Return, without raising it, the `Invalid` for an archive that is not accepted. `why`: completes the sentence."""
    return Invalid(f"The archive was not accepted: {why}.", field="archive")


def _files(archive: zipfile.ZipFile, limits: ZipLimits) -> Iterator[ZippedFile]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir() and not _is_left_out(entry.filename)]
    if len(entries) > limits.files:
        raise refused(_too_many(limits))
    left, names = limits.size, _Names()
    for entry in entries:
        path, mode = entry.filename, entry.external_attr >> 16
        _check(path, mode, limits)
        names.add(path)
        if entry.compress_type not in METHODS:
            raise refused(f"{path} is compressed by a method that is not read here. Use an ordinary zip file")
        with archive.open(entry) as file:
            content = file.read(left + 1)  # never trusts the size that the archive states
        left -= len(content)
        if left < 0:
            raise refused(f"its files are larger than {limits.size // 2**20} MiB")
        yield ZippedFile(path=path, content=content, executable=bool(mode & stat.S_IXUSR))


class _Names:
    """The names of files and folders so far, also as a disk that ignores case would have them."""

    def __init__(self) -> None:
        self._spelled: dict[str, str] = {}  # by the name without case
        self._known: set[str] = set()
        self._files: set[str] = set()

    def add(self, path: str) -> None:
        """Add the path of a file. Raises `Invalid` if it cannot be beside the others."""
        parts = path.split("/")
        folders = ["/".join(parts[:count]) for count in range(1, len(parts))]
        if path in self._known or any(folder in self._files for folder in folders):
            raise refused(f"{path} occurs twice in it")
        for name in (*folders, path):
            folded = unicodedata.normalize("NFC", name).casefold()
            if self._spelled.get(folded, name) != name:
                raise refused(f"{path} and {self._spelled[folded]} are the same name on some disks")
            self._spelled[folded] = name
        self._known.update((*folders, path))
        self._files.add(path)


def _too_many(limits: ZipLimits) -> str:
    return f"it has more than {limits.files} files"


def _is_left_out(path: str) -> bool:
    return path.startswith(LEFT_OUT[0]) or path.rpartition("/")[2] == LEFT_OUT[1]


def _check(path: str, mode: int, limits: ZipLimits) -> None:
    parts = path.split("/")
    if not path.isprintable() or "\\" in path or any(_is_wrong(part) for part in parts):
        raise refused("a name in it is not a relative path that everybody can read")
    if len(parts) > limits.depth + 1:
        raise refused(f"its folders are nested more than {limits.depth} deep")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise refused(f"{path} is a link or a device")


def _is_wrong(part: str) -> bool:
    return part in ("", ".", "..") or len(part) > LONGEST_PART
