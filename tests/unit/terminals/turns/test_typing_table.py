"""Who may type: the table of cases that the frontend's rule is tested with too (`labextension/src/terminal/stores`)."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

from jupyter_cabinet.terminals.turns.lock import KEYBOARD, refusal

CASES = json.loads((Path(__file__).parents[3] / "fixtures" / "rules" / "typing.json").read_text())


def test_the_lock_gives_what_the_table_says():
    for case in CASES:
        asked = {name: value for name, value in case.items() if name != "refusal"}
        assert refusal(**asked) == case["refusal"], asked


def test_the_table_has_every_case_once():
    named = [(case["agent_state"], case["screen_open"], case["controls"], case["can_execute"]) for case in CASES]
    assert sorted(map(str, named)) == sorted(map(str, product(KEYBOARD, *[(True, False)] * 3)))
