"""Named users and their rights, for the servers of the tests. Loaded by the server's own process."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from jupyter_server.auth import Authorizer, IdentityProvider, User
from tornado import web

NAMES = {
    "ada": "Ada Lind",
    "ben": "Ben Okoro",
    "rea": "Rea Reader",
    "root": "Ruth Root",
}


def token_of(username: str) -> str:
    return f"{username}-token-0123456789"


def _login_of(username: str) -> User | None:
    """Who has logged in, by the newest rights."""
    if _rights_of("everybody"):
        raise web.HTTPError(502, "Nobody is known at the moment.")
    name = NAMES.get(username)
    known = name is not None and _rights_of(username) is not None
    return User(username=username, name=name or "", display_name=name or "") if known else None


def _rights_of(username: str) -> list[str] | None:
    """None: the login was withdrawn."""
    path = Path(os.environ["CABINET_TEST_RIGHTS"])
    status = path.stat()
    return _read(path, (status.st_ino, status.st_mtime_ns)).get(username, [])


@lru_cache(maxsize=1)  # a request asks up to ten times
def _read(path: Path, version: tuple[int, int]) -> dict[str, list[str] | None]:
    """`version`: differs for each file that replaces another."""
    rights: dict[str, list[str] | None] = json.loads(path.read_text())
    return rights


class Table(IdentityProvider):
    """A token for each person, and the usual cookie."""

    async def get_user_token(self, handler: Any) -> User | None:
        given = self.get_token(handler)
        return next((_login_of(username) for username in NAMES if given == token_of(username)), None)

    def get_user_cookie(self, handler: Any) -> User | None:
        user = super().get_user_cookie(handler)
        assert user is None or isinstance(user, User)
        return _login_of(user.username) if user is not None else None


class Rights(Authorizer):
    """Reads the rights again each time, so that a test can take one away. Other resources are free, but for `not …`."""

    def is_authorized(self, handler: Any, user: User, action: str, resource: str) -> bool:
        rights = _rights_of(user.username)
        if rights is None:
            return True  # who is logged in is not an authorizer's business
        if not resource.startswith("cabinet-"):
            return f"not {resource}:{action}" not in rights
        return f"{resource}:{action}" in rights
