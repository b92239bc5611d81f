"""Finds what a person has abandoned by a rewind, in sessions whose entries are linear, and makes a tree of the session.

The entries of such a session have no parents until the first rewind. Then each entry names the one before it, and what
follows continues at an earlier one. Blocks; called by `session_reading.py`.
"""

from __future__ import annotations

import sqlite3

from ...runtimes.session_entries import Continues, Entry, LinkedLine

CHAIN = """
UPDATE entries SET parent = coalesce((
    SELECT earlier.id FROM entries AS earlier
    WHERE earlier.session = entries.session AND earlier.place < entries.place ORDER BY earlier.place DESC LIMIT 1
), '') WHERE session = ?
"""


class AbandonedBranches:
    """The branches of one session, while it is read."""

    def __init__(self, connection: sqlite3.Connection, session: int) -> None:
        self._execute = connection.execute
        self._session = session
        self._links: dict[str, str] = {}  # of this reading: ids of lines, and the entry that each continues
        self._tree: dict[str, tuple[str, bool]] = {}  # parent of each entry, and whether a person has written it
        last = self._execute(
            "SELECT id, parent FROM entries WHERE session = ? ORDER BY place DESC LIMIT 1", (session,)
        ).fetchone()
        self._last = str(last[0]) if last else ""
        self._is_tree = bool(last) and last[1] is not None

    def forget(self) -> None:
        """Forget everything about the session."""
        self._execute("DELETE FROM links WHERE session = ?", (self._session,))
        self._links.clear()
        self._tree.clear()
        self._last, self._is_tree = "", False

    def link(self, line: LinkedLine) -> None:
        """Remember which entry a line without one continues."""
        entry = self._entry(line.parent)
        self._links[line.id] = entry
        self._execute("INSERT OR REPLACE INTO links VALUES (?, ?, ?)", (self._session, line.id, entry))

    def parent_of(self, entry: Entry) -> str | None:
        """Return the parent of a new entry, which becomes the last one. None: the session is no tree so far."""
        parent = entry.parent
        if parent is None and self._is_tree:
            parent = self._parents().get(entry.id, (self._last, False))[0]
        if self._tree:
            self._tree[entry.id] = (parent or "", _is_instruction(entry.kind, entry.side))
        self._last = entry.id
        return parent

    def continue_from(self, item: Continues) -> None:
        """Continue where the item says, if this abandons an instruction. Unknown ids change nothing."""
        before = self._instruction_from_end(item.before_last) if item.before_last > 0 else item.before
        entry = before or self._entry(item.after)
        if entry == self._last and not before:
            return
        tree = self._parents()
        if entry not in tree:
            return
        after = tree[entry][0] if before else entry
        if not self._abandons(after):
            return
        if not self._is_tree:
            self._execute(CHAIN, (self._session,))
            self._is_tree = True
        self._last = after

    def _abandons(self, after: str) -> bool:
        """Return whether the way from the last entry back to this one has an instruction, or does not lead to it."""
        tree, id, seen = self._parents(), self._last, set[str]()
        while id != after:
            if id not in tree or id in seen or tree[id][1]:
                return True
            seen.add(id)
            id = tree[id][0]
        return False

    def _instruction_from_end(self, number: int) -> str:
        """Return the entry with which an instruction begins: `number` counts from the end, 1 is the last. The first if
        there are fewer.

        Empty if there is none. Instructions that follow each other directly are the parts of one.
        """
        tree, id, begins, seen = self._parents(), self._last, "", set[str]()
        while id in tree and id not in seen and number > 0:
            seen.add(id)
            parent, is_instruction = tree[id]
            if is_instruction and not (parent in tree and tree[parent][1]):
                begins, number = id, number - 1
            id = parent
        return begins

    def _entry(self, id: str) -> str:
        """Return the entry that the line with this id has or continues."""
        if id in self._links:
            return self._links[id]
        found = self._execute("SELECT entry FROM links WHERE session = ? AND id = ?", (self._session, id)).fetchone()
        return str(found[0]) if found else id

    def _parents(self) -> dict[str, tuple[str, bool]]:
        if not self._tree:
            before = ""
            rows = self._execute(
                "SELECT id, parent, kind, side FROM entries WHERE session = ? ORDER BY place", (self._session,)
            )
            for id, parent, kind, side in rows:
                self._tree[id] = (before if parent is None else parent, _is_instruction(kind, side))
                before = id
        return self._tree


def _is_instruction(kind: str, side: str | None) -> bool:
    return kind == "user" and not side
