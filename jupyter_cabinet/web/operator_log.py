"""Tells an operator's own log what happens: the handlers of `c.EventLogger.handlers`, as Jupyter's own events go there.

Not through the server's event logger: whoever may read its stream would learn of runs that are private to somebody, and
whoever may write to it could put events into the log as if they were ours. So the handlers keep the server's formatter,
which does not know our schemas, and have ours for the moment of each event alone. Only this file talks to
`jupyter_events`.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from importlib.resources import files
from typing import Any

import yaml
from jupyter_events.logger import EventLogger

from ..core.events import Event, EventBus, Scope
from ..record.operator_events import NAMES, OperatorEvent, operator_event, schema_id

MOST_WAITING = 10_000  # events; a handler that is slower than that loses the newest
MOST_TROUBLES = 10  # that are told: a handler that fails would fill the server's log
_FOLDER = files("jupyter_cabinet") / "record" / "event_schemas"

log = logging.getLogger(__name__)


class OperatorLog:
    """From `watch` to `stop`. Handlers are called on a thread of their own, one event after the other, so that none of
    them can delay or break a run, or keep the server from its end."""

    def __init__(self, server_logger: Any, *, texts: bool) -> None:
        self._server_logger = server_logger
        self._texts = texts
        self._waiting: queue.Queue[OperatorEvent | None] = queue.Queue(MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._unsubscribe = _nothing
        self._troubles: set[str] = set()

    def watch(self, bus: EventBus) -> None:
        """Pass on what happens from now on."""
        self._unsubscribe = bus.subscribe(self._hear)

    async def stop(self, seconds: float) -> None:
        """Pass on what has happened, then nothing more. A handler that hangs is not waited for any longer."""
        self._unsubscribe()
        self._unsubscribe = _nothing
        thread, self._thread = self._thread, None
        if thread is not None:
            self._put(None)
            await asyncio.to_thread(thread.join, seconds)

    def _hear(self, event: Event, scope: Scope) -> None:
        if not self._server_logger.handlers:
            return
        made = operator_event(event, texts=self._texts)
        if made is None:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._pass_on, name="cabinet-operator-log", daemon=True)
            self._thread.start()
        self._put(made)

    def _put(self, event: OperatorEvent | None) -> None:
        try:
            self._waiting.put_nowait(event)
        except queue.Full:
            self._trouble("full", "The operator's log does not keep up: events are left out.")

    def _pass_on(self) -> None:
        logger = None
        while (event := self._waiting.get()) is not None:
            try:
                logger = logger or _logger_beside(self._server_logger)
                logger.emit(schema_id=schema_id(event.schema), data=dict(event.data))
            except Exception as error:  # somebody else's handler
                self._trouble(repr(error), f"The operator's log could not be told of {event.schema}: {error!r}")

    def _trouble(self, what: str, words: str) -> None:
        if what not in self._troubles and len(self._troubles) < MOST_TROUBLES:
            self._troubles.add(what)
            log.error(words)


class _Forward(logging.Handler):
    """Hands an event to the server's handlers, each with the formatter of ours for that moment."""

    def __init__(self, server_logger: Any) -> None:
        super().__init__()
        self._server_logger = server_logger

    def emit(self, record: logging.LogRecord) -> None:
        errors = []
        for handler in list(self._server_logger.handlers or ()):
            if record.levelno < handler.level:
                continue
            try:
                with handler.lock:  # the server's events wait for it too
                    theirs, handler.formatter = handler.formatter, self.formatter
                    try:
                        handler.handle(record)
                    finally:
                        handler.formatter = theirs
            except Exception as error:
                errors.append(error)  # the others hear of it nevertheless
        if errors:
            raise errors[0]


def _logger_beside(server_logger: Any) -> EventLogger:
    logger = EventLogger(handlers=[_Forward(server_logger)])
    for name in NAMES:
        logger.register_event_schema(_schema(name))
    return logger


def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def _nothing() -> None:
    """Before there is anything to end."""
