"""Finds the paths that are never compared on this machine, relative to the server's root. Called by `backend.py`.

It resolves links, and reads no file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from .exclusions import Exclusions
from .never_compared import BELOW_HOME, BELOW_ROOT, CACHE


def exclusions_of(
    root: Path, environment: Mapping[str, str], own: Mapping[str, str], patterns: Sequence[str] = ()
) -> Exclusions:
    """Return the exclusions.

    `environment`: the server's variables. `own`: absolute paths of this server and its agent CLIs, each with its
    reason; one that ends with `*` matches every name with that prefix. `patterns`: the setting's.
    """
    home = Path(environment.get("HOME") or Path("~").expanduser())
    wanted = dict(own)
    for entry in BELOW_HOME:
        wanted.update({str(home / path): entry.reason for path in entry.paths})
    if caches := environment.get("XDG_CACHE_HOME"):
        wanted[caches] = CACHE
    exact = {path: entry.reason for entry in BELOW_ROOT for path in entry.paths}
    real_root, real_folder = os.path.realpath(root), cache(os.path.realpath)
    for path, reason in wanted.items():
        exact |= {each: reason for each in _below(real_root, _spellings(path, real_folder)) if each not in ("", "*")}
    homes = _below(real_root, _spellings(str(home), real_folder))
    return Exclusions(exact, home=next(homes, None), patterns=patterns)


def _below(real_root: str, paths: Iterable[str]) -> Iterator[str]:
    """Return those of the paths that are below the root, relative to it. The root itself is empty."""
    start = real_root.rstrip("/") + "/"
    for path in paths:
        if path == real_root:
            yield ""
        elif path.startswith(start):
            yield path.removeprefix(start)


def _spellings(path: str, real_folder: Callable[[str], str]) -> Iterable[str]:
    """Return the names of an absolute path: as written, and after following links.

    `real_folder`: `realpath`, which remembers its results, because most paths are in the same few folders.
    """
    if not path.startswith("/"):
        return ()  # relative to an unknown folder
    star = "*" if path.endswith("*") else ""
    plain = os.path.normpath("/" + path.removesuffix("*").lstrip("/"))
    above, name = os.path.split(plain)
    in_real_folder = os.path.join(real_folder(above), name)  # noqa: PTH118
    resolved = os.path.realpath(in_real_folder) if os.path.islink(in_real_folder) else in_real_folder  # noqa: PTH114
    return [f"{each}{star}" for each in dict.fromkeys((plain, in_real_folder, resolved))]
