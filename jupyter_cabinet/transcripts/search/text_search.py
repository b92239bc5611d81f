"""Finds sessions by text: the index names the entries that may match, and their transcripts confirm it. Blocks.

Every word of the query must occur in one entry, in any case. What people and agents said is found by any part of a
word of three characters or more; outputs and arguments of tools by the beginnings of words.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import Any

from ...runtimes.session_entries import Entry

WORD = re.compile(r"[^\W_]+", re.UNICODE)  # as `unicode61` splits a text, except for rare characters
MOST_WORDS = 20
MOST_CANDIDATES = 20_000  # entries; a more frequent text is searched for in the newest of them
SNIPPET_CHARACTERS = 160
INDEXED_CHARACTERS = 20_000  # of one entry; the rest of a long output is not found
DEEPEST = 5  # level of a call's arguments
SEARCHED = ("user", "assistant", "thinking", "tool_call", "tool_result", "error", "compaction")


def words_of(query: str) -> tuple[str, ...]:
    """Return the words that must occur, in lower case, each once, at most 20."""
    return tuple(dict.fromkeys(query.replace("\0", " ").casefold().split()))[:MOST_WORDS]


def candidates(connection: sqlite3.Connection, words: tuple[str, ...]) -> dict[int, list[int]]:
    """Return numbers of the entries that may match, newest first, by the number of their session.

    Of very frequent words, only the newest 20,000 entries are found.
    """
    found: set[int] = set()
    for table, expression in (("words", _by_words(words)), ("trigrams", _by_trigrams(words))):
        if expression:
            query = f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT ?"  # noqa: S608
            found |= {row[0] for row in connection.execute(query, (expression, MOST_CANDIDATES))}
    sessions: dict[int, list[int]] = {}
    for number, session in _sessions_of(connection, sorted(found, reverse=True)):
        sessions.setdefault(session, []).append(number)
    return sessions


def candidates_between(connection: sqlite3.Connection, words: tuple[str, ...], first: int, last: int) -> set[int]:
    """Return numbers of the entries that may match, from the first one to the last one."""
    found: set[int] = set()
    for table, expression in (("words", _by_words(words)), ("trigrams", _by_trigrams(words))):
        if expression:
            query = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid BETWEEN ? AND ?"  # noqa: S608
            found |= {row[0] for row in connection.execute(query, (expression, first, last))}
    return found


def _sessions_of(connection: sqlite3.Connection, numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Entries that were replaced since have no row any more."""
    for start in range(0, len(numbers), 500):
        some = numbers[start : start + 500]
        marks = ", ".join("?" * len(some))
        yield from connection.execute(
            f"SELECT number, session FROM entries WHERE number IN ({marks}) ORDER BY number DESC",  # noqa: S608
            some,
        )


def _by_words(words: tuple[str, ...]) -> str:
    """Return the FTS5 query: the last part of each word may continue."""
    terms = []
    for word in words:
        *whole, last = WORD.findall(word) or [""]
        terms += [f'"{part}"' for part in whole] + ([f'"{last}" *'] if last else [])
    return " AND ".join(dict.fromkeys(terms))


def _by_trigrams(words: tuple[str, ...]) -> str:
    parts = [word[at : at + 3] for word in words for at in range(len(word) - 2)]
    if any(len(word) < 3 for word in words):
        return ""
    return " AND ".join(dict.fromkeys('"' + part.replace('"', '""') + '"' for part in parts))


def matches(text: str, words: tuple[str, ...]) -> bool:
    """Return whether all words, which are in lower case, occur in a text; True without words."""
    folded = text.casefold()
    return all(word in folded for word in words)


def snippet(text: str, words: tuple[str, ...]) -> str:
    """Return the text around the first of the words, in one line of at most 160 characters; its beginning if none
    occurs.
    """
    folded = text.casefold()
    at = min((place for word in words if (place := folded.find(word)) >= 0), default=0)
    start = max(0, at - SNIPPET_CHARACTERS // 4)
    cut = " ".join(text[start : start + SNIPPET_CHARACTERS].split())
    return f"…{cut}" if start else cut


def searched_text(entry: Entry) -> str:
    """Return the text by which a search finds an entry: of a call, the values of its arguments.

    At most 20,000 characters; empty for a kind of entry that is not searched.
    """
    if entry.kind not in SEARCHED:
        return ""
    text = entry.text
    if entry.kind == "tool_call":
        text = "\n".join([entry.tool, *_strings(entry.input)])
    return text[:INDEXED_CHARACTERS]


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a JSON value, down to a depth that no tool needs."""
    if isinstance(value, str):
        yield value
    elif depth < DEEPEST and isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each, depth + 1)
