"""Who or what has started a run, in words."""

from __future__ import annotations

import pytest
from harness.values import example_run

from jupyter_cabinet.activity.origins import asked_line
from jupyter_cabinet.runs.model import Trigger, TriggerKind


@pytest.mark.parametrize(
    ("kind", "source", "chain", "line"),
    [
        ("person", "", (), "Dora asked dora"),
        ("terminal", "", (), "Dora asked dora"),
        ("program", "", (), "dora, by a program of Dora"),
        ("schedule", "Heartbeat of 2026-01-05 08:00 UTC", (), "dora, by schedule"),
        ("run", "After the play Collect.", ("ada", "play/collect"), "dora, after the play Collect"),
        ("run", "", ("ada",), "dora, by a run"),
        ("event", "a.md has changed.", (), "dora, by an event"),
        ("webhook", "A signed request from outside.", (), "dora, by a webhook"),
        ("message", "A message from ben to dora.", ("ben",), "dora, by a message from ben to dora"),
        ("message", "", (), "dora, by a message"),
    ],
)
def test_only_a_person_has_asked_and_everything_else_is_named(
    kind: TriggerKind, source: str, chain: tuple[str, ...], line: str
) -> None:
    trigger = Trigger(kind=kind, username="dora", display_name="Dora", source=source, chain=chain)
    run = example_run(agent="dora", trigger=trigger)
    assert asked_line(run) == line
    assert asked_line(run, "Dora’s Scout") == line.replace("asked dora", "asked Dora’s Scout").replace(
        "dora,", "Dora’s Scout,"
    )
