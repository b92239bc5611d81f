"""What callers may ask for over the API: the bodies of requests about terminals. Values only."""

from __future__ import annotations

import msgspec

from ..core.people import Visibility


class NewTerminal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST terminals`."""

    program: str = "shell"  # "shell", or the name of a runtime whose CLI is opened in it
    command: tuple[str, ...] | None = None  # instead of a shell: a program and its arguments
    name: str | None = None  # default: "Terminal 1", "Terminal 2", …
    cwd: str | None = None  # relative to the server's root
    cols: int | None = None
    rows: int | None = None
    visibility: Visibility = "server"
    record: bool | None = None  # None: as the server is set (agents' terminals are recorded)


class TypedInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST terminals/{id}/input`: typed for the caller, by the rules of keys."""

    text: str
    submit: bool = False  # Enter follows when the program has taken in the text


class SetRecording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `PUT terminals/{id}/recording`."""

    on: bool
