"""A value in a few lines: bounded, whatever it is, and without what looks like a secret."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_cabinet.notebook.sensitive import MARK
from jupyter_cabinet.notebook.summaries import MAX_SUMMARY_BYTES, summary

pandas = pytest.importorskip("pandas")
numpy = pytest.importorskip("numpy")


def test_a_frame_is_told_by_shape_types_and_first_rows() -> None:
    frame = pandas.DataFrame({"day": range(7_990), "plan": ["pro"] * 7_990, "api_key": ["abc"] * 7_990})
    told = summary("df", frame)
    assert told.title == "df, pandas.DataFrame, 7,990 × 3"
    assert "day: int64" in told.text and "pro" in told.text
    assert "abc" not in told.text and MARK in told.text
    assert "\n4 " in told.text and "\n5 " not in told.text
    assert list(frame["api_key"][:1]) == ["abc"]  # the person's own is as it was


def test_a_wide_frame_and_long_texts_stay_small() -> None:
    frame = pandas.DataFrame({f"c{n}": ["x" * 100_000] * 3 for n in range(5_000)})
    told = summary("df", frame)
    assert len(told.text.encode()) <= MAX_SUMMARY_BYTES
    assert "4,960 more columns" in told.text


def test_a_frame_with_doubled_columns_can_be_told() -> None:
    frame = pandas.DataFrame([[1, 2]], columns=["a", "a"])
    assert summary("df", frame).title == "df, pandas.DataFrame, 1 × 2"


def test_a_series_and_an_array_begin() -> None:
    assert "dtype: int64" in summary("s", pandas.Series(range(100), name="days")).text
    assert summary("s", pandas.Series(["x"], name="password")).text.endswith(MARK)
    told = summary("a", numpy.arange(10**6).reshape(1000, 1000))
    assert told.title == "a, numpy.ndarray, 1,000 × 1,000" and len(told.text) < 2_000


@pytest.mark.parametrize(
    ("value", "title", "text"),
    [
        (5, "x, int", "5"),
        ("abc", "x, str, 3 characters", "'abc'"),
        ([1, 2, 3], "x, list, 3 items", "[1, 2, 3]"),
        ({"a": 1, "password": "hunter2"}, "x, dict, 2 keys", f"'a': 1\n'password': {MARK}"),
        (None, "x, NoneType", "None"),
    ],
)
def test_a_plain_value_is_itself(value: Any, title: str, text: str) -> None:
    told = summary("x", value)
    assert (told.title, told.text) == (title, text)


def test_a_function_is_told_by_its_signature() -> None:
    def fit(frame: object, *, folds: int = 5) -> None:
        """Fit it.

        At length.
        """

    assert summary("fit", fit).text == "fit(frame: 'object', *, folds: 'int' = 5) -> 'None'\nFit it."


@pytest.mark.parametrize(
    "value", ["x" * 10**7, list(range(10**6)), {n: "x" * 1000 for n in range(10**5)}, [[[[1] * 99] * 99] * 99]]
)
def test_a_large_value_is_small(value: Any) -> None:
    told = summary("x", value)
    assert len(told.text.encode()) <= MAX_SUMMARY_BYTES


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("not me")


class Shapeless:
    shape = property(lambda self: 1 / 0)


def test_what_cannot_be_shown_is_told_by_its_type() -> None:
    assert "RuntimeError" in summary("x", Odd()).text or "Odd" in summary("x", Odd()).text
    assert summary("x", Shapeless()).text == "(This value cannot be shown: ZeroDivisionError.)"


def test_a_value_under_a_name_of_a_secret_is_never_looked_at() -> None:
    assert summary("api_token", {"a": "hunter2"}).text == MARK


def test_a_key_in_a_value_is_left_out() -> None:
    assert "hunter" not in summary("config", "postgresql://ada:hunter2@db/x").text


@dataclasses.dataclass
class Settings:
    before: str
    password: str
    behind: str = "b" * 65


SECRET = "hunter" * 10
FRAME = pandas.DataFrame({"api_key": [SECRET], "n": [1]})


@pytest.mark.parametrize(
    "value",
    [
        Settings("a" * 84, SECRET),  # the middle of it is cut
        "z " * 45 + "sk-ant-" + SECRET + " y" * 35,
        {"db": {"password": SECRET.encode()}},
        {"db": {"passwords": [SECRET, SECRET]}},
        {"db": {b"password": [SECRET]}},
        [("Authorization", f"Basic {SECRET}")],
        {"a": collections.OrderedDict(password=SECRET)},
        FRAME.set_index("api_key"),
        FRAME.set_index("api_key")["n"],
        FRAME.set_index(["api_key", "n"]).assign(m=1),
        pandas.Series({"password": SECRET, "user": "ada"}),
        pandas.DataFrame({"value": {"password": SECRET, "user": "ada"}, "n": {"password": 1, "user": 2}}),
        numpy.array([("ada", SECRET)], dtype=[("user", "U9"), ("password", "U90")]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_secret_within_is_left_out(value: Any) -> None:
    told = summary("x", value)
    assert "hunter" not in told.text and "left out]" in told.text, told.text


def test_of_a_great_mapping_and_of_great_bytes_the_beginning_is_read() -> None:
    class Lazy(collections.abc.Mapping[int, int]):
        asked = 0

        def __len__(self) -> int:
            return 10**12

        def __iter__(self) -> Iterator[int]:
            return iter(range(10**12))

        def __getitem__(self, key: int) -> int:
            type(self).asked += 1
            return key

    assert summary("x", Lazy()).text.endswith("…") and Lazy.asked == 10
    assert len(summary("x", b"x" * 10**7).text) < 1_000
