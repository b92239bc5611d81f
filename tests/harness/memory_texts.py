"""Texts of memory files for property tests: entries, paragraphs, long lines, other line ends, other scripts."""

from __future__ import annotations

from hypothesis import strategies as st

HEADING = "## 2026-01-0{}T00:00:00Z <!-- r/1{} -->\n"
TAINTED = " tainted"
WORDS = (
    *("plums", "Plums", "PLUMS!", "plumsare", "are", "blue", "blau", "Straße", "STRASSE", "über", "uber", "u\u0308ber"),
    *(
        "プラムは青い",
        "青い",
        "🍇",
        "👩‍👩‍👧",
        "a",
        "b",
        '"',
        "'",
        "*",
        "OR",
        "NEAR(",
        "a-b",
        "a_b",
        "x" * 50,
        "\0",
        "\x1b[0m",
        "İ",
    ),
)
SPACES = (" ", " ", " ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\t", "\r", "\u3000", "")
_PIECES = st.sampled_from(WORDS) | st.sampled_from(SPACES) | st.sampled_from([HEADING.format(1, ""), "\n## "])
_TAINTED_HEADING = st.just("\n" + HEADING.format(2, TAINTED))


def memory_texts(most: int = 80) -> st.SearchStrategy[str]:
    """Return texts of up to `most` pieces, some of them repeated so that they need several passages."""
    pieces = st.lists(_PIECES | _TAINTED_HEADING | st.text(max_size=8), max_size=most)
    return st.builds(lambda some, times: "".join(some) * times, pieces, st.sampled_from([1, 1, 1, 8, 40]))
