"""Agents, plays and terminals as mappings from name to handle, always read from the server."""

from __future__ import annotations

import difflib
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from .api import Api
from .errors import RequestRefused
from .methods import both_forms

H = TypeVar("H")


class Handles(Mapping[str, H], Generic[H]):
    """A mapping by name. Nothing is cached: `in`, `len` and iteration ask the server."""

    what = "such thing"  # in the singular, for people

    def __init__(self, api: Api) -> None:
        self._api = api

    @both_forms
    async def find(self, name: str) -> H:
        """Return the one with this name, like `[name]`.

        Raises `KeyError`, which suggests a similar name, if there is none.
        """
        try:
            if isinstance(name, str) and self._is_name(name):
                return await self._one(name)
        except RequestRefused as error:
            if error.kind != "not_found":
                raise
        near = difflib.get_close_matches(str(name), await self._names(), n=1)
        raise KeyError(f"There is no {self.what} {name!r}." + (f" Is it {near[0]!r}?" if near else ""))

    def __getitem__(self, name: str) -> H:
        return self.find(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._api.portal.wait(self._names()))

    def __len__(self) -> int:
        return len(self._api.portal.wait(self._names()))

    def __contains__(self, name: object) -> bool:
        return name in self._api.portal.wait(self._names())

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._api.server.url}>"

    @abstractmethod
    async def _names(self) -> list[str]: ...

    @abstractmethod
    async def _one(self, name: str) -> H: ...

    @abstractmethod
    def _is_name(self, name: str) -> bool: ...
