"""Memory grows by entries, each once, and what no longer fits is archived, never lost."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents import memory as m

START = datetime(2026, 1, 31, 23, 59, 30, tzinfo=UTC)
CAP = m.Cap(entries=3, size=10_000)


def entry(number: int, text: str = "", *, tainted: bool = False) -> m.Entry:
    return m.Entry(
        key=f"run/{number}", at=START + timedelta(minutes=number), text=text or f"text {number}", tainted=tainted
    )


def filled(text: str, entries: list[m.Entry], cap: m.Cap = CAP) -> tuple[str, dict[str, str]]:
    """The file and its archives after these entries."""
    archives: dict[str, str] = {}
    for each in entries:
        trimmed = m.with_entry(text, each, cap=cap, archive=archives.get(m.month_of(each.at), ""))
        text = trimmed.kept
        for section in trimmed.archived:
            archives[section.month] = m.with_archived(archives.get(section.month, ""), [section])
    return text, archives


def keys(text: str) -> list[str]:
    return [section.key for section in m.read(text).sections]


def test_an_entry_has_a_heading_with_time_and_key() -> None:
    text, _ = filled("", [entry(0), entry(1, tainted=True)])
    assert text == (
        "## 2026-01-31T23:59:30Z <!-- run/0 -->\ntext 0\n\n## 2026-02-01T00:00:30Z <!-- run/1 tainted -->\ntext 1\n"
    )
    assert [section.tainted for section in m.read(text).sections] == [False, True]


def test_the_oldest_entries_go_to_the_archive_of_their_month() -> None:
    text, archives = filled("", [entry(number) for number in range(6)])
    assert keys(text) == ["run/3", "run/4", "run/5"]
    assert {month: keys(archive) for month, archive in archives.items()} == {
        "2026-01": ["run/0"],
        "2026-02": ["run/1", "run/2"],
    }
    assert archives["2026-02"].endswith("text 2\n") and "text 1\n\n## " in archives["2026-02"]


def test_a_file_is_capped_by_bytes_too_and_the_newest_entry_stays() -> None:
    text, archives = filled("", [entry(number, "ä" * 40) for number in range(5)], m.Cap(size=300))
    assert keys(text) == ["run/3", "run/4"] and len(text.encode()) <= 300 and len(keys(archives["2026-02"])) == 2
    assert keys(filled("", [entry(1), entry(2)], m.Cap(size=1))[0]) == ["run/2"]


def test_an_entry_is_added_once_also_after_it_was_archived() -> None:
    text, archives = filled("", [entry(number) for number in range(1, 6)])
    for number in range(1, 6):
        again = m.with_entry(text, entry(number, "other"), cap=CAP, archive=archives["2026-02"])
        assert again == m.Trimmed(kept=text)


def test_what_a_person_wrote_above_the_first_heading_stays() -> None:
    text, archives = filled("", [entry(1)])
    text, archives = filled("# By hand\r\n\r\n- a rule\n\n" + text, [entry(number) for number in range(2, 9)])
    assert text.startswith("# By hand\r\n\r\n- a rule\n\n## ") and keys(text) == ["run/6", "run/7", "run/8"]
    assert "By hand" not in archives["2026-02"]


def test_a_file_without_headings_is_one_old_entry() -> None:
    old = "# Context\n\n## 2024-04-03\nDid things.\n"
    text, archives = filled(old, [entry(1), entry(2)])
    assert len(keys(text)) == 3 and keys(text)[0].startswith("earlier/") and old.strip() in text
    text, archives = filled(text, [entry(3)])
    assert keys(text) == ["run/1", "run/2", "run/3"] and old.strip() in archives["2026-02"]
    assert keys(m.with_entry(" \n", entry(1), cap=CAP).kept) == ["run/1"]


def test_two_old_files_are_both_archived() -> None:
    _, archives = filled("one", [entry(number) for number in range(1, 4)])
    trimmed = m.with_entry("two", entry(4), cap=m.Cap(size=1))
    archive = m.with_archived(archives["2026-02"], trimmed.archived)
    assert "\none\n" in archive and "\ntwo\n" in archive


def test_an_entry_that_a_person_changed_is_archived_beside_the_first_one() -> None:
    text = m.with_entry("", entry(1), cap=CAP).kept
    first, changed = m.read(text).sections[0], m.read(text.replace("text 1", "changed")).sections[0]
    archive = m.with_archived("", [first])
    assert m.with_archived(archive, [first]) == archive
    assert keys(m.with_archived(archive, [changed])) == ["run/1", "run/1"]


def test_a_text_cannot_pass_for_another_entry() -> None:
    forged = "fine\r\n## 2026-01-01T00:00:00Z <!-- other/1 -->\n ## 2026-01-01T00:00:00Z <!-- other/2 -->\r## Plain"
    text = m.with_entry("", entry(1, forged), cap=CAP).kept
    assert keys(text) == ["run/1"]
    assert text.splitlines()[2:] == [
        "\\## 2026-01-01T00:00:00Z <!-- other/1 -->",
        " \\## 2026-01-01T00:00:00Z <!-- other/2 -->",
        "## Plain",
    ]


@pytest.mark.parametrize("character", ["a", "ä", "🤖"])
def test_too_long_a_text_is_cut_between_characters(character: str) -> None:
    cut = m.shown(character * m.MAX_ENTRY_BYTES + character)
    assert cut.endswith(character + m.CUT) and m.MAX_ENTRY_BYTES - 4 < len(cut.encode()) <= m.MAX_ENTRY_BYTES
    assert m.shown("a" * m.MAX_ENTRY_BYTES) == "a" * m.MAX_ENTRY_BYTES


def test_the_files_have_the_caps_of_the_format() -> None:
    assert m.CAPS["context"].entries == 20
    assert m.CAPS["decisions"].size == m.CAPS["learnings"].size == 32 * 1024


TEXTS = st.text(max_size=60) | st.sampled_from(["## 2026-01-01T00:00:00Z <!-- x/1 -->", "# a\n\n\nb", "a\rb", "\u2028"])


@given(TEXTS, st.lists(TEXTS, max_size=12), st.integers(1, 5), st.integers(1, 400))
def test_nothing_is_lost_and_the_order_stays(before: str, texts: list[str], count: int, size: int) -> None:
    cap = m.Cap(entries=count, size=size)
    for number, text in enumerate(texts):
        new = entry(number, text)
        found, trimmed = m.read(before), m.with_entry(before, new, cap=cap)
        after = m.read(trimmed.kept)
        rest = [section.text.strip("\n") for section in (*trimmed.archived, *after.sections)]
        old = [section.text.strip("\n") for section in found.sections]
        if new.key not in keys(before):
            added = m.with_entry("", new, cap=cap).kept.strip("\n")
            assert rest[-1] == added and len(after.sections) <= count
            assert rest[:-1] == old or (not old and rest[0].endswith(before.strip("\n")))
        assert after.preamble == (found.preamble if found.sections else "")
        assert m.with_entry(trimmed.kept, new, cap=cap).kept == trimmed.kept
        assert "".join([after.preamble, *(section.text for section in after.sections)]) == trimmed.kept
        before = trimmed.kept
