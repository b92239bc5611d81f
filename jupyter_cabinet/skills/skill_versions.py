"""One version of a skill: all its files, their hash, and how they differ from another version. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import msgspec

from ..core.plain_text import hidden_characters, plain
from .model import FileChange, SkillFileView

LONGEST_SHOWN = 64 * 1024  # bytes of a file's text
SCRIPT_FOLDER = "scripts"
# Everything else counts as a script, because nobody can list all programs.
MATERIAL_ENDINGS = frozenset(
    (
        *(
            "adoc",
            "bib",
            "cfg",
            "css",
            "csv",
            "docx",
            "gif",
            "html",
            "ini",
            "jpeg",
            "jpg",
            "json",
            "jsonl",
            "log",
            "md",
        ),
        *("mdx", "mermaid", "odt", "otf", "parquet", "pdf", "png", "pptx", "rst", "svg", "tex", "toml", "tsv", "ttf"),
        *("txt", "webp", "woff", "woff2", "xlsx", "xml", "yaml", "yml"),
    )
)
PROJECT_FILES = frozenset(("package.json", "deno.json", "pyproject.toml", "cargo.toml"))  # that start programs
PROGRAM_STARTS = (
    b"#!",
    b"\xef\xbb\xbf#!",
    b"\x7fELF",
    b"MZ",
    b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe",
    b"\xfe\xed\xfa",
)


class SkillFile(msgspec.Struct, frozen=True, array_like=True):
    """One file. `path`: relative to the skill's folder. `executable`: by its permissions."""

    path: str
    executable: bool
    content: bytes

    @property
    def is_script(self) -> bool:
        """Return whether it is or may be a program, by its place, its name, its permissions or its beginning."""
        *folders, name = self.path.lower().split("/")
        ending = name.rpartition(".")[2] if "." in name[1:] else ""
        return (
            self.executable
            or SCRIPT_FOLDER in folders
            or name in PROJECT_FILES
            or (ending not in MATERIAL_ENDINGS and name not in ("license", "notice", "readme"))
            or self.content.startswith(PROGRAM_STARTS)
        )


class SkillVersion(msgspec.Struct, frozen=True):
    """All files of a skill, by path."""

    files: tuple[SkillFile, ...]

    @property
    def hash(self) -> str:
        """The SHA-256 of all paths, permissions and contents, as 64 hexadecimal digits: what a person approves."""
        return hashlib.sha256(self.packed()).hexdigest()

    @property
    def size(self) -> int:
        """In bytes, of all contents."""
        return sum(len(file.content) for file in self.files)

    def packed(self) -> bytes:
        """Return all of it as bytes, the same for the same files."""
        return msgspec.msgpack.encode(self.files)

    def content(self, path: str) -> bytes | None:
        """Return the content of a file; None if it does not exist."""
        return next((file.content for file in self.files if file.path == path), None)


def version_of(files: Mapping[str, SkillFile]) -> SkillVersion:
    """Return the version that consists of these files."""
    return SkillVersion(tuple(files[path] for path in sorted(files)))


def unpacked(content: bytes) -> SkillVersion:
    """Read what `packed` returned. Raises `msgspec.DecodeError` for anything else."""
    return SkillVersion(msgspec.msgpack.decode(content, type=tuple[SkillFile, ...]))


def compared(now: SkillVersion, approved: SkillVersion | None) -> Iterator[SkillFileView]:
    """Yield each file beside the approved version, by path, also files that are gone.

    `approved`: None if none was approved; then each file counts as `same`.
    """
    old = {file.path: file for file in approved.files} if approved is not None else {}
    new = {file.path: file for file in now.files}
    for path in sorted(old.keys() | new.keys()):
        file = new.get(path) or old[path]
        before = _shown(old[path].content) if path in old and old[path] != new.get(path) else None
        text = _shown(new[path].content) if path in new else None
        yield SkillFileView(
            path=plain(path),
            size=len(new[path].content) if path in new else 0,
            script=file.is_script,
            change=_change(old.get(path), new.get(path), approved is not None),
            text=text,
            before=before,
            cut=any(len(each[path].content) > LONGEST_SHOWN for each in (old, new) if path in each),
        )


def unseen_in(version: SkillVersion) -> tuple[str, ...]:
    """Return the paths of the files that the page of a skill does not show whole: large ones, and what is not text."""
    return tuple(
        file.path for file in version.files if len(file.content) > LONGEST_SHOWN or _decoded(file.content) is None
    )


def hidden_in(version: SkillVersion) -> int:
    """Return how many invisible characters the texts and names of a version contain."""
    texts = (_decoded(file.content) or "" for file in version.files)
    return sum(map(hidden_characters, texts)) + sum(hidden_characters(file.path) for file in version.files)


def _change(before: SkillFile | None, after: SkillFile | None, compares: bool) -> FileChange:
    if before == after or not compares:
        return "same"
    if before is None:
        return "added"
    return "removed" if after is None else "changed"


def _shown(content: bytes) -> str | None:
    if _decoded(content) is None:
        return None
    return plain(content[:LONGEST_SHOWN].decode(errors="ignore"))  # it may be cut within a character


def _decoded(content: bytes) -> str | None:
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
