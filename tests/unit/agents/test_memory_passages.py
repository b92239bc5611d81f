"""A memory file in passages: nothing is lost, lines are counted as an editor does, marks are where the words are."""

from __future__ import annotations

from itertools import pairwise

import pytest
from harness.memory_texts import HEADING, TAINTED, memory_texts
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.memory import passages as p
from jupyter_cabinet.agents.memory import word_matching as w
from jupyter_cabinet.agents.memory.entries import LEFT_OUT, read

LONG_LINE = "x" * 5000
PARAGRAPHS = "\n\n".join(f"{number} " + "word " * 60 for number in range(40))
WINDOWS = PARAGRAPHS.replace("\n", "\r\n")


def line_of(text: str, at: int) -> int:
    """Count as an editor does, in the slowest way."""
    return 1 + sum(character == "\n" for character in text[:at])


def check(text: str) -> list[p.Passage]:
    found = list(p.passages(text))
    covered = 0
    for each in found:
        end = each.start + len(each.text)
        assert text[each.start : end] == each.text and 0 < len(each.text) <= p.PASSAGE_CHARACTERS
        assert covered - p.OVERLAP_CHARACTERS <= each.start <= covered < end
        assert (each.first_line, each.last_line) == (line_of(text, each.start), line_of(text, end - 1))
        covered = end
    assert covered == len(text)
    return found


@given(memory_texts() | st.text())
def test_passages_cover_every_character_once_apart_from_the_overlap_and_know_their_lines(text: str) -> None:
    check(text)


@pytest.mark.parametrize("text", ["", "\n", LONG_LINE, PARAGRAPHS, WINDOWS, "👩‍👩‍👧" * 900, "a b\r" * 900, "\n" * 4000])
def test_unusual_texts_are_divided_too(text: str) -> None:
    found = check(text)
    assert len(found) >= len(text) // p.PASSAGE_CHARACTERS


@pytest.mark.parametrize("text", [PARAGRAPHS, WINDOWS])
def test_a_passage_ends_with_a_paragraph_and_the_next_one_begins_with_a_line(text: str) -> None:
    found = check(text)
    assert len(found) > 5
    assert all(each.text.endswith("\n") for each in found[:-1])
    assert all(text[each.start - 1] == "\n" or text[each.start - 1] == " " for each in found[1:])


def test_without_paragraphs_a_passage_ends_with_a_line_then_with_a_word() -> None:
    lines = check("\n".join(["word " * 19] * 100))
    assert all(each.text.endswith("\n") for each in lines[:-1])
    words = check("word " * 1000)
    assert all(each.text.startswith("word") and each.text.endswith(" ") for each in words)


@given(st.integers(0, 4000), st.sampled_from(["", " ", "\n", "\n\n"]))
def test_a_word_is_whole_in_at_least_one_passage(before: int, border: str) -> None:
    word = "w" * 200
    text = "x" * before + border + word + "y" * 3000
    assert any(word in each.text for each in p.passages(text))


def test_entries_have_passages_of_their_own_so_that_tainted_text_is_with_no_other() -> None:
    first, theirs, last = HEADING.format(1, ""), HEADING.format(2, TAINTED), HEADING.format(3, "")
    text = f"Above.\n{first}Mine.\n{theirs}Theirs.\n{last}Mine again.\n"
    found = check(text)
    assert [each.tainted for each in found] == [False, False, True, False]
    assert ["Theirs." in each.text for each in found] == [False, False, True, False]
    assert [each.first_line for each in found] == [1, 2, 4, 6]


