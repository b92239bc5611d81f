"""`{expression}` in a cell: a word as it is, a larger value beside the text, everything else untouched."""

from __future__ import annotations

import pytest

from jupyter_cabinet.notebook.inserted import Inserted, NotInserted, inserted
from jupyter_cabinet.notebook.sensitive import MARK

NAMES = {"n": 3, "name": "Ada", "rows": [1, 2], "token": "abc", "url": "https://ada:hunter2@a.example"}


def told(text: str) -> Inserted:
    return inserted(text, lambda expression: eval(expression, {}, dict(NAMES)))


def test_a_word_stands_in_the_text() -> None:
    assert told("{name} has {n} of {len(name) if False else n}").text == "Ada has 3 of {len(name) if False else n}"


def test_a_larger_value_stands_beside_it_once() -> None:
    found = told("Sort {rows}, then {rows}.")
    assert found.text == "Sort rows, then rows."
    assert [each.title for each in found.attached] == ["rows, list, 2 items"]


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "{}", "{ }", "{a: b}", "{1, 2}", "f'{x:.2f}'".replace("x", "n"), "{not python}", "a { b\n} c"]
)
def test_what_is_no_name_stays_as_it_was_written(text: str) -> None:
    assert told(text).text == text


def test_doubled_braces_are_braces() -> None:
    assert told("{{name}} and {name}").text == "{name} and Ada"


def test_a_name_that_is_not_there_is_said() -> None:
    with pytest.raises(NotInserted, match=r"\{nobody\} has no value: NameError.*\{\{ and \}\}"):
        told("{nobody}")


def test_a_secret_is_left_out_by_name_and_by_form() -> None:
    assert told("{token} {url}").text == f"{MARK} https://{MARK}@a.example"
    assert told("{rows[0]}").text == "1"


def test_of_a_long_text_only_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def reads(text: str) -> str:
        read.append(len(text))
        return text

    monkeypatch.setattr("jupyter_cabinet.notebook.inserted.without_secrets", reads)
    found = inserted("{text}", lambda _: "y" * 10**7)
    assert found.text == "y" * 2_000 and read == [8_000]
