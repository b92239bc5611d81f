"""`cabinet.terminals`: the shared terminals of a server."""

from __future__ import annotations

from ..core.people import Visibility
from ..terminals.model import SHELL, NewTerminal, Terminal, TerminalPatch, TypedInput
from .api import Api
from .handles import Handles
from .methods import both_forms
from .runs.requests import checked_id


class TerminalHandle:
    """One terminal. Nothing of it is cached: each method asks the server. `id`: its key in `cabinet.terminals`."""

    def __init__(self, api: Api, id: str) -> None:
        self._api = api
        self.id = id

    @both_forms
    async def fetch(self) -> Terminal:
        """Return the terminal as it is now: its name, its controller, its agent.

        Raises `RequestRefused` (`not_found`) if it is closed, or if you may not see it.
        """
        return await self._api.fetch(f"terminals/{self.id}", Terminal)

    @property
    def detail(self) -> Terminal:
        """The terminal as it is now. In async code: `await terminal.fetch.aio()`."""
        return self.fetch()

    @both_forms
    async def type(self, text: str, *, submit: bool = False) -> None:
        """Type into it, with Enter afterwards if `submit` is true.

        You must have control, and no agent may be working; otherwise it raises `RequestRefused`, and types nothing.
        """
        body = TypedInput(text=text, submit=submit)
        await self._api.send("POST", f"terminals/{self.id}/input", object, body)

    @both_forms
    async def share(self) -> Terminal:
        """Let everyone who may view terminals see it, with its earlier output and its recording.

        Only for the person who opened it.
        """
        return await self._change("server")

    @both_forms
    async def make_private(self) -> Terminal:
        """Hide it from everyone but you and administrators. Other people are disconnected.

        Only for the person who opened it.
        """
        return await self._change("private")

    async def _change(self, visibility: Visibility) -> Terminal:
        body = TerminalPatch(visibility=visibility)
        return await self._api.send("PATCH", f"terminals/{self.id}", Terminal, body)

    @both_forms
    async def close(self) -> None:
        """Close it and end everything in it. Raises `RequestRefused` if the caller may not."""
        await self._api.send("DELETE", f"terminals/{self.id}", object)

    def __repr__(self) -> str:
        return f"<TerminalHandle {self.id}>"


class Terminals(Handles[TerminalHandle]):
    """The terminals that you may see, by id."""

    what = "terminal"

    @both_forms
    async def list(self) -> tuple[Terminal, ...]:
        """Return the terminals that you may see, as they are now, oldest first."""
        return await _all(self._api)

    @both_forms
    async def open(
        self,
        name: str | None = None,
        *,
        program: str = SHELL,
        command: tuple[str, ...] | None = None,
        cwd: str | None = None,
        visibility: Visibility = "server",
    ) -> TerminalHandle:
        """Open a terminal that you control. Everyone who may view terminals sees it, unless `visibility` is `private`.

        `name`: chosen by the server if not given. `program`: `shell`, or the name of a runtime whose CLI is opened;
        `command`: any program with its arguments instead. `cwd`: relative to the server's root.
        """
        body = NewTerminal(name=name, program=program, command=command, cwd=cwd, visibility=visibility)
        return TerminalHandle(self._api, (await self._api.send("POST", "terminals", Terminal, body)).id)

    async def _names(self) -> list[str]:  # type: ignore[valid-type]
        return [each.id for each in await _all(self._api)]

    async def _one(self, name: str) -> TerminalHandle:
        await self._api.fetch(f"terminals/{name}", Terminal)
        return TerminalHandle(self._api, name)

    def _is_name(self, name: str) -> bool:
        try:
            return bool(checked_id(name))
        except ValueError:
            return False


async def _all(api: Api) -> tuple[Terminal, ...]:
    return await api.fetch_items("terminals", Terminal)
