"""Events reach an operator's own handlers, beside Jupyter's, and nobody else; a handler that fails breaks nothing."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Any

import pytest
from harness.values import example_run
from jupyter_events.logger import EventLogger

from jupyter_cabinet.activity.operator_events import schema_id
from jupyter_cabinet.core.events import EventBus, Scope
from jupyter_cabinet.runs.model import RunFinished, RunStarted
from jupyter_cabinet.web.jupyter import operator_log
from jupyter_cabinet.web.jupyter.operator_log import OperatorLog

SCOPE = Scope(owner="ada", visibility="private")
JUPYTERS = {
    "$id": "https://events.jupyter.org/test/v1",
    "version": "1",
    "title": "Theirs",
    "personal-data": True,
    "type": "object",
    "properties": {"name": {"type": "string"}},
}


class Kept(logging.Handler):
    """What an operator's log has: one JSON text for each event."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, Any]] = []
        self.threads: set[int] = set()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record)
        except KeyError:  # as `logging`'s own do
            self.handleError(record)
            return
        self.lines.append(json.loads(text))
        self.threads.add(threading.get_ident())

    @property
    def schemas(self) -> list[str]:
        return [line["__schema__"] for line in self.lines]


def server_logger(*handlers: logging.Handler) -> EventLogger:
    logger = EventLogger(handlers=list(handlers))
    logger.register_event_schema(JUPYTERS)
    return logger


async def told(log: OperatorLog, *states: str) -> None:
    bus = EventBus()
    log.watch(bus)
    for state in states:
        run = example_run(id=state, state=state)
        bus.publish(RunStarted(run=run) if state == "running" else RunFinished(run=run), SCOPE)
    await log.stop(10)
    bus.publish(RunFinished(run=example_run(id="late", state="failed")), SCOPE)


async def test_a_handler_of_the_server_hears_of_runs_in_order_and_of_jupyters_events_as_before() -> None:
    kept = Kept()
    server = server_logger(kept)
    await told(OperatorLog(server, texts=False), "running", "succeeded")
    server.emit(schema_id=JUPYTERS["$id"], data={"name": "x"})
    assert kept.schemas == [schema_id("run_started"), schema_id("run_finished"), JUPYTERS["$id"]]
    assert [line["run_id"] for line in kept.lines[:2]] == ["running", "succeeded"]
    assert "instruction" not in kept.lines[0]
    assert len(kept.threads) == 2  # ours has a separate one


async def test_texts_go_along_where_the_operator_wants_them() -> None:
    kept = Kept()
    await told(OperatorLog(server_logger(kept), texts=True), "running")
    assert kept.lines[0]["instruction"] == "x"


async def test_who_listens_to_the_servers_events_hears_nothing_and_nobody_can_say_it_there() -> None:
    kept, heard = Kept(), []
    server = server_logger(kept)

    async def listener(logger: Any, schema_id: str, data: dict[str, Any]) -> None:
        heard.append(schema_id)

    server.add_listener(listener=listener)
    await told(OperatorLog(server, texts=False), "running")
    await server.gather_listeners()
    assert heard == [] and len(kept.lines) == 1
    assert schema_id("run_started") not in server.schemas


async def test_a_handler_that_came_later_is_told_too() -> None:
    kept = Kept()
    server = server_logger(Kept())
    server.register_handler(kept)
    await told(OperatorLog(server, texts=False), "running")
    assert kept.schemas == [schema_id("run_started")]


async def test_a_handler_that_fails_is_named_once_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise OSError("The disk is full")

    kept = Kept()
    await told(OperatorLog(server_logger(kept, Broken()), texts=False), "running", "succeeded")
    assert len(kept.lines) == 2
    assert sum("The disk is full" in record.message for record in caplog.records) == 1


async def test_without_a_handler_nothing_is_started() -> None:
    before = set(threading.enumerate())
    log = OperatorLog(EventLogger(), texts=False)
    log.watch(bus := EventBus())
    bus.publish(RunFinished(run=example_run(state="failed")), SCOPE)
    assert set(threading.enumerate()) <= before
    await log.stop(10)


async def test_nobody_can_write_our_events_through_the_servers_logger(capsys: pytest.CaptureFixture[str]) -> None:
    kept = Kept()
    server = server_logger(kept)
    await told(OperatorLog(server, texts=False), "running")
    forged = {"__schema__": schema_id("run_finished"), "run_id": "forged"}
    server.emit(schema_id=str(JUPYTERS["$id"]), data={"name": "x", **forged})
    assert [line["run_id"] for line in kept.lines] == ["running"]


async def test_a_handler_that_hangs_does_not_keep_the_server() -> None:
    gate = threading.Event()

    class Hanging(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            gate.wait()

    log = OperatorLog(server_logger(Hanging()), texts=False)
    log.watch(bus := EventBus())
    bus.publish(RunFinished(run=example_run(state="failed")), SCOPE)
    async with asyncio.timeout(10):
        await log.stop(0.05)
    hanging = [thread for thread in threading.enumerate() if thread.name == "cabinet-operator-log"]
    assert hanging and all(thread.daemon for thread in hanging)
    gate.set()


@pytest.mark.long(reason="a handler that is slow on purpose")
async def test_a_handler_that_does_not_keep_up_loses_events_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(operator_log, "MOST_WAITING", 2)
    gate = threading.Event()

    class Slow(Kept):
        def emit(self, record: logging.LogRecord) -> None:
            gate.wait()
            super().emit(record)

    kept = Slow()
    log = OperatorLog(server_logger(kept), texts=False)
    log.watch(bus := EventBus())
    for number in range(9):
        bus.publish(RunStarted(run=example_run(id=str(number), state="running")), SCOPE)
    gate.set()
    await log.stop(10)
    assert 1 <= len(kept.lines) <= 3
    assert sum("is too slow" in record.message for record in caplog.records) == 1
