"""What was said before, for a CLI that has lost its session."""

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.execution.history import MAX_HISTORY_BYTES, with_history
from jupyter_cabinet.execution.model import Exchange


@given(st.lists(st.text(max_size=3000), max_size=20))
def test_the_history_for_a_lost_session_is_bounded_and_keeps_the_newest(answers: list[str]) -> None:
    prompt = with_history("now this", [Exchange(f"do {n}", answer) for n, answer in enumerate(answers)])
    assert prompt.endswith("now this") and len(prompt.encode()) < MAX_HISTORY_BYTES + 6000
    if answers:
        assert f"do {len(answers) - 1}" in prompt


def test_of_a_long_history_the_oldest_is_left_out() -> None:
    prompt = with_history("now this", [Exchange(f"do {n}", "x" * 20_000) for n in range(40)])
    assert "do 39" in prompt and "do 0\n" not in prompt
