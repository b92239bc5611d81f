"""What a run has of the request or of the run that it follows."""

from __future__ import annotations

from harness.values import NOW, example_run

from jupyter_cabinet.core.people import Person
from jupyter_cabinet.runs.intake import of_typed

KEPT = {
    "kind": "message",
    "path": "a.md",
    "cwd": "docs",
    "runtime": "codex",
    "runtime_title": "Codex CLI",
    "model": "large",
    "permission_mode": "edit",
    "allowed_tools": ("Read",),
    "agent": "iris",
    "own_tools": ("memory",),
    "allow_unenforced": True,
    "tainted": True,
    "session_id": "s9",
    "visibility": "private",
}


def test_a_typed_instruction_is_a_run_with_the_settings_of_its_session() -> None:
    before = example_run(**KEPT, state="succeeded", owner="ada", instruction="first")
    typed = of_typed(before, "second", Person(username="ben", display_name="Ben"), terminal_id="t1", now=NOW)
    assert {name: getattr(typed, name) for name in KEPT} == KEPT
    assert (typed.owner, typed.trigger.kind, typed.instruction, typed.state) == ("ben", "terminal", "second", "queued")
