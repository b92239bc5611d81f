"""Memory grows by entries, each once, and what no longer fits is archived, never lost."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.memory import entries as m
from jupyter_cabinet.agents.memory.archive import with_archived

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
            archives[section.month] = archived(archives.get(section.month, ""), [section])
    return text, archives


def archived(archive: str, sections: Sequence[m.Section]) -> str:
    """The archive with these sections, which fit into one part."""
    (part,) = with_archived([archive], sections, most=4 << 20)
    return part


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
    archive = archived(archives["2026-02"], trimmed.archived)
    assert "\none\n" in archive and "\ntwo\n" in archive


def test_an_entry_that_a_person_changed_is_archived_beside_the_first_one() -> None:
    text = m.with_entry("", entry(1), cap=CAP).kept
    first, changed = m.read(text).sections[0], m.read(text.replace("text 1", "changed")).sections[0]
    archive = archived("", [first])
    assert archived(archive, [first]) == archive
    assert keys(archived(archive, [changed])) == ["run/1", "run/1"]


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


def of_another_installation(count: int) -> str:
    """`context.md` as existing installations write it: an ISO time for each entry, which loses its year with the next
    one."""
    text = ""
    for number in range(count):
        time = (START + timedelta(days=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        head, *rest = [part for part in re.split(r"\n## \d{4}-", text) if part] or [""]
        text = "\n".join([head, *(f"## {part}" for part in rest[-18:])]) + f"\n\n## {time}\nentry {number}"
    return text


def test_the_entries_of_another_installation_are_entries() -> None:
    text = of_another_installation(40)
    assert text.count("\n## 0") == 39 and text.count("\n## 2026-") == 1
    new = m.Entry(key="run/1", at=START + timedelta(days=41), text="the new one")
    trimmed = m.with_entry(text, new, cap=m.CAPS["context"])
    assert [section.text.split("\n")[1] for section in m.read(trimmed.kept).sections] == [
        *(f"entry {number}" for number in range(21, 40)),
        "the new one",
    ]
    assert [section.month for section in trimmed.archived] == ["2026-01"] + ["2026-02"] * 20


def test_a_month_without_a_year_is_the_last_one_before_the_next_entry() -> None:
    text = "## 11-30T08:00:00.000Z\na\n\n## 12-31T08:00:00.000Z\nb\n\n## 01-01T08:00:00.000Z\nc\n"
    trimmed = m.with_entry(text, entry(1), cap=m.Cap(entries=1, size=10_000))
    assert [section.month for section in trimmed.archived] == ["2025-11", "2025-12", "2026-01"]
    hostile = m.with_entry("## 12-31T08:00:00Z\na\n\n## 0000-01-01T08:00Z\nb\n", entry(1), cap=m.Cap(entries=1, size=9))
    assert [section.month for section in hostile.archived] == ["0000-12", "0000-01"]


def test_as_many_entries_of_another_installation_stay_as_fit() -> None:
    written = [f"\n\n## 2024-04-{day:02}T10:00:00.{day:03}Z\n" + "learnt " * 160 for day in range(1, 31)]
    text, cap = "".join(written), m.CAPS["learnings"]
    assert len(text) > cap.size
    trimmed = m.with_entry(text, entry(1), cap=cap)
    assert cap.size - 1200 < len(trimmed.kept) <= cap.size and len(trimmed.archived) == 2
    assert {section.month for section in trimmed.archived} == {"2024-04"}


@pytest.mark.parametrize(
    "heading",
    [
        "## 2024-04-03T10:00:00.000Z",
        "## 2024-04-03T10:00:00Z",
        "## 2024-04-03T10:00Z",
        "## 2024-04-03T10:00:00+02:00",
        "## 2024-04-03T10:00:00.123456",
        "## 2024-04-03 10:00",
        "## 04-03T10:00:00.000Z",
        "## 2024-04-03T10:00:00Z  \r",
    ],
)
def test_a_heading_with_nothing_but_a_time_begins_an_entry(heading: str) -> None:
    read = m.read(f"above\n{heading}\nbelow")
    assert read.preamble == "above\n" and [section.key for section in read.sections] == [""]


@pytest.mark.parametrize(
    "heading",
    [
        "## 2024-04-03",
        "## 04-03",
        "## 04-03 10:00",
        "## 10:00",
        "## Decisions",
        "## 2024-04-03T10:00:00Z Decisions",
        "# 2024-04-03T10:00:00Z",
        "### 2024-04-03T10:00:00Z",
        " ## 2024-04-03T10:00:00Z",
        "## 2024-13-03T10:00:00Z",
        "##2024-04-03T10:00:00Z",
        "text ## 2024-04-03T10:00:00Z",
        "\u2028## 2024-04-03T10:00:00Z",
        "## 2024-04-03T10:00:00Z <!-- -->",
    ],
)
def test_another_heading_begins_none(heading: str) -> None:
    assert not m.read(f"above\n{heading}\nbelow").sections


def test_no_text_from_outside_is_divided_so_that_it_could_be_read() -> None:
    below = "## 2024-04-03T10:00:00Z\nthe bait"
    text = f"## 2024-04-03T10:00:00Z <!-- a/1 tainted -->\ntext\n{below}\n\n## 2024-04-03T10:00Z <!-- a/2 -->\n"
    assert keys(text) == ["a/1", "a/2"] and "bait" not in m.untainted(text)
    new = m.with_entry("", entry(1, below, tainted=True), cap=CAP).kept
    assert f"\n\\{below}\n" in new


def test_a_text_that_is_larger_than_its_file_may_be_is_divided_and_its_end_stays() -> None:
    lines = [f"line {number}" for number in range(5000)]
    cap = m.CAPS["learnings"]
    trimmed = m.with_entry("\n".join(lines), entry(1), cap=cap)
    assert cap.size - 5000 < len(trimmed.kept) <= cap.size and "line 4999\n" in trimmed.kept
    both = "".join(section.text for section in (*trimmed.archived, *m.read(trimmed.kept).sections))
    assert [line for line in both.splitlines() if line.startswith("line")] == lines
    assert max(len(section.text) for section in trimmed.archived) <= m.MAX_ENTRY_BYTES
    after = m.with_entry(trimmed.kept, entry(2, "x" * 4000), cap=cap)
    assert len(after.archived) == 1  # an entry more costs one part of it, not all


def test_what_stands_above_the_entries_stays_unless_it_is_larger_than_the_file_may_be() -> None:
    above, below = "# Notes\n" * 40, "## 2024-04-03T10:00:00Z\nlearnt\n"
    assert m.with_entry(above + below, entry(1), cap=m.Cap(size=320)).kept.startswith(above)
    trimmed = m.with_entry(above + below, entry(1), cap=m.Cap(size=300))
    assert m.read(trimmed.kept).preamble == "" and "# Notes\n" * 40 in "".join(each.text for each in trimmed.archived)


@pytest.mark.parametrize("character", ["a", "ä", "🤖"])
def test_a_long_line_is_divided_between_characters_and_no_part_passes_for_an_entry(character: str) -> None:
    forged = "## 2026-01-01T00:00:00Z <!-- forged/1 -->\n"
    heading = "## 2024-04-03T10:00:00Z <!-- a/1 tainted -->\n"
    for shift in range(4):
        body = "x" * shift + character * 3000 + forged * 50
        (section,) = m.read(heading + body.replace("\n", " ")).sections
        parts = m.pieces(section, m.MAX_ENTRY_BYTES)
        assert len(parts) > 1 and max(len(part.text.encode()) for part in parts) <= m.MAX_ENTRY_BYTES
        assert all(keys(part.text) == ["a/1"] and part.tainted for part in parts)
        texts = [part.text.removeprefix(heading).rstrip("\n").removeprefix(m.CONTINUED) for part in parts]
        assert "".join(texts).strip() == body.replace("\n", " ").strip()


def test_an_archive_grows_by_parts_that_are_not_too_large() -> None:
    sections = m.read("".join(f"## 2024-04-03T10:00:{n:02}Z\n{'ä' * 1000}\n\n" for n in range(20))).sections
    large = m.read("## 2024-04-03T11:00:00Z\n" + "line of it\n" * 2000).sections
    parts = with_archived([], sections, most=10_000)
    parts = with_archived(parts, (*sections, *large), most=10_000)
    assert max(len(part.encode()) for part in parts) <= 10_000 and len(parts) == 8
    found = [section.text.strip() for part in parts for section in m.read(part).sections]
    assert found[:20] == [section.text.strip() for section in sections]
    assert "".join(parts).count("line of it\n") == 2000
    assert with_archived(parts, (*sections, *large), most=10_000) == parts


HEADINGS = st.sampled_from(
    [
        "## 2024-04-03T10:00:00.000Z",
        "## 04-04T10:00:00.000Z",
        "## 2024-04-05 10:00",
        "## 2024-05-03T10:00:00Z <!-- old/1 -->",
        "## 2024-05-04T10:00:00Z <!-- old/2 tainted -->",
        "## Decisions",
        "# 2024-05-04",
        "",
    ]
)


@given(
    st.lists(st.tuples(HEADINGS, st.integers(0, 3), st.sampled_from(["\n", "\r\n"])), max_size=12),
    st.booleans(),
    st.integers(1, 5),
    st.integers(1, 400),
)
def test_nothing_of_a_file_with_all_kinds_of_headings_is_lost(
    blocks: list[tuple[str, int, str]], ends_with_line: bool, count: int, size: int
) -> None:
    lines, tainted, is_tainted = [], [], False
    for number, (heading, below, end) in enumerate(blocks):
        texts = [f"text {number}.{index}." for index in range(below)]
        is_tainted = "tainted" in heading or (is_tainted and "<!--" not in heading)
        tainted += texts if is_tainted else []
        lines += [line + end for line in (heading, *texts)]
    before = "".join(lines)
    text = before if ends_with_line else before.rstrip("\r\n")
    archives: dict[str, list[str]] = {}
    for number in range(3):
        trimmed = m.with_entry(text, entry(number), cap=m.Cap(entries=count, size=size))
        text = trimmed.kept
        for section in trimmed.archived:
            archives[section.month] = with_archived(archives.get(section.month, []), [section], most=4096)
    parts = [part for month in archives.values() for part in month]
    after = "\n".join([text, *parts]).splitlines()
    for line in before.splitlines():
        assert after.count(line) == 1 if line.startswith("text ") else not line or line in after
    shown = "".join(map(m.untainted, [text, *parts]))
    assert not [line for line in tainted if line in shown]
    assert len(text.encode()) <= max(size, 100) + size
