"""What goes with an instruction: what was chosen, each piece once, bounded and without secrets."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_cabinet.notebook.choosing import MAX_PIECE_BYTES, CannotChoose, Choice, Kernel, numbers, pieces
from jupyter_cabinet.notebook.sensitive import MARK
from jupyter_cabinet.notebook.summaries import Summary


def failed() -> BaseException:
    try:
        {"a": 1}["churn"]
    except KeyError as error:
        return error
    raise AssertionError


def kernel() -> Kernel:
    return Kernel(
        variables={"rows": [1, 2], "token": "abc", "_": 3},
        sources={0: "", 1: "import os", 2: "password = 'hunter2'", 3: "1 + 1", 4: "%%agent\nx"},
        outputs={3: 2},
        current=4,
        error=failed(),
    )


def test_the_cell_before_comes_with_what_it_gave() -> None:
    (cell,) = pieces(Choice(before=True), kernel(), "x")
    assert (cell.kind, cell.title, cell.text) == ("cell", "Cell [3]", "1 + 1\n\nOut, int:\n2")


def test_cells_by_number_without_their_secrets() -> None:
    found = pieces(Choice(cells=(1, 2)), kernel(), "x")
    assert [each.text for each in found] == ["import os", f"password = {MARK}"]


def test_the_variables_that_the_instruction_names() -> None:
    found = pieces(Choice(named=True, variables=("token",)), kernel(), "Sort rows by _ and rows", [])
    assert [(each.kind, each.title) for each in found] == [
        ("variable", "rows, list, 2 items"),
        ("variable", "token, str"),
    ]
    assert found[1].text == MARK


def test_a_value_of_the_text_and_a_chosen_one_are_one_piece() -> None:
    inserted = [Summary(title="rows, list, 2 items", text="[1, 2]")]
    assert len(pieces(Choice(variables=("rows",)), kernel(), "x", inserted)) == 1


def test_a_secret_in_the_words_of_an_error_is_left_out() -> None:
    told = msgspec.structs.replace(kernel(), error=ValueError("cannot log in with password='hunter2'"))
    (error,) = pieces(Choice(error=True), told, "x")
    assert "cannot log in" in error.text and MARK in error.text and "hunter2" not in error.text


def test_the_last_error_comes_with_its_traceback() -> None:
    (error,) = pieces(Choice(error=True), kernel(), "x")
    assert error.title == "Last error: KeyError"
    assert error.text.startswith("Traceback") and error.text.rstrip().endswith("KeyError: 'churn'")


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (Choice(cells=(9,)), "This kernel has not run a cell [9]"),
        (Choice(variables=("nobody",)), "There is no variable nobody"),
        (Choice(named=True), "names no variable"),
    ],
)
def test_what_is_not_there_is_said(choice: Choice, words: str) -> None:
    with pytest.raises(CannotChoose) as said:
        pieces(choice, kernel(), "Hello there")
    assert words in str(said.value)


@pytest.mark.parametrize(
    ("choice", "words"), [(Choice(before=True), "No cell was run"), (Choice(error=True), "failed")]
)
def test_a_fresh_kernel_has_nothing_to_choose(choice: Choice, words: str) -> None:
    with pytest.raises(CannotChoose, match=words):
        pieces(choice, Kernel(variables={}), "x")


def test_a_long_cell_is_cut() -> None:
    (cell,) = pieces(Choice(cells=(1,)), Kernel(variables={}, sources={1: "x" * 10**6}), "x")
    assert len(cell.text.encode()) <= MAX_PIECE_BYTES and cell.text.endswith("(cut)")


def test_numbers_are_read_as_people_write_them() -> None:
    assert numbers("3, [5]-7,3") == (3, 5, 6, 7)


@pytest.mark.parametrize(
    ("text", "words"), [("7-5", "is not a list of cells"), ("1-101", "at most 100"), ("3,", "is not a list of cells")]
)
def test_numbers_that_choose_nothing_or_too_much_are_refused(text: str, words: str) -> None:
    with pytest.raises(CannotChoose, match=words):
        numbers(text)
