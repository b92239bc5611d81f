"""Names in the order in which people expect them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.natural_order import natural_key


@pytest.mark.parametrize(
    "names",
    [
        ["agent 2", "Agent 10", "agent 11"],
        ["Ada", "bob", "Cyd"],
        ["1", "1a", "2", "10", "a"],
        ["a", "a1", "a1b2", "a1b10", "b"],
        ["v1.9", "v1.10", "v2"],
        ["x" + "9" * 5000, "x1" + "0" * 5000],
    ],
)
def test_numbers_count_and_case_does_not(names: list[str]) -> None:
    assert sorted(reversed(names), key=natural_key) == names


def test_zeros_in_front_change_nothing() -> None:
    assert natural_key("agent 007") == natural_key("Agent 7")


@given(st.lists(st.text()))
def test_all_names_can_be_sorted(names: list[str]) -> None:
    assert sorted(sorted(names, key=natural_key), key=natural_key) == sorted(names, key=natural_key)
