"""What an operator's log receives: ids, people and numbers; texts only where somebody has said so."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml
from harness.values import example_approval, example_run
from jupyter_events.schema import EventSchema

from jupyter_cabinet.activity.operator_events import NAMES, operator_event, schema_id
from jupyter_cabinet.approvals.model import ApprovalClosed, ApprovalRequested, AskedPart
from jupyter_cabinet.changes.model import ChangeCounts, ChangesUpdated
from jupyter_cabinet.core.events import Event
from jupyter_cabinet.core.people import Person
from jupyter_cabinet.runs.model import RunFinished, RunQueued, RunResult, RunStarted
from jupyter_cabinet.runtimes.model import Failure, Usage

BEN = Person(username="ben", display_name="Ben")
SECRET = "the instruction, the answer and all names of files"
RUN = example_run(
    state="failed",
    instruction=SECRET,
    path=SECRET,
    reason=SECRET,
    result=RunResult(text=SECRET),
    failure=Failure(kind="crash", message=SECRET),
    usage=Usage(input_tokens=2, output_tokens=1),
    cost_usd=0.5,
    changed=ChangeCounts(files=1, added=2),
)
APPROVAL = example_approval(
    title=SECRET, parts=(AskedPart(label="Command", text=SECRET),), outcome=SECRET, note=SECRET, rule=SECRET,
    state="answered", option="deny", answered_by=BEN,
)  # fmt: skip
CHANGES = ChangesUpdated(run_id="01", paths=(SECRET,), decision="revert", by=BEN)
EVENTS: list[tuple[str, Event]] = [
    ("run_started", RunStarted(run=RUN)),
    ("run_finished", RunFinished(run=RUN)),
    ("approval_requested", ApprovalRequested(approval=APPROVAL)),
    ("approval_closed", ApprovalClosed(approval=APPROVAL)),
    ("changes_decided", CHANGES),
]


def schema(name: str) -> EventSchema:
    text = (files("jupyter_cabinet") / "activity" / "event_schemas" / f"{name}.yaml").read_text()
    return EventSchema(yaml.safe_load(text))


@pytest.mark.parametrize(("name", "event"), EVENTS)
@pytest.mark.parametrize("texts", [False, True])
def test_each_event_fits_its_schema_and_has_texts_only_where_they_are_wanted(
    name: str, event: Event, texts: bool
) -> None:
    made = operator_event(event, texts=texts)
    assert made is not None and made.schema == name
    data: dict[str, Any] = dict(made.data)
    schema(name).validate(data)
    assert (SECRET in repr(data)) is texts
    assert schema(name).id == schema_id(name)


def test_the_numbers_and_the_people_are_told() -> None:
    run = operator_event(RunFinished(run=RUN), texts=False)
    assert run is not None
    assert {"tokens": 3, "cost_usd": 0.5, "failure": "crash", "asked_by": "ada"}.items() <= run.data.items()
    assert run.data["changed"] == {"files": 1, "cells": 0, "added": 2, "removed": 0}
    asked = operator_event(ApprovalClosed(approval=APPROVAL), texts=False)
    assert asked is not None and (asked.data["by"], asked.data["option"]) == ("ben", "deny")
    decided = operator_event(CHANGES, texts=False)
    assert decided is not None and dict(decided.data) == {
        "run_id": "01",
        "files": 1,
        "decision": "revert",
        "by": "ben",
    }


def test_what_is_not_known_is_left_out_and_an_answer_is_told_at_the_end_alone() -> None:
    plain = operator_event(RunStarted(run=example_run(result=RunResult(text="half"))), texts=True)
    assert plain is not None and not {"answer", "tokens", "changed", "agent", "failure"} & set(plain.data)
    early = operator_event(ChangesUpdated(run_id="01", paths=()), texts=False)
    assert early is not None and dict(early.data) == {"run_id": "01", "files": 0}


def test_other_events_are_not_told() -> None:
    assert operator_event(RunQueued(run=RUN), texts=True) is None
    assert {name for name, _ in EVENTS} == set(NAMES)
