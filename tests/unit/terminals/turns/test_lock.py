"""The soft lock; one table of cases the frontend is tested with too (`labextension/src/terminal/stores`)."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from jupyter_cabinet.terminals.turns.lock import KEYBOARD, refusal

CASES = json.loads((Path(__file__).parents[3] / "fixtures" / "rules" / "typing.json").read_text())
ASKED = ("agent_state", "screen_open", "controls", "can_execute")


@pytest.mark.parametrize(
    ("state", "open", "controls", "can_execute", "reason"),
    [
        ("running", True, True, True, "agent_running"),
        ("running", True, False, True, "agent_running"),
        ("running", True, True, False, "read_only"),
        ("ending", True, True, True, "ending"),
        ("ending", False, True, True, "ending"),
        ("waiting", True, True, True, None),
        ("waiting", True, False, True, "not_controller"),
        ("stopped", False, True, True, "exited"),
        (None, True, True, True, None),
        (None, False, True, True, "exited"),
    ],
)
def test_the_lock_comes_before_the_turn(state, open, controls, can_execute, reason):
    assert refusal(agent_state=state, screen_open=open, controls=controls, can_execute=can_execute) == reason


def test_the_lock_gives_what_the_table_says():
    for case in CASES:
        asked = {name: value for name, value in case.items() if name != "refusal"}
        assert refusal(**asked) == case["refusal"], asked


def test_the_table_has_every_case_once():
    named = sorted(str([case[name] for name in ASKED]) for case in CASES)
    assert named == sorted(str(list(case)) for case in product(KEYBOARD, *[(True, False)] * 3))
