"""Which states of a run are final: the table that the frontend is tested with too (`labextension/src/runs/stores`)."""

from __future__ import annotations

import json
from pathlib import Path

from jupyter_cabinet.runs.rules.lifecycle import ALLOWED, FINAL

TABLE = json.loads((Path(__file__).parents[2] / "fixtures" / "rules" / "run_states.json").read_text())


def test_the_final_states_are_those_of_the_table():
    assert set(TABLE["final"]) == FINAL


def test_the_table_has_every_state_once():
    assert sorted(state for states in TABLE.values() for state in states) == sorted(ALLOWED)
