"""Keeps `.cabinet/` out of Jupyter's own file routes, whatever `allow_hidden` says (rule 15 of the architecture)."""

from __future__ import annotations

from functools import wraps
from typing import Any

from jupyter_server.base.handlers import JupyterHandler
from tornado import web

from ..core.paths import HIDDEN_STATE

SLASH = r"(?:/|%2[fF]|\\|%5[cC])"


def _spelled(name: str) -> str:
    """A regular expression for every way to write the name in a URL."""
    return "".join(
        f"(?:{'|'.join({_escape(c), f'%{ord(c):02x}', _escape(c.upper()), f'%{ord(c.upper()):02x}'})})" for c in name
    )


def _escape(character: str) -> str:
    return r"\." if character == "." else character


# Extensions' routes are asked before Jupyter's own.
PATTERN = rf"/(?i:(?:.*{SLASH})?{_spelled(HIDDEN_STATE)}(?:{SLASH}.*)?)"


class StateHandler(JupyterHandler):
    """Answers every route that names `.cabinet` as if there were nothing."""

    def _nothing(self) -> None:
        raise web.HTTPError(404)

    @web.authenticated
    def get(self) -> None:
        self._nothing()

    head = post = put = patch = delete = get


def hide_from_contents(contents: Any) -> None:
    """Make a contents manager refuse paths into `.cabinet`: copies and renames name them in bodies."""
    find = getattr(contents, "_get_os_path", None)
    if find is None:
        return  # it does not serve files of this machine

    @wraps(find)
    def guarded(path: str) -> str:
        if HIDDEN_STATE in path.casefold().replace("\\", "/").split("/"):
            raise web.HTTPError(404, "No such file or directory")
        found: str = find(path)
        return found

    contents._get_os_path = guarded
    contents.hide_globs = [*contents.hide_globs, HIDDEN_STATE]  # else a listing would stumble over the refusal
