"""Answers are cut to the size of messages, and nothing of them is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.channels.port import Limits
from jupyter_cabinet.channels.rules.splitting import fence_after, graphemes, length, split, utf16_length
from jupyter_cabinet.channels.telegram.formatting import formatted

SMALL = Limits(length=40)
FAMILY = "👨‍👩‍👧‍👦"
PIECES = st.sampled_from(
    [
        "word ",
        "two words ",
        "\n",
        "\n\n",
        "a" * 30,
        "ü",
        "e\u0301",
        FAMILY,
        "🇩🇪🇫🇷",
        "👍🏽",
        "한글",
        "\r\n",
        "`code` ",
        "  ",
    ]
)
CODE = st.sampled_from(["\n```python\nprint(1)\nprint(2)\n```\n", "\n~~~\nx\n~~~\n", "\n````\n```\n````\n"])
WORDS = st.text(st.characters(exclude_characters="`~", exclude_categories=["Cs"]), max_size=8)
TEXTS = st.lists(st.one_of(PIECES, CODE, WORDS), max_size=40).map("".join)
LIMITS = st.builds(
    Limits,
    length=st.integers(30, 300),
    unit=st.sampled_from(["characters", "utf-16"]),
    doubled=st.sampled_from(["", "`~x ."]),
)


@given(TEXTS, LIMITS)
def test_no_part_is_too_long_and_each_ends_outside_of_code(text: str, limits: Limits) -> None:
    parts = split(text, limits)
    assert all(length(part, limits) <= limits.length for part in parts)
    if len(parts) > 1:
        assert all(fence_after(part) is None for part in parts[:-1])


@given(TEXTS, LIMITS)
def test_the_parts_are_the_text_except_for_fences(text: str, limits: Limits) -> None:
    parts = split(text, limits)
    assert bool(parts) == bool(text.strip())
    if parts:
        assert without_fences("".join(parts)) == without_fences(text)


def test_code_is_cut_between_lines_even_if_the_fence_that_closes_it_needs_the_room() -> None:
    parts = split("```py\n" + "x yyy\n" * 20 + "```", Limits(length=60))
    assert len(parts) > 1
    assert all(set(part.split("\n")) <= {"```py", "x yyy", "```", ""} for part in parts)


@given(st.lists(st.sampled_from([FAMILY, "👍🏽", "e\u0301", "🇩🇪", "한", "a"]), min_size=1, max_size=200), LIMITS)
def test_no_character_that_a_reader_sees_is_cut(pieces: list[str], limits: Limits) -> None:
    parts = split("".join(pieces), limits)
    assert [each for part in parts for each in graphemes(part)] == list(graphemes("".join(pieces)))


def without_fences(text: str) -> str:
    """Return the text without fence lines and line breaks: what they enclose must not change."""
    return (
        "".join(line for line in text.replace("\r\n", "\n").split("\n") if not line.strip().startswith(("```", "~~~")))
        .replace("```", "")
        .replace("~~~", "")
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("  \n ", []),
        ("short", ["short"]),
        ("one two three four five six seven eight nine", ["one two three four five six seven eight ", "nine"]),
        (
            "first paragraph here\n\nsecond paragraph here too",
            ["first paragraph here\n\n", "second paragraph here too"],
        ),
        ("first line of the text\nsecond line of the text", ["first line of the text\n", "second line of the text"]),
        ("x" * 41, ["x" * 40, "x"]),
        (
            "```python\nprint('one')\nprint('two')\nprint('three')\n```",
            ["```python\nprint('one')\nprint('two')\n```", "```python\nprint('three')\n```"],
        ),
    ],
)
def test_cuts_are_where_people_would_make_them(text: str, parts: list[str]) -> None:
    assert split(text, SMALL) == parts


def test_a_character_that_is_longer_than_a_message_is_cut_all_the_same() -> None:
    parts = split("a" + "\u0301" * 100, SMALL)
    assert all(len(part) <= 40 for part in parts) and "".join(parts) == "a" + "\u0301" * 100


def test_telegram_counts_utf_16_units() -> None:
    text = "😀" * 3000
    assert [utf16_length(part) for part in split(text, Limits(length=4096, unit="utf-16"))] == [4096, 1904]


@given(TEXTS)
def test_code_blocks_of_telegram_lie_within_the_text(text: str) -> None:
    shown, blocks = formatted(text)
    for block in blocks:
        assert block.offset >= 0 and block.length > 0
        assert block.offset + block.length <= utf16_length(shown)


def test_words_beside_a_fence_stay_visible() -> None:
    shown, _ = formatted("Look:\n~~~ python and more words\nx\n~~~\nDone.")
    assert shown == "Look:\nand more words\nx\nDone."


def test_a_code_block_is_marked_where_it_is() -> None:
    shown, blocks = formatted("😀 Look:\n```python\nprint(1)\n```\nDone. ~~~ is no fence")
    assert shown == "😀 Look:\nprint(1)\nDone. ~~~ is no fence"
    (block,) = blocks
    assert (
        shown.encode("utf-16-le")[block.offset * 2 : (block.offset + block.length) * 2].decode("utf-16-le")
        == "print(1)"
    )
    assert block.language == "python"
