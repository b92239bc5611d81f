"""Tells an operator's own log what happens: the handlers of `c.EventLogger.handlers`, as Jupyter's own events go there.

Not through the server's event logger: whoever may read its stream would learn of runs that are private to somebody, and
whoever may write to it could put events into the log as if they were ours. Only this file talks to `jupyter_events`.
"""

from __future__ import annotations

import asyncio
import logging
from importlib.resources import files
from typing import Any

import yaml
from jupyter_events.logger import EventLogger
from jupyter_events.schema import EventSchema
from jupyter_events.schema_registry import SchemaRegistry

from ..core.events import Event, EventBus, Scope
from ..record.operator_events import NAMES, OperatorEvent, operator_event, schema_id

MOST_WAITING = 10_000  # events; a handler that is slower than that loses the newest
_FOLDER = files("jupyter_cabinet") / "record" / "event_schemas"

log = logging.getLogger(__name__)


class OperatorLog:
    """From `watch` to `stop`. Handlers are called on a thread of their own, one event after the other, so that none of
    them can delay or break a run."""

    def __init__(self, server_logger: Any, *, texts: bool) -> None:
        self._server_logger = server_logger
        self._texts = texts
        self._waiting: asyncio.Queue[OperatorEvent] = asyncio.Queue(MOST_WAITING)
        self._logger: EventLogger | None = None
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe = _nothing
        self._troubles: set[str] = set()  # that were told

    def watch(self, bus: EventBus) -> None:
        """Pass on what happens from now on. Called on the event loop."""
        self._task = asyncio.create_task(self._pass_on())
        self._unsubscribe = bus.subscribe(self._hear)

    async def stop(self) -> None:
        """Pass on what has happened, then nothing more."""
        self._unsubscribe()
        self._unsubscribe = _nothing
        if self._task is not None:
            await self._waiting.join()
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def _hear(self, event: Event, scope: Scope) -> None:
        if not self._server_logger.handlers:
            return
        made = operator_event(event, texts=self._texts)
        if made is None:
            return
        try:
            self._waiting.put_nowait(made)
        except asyncio.QueueFull:
            self._trouble("full", "The operator's log does not keep up: events are left out.")

    async def _pass_on(self) -> None:
        while True:
            event = await self._waiting.get()
            try:
                await asyncio.to_thread(self._emit, event)
            except Exception as error:  # somebody else's handler
                self._trouble(repr(error), f"The operator's log could not be told of {event.schema}: {error!r}")
            finally:
                self._waiting.task_done()

    def _emit(self, event: OperatorEvent) -> None:
        if self._logger is None:
            self._logger = _logger_beside(self._server_logger)
        for handler in self._server_logger.handlers or ():
            if handler not in self._logger.handlers:
                self._logger.register_handler(handler)
        self._logger.emit(schema_id=schema_id(event.schema), data=dict(event.data))

    def _trouble(self, what: str, words: str) -> None:
        """Once: a handler that fails would fill the server's log."""
        if what not in self._troubles and len(self._troubles) < 10:
            self._troubles.add(what)
            log.error(words)


class _Schemas(SchemaRegistry):
    """Ours, and the server's behind them: a handler has one way to write events, whoever's they are."""

    def __init__(self, server: SchemaRegistry) -> None:
        super().__init__()
        self._server = server

    def get(self, id_: str) -> EventSchema:
        return super().get(id_) if id_ in self else self._server.get(id_)


def _logger_beside(server_logger: Any) -> EventLogger:
    logger = EventLogger(schemas=_Schemas(server_logger.schemas), handlers=[])
    for name in NAMES:
        logger.register_event_schema(_schema(name))
    return logger


def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def _nothing() -> None:
    """Before there is anything to end."""
