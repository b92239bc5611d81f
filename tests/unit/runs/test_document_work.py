"""Where agents of other people work, as everybody else learns it."""

from __future__ import annotations

from typing import Any

import msgspec
from harness.values import example_run

from jupyter_cabinet.core.events import Event, EventBus, Scope
from jupyter_cabinet.runs.document_work import WorkInDocuments
from jupyter_cabinet.runs.model import DocumentWorkChanged, Run, RunFinished

NO_DATABASE: Any = None


def test_the_end_of_a_run_that_another_server_has_begun_is_announced() -> None:
    heard = list[Event]()
    bus = EventBus()
    bus.subscribe(lambda event, scope: heard.append(event))
    WorkInDocuments(database=NO_DATABASE, bus=bus)
    run: Run = msgspec.structs.replace(example_run(), path="a.md", state="interrupted", visibility="private")
    bus.publish(RunFinished(run=run), Scope(owner=run.owner, visibility="private"))
    assert [type(each) for each in heard].count(DocumentWorkChanged) == 1
