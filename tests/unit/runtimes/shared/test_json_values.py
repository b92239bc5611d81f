"""Numbers that a CLI reports go into records: what cannot be read again must not get there."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.model import Outcome, Request
from jupyter_cabinet.runtimes.shared.messages.json_values import count, dollars, milliseconds

VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())


@given(VALUES)
def test_whatever_is_reported_only_plausible_numbers_are_believed(value):
    assert type(count(value)) is int
    assert 0 <= count(value) < 2**53
    assert dollars(value) is None or 0 <= dollars(value) < 1e6
    assert milliseconds(value) is None or milliseconds(value) >= 0


@pytest.mark.parametrize("figure", ["true", "-5", "1e30", str(10**30), "[]", '"7"'])
def test_an_outcome_with_hostile_figures_can_be_read_again(figure):
    conversation = Claude().conversation(
        Request(prompt="", mode="headless", cwd="/", session_id="5f0f1de1-9e20-4b5a-b5a5-000000000001")
    )
    line = '{"type":"result","is_error":false,"result":"ok","usage":{"output_tokens":%s},"total_cost_usd":%s}\n'
    conversation.feed("stdout", (line % (figure, figure)).encode())
    outcome = conversation.finish(None)
    assert msgspec.json.decode(msgspec.json.encode(outcome), type=Outcome) == outcome
    assert outcome.usage is not None
    assert outcome.usage.output_tokens == 0
