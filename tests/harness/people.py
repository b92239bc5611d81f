"""Named users and their rights, for the servers of the tests. Loaded by the server's own process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jupyter_server.auth import Authorizer, IdentityProvider, User

NAMES = {
    "ada": "Ada Lind",
    "ben": "Ben Okoro",
    "rea": "Rea Reader",
    "root": "Ruth Root",
}


def token_of(username: str) -> str:
    return f"{username}-token-0123456789"


class Table(IdentityProvider):
    """A token for each person."""

    async def get_user_token(self, handler: Any) -> User | None:
        given = self.get_token(handler)
        for username, name in NAMES.items():
            if given == token_of(username):
                return User(username=username, name=name, display_name=name)
        return None


class Rights(Authorizer):
    """Reads the rights anew each time, so that a test can take one away. Other resources are free, but for `not …`."""

    def is_authorized(self, handler: Any, user: User, action: str, resource: str) -> bool:
        rights = json.loads(Path(os.environ["CABINET_TEST_RIGHTS"]).read_text()).get(user.username, [])
        if not resource.startswith("cabinet-"):
            return f"not {resource}:{action}" not in rights
        return f"{resource}:{action}" in rights
