"""Attribute a changed file to one of several runs that worked in the folder at the same time. Pure.

Called by `run_comparison.py`.

The files are compared for all of them together, so what each CLI reported decides. A file that any of several runs may
have changed is marked: undoing one of these runs leaves it alone unless a person names it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from ..model import ChangedFile


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """What the CLI of a run has reported. `edited`: paths relative to the server's root; `anything`: it has run a
    command or another tool that may have changed any file."""

    edited: frozenset[str] = frozenset()
    anything: bool = False


UNKNOWN = Reported(anything=True)  # a run of which nothing is left but its record


def attributed(files: Iterable[ChangedFile], own: Reported, others: Collection[Reported]) -> tuple[ChangedFile, ...]:
    """The files that the run has changed or may have changed, `uncertain` where it may not have been this run.

    A run that has reported nothing which changes files lists none that another may have changed. What no run has
    reported is listed by all of them, and is uncertain.
    """
    claimed = frozenset[str]().union(*(other.edited for other in others))
    others_may = any(other.anything for other in others)
    found = []
    for file in files:
        paths = {file.path, file.old_path or file.path}
        own_may = own.anything or not own.edited.isdisjoint(paths)
        others_may_it = others_may or not claimed.isdisjoint(paths)
        if own_may or not others_may_it:
            found.append(msgspec.structs.replace(file, uncertain=others_may_it or not own_may))
    return tuple(found)
