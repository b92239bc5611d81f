"""The confirmations of this server's people, stored outside every root directory: `<jupyter data>/cabinet/trust.db`.

It contains confirmed root directories, the last confirmed version of everything that has power, and the `.cabinet/`
folders that this server knows. An unknown one under a root (brought along by a clone or an archive) is set aside
unread, or accepted as foreign if the operator wants that. A known one in another place, a copy or a moved one, is
foreign too: somebody may have changed it in the meantime.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path

import msgspec

from ..core.errors import Unavailable
from ..core.paths import HIDDEN_STATE
from ..storage.filesystem import files, untrusted_files
from ..storage.filesystem.private_folders import private_folder

TABLES = """
CREATE TABLE IF NOT EXISTS confirmed (hash TEXT PRIMARY KEY, what TEXT NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS folders (id TEXT PRIMARY KEY, root TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS places (id TEXT PRIMARY KEY, inode INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS versions (
    what TEXT PRIMARY KEY, hash TEXT NOT NULL, content BLOB NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL
);
"""
IDENTITY_FILE = "id"
IDENTITY_BYTES = 64


class StateFolder(msgspec.Struct, frozen=True, kw_only=True):
    """This root's `.cabinet/`. `foreign`: it came with the root, and its records must not be acted on."""

    path: Path
    identity: str  # known only to this server; empty while it is foreign
    foreign: bool = False
    aside: Path | None = None  # where an unknown one was moved to


class TrustStore:
    """Small and rarely used, so each call opens and closes it. Call it off the loop.

    Each method raises `Unavailable` if the database cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self._path = private_folder(folder) / "trust.db"

    def is_confirmed(self, digest: str) -> bool:
        """Return whether a person has confirmed this hash.

        Raises `Unavailable` if the database cannot be opened. Blocks.
        """
        with self._open() as store:
            return store.execute("SELECT 1 FROM confirmed WHERE hash = ?", (digest,)).fetchone() is not None

    def confirm(self, digest: str, *, what: str, by: str, at: datetime) -> None:
        """Record that a person (`by`, a user name) has confirmed this hash; an earlier confirmation stays. Blocks.

        Raises `Unavailable` if the database cannot be opened.
        """
        with self._open() as store, store:
            store.execute("INSERT OR IGNORE INTO confirmed VALUES (?, ?, ?, ?)", (digest, what, by, at.isoformat()))

    def version(self, what: str) -> tuple[str, bytes] | None:
        """Return hash and content of the version that a person has confirmed last; None if nobody has. Blocks.

        Raises `Unavailable` if the database cannot be opened.
        """
        with self._open() as store:
            row = store.execute("SELECT hash, content FROM versions WHERE what = ?", (what,)).fetchone()
        return None if row is None else (row[0], row[1])

    def confirmer(self, what: str) -> str | None:
        """Return the user name of who has confirmed the stored version of `what`; None if no version is stored. Blocks.

        Raises `Unavailable` if the database cannot be opened.
        """
        with self._open() as store:
            row = store.execute("SELECT by FROM versions WHERE what = ?", (what,)).fetchone()
        return None if row is None else str(row[0])

    def confirmers(self, prefix: str) -> dict[str, str]:
        """Return the user names of who has confirmed everything whose name has this prefix, by full name. Blocks.

        Raises `Unavailable` if the database cannot be opened.
        """
        with self._open() as store:
            found = store.execute(
                "SELECT what, by FROM versions WHERE substr(what, 1, ?) = ?", (len(prefix), prefix)
            ).fetchall()
        return dict(found)

    def versions(self, prefix: str) -> dict[str, str]:
        """Return the confirmed hashes of everything whose name has this prefix, by full name. Blocks.

        Raises `Unavailable` if the database cannot be opened.
        """
        with self._open() as store:
            found = store.execute(
                "SELECT what, hash FROM versions WHERE substr(what, 1, ?) = ?", (len(prefix), prefix)
            ).fetchall()
        return dict(found)

    def confirm_version(self, what: str, digest: str, content: bytes, *, by: str, at: datetime) -> None:
        """Record that a person (`by`, a user name) has confirmed this version, instead of the previous one. Blocks.

        Raises `Unavailable` if the database cannot be opened.
        """
        with self._open() as store, store:
            values = (what, digest, content, by, at.isoformat())
            store.execute("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)", values)

    def replace_version(self, what: str, before: str, digest: str, content: bytes, *, by: str, at: datetime) -> bool:
        """Confirm a version if the stored one has the hash `before` (empty: there is none), and return True.

        Otherwise return False, and change nothing. Raises `Unavailable` if the database cannot be opened. Blocks.
        """
        with self._open() as store, store:
            store.execute("BEGIN IMMEDIATE")  # nobody else changes it between the check and the change
            row = store.execute("SELECT hash FROM versions WHERE what = ?", (what,)).fetchone()
            if (row[0] if row else "") != before:
                return False
            values = (what, digest, content, by, at.isoformat())
            store.execute("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)", values)
            return True

    def move_version(self, what: str, to: str) -> None:
        """Let the confirmation follow to a new name, where it replaces another one. Blocks.

        Raises `Unavailable` if the database cannot be opened.
        """
        with self._open() as store, store:
            store.execute("DELETE FROM versions WHERE what = ?", (to,))
            store.execute("UPDATE versions SET what = ? WHERE what = ?", (to, what))

    def forget_version(self, what: str) -> None:
        """Remove the confirmation: a later entry under its name is a new one. Blocks.

        Raises `Unavailable` if the database cannot be opened.
        """
        with self._open() as store, store:
            store.execute("DELETE FROM versions WHERE what = ?", (what,))

    def claim_state_folder(self, root: Path, *, now: datetime, accept_unknown: bool) -> StateFolder:
        """Find this root's `.cabinet/`, created if necessary. A foreign one stays foreign until it is `adopt`ed.

        An unknown one is renamed to `.cabinet.set-aside-…` in the root and replaced by a new one, unless
        `accept_unknown`. Raises `Unavailable` if the folder cannot be used, or if the root's path is not UTF-8, and
        `OSError`. Blocks.
        """
        _refuse_undecodable(root)
        folder = root / HIDDEN_STATE
        aside = None
        there = folder.is_symlink() or folder.exists()
        identity, in_its_place = self._known_identity(folder) if there else ("", False)
        unknown = there and not identity
        if unknown and not accept_unknown:
            aside = root / f"{HIDDEN_STATE}.set-aside-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
            folder.rename(aside)
        private_folder(folder)
        if there and aside is None and not in_its_place:
            return StateFolder(path=folder, identity="", foreign=True)
        return StateFolder(path=folder, identity=identity or self.adopt(folder), aside=aside)

    def adopt(self, folder: Path) -> str:
        """Make this `.cabinet/` the server's own from now on, and return its new identity. Blocks.

        Raises `OSError`, and `Unavailable` if the database cannot be opened.
        """
        identity = secrets.token_hex(16)
        files.replace(folder / IDENTITY_FILE, identity.encode())
        with self._open() as store, store:
            store.execute("INSERT INTO folders VALUES (?, ?)", (identity, str(folder.parent.resolve())))
            store.execute("INSERT INTO places VALUES (?, ?)", (identity, folder.stat().st_ino))
        return identity

    def _known_identity(self, folder: Path) -> tuple[str, bool]:
        """Return the root of a known folder (empty: unknown), and whether it is where this server has created it.

        An archive that was unpacked in its place has another inode. A device's number is not compared: it may change
        when a machine or a container restarts.
        """
        try:
            said = untrusted_files.read(folder / IDENTITY_FILE, limit=IDENTITY_BYTES, beneath=folder).decode(
                errors="replace"
            )
            inode = folder.stat(follow_symlinks=False).st_ino
        except OSError:
            return "", False
        with self._open() as store:
            known = store.execute("SELECT root FROM folders WHERE id = ?", (said,)).fetchone()
            place = store.execute("SELECT inode FROM places WHERE id = ?", (said,)).fetchone()
        if known is None:
            return "", False
        return said, known[0] == str(folder.parent.resolve()) and place in (None, (inode,))

    def _open(self) -> closing[sqlite3.Connection]:
        """Raises `Unavailable` with the file and the reason."""
        try:
            store = sqlite3.connect(self._path, timeout=10)
            with ExitStack() as failed:
                failed.callback(store.close)
                store.executescript("PRAGMA synchronous=FULL;" + TABLES)
                self._path.chmod(0o600)
                failed.pop_all()
        except (sqlite3.DatabaseError, OSError) as error:
            raise Unavailable(f"The database {self._path} could not be opened: {error}. It was not changed.") from error
        return closing(store)


def _refuse_undecodable(root: Path) -> None:
    """No record and no reply could contain such a path: both are UTF-8."""
    try:
        str(root.resolve()).encode()
    except UnicodeEncodeError:
        raise Unavailable(
            f"The path of the root directory is not UTF-8: {os.fsencode(root.resolve())!r}. Rename the folder."
        ) from None


def root_hash(root: Path) -> str:
    """Return what a person confirms: the real path of the root directory, in canonical form."""
    value = {"kind": "root", "path": str(root.resolve())}
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
