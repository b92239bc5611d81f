"""Methods in both forms from one `async def`: `thing.do()` waits, `await thing.do.aio()` does not block a loop."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar, overload

from .api import Api

P = ParamSpec("P")
R = TypeVar("R")


class Asking(Protocol):
    """An object with such methods."""

    @property
    def _api(self) -> Api: ...


S = TypeVar("S", bound=Asking)


class BothForms(Generic[P, R]):
    """A method of one object.

    A call waits for the server, and an interrupt ends the wait; `aio` takes the same arguments and is awaited.
    """

    def __init__(self, api: Api, work: Callable[P, Coroutine[Any, Any, R]]) -> None:
        self._api = api
        self._work = work
        functools.update_wrapper(self, work)
        self.__signature__ = inspect.signature(work)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        return self._api.portal.wait(self._work(*arguments, **named))

    async def aio(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Do the same for async code, on any event loop. Cancelling it ends the work."""
        return await self._api.portal.awaited(self._work(*arguments, **named))


class both_forms(Generic[S, P, R]):  # noqa: N801 - a decorator
    """Makes such a method. The decorated function runs on the loop of the client's own thread."""

    def __init__(self, work: Callable[Concatenate[S, P], Coroutine[Any, Any, R]]) -> None:
        self.work = work
        self.__doc__ = work.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Self: ...
    @overload
    def __get__(self, instance: S, owner: type[Any]) -> BothForms[P, R]: ...
    def __get__(self, instance: S | None, owner: type[Any]) -> Self | BothForms[P, R]:
        if instance is None:
            return self
        return BothForms(instance._api, MethodType(self.work, instance))
