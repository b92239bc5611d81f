"""The answer of a reflection has exactly one block with the whole soul; all else is reported."""

from harness.cost import cost
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.reflection import soul_answer as answers
from jupyter_cabinet.agents.reflection.soul_answer import in_the_form_of, soul_in


def test_the_block_is_the_soul() -> None:
    assert soul_in("I thought.\n\n```soul\n\n# A\n\nb\n\n```\nDone.").text == "# A\n\nb\n"
    assert soul_in("````soul\n# A\n```\nx\n```\n````\n").text == "# A\n```\nx\n```\n"


def test_no_block_two_blocks_and_an_open_block_propose_nothing() -> None:
    assert soul_in("```\nsoul\n```").problem == answers.NO_BLOCK
    assert soul_in("```souls\na\n```").problem == answers.NO_BLOCK
    assert soul_in("```soul now\na\n```").problem == answers.NO_BLOCK
    assert soul_in("```soul\na\n```\n```soul\nb\n```").problem == answers.TWO_BLOCKS
    assert soul_in("```soul\na\n").problem == answers.NOT_CLOSED
    assert soul_in("````soul\na\n```\n").problem == answers.NOT_CLOSED


def test_directives_are_named() -> None:
    found = soul_in("```soul\na\n```\n\n```memory\nLEARNING: x\n```\n")
    assert found.text == "a\n"
    assert found.others == ("LEARNING: x",)


def test_an_answer_of_ten_megabytes_is_refused_at_once() -> None:
    answer = "```soul\n" * 1_250_000
    assert soul_in(answer).problem == answers.TOO_LONG_ANSWER
    assert cost(lambda: soul_in(answer)) < 100
    assert soul_in("```soul\n" * 100_000).problem == answers.NOT_CLOSED


def test_line_ends_are_those_of_the_present_soul() -> None:
    assert in_the_form_of("a\r\nb\r\n", "c\nd\n") == "c\r\nd\r\n"
    assert in_the_form_of("a\r\nb\n", "c\nd\n") == "c\nd\n"
    assert in_the_form_of("", "c\n") == "c\n"


@given(st.text())
def test_any_answer_can_be_read(answer: str) -> None:
    found = soul_in(answer)
    assert (found.text is None) == bool(found.problem)