@given(
    memory_texts(), st.lists(st.text(max_size=5) | st.sampled_from(["ß", "SS", "ﬃ", "fi", "ΐ", "İ", "aa"]), max_size=4)
)
def test_marks_are_where_the_words_are(text: str, query: list[str]) -> None:
    words = w.words_of(" ".join(query))
    found = w.marks(text, words)
    assert all(before[1] < after[0] for before, after in pairwise(found))
    assert all(any(word in w.folded(text[start:end]) for word in words) for start, end in found)
    assert bool(found) == any(word in w.folded(text) for word in words)


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("The Plums are blue.", "plum BLUE", ["Plum", "blue"]),
        ("Die STRASSE und die Straße", "straße", ["STRASSE", "Straße"]),
        ("aaaa", "aa", ["aaaa"]),
        ("🍇🍇 plums", "plums", ["plums"]),
        ("ß plums", "plums s", ["ß", "plums"]),
        ("nothing", "plums", []),
    ],
)
def test_hits_are_marked_in_any_case(text: str, query: str, marked: list[str]) -> None:
    assert [text[start:end] for start, end in w.marks(text, w.words_of(query))] == marked


def test_a_query_has_words_not_syntax() -> None:
    assert w.words_of('  Plums OR "pears\0"  plums NEAR(a* ') == ("plums", "or", '"pears', '"', "near(a*")
    assert w.words_of(" \n") == () and len(w.words_of(" ".join(map(str, range(50))))) == w.MOST_WORDS
    assert w.words_of("\ud800x") == ("?x",)


@given(memory_texts(), st.sampled_from(["plums", "blau", "🍇", "x" * 200]))
def test_an_excerpt_is_one_short_line_with_the_first_hit_in_it(text: str, word: str) -> None:
    text = f"{text}{word} {text}"
    found = w.excerpt(text, [word])
    assert found.at == w.folded(text).find(word) or len(w.folded(text)) != len(text)
    assert "\n" not in found.text and len(found.text) <= w.EXCERPT_CHARACTERS + w.BEFORE_HIT_CHARACTERS + 2
    assert found.marks and word in w.folded(found.text[slice(*found.marks[0])])


def test_an_excerpt_says_that_more_comes_before_and_after() -> None:
    long = w.excerpt(f"{'before ' * 50}plums{' after' * 50}", ["plums"])
    assert long.text.startswith("…") and long.text.endswith("…") and long.text[slice(*long.marks[0])] == "plums"
    entry = w.excerpt(f"{HEADING.format(1, '')}Some plums\nhere", ["plums"])
    assert (entry.text, entry.marks) == ("Some plums here", ((5, 10),))
    assert w.excerpt("\nplums\n\nare", ["plums"]) == w.Excerpt(text="plums are", marks=((0, 5),), at=1)


@given(memory_texts(), st.integers(1, 40), st.integers(1, 40))
def test_lines_of_a_file_are_those_that_an_editor_shows(text: str, offset: int, limit: int) -> None:
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    wanted = lines[offset - 1 : offset - 1 + limit]
    found = p.lines_between(text, offset, limit, with_tainted=True)
    assert found == ("\n".join(wanted), offset - 1 + len(wanted), len(lines))
    shown, last, count = p.lines_between(text, 1, 10**6, with_tainted=False)
    assert (last, count) == (len(lines), len(lines))
    for section in read(text).sections:
        body = section.text.partition("\n")[2].strip()
        if section.tainted and body:
            assert LEFT_OUT in shown


def test_tainted_lines_are_left_out_and_the_others_keep_their_numbers() -> None:
    text = f"{HEADING.format(1, TAINTED)}one\ntwo\n\n{HEADING.format(2, TAINTED)}{HEADING.format(3, '')}mine\n"
    shown, last, count = p.lines_between(text, 1, 100, with_tainted=False)
    assert "one" not in shown and "two" not in shown and (last, count) == (7, 7)
    assert shown.split("\n")[1:4] == [LEFT_OUT, "", ""] and shown.split("\n")[6] == "mine"
    assert p.lines_between(text, 2, 2, with_tainted=True) == ("one\ntwo", 3, 7)
    assert p.lines_between(text, 8, 2, with_tainted=True) == ("", 7, 7)
