"""The soft lock."""

from __future__ import annotations

import pytest

from jupyter_cabinet.terminals.turns import lock


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
    assert lock.refusal(agent_state=state, screen_open=open, controls=controls, can_execute=can_execute) == reason
