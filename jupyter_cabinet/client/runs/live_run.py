"""A run in the hands of its starter: wait for it, follow it, stop it. Made by `Cabinet.run`, `attach` and handles."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Generator, Iterator
from typing import Any

from ...agents.model import EffectReport
from ...approvals.model import Approval
from ...changes.model import Changes, FileDiff
from ...core.clock import Clock, SystemClock
from ...runs.model import Run
from ..api import Api
from ..errors import RequestRefused, RunFailed
from ..methods import both_forms
from ..model import LiveState, RunEvent, RunResult
from . import following
from .results import result_of

log = logging.getLogger(__name__)


class LiveRun:
    """A run that was started here, or is followed (`Cabinet.attach`).

    `run.result()` waits for its end; `for event in run` yields its events from the beginning, again each time. In async
    code: `await run`, `async for event in run`, and `await run.cancel.aio()` for a method.
    """

    def __init__(self, api: Api, submission: Coroutine[Any, Any, Run], clock: Clock | None = None) -> None:
        self._api = api
        self._clock = clock or SystemClock()
        self._known: Run | None = None
        self._was_asked = False  # somebody has learned the outcome of the submission
        self._submission = api.portal.start(submission)

    @classmethod
    def submitted(cls, api: Api, submission: Coroutine[Any, Any, Run], *, starts: bool = True) -> LiveRun:
        """Return a run that the server has accepted, or may still refuse while an event loop is running.

        Without a running event loop, it waits, and raises `RequestRefused` or `Unreachable`. `starts`: this object
        starts it, so an interrupt ends it, because nobody would have it.
        """
        run = cls(api, submission)
        try:
            if not _beside_a_loop():
                run.accepted()
        except KeyboardInterrupt:
            if starts:
                cancel_soon(run)
            raise
        return run

    # --- state -------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """Its id. Waits until the server has accepted it; raises `RequestRefused` if it did not."""
        return self.run.id

    @property
    def run(self) -> Run:
        """The last known run, as the server has it. Waits like `id`, and does not ask the server again."""
        self._was_asked = True
        return self._known or self._api.portal.outcome(self._submission)

    @property
    def state(self) -> LiveState:
        """The last known state; `refresh` asks the server. `submitting`: not accepted yet. Does not wait."""
        accepted = self._accepted_already()
        return accepted.state if accepted else "submitting"

    @both_forms
    async def accepted(self) -> Run:
        """Wait until the server has accepted it, and return it. Raises `RequestRefused` if it did not."""
        return await self._accepted()

    @both_forms
    async def refresh(self) -> Run:
        """Ask the server for the run as it is now."""
        return self._keep(await self._api.fetch(f"runs/{await self._id()}", Run))

    # --- end ---------------------------------------------------------------------------------

    @both_forms
    async def result(self, timeout: float | None = None, *, check: bool = True) -> RunResult:
        """Wait for its end and for the results of its directives, and return everything about it.

        Raises `RunFailed` if it has not succeeded, unless `check` is false; `TimeoutError` after `timeout` seconds:
        the run continues.
        """
        async with asyncio.timeout(timeout):
            run_id = await self._id()
            run = self._keep(await following.final(self._api, run_id, self._clock))
            said = await following.said_by(self._api, run_id, self._clock)
            result = result_of(run, said, await following.settled_effects(self._api, run, self._clock))
        if check and run.state != "succeeded":
            raise RunFailed(result)
        return result

    @both_forms
    async def cancel(self) -> Run:
        """End it and everything that it has started; return when that is confirmed. An ended run does not change."""
        try:
            return self._keep(await self._api.send("POST", f"runs/{await self._id()}/cancel", Run))
        except RequestRefused as error:
            if error.kind != "already_final":
                raise
        return self._keep(await self._api.fetch(f"runs/{await self._id()}", Run))

    # --- results -----------------------------------------------------------------------------

    @both_forms
    async def effects(self) -> tuple[EffectReport, ...]:
        """Return the results of its directives so far. Waits only until the run is accepted."""
        return await following.effects_of(self._api, await self._id())

    @both_forms
    async def approvals(self) -> tuple[Approval, ...]:
        """Return its questions that wait for a person. They are answered in the browser, not from here."""
        return await following.waiting_approvals(self._api, await self._id())

    @both_forms
    async def changes(self) -> Changes:
        """Return its changes in the workspace, and people's decisions about them.

        Raises `RequestRefused` if its changes are not known.
        """
        return await self._api.fetch(f"runs/{await self._id()}/changes", Changes)

    @both_forms
    async def diff(self, path: str) -> FileDiff:
        """Return the lines of one file that it has changed, of a notebook by cell; `path` as `changes` names it.

        Raises `RequestRefused` if the run has not changed it, or if its changes are not known.
        """
        return await self._api.fetch(f"runs/{await self._id()}/changes/file", FileDiff, {"path": path})

    # --- events ------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[RunEvent]:
        """Yield its events from the first to the last, as they come. Raises `Unreachable` when the server is gone."""
        batches = self._batches()
        try:
            while (batch := self._api.portal.wait(_next(batches))) is not None:
                yield from batch
        finally:
            self._api.portal.forget(_closed(batches))

    async def __aiter__(self) -> AsyncIterator[RunEvent]:
        """The same for async code."""
        batches = self._batches()
        try:
            while (batch := await self._api.portal.awaited(_next(batches))) is not None:
                for event in batch:
                    yield event
        finally:
            self._api.portal.forget(_closed(batches))

    def __await__(self) -> Generator[Any, None, RunResult]:
        """`await run` is `await run.result.aio()`."""
        return self.result.aio().__await__()

    def __repr__(self) -> str:
        accepted = self._accepted_already()
        return f"<LiveRun {accepted.id} {accepted.state}>" if accepted else "<LiveRun submitting>"

    def __del__(self) -> None:
        submission = getattr(self, "_submission", None)
        if submission is None or self._was_asked or not submission.done() or submission.cancelled():
            return
        if error := submission.exception():
            log.warning("A run was not accepted, and no code has read the error: %s", error)

    # --- parts -------------------------------------------------------------------------------

    async def _batches(self) -> AsyncGenerator[list[RunEvent], None]:
        async for batch in following.follow(self._api, await self._id(), self._clock):
            yield batch
        self._keep(await self._api.fetch(f"runs/{await self._id()}", Run))

    async def _accepted(self) -> Run:
        self._was_asked = True
        if self._known is not None:
            return self._known
        return await asyncio.shield(asyncio.wrap_future(self._submission))

    async def _id(self) -> str:
        return (await self._accepted()).id

    def _keep(self, run: Run) -> Run:
        self._known = run
        return run

    def _accepted_already(self) -> Run | None:
        if self._known is not None:
            return self._known
        done = self._submission.done() and not self._submission.cancelled() and not self._submission.exception()
        return self._submission.result() if done else None


def cancel_soon(run: LiveRun) -> None:
    """End it as soon as it is accepted, without waiting for that: for a caller that is interrupted."""
    run._api.portal.forget(run.cancel.aio())


def _beside_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _next(batches: AsyncGenerator[list[RunEvent], None]) -> list[RunEvent] | None:
    return await anext(batches, None)


async def _closed(batches: AsyncGenerator[list[RunEvent], None]) -> None:
    await batches.aclose()
