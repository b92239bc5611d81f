"""Keeps `.cabinet/` out of Jupyter's own file routes, whatever `allow_hidden` says (rule 9 of ARCHITECTURE.md).

One of our routes catches names. `storage/filesystem/hidden_state.py` determines the real target of a path, in the
contents manager, its checkpoints and the handler that serves files. Called by `jupyter_integration.py`.
"""

from __future__ import annotations

import asyncio
import errno
import inspect
import os
from collections.abc import Callable
from functools import wraps
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.services.contents.fileio import path_to_intermediate
from tornado import web

from ...core.paths import HIDDEN_STATE
from ...storage.filesystem.hidden_state import HiddenState

SLASH = r"(?:/|%2[fF]|\\|%5[cC])"


def _spelled(name: str) -> str:
    """Return a regular expression for every way to write the name in a URL."""
    return "".join(
        f"(?:{'|'.join({_escape(c), f'%{ord(c):02x}', _escape(c.upper()), f'%{ord(c.upper()):02x}'})})" for c in name
    )


def _escape(character: str) -> str:
    return r"\." if character == "." else character


# Extensions' routes are matched before Jupyter's own.
PATTERN = rf"/(?i:(?:.*{SLASH})?{_spelled(HIDDEN_STATE)}(?:{SLASH}.*)?)"
FILES_PATTERN = r"/files/(.*)"


class StateHandler(JupyterHandler):
    """Answers every route that names `.cabinet` as if it did not exist."""

    def _nothing(self) -> None:
        raise web.HTTPError(404)

    @web.authenticated
    def get(self) -> None:
        """Raise 404, for every method; without a login, ask for one first."""
        self._nothing()

    head = post = put = patch = delete = options = get

    def write_error(self, status_code: int, **_: Any) -> None:
        """Answer without Jupyter's page, which needs the user and would log a refused method as a bug."""
        self.finish()


class Withheld(web.HTTPError, PermissionError):
    """The path does not exist, as far as any caller knows. A listing leaves out files without permission."""

    def __init__(self) -> None:
        super().__init__(404, "No such file or directory")
        self.errno = errno.EACCES


def hide_from_contents(contents: Any, hidden: HiddenState) -> None:
    """Make a contents manager refuse paths into `.cabinet`, which request bodies may name and links may reach.

    Its methods raise `Withheld`, a 404, for them. One that does not serve files of this machine stays as it is.
    """
    if getattr(contents, "_get_os_path", None) is None:
        return  # it does not serve files of this machine
    checkpoints = contents.checkpoints
    for place in (contents, checkpoints):
        _refuse_places(place, "_get_os_path", hidden)
        _refuse_places(place, "checkpoint_path", hidden)

    def of_file(*, path: str = "", content: bool = True, require_hash: bool = False, **_: Any) -> tuple[str, ...]:
        return _written_with(contents._get_os_path(path.strip("/"))) if content or require_hash else ()

    def of_checkpoint(*, path: str, **_: Any) -> tuple[str, ...]:
        kept = getattr(checkpoints, "checkpoint_path", None)
        return (*of_file(path=path), *([kept("checkpoint", path)] if kept is not None else []))

    def of_copy(*, from_path: str, **_: Any) -> tuple[str, ...]:
        return (contents._get_os_path(from_path.strip("/")),)

    for name in ("get", "save"):
        _ask_first(contents, name, of_file, hidden.holds)
    for name in ("create_checkpoint", "restore_checkpoint"):
        _ask_first(contents, name, of_checkpoint, hidden.holds)
    _ask_first(contents, "_copy_dir", of_copy, hidden.reached_below)  # it copies the targets of links
    contents.hide_globs = [*contents.hide_globs, HIDDEN_STATE]  # otherwise a listing would fail because of the refusal


def guarded_files(contents: Any, hidden: HiddenState) -> list[tuple[Any, ...]]:
    """Return Jupyter's route of files, with a check of the path's real target; empty if it has none."""
    served = getattr(contents, "files_handler_class", None)
    if served is None or getattr(contents, "_get_os_path", None) is None:
        return []

    class GuardedFiles(served):  # type: ignore[misc, valid-type]  # what the operator has chosen
        async def prepare(self) -> None:
            await ensure_async(super().prepare())
            if self.current_user is not None and await asyncio.to_thread(_is_withheld, hidden, self.path_args):
                raise web.HTTPError(404)

    return [(FILES_PATTERN, GuardedFiles, contents.files_handler_params)]


def _is_withheld(hidden: HiddenState, asked: list[str]) -> bool:
    """Return whether a route of files would serve a file of `.cabinet/`.

    Tornado folds `..` and cuts a last slash as text, and opens the result. The kernel follows links first: to it
    `link/../file` is another file, and `file/` does not exist. Both readings are checked.
    """
    as_written = os.path.join(hidden.root, *asked)  # noqa: PTH118 - pathlib would change the spelling
    return hidden.holds(os.path.abspath(as_written)) or hidden.holds(as_written)  # noqa: PTH100 - folds as tornado does


def _written_with(os_path: str) -> tuple[str, str]:
    """Return a file, and the neighbour to which Jupyter copies its old content while it saves."""
    beside: str = path_to_intermediate(os_path)  # type: ignore[no-untyped-call]
    return os_path, beside


def _refuse_places(owner: Any, name: str, hidden: HiddenState) -> None:
    """Make a method that returns a path refuse one into `.cabinet`."""
    find = getattr(owner, name, None)
    if find is None:
        return

    @wraps(find)
    def guarded(*arguments: Any, **named: Any) -> str:
        found: str = find(*arguments, **named)
        if hidden.leads_in(found):
            raise Withheld
        return found

    setattr(owner, name, guarded)


def _ask_first(
    contents: Any, name: str, touched: Callable[..., tuple[str, ...]], withheld: Callable[[str], bool]
) -> None:
    """Check the paths that a method of the contents manager will use. `touched` takes its arguments, by name."""
    method = getattr(contents, name, None)
    if method is None:
        return
    signature = inspect.signature(method)

    def ask(paths: tuple[str, ...]) -> None:
        if any(map(withheld, paths)):
            raise Withheld

    @wraps(method)
    async def asking(*arguments: Any, **named: Any) -> Any:
        if paths := touched(**signature.bind(*arguments, **named).arguments):
            await asyncio.to_thread(ask, paths)
        return await ensure_async(method(*arguments, **named))

    @wraps(method)
    def asking_at_once(*arguments: Any, **named: Any) -> Any:
        ask(touched(**signature.bind(*arguments, **named).arguments))
        return method(*arguments, **named)

    setattr(contents, name, asking if inspect.iscoroutinefunction(method) else asking_at_once)
