"""Finds the paths that are never compared on this machine, relative to the server's root. Called by `backend.py`.

It resolves links, and reads no file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    if cache := environment.get("XDG_CACHE_HOME"):
        wanted[cache] = CACHE
    exact = {path: entry.reason for entry in BELOW_ROOT for path in entry.paths}
    for path, reason in wanted.items():
        exact |= {each: reason for each in _below(root, path) if each != "*"}
    homes = _below(root, str(home), may_be_root=True)
    return Exclusions(exact, home=next(homes, None), patterns=patterns)


def _below(root: Path, path: str, *, may_be_root: bool = False) -> Iterator[str]:
    """Return the names of a path below the root: as written, and after following links.

    None for the root, and above it.
    """
    real_root = os.path.realpath(root)
    for each in _spellings(path):
        relative = os.path.relpath(each, real_root)
        if relative == "." and may_be_root:
            yield ""
        elif relative != "." and relative.split("/")[0] != "..":
            yield relative


def _spellings(path: str) -> Iterable[str]:
    if not path.startswith("/"):
        return ()  # relative to an unknown folder
    star = "*" if path.endswith("*") else ""
    plain = os.path.normpath(path.removesuffix("*"))
    above, name = os.path.split(plain)
    resolved = (plain, os.path.join(os.path.realpath(above), name), os.path.realpath(plain))  # noqa: PTH118
    return [f"{each}{star}" for each in dict.fromkeys(resolved)]
