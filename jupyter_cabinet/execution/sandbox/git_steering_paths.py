"""Files and folders of a working folder from which git takes its hooks and settings, because its configuration says so.

`core.hooksPath` and `include.path` may name anything, such as `.githooks`. Whoever can write there decides what git
executes the next time that somebody commits.

Source: https://git-scm.com/docs/git-config (core.hooksPath, Includes), https://git-scm.com/docs/gitrepository-layout.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

from dulwich.config import ConfigFile

from ...storage.filesystem import untrusted_files

MAX_BYTES = 1 << 20
MOST_FILES = 50  # that include one another


def git_steering_paths(folder: Path, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return them as names relative to the folder, which is an absolute path without links. They may be missing.

    Only paths inside the folder are returned. Reads the disk: at most `MOST_FILES` files of configuration.
    """
    home = Path(environment.get("HOME") or "/nonexistent")
    settings = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    top, git_folders = _repository(folder)
    waiting = [each / name for each in git_folders for name in ("config", "config.worktree")]
    waiting += [settings / "git" / "config", home / ".gitconfig"]
    known: set[Path] = set()
    found: dict[str, None] = {}
    while waiting and len(known) < MOST_FILES:
        file = waiting.pop()
        if file in known:
            continue
        known.add(file)
        config = _config(file)
        if config is None:
            continue
        included = [_absolute(text, file.parent, home) for text in _included(config)]
        hooks = [_absolute(text, top, home) for text in _values(config, (b"core",), b"hookspath")]
        waiting += included
        found |= dict.fromkeys(str(path.relative_to(folder)) for path in (*included, *hooks) if _is_in(path, folder))
    return tuple(found)


def _repository(folder: Path) -> tuple[Path, list[Path]]:
    """Return the top of the work tree that a folder is in, and git's folders of it; none outside of a repository."""
    for top in (folder, *folder.parents):
        git = top / ".git"
        if git.is_dir():
            return top, [git]
        if git.is_file():  # a linked work tree or a submodule
            own = _absolute(_text(git).removeprefix("gitdir:").strip(), top, top)
            common = _text(own / "commondir").strip()
            return top, [own, _absolute(common, own, own)] if common else [own]
    return folder, []


def _config(file: Path) -> ConfigFile | None:
    try:
        return ConfigFile.from_file(BytesIO(untrusted_files.read(file, limit=MAX_BYTES)))
    except (OSError, ValueError):
        return None


def _included(config: ConfigFile) -> Iterator[str]:
    """Yield the files that it includes, whether or not their conditions hold now."""
    for section in config.sections():
        if section[0].lower() in (b"include", b"includeif"):
            yield from _values(config, section, b"path")


def _values(config: ConfigFile, section: tuple[bytes, ...], name: bytes) -> list[str]:
    try:
        return [os.fsdecode(value) for value in config.get_multivar(section, name)]
    except KeyError:
        return []


def _text(file: Path) -> str:
    try:
        return os.fsdecode(untrusted_files.read(file, limit=MAX_BYTES))
    except OSError:
        return ""


def _absolute(text: str, base: Path, home: Path) -> Path:
    """Return a path as git reads it, without `..`."""
    path = home / text[2:] if text.startswith("~/") else base / text
    return Path(os.path.normpath(path))


def _is_in(path: Path, folder: Path) -> bool:
    return path != folder and path.is_relative_to(folder) and "\0" not in str(path)
