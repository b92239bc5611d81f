"""Finds files that were renamed: a new file that matches one that disappeared. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..model import LINK_MODE, FileState
from .differences import is_binary
from .lines import lines_of

LEAST_ALIKE = 0.6  # share of the lines of the longer text that both contain
MOST_ALIKE_TRIED = 200  # files that disappeared, and as many that appeared: above this only equal contents are paired
LONGEST_TRIED = 1 << 20  # bytes of a text whose lines are counted

Content = Callable[[str], bytes]  # by id of the blob


class _Pair(NamedTuple):
    share: float
    same_name: bool
    old: str
    new: str


def renamed(gone: Mapping[str, FileState], come: Mapping[str, FileState], content: Content) -> dict[str, str]:
    """Return the old path of each renamed file, by its new path. Each path is used once. An empty file matches none.

    Files match with equal contents, or as texts that share 60% of the longer one's lines. If more than 200 files
    disappeared or appeared, only equal contents match.
    """
    found = _equal(gone, come, content)
    gone = {path: state for path, state in gone.items() if path not in found.values()}
    come = {path: state for path, state in come.items() if path not in found}
    if max(len(gone), len(come)) <= MOST_ALIKE_TRIED:
        found |= _alike(gone, come, content)
    return found


def _equal(gone: Mapping[str, FileState], come: Mapping[str, FileState], content: Content) -> dict[str, str]:
    places: defaultdict[tuple[str, bool], list[str]] = defaultdict(list)
    for path, state in gone.items():
        places[_content_of(state)].append(path)
    pairs = []
    for new, state in come.items():
        old_paths = places.get(_content_of(state), [])
        if old_paths and content(state.blob):
            same = [old for old in old_paths if _name(old) == _name(new)]
            pairs += [_Pair(1, old in same, old, new) for old in same or old_paths[:MOST_ALIKE_TRIED]]
    return _chosen(pairs)


def _content_of(state: FileState) -> tuple[str, bool]:
    return state.blob, state.mode == LINK_MODE


def _alike(gone: Mapping[str, FileState], come: Mapping[str, FileState], content: Content) -> dict[str, str]:
    olds, news = (
        {path: text for path, state in files.items() if (text := _text(state, content))} for files in (gone, come)
    )
    pairs = []
    for new, lines in news.items():
        for old, others in olds.items():
            share = _share(others, lines)
            if share >= LEAST_ALIKE:
                pairs.append(_Pair(share, _name(old) == _name(new), old, new))
    return _chosen(pairs)


def _text(state: FileState, content: Content) -> Counter[bytes] | None:
    found = b"" if state.mode == LINK_MODE else content(state.blob)
    return None if len(found) > LONGEST_TRIED or is_binary(found) else Counter(lines_of(found))


def _share(old: Counter[bytes], new: Counter[bytes]) -> float:
    shorter, longer = sorted((old.total(), new.total()))
    if shorter < LEAST_ALIKE * longer:  # they cannot be similar: nothing is counted
        return 0
    return sum(min(count, new[line]) for line, count in old.items()) / longer


def _chosen(pairs: list[_Pair]) -> dict[str, str]:
    """Use each path once, most similar pairs first."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for pair in sorted(pairs, key=lambda pair: (-pair.share, not pair.same_name, pair.old, pair.new)):
        inside = pair.new.startswith(f"{pair.old}/") or pair.old.startswith(f"{pair.new}/")
        if pair.new not in found and pair.old not in taken and not inside:
            found[pair.new] = pair.old
            taken.add(pair.old)
    return found


def _name(path: str) -> str:
    return path.rpartition("/")[2]
