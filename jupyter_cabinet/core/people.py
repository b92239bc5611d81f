"""The caller: a person of this server, or a program that acts for its owner.

Made by `web/` from Jupyter's authentication; no room ever believes a name from a request body.
"""

from __future__ import annotations

from typing import Literal

import msgspec

# The name under which kernels, scripts and the command line act (they have the server's token, no login).
OWNER = "owner"

# The origin of a person who acts by an account of a chat platform that they have paired with theirs.
CHANNEL = "channel"

Visibility = Literal["private", "server"]


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """A person, as others see them."""

    username: str
    display_name: str


class Principal(Person, frozen=True, kw_only=True):
    """An authenticated caller."""

    origin: str = "browser"  # "browser", "token", "agent", "channel"
    shared_token: bool = False  # every caller has the owner's rights; names are only for display
    administrator: bool = False

    @property
    def person(self) -> Person:
        """Return the caller as others see them, without any rights."""
        return Person(username=self.username, display_name=self.display_name)

    @property
    def in_browser(self) -> bool:
        """Return whether a person in the browser is the caller. Only such a person may confirm trust."""
        return self.origin == "browser"

    @property
    def in_person(self) -> bool:
        """Return whether a person acts at this moment: in the browser, or by a button in a chat."""
        return self.origin in ("browser", CHANNEL)


def may_see(principal: Principal, owner: str, visibility: Visibility) -> bool:
    """Return whether `principal` may see an object: anybody if it is visible to the server, else only who `owns` it.

    Acting on it needs the right to act as well.
    """
    return visibility == "server" or owns(principal, owner)


def owns(principal: Principal, owner: str) -> bool:
    """Return whether `principal` has an owner's rights over an object of `owner`.

    True for the owner and for administrators. On a server with a shared token, true for all people.
    """
    return principal.shared_token or principal.administrator or principal.username == owner
