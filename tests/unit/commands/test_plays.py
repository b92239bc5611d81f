"""What is given to a play."""

from __future__ import annotations

import pytest

from jupyter_cabinet.commands.plays import inputs_of
from jupyter_cabinet.commands.problems import CommandFailed


def test_inputs_of_a_play_are_keys_and_values_each_once() -> None:
    assert inputs_of(["a=1", "b=x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    for wrong in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(CommandFailed, match=r"is no input|is given twice"):
            inputs_of(wrong)
