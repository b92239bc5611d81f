"""The steps of opencode's answers: tokens and cost."""

from __future__ import annotations

from jupyter_cabinet.runtimes.model import Usage
from jupyter_cabinet.runtimes.opencode.messages import Steps


def test_a_step_without_a_cost_leaves_the_sum_and_its_tokens_count():
    steps = Steps()
    assert (steps.usage, steps.cost_usd) == (None, None)
    steps.add({"reason": "tool-calls", "tokens": {"input": 10, "output": 2, "reasoning": 1}})
    assert steps.cost_usd is None
    steps.add({"reason": "stop", "tokens": {"input": 5, "cache": {"read": 3, "write": 1}}, "cost": 0.25})
    steps.add({"reason": "stop", "tokens": "none", "cost": "free"})
    assert steps.usage == Usage(input_tokens=15, output_tokens=3, cache_read_tokens=3, cache_write_tokens=1)
    assert steps.cost_usd == 0.25


def test_an_answer_is_finished_by_its_reason_and_where_there_is_none_by_its_text():
    steps = Steps()
    for reason, text, finished in (
        ("stop", "", True),
        ("unknown", "", False),
        ("unknown", "Hi.", True),
        ("length", "Hi.", False),
    ):
        steps.add({"reason": reason})
        assert steps.finished(text) == finished
