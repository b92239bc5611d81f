"""Sends events to an operator's own log: the handlers of `c.EventLogger.handlers`, like Jupyter's own events.

Not through the server's event logger: its readers would learn about private runs of others, and its writers could forge
events of ours in the log. So the handlers keep the server's formatter, which does not know our schemas, and get ours
only for the moment of each event. Only this file uses `jupyter_events`.
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

from ...activity.operator_events import NAMES, OperatorEvent, operator_event, schema_id
from ...core.events import Event, EventBus, Scope

MOST_WAITING = 10_000  # events; a handler that is slower than that loses the newest
MOST_TROUBLES = 10  # errors that are logged: a failing handler would fill the server's log
_FOLDER = files("jupyter_cabinet") / "activity" / "event_schemas"

log = logging.getLogger(__name__)


class OperatorLog:
    """From `watch` to `stop`. Handlers are called on a separate thread, one event after the other.

    So none of them can delay or break a run, or keep the server from ending.
    """

    def __init__(self, server_logger: Any, *, texts: bool) -> None:
        self._server_logger = server_logger
        self._texts = texts
        self._waiting: queue.Queue[OperatorEvent | None] = queue.Queue(MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._unsubscribe = _nothing
        self._troubles: set[str] = set()

    def watch(self, bus: EventBus) -> None:
        """Pass on events from now on."""
        self._unsubscribe = bus.subscribe(self._hear)

    async def stop(self, seconds: float) -> None:
        """Pass on past events, then nothing more. It waits at most `seconds` for a hanging handler."""
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
            self._trouble("full", "The operator's log is too slow: some events are left out.")

    def _pass_on(self) -> None:
        logger = None
        while (event := self._waiting.get()) is not None:
            try:
                logger = logger or _logger_beside(self._server_logger)
                logger.emit(schema_id=schema_id(event.schema), data=dict(event.data))
            except Exception as error:  # somebody else's handler
                self._trouble(
                    repr(error), (f"The event {event.schema} could not be written to the operator's log: {error!r}")
                )

    def _trouble(self, what: str, words: str) -> None:
        if what not in self._troubles and len(self._troubles) < MOST_TROUBLES:
            self._troubles.add(what)
            log.error(words)


class _Forward(logging.Handler):
    """Passes an event to the server's handlers, each with our formatter for that moment."""

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
                errors.append(error)  # the others receive it nevertheless
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
