"""Phrases that readers stumbled over do not come back into the text of the project, including its tests."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: A phrase, and what to write instead. A space in a phrase also matches a line break with the mark of a comment.
HABITS = {
    r"\bstands? (?:in|there|below|above|behind|beside|on|at|before)\b": "appears in, is listed in, is below",
    r"\b(?:is|are|was|were|be|been|being|get|gets) told\b": "is notified, receives, is asked to",
    r"\b(?:tell|tells|told|telling) of\b": "reports, announces, mentions",
    r"\b(?:became|becomes|become) of\b": "the result, the outcome",
    r"\b(?:is|are|was|were|be|been|being) looked at\b": "is read, is checked, is compared",
    r"\ba look at\b": "a snapshot of, a check of",
    r"\b(?:go|goes|going|gone|went) on\b": "continue, resume",
    r"\banew\b": "again",
    r"\bmend(?:s|ed|ing)?\b": "fix, repair",
    r"\bof (?:its|their|his|her|your|our|my|one's) own\b": "its own, separate",
    r"\bwhere (?:there (?:is|are|was) (?:one|none|some|any)|nothing is said)\b": "if it exists, by default",
    r"\b(?:take|takes|taken|taking|took|put|puts) back\b": "revert, restore",
    r"\bout of service\b": "disabled because of an error",
    r"\bnever else\b": "only",
    r"\bas (?:somebody|a person) (?:has )?confirmed\b": "as confirmed",
    r"\bmade up for\b": "run late, compensate for",
    r"\bso that nobody\b": "so that no one",
}
PHRASES = {re.compile(phrase.replace(" ", r"[\s#*/]+"), re.IGNORECASE): instead for phrase, instead in HABITS.items()}
#: All of them at once: one search of a text instead of one for each.
ANY_PHRASE = re.compile("|".join(f"(?:{phrase.pattern})" for phrase in PHRASES), re.IGNORECASE)
#: What is checked, and the files in it that quote other people's words.
CHECKED = (
    "*.md",
    "docs/**/*.md",
    "benchmarks/*.md",
    "notebooks/*.md",
    "jupyter_cabinet/**/*.py",
    "labextension/src/**/*.ts",
    "labextension/src/**/*.tsx",
)
QUOTING: frozenset[str] = frozenset()


def _files() -> Iterator[Path]:
    for pattern in CHECKED:
        for path in ROOT.glob(pattern):
            if path.relative_to(ROOT).as_posix() not in QUOTING:
                yield path


def _test_files() -> Iterator[Path]:
    for path in ROOT.glob("tests/**/*.py"):
        if not path.is_relative_to(ROOT / "tests/fixtures"):
            yield path


def test_no_phrase_comes_back_that_readers_stumbled_over() -> None:
    assert [found for path in _files() for found in _found(path, path.read_text())] == []


@pytest.mark.slow(reason="reads every test")
def test_no_such_phrase_is_in_the_docstrings_and_comments_of_tests() -> None:
    assert [found for path in _test_files() for found in _found_in_prose(path, path.read_text())] == []


def test_code_and_other_strings_do_not_count_as_prose() -> None:
    source = 'def mend():  # go on\n    """Anew."""\n    return "told of"\n'
    assert _prose(source).split() == ["#", "go", "on", '"""Anew."""']
    found = list(_found_in_prose(ROOT / "a.py", source))
    assert [line.partition(";")[0] for line in found] == ["a.py:1: 'go on'", "a.py:2: 'Anew'"]


def _found_in_prose(path: Path, source: str) -> Iterator[str]:
    # Most files have such a phrase not even in their code, and to find the prose takes most of the time.
    return _found(path, _prose(source)) if ANY_PHRASE.search(source) else iter(())


def _prose(source: str) -> str:
    """Return only the docstrings and comments of Python code, in their lines."""
    lines = source.splitlines()
    kept = [""] * len(lines)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            docstring = node.body[0]
            for number in range(docstring.lineno, (docstring.end_lineno or 0) + 1):
                kept[number - 1] = lines[number - 1]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            kept[token.start[0] - 1] += token.string
    return "\n".join(kept)


def _found(path: Path, text: str) -> Iterator[str]:
    if not ANY_PHRASE.search(text):
        return
    for phrase, instead in PHRASES.items():
        for match in phrase.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: {' '.join(match[0].split())!r}; write: {instead}"
