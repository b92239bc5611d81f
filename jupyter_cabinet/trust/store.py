"""What a person of this server has confirmed, kept outside every root directory: `<jupyter data>/cabinet/trust.db`.

It holds confirmed root directories, and the `.cabinet/` folders that this server made itself: another one
under a root (brought along by a clone or an archive) is set aside unread.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import msgspec

from ..core.paths import HIDDEN_STATE
from ..storage.places import private_folder

TABLES = """
CREATE TABLE IF NOT EXISTS confirmed (hash TEXT PRIMARY KEY, what TEXT NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS folders (id TEXT PRIMARY KEY, root TEXT NOT NULL);
"""
IDENTITY_FILE = "id"


class TrustStore:
    """Small and rarely asked, so each call opens and closes it. Call it off the loop."""

    def __init__(self, folder: Path) -> None:
        self._path = private_folder(folder) / "trust.db"

    def is_confirmed(self, digest: str) -> bool:
        with self._open() as store:
            return store.execute("SELECT 1 FROM confirmed WHERE hash = ?", (digest,)).fetchone() is not None

    def confirm(self, digest: str, *, what: str, by: str, at: datetime) -> None:
        with self._open() as store, store:
            store.execute("INSERT OR IGNORE INTO confirmed VALUES (?, ?, ?, ?)", (digest, what, by, at.isoformat()))

    def claim_state_folder(self, root: Path, *, now: datetime, accept_unknown: bool) -> tuple[Path, Path | None]:
        """Return this root's `.cabinet/`, made if need be, and where an unknown one was moved to."""
        folder = root / HIDDEN_STATE
        aside = None
        if (folder.is_symlink() or folder.exists()) and not (self._is_known(folder) or accept_unknown):
            aside = root / f"{HIDDEN_STATE}.set-aside-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
            folder.rename(aside)
        private_folder(folder)
        if not self._is_known(folder):
            self._mark(folder, root)
        return folder, aside

    def _is_known(self, folder: Path) -> bool:
        try:
            identity = (folder / IDENTITY_FILE).read_text()
        except (OSError, UnicodeDecodeError):
            return False
        with self._open() as store:
            return store.execute("SELECT 1 FROM folders WHERE id = ?", (identity,)).fetchone() is not None

    def _mark(self, folder: Path, root: Path) -> None:
        identity = secrets.token_hex(16)
        (folder / IDENTITY_FILE).write_text(identity)
        with self._open() as store, store:
            store.execute("INSERT INTO folders VALUES (?, ?)", (identity, str(root)))

    def _open(self) -> closing[sqlite3.Connection]:
        store = sqlite3.connect(self._path, timeout=10)
        store.executescript("PRAGMA synchronous=FULL;" + TABLES)
        self._path.chmod(0o600)
        return closing(store)


def root_hash(root: Path) -> str:
    """What a person confirms: the real place of the root directory, in canonical form."""
    value = {"kind": "root", "path": str(root.resolve())}
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
