"""What a person of this server has confirmed, kept outside every root directory: `<jupyter data>/cabinet/trust.db`.

It holds confirmed root directories, the last confirmed version of each thing that has power, and the `.cabinet/`
folders that this server knows: another one under a root (brought along by a clone or an archive) is set aside unread,
or accepted as foreign where the operator wants that. One that is known from another place, a copy or a moved one, is
foreign too: whoever had it in between may have changed it.
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
from ..storage import files, untrusted_files
from ..storage.private_folders import private_folder

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
    """This root's `.cabinet/`. `foreign`: it came with the root, and nothing that it holds may be acted on."""

    path: Path
    identity: str  # known to this server alone; empty while it is foreign
    foreign: bool = False
    aside: Path | None = None  # where an unknown one was moved to


class TrustStore:
    """Small and rarely asked, so each call opens and closes it. Call it off the loop."""

    def __init__(self, folder: Path) -> None:
        self._path = private_folder(folder) / "trust.db"

    def is_confirmed(self, digest: str) -> bool:
        """Whether a person has confirmed what has this hash. Blocks."""
        with self._open() as store:
            return store.execute("SELECT 1 FROM confirmed WHERE hash = ?", (digest,)).fetchone() is not None

    def confirm(self, digest: str, *, what: str, by: str, at: datetime) -> None:
        """Keep that a person (`by`, a user name) has confirmed this hash; a confirmation before it stays. Blocks."""
        with self._open() as store, store:
            store.execute("INSERT OR IGNORE INTO confirmed VALUES (?, ?, ?, ?)", (digest, what, by, at.isoformat()))

    def version(self, what: str) -> tuple[str, bytes] | None:
        """Hash and content of the version of a thing that a person has confirmed last. Blocks."""
        with self._open() as store:
            row = store.execute("SELECT hash, content FROM versions WHERE what = ?", (what,)).fetchone()
        return None if row is None else (row[0], row[1])

    def confirmer(self, what: str) -> str | None:
        """The user name of who has confirmed a thing last. Blocks."""
        with self._open() as store:
            row = store.execute("SELECT by FROM versions WHERE what = ?", (what,)).fetchone()
        return None if row is None else str(row[0])

    def confirmers(self, prefix: str) -> dict[str, str]:
        """The same of all things whose name begins so, by name. Blocks."""
        with self._open() as store:
            found = store.execute(
                "SELECT what, by FROM versions WHERE substr(what, 1, ?) = ?", (len(prefix), prefix)
            ).fetchall()
        return dict(found)

    def versions(self, prefix: str) -> dict[str, str]:
        """Hashes of the confirmed versions of all things whose name begins so, by name. Blocks."""
        with self._open() as store:
            found = store.execute(
                "SELECT what, hash FROM versions WHERE substr(what, 1, ?) = ?", (len(prefix), prefix)
            ).fetchall()
        return dict(found)

    def confirm_version(self, what: str, digest: str, content: bytes, *, by: str, at: datetime) -> None:
        """Keep that a person (`by`, a user name) has confirmed this version, instead of the one before. Blocks."""
        with self._open() as store, store:
            values = (what, digest, content, by, at.isoformat())
            store.execute("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)", values)

    def replace_version(self, what: str, before: str, digest: str, content: bytes, *, by: str, at: datetime) -> bool:
        """The same, but False where the version there has not the hash `before` (empty: there is none). Blocks."""
        with self._open() as store, store:
            store.execute("BEGIN IMMEDIATE")  # nobody else changes it between the look and the change
            row = store.execute("SELECT hash FROM versions WHERE what = ?", (what,)).fetchone()
            if (row[0] if row else "") != before:
                return False
            values = (what, digest, content, by, at.isoformat())
            store.execute("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)", values)
            return True

    def move_version(self, what: str, to: str) -> None:
        """The thing has another name now. Blocks."""
        with self._open() as store, store:
            store.execute("DELETE FROM versions WHERE what = ?", (to,))
            store.execute("UPDATE versions SET what = ? WHERE what = ?", (to, what))

    def forget_version(self, what: str) -> None:
        """The thing is gone: what comes under its name later is another one. Blocks."""
        with self._open() as store, store:
            store.execute("DELETE FROM versions WHERE what = ?", (what,))

    def claim_state_folder(self, root: Path, *, now: datetime, accept_unknown: bool) -> StateFolder:
        """Find this root's `.cabinet/`, made if need be. A foreign one stays foreign until it is `adopt`ed."""
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
        """From now on this `.cabinet/` is the server's own. Returns its identity."""
        identity = secrets.token_hex(16)
        files.replace(folder / IDENTITY_FILE, identity.encode())
        with self._open() as store, store:
            store.execute("INSERT INTO folders VALUES (?, ?)", (identity, str(folder.parent.resolve())))
            store.execute("INSERT INTO places VALUES (?, ?)", (identity, folder.stat().st_ino))
        return identity

    def _known_identity(self, folder: Path) -> tuple[str, bool]:
        """Empty for a folder that this server does not know; and whether it is where this server has made it.

        An archive that was unpacked in its place has another inode. A device's number is not asked: it may change
        when a machine or a container starts anew.
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
            raise Unavailable(
                f"The database {self._path} could not be opened: {error}. It was left as it is."
            ) from error
        return closing(store)


def _refuse_undecodable(root: Path) -> None:
    """No record and no answer could carry such a path: both are UTF-8."""
    try:
        str(root.resolve()).encode()
    except UnicodeEncodeError:
        raise Unavailable(
            f"The path of the root directory is not UTF-8: {os.fsencode(root.resolve())!r}. Rename the folder."
        ) from None


def root_hash(root: Path) -> str:
    """What a person confirms: the real place of the root directory, in canonical form."""
    value = {"kind": "root", "path": str(root.resolve())}
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
