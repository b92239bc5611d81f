"""Front matter: YAML 1.2 scalars, strict errors with file and line, and rewriting that leaves the rest alone."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_cabinet.agents.files import front_matter, yaml_change, yaml_values
from jupyter_cabinet.core.errors import Invalid, Malformed

FILE = ".agents/ada/persona.md"

WRITTEN = """---
# who
name: "Ada"  # her name
budget: 0o14   # per month

# the goals
goals:
  - metric: posts   # weekly
    target: 3
  # the second
  - metric: 'calls'
    target: 1.0
# about the odd one
odd_key: no
when: 2026-10-01
note: |
  a
  b

last: [a, b]  # in one line
---
Body  \r
---
the end"""


def fields(text: str) -> dict[str, Any]:
    return front_matter.read(f"---\n{text}\n---\n", file=FILE).fields


def problem(text: str) -> Malformed:
    with pytest.raises(Malformed) as caught:
        front_matter.read(text, file=FILE)
    assert caught.value.message.startswith(f"{FILE}, line {caught.value.detail['line']}: ")
    return caught.value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("", None),
        ("~", None),
        ("null", None),
        ("2026-10-01T08:00:00Z", "2026-10-01T08:00:00Z"),
        ("12:30", "12:30"),
        ("0o14", 12),
        ("014", 14),
        ("0x1F", 31),
        ("-7", -7),
        ("1_000", "1_000"),
        ("1.5e3", 1500.0),
        (".5", 0.5),
        ("'12'", "12"),
        ('"true"', "true"),
        ("[1, a, {b: 2}]", [1, "a", {"b": 2}]),
        ("|\n  a\n  b", "a\nb\n"),
        ("<<", "<<"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(written: str, value: object) -> None:
    found = fields(f"key: {written}")["key"]
    assert found == value
    assert type(found) is type(value)


def test_names_of_fields_are_text_as_written() -> None:
    assert fields("no: 1\n1: 2\ntrue: 3\n<<: 4") == {"no": 1, "1": 2, "true": 3, "<<": 4}


def test_a_text_without_front_matter_is_all_body() -> None:
    for text in ("", "Hello\n---\nname: x\n---\n", "----\nname: x\n---\n", "--- name"):
        assert front_matter.read(text, file=FILE) == front_matter.FrontMatter(fields={}, body=text)


@pytest.mark.parametrize("text", ["---\n---\nbody", "---\n# nothing yet\n---\nbody", "---\n\n---\nbody"])
def test_empty_front_matter_has_no_fields(text: str) -> None:
    assert front_matter.read(text, file=FILE) == front_matter.FrontMatter(fields={}, body="body")


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_breaks_and_the_byte_order_mark_of_any_editor_are_accepted(line_break: str, mark: str) -> None:
    text = mark + line_break.join(["--- ", "name: Ada", "role: |", "  a", "  b", "---", "body", ""])
    found = front_matter.read(text, file=FILE)
    assert found.fields == {"name": "Ada", "role": "a\nb\n"}
    assert found.body == f"body{line_break}"


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("---\nname: Ada\n", 1, "no line `---` ends them"),
        ("---\na: 1\nb: 2\na: 3\n---\n", 4, "the field a is there twice"),
        ("---\na:\n  b: 1\n  b: 2\n---\n", 4, "the field b is there twice"),
        ("---\n- a\n---\n", 2, "fields were expected"),
        ("---\njust text\n---\n", 2, "fields were expected"),
        ("---\na: 1\nb: &x 2\n---\n", 3, "anchors and aliases"),
        ("---\na: *x\n---\n", 2, "anchors and aliases"),
        ("---\na: !!python/object:os.system x\n---\n", 2, "tags"),
        ("---\na: !!str 1\n---\n", 2, "tags"),
        ("---\n&x a: 1\n---\n", 2, "must be plain text"),
        ("---\n!!str a: 1\n---\n", 2, "must be plain text"),
        ("---\n? [a]\n: 1\n---\n", 2, "must be plain text"),
        ("---\na: 1\nb: [1, 2\n---\n", 4, ""),
        ("---\na: 1\nb: c: d\n---\n", 3, ""),
        ("---\na: \t\x01\n---\n", 2, "a character that YAML does not allow"),
        ("---\na: 1\n...\nb: 2\n---\n", 4, ""),
        ("---\na: 1\n--- b\n---\n", 3, "not several documents"),
        ("---\nx: 1\na: .inf\n---\n", 3, "not a usable number"),
        ("---\na: 1e999\n---\n", 2, "not a usable number"),
        (f"---\na: {2**64}\n---\n", 2, "not a usable number"),
        (f"---\na: {'9' * 5000}\n---\n", 2, "not a usable number"),
        ("---\na: \ud800\n---\n", 2, "a character that YAML does not allow"),
    ],
)
def test_what_is_malformed_names_file_line_and_what_was_expected(text: str, line: int, expected: str) -> None:
    error = problem(text)
    assert error.detail["file"] == FILE
    assert error.detail["line"] == line
    assert expected in error.message


def test_half_a_surrogate_pair_is_no_character_whichever_parser_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for loader in (yaml_values.LOADER, yaml.SafeLoader):
        monkeypatch.setattr(yaml_values, "LOADER", loader)
        assert problem('---\na: "\\ud800"\n---\n').detail["line"] == 2


def test_nesting_and_size_are_capped() -> None:
    assert fields("a: " + "[" * 9 + "]" * 9)
    assert "10 levels" in problem("---\na: " + "[" * 10 + "]" * 10 + "\n---\n").message
    assert "64 KiB" in problem(f"---\na: {'é' * 40_000}\n---\n").message
    assert fields(f"a: {'x' * 60_000}")


def test_a_file_that_is_not_utf_8_is_malformed_with_its_line() -> None:
    assert front_matter.decoded("---\nname: Zoë\n".encode(), file=FILE) == "---\nname: Zoë\n"
    with pytest.raises(Malformed) as caught:
        front_matter.decoded(b"---\nname: Zo\xeb\n", file=FILE)
    assert caught.value.detail["line"] == 2


@given(st.text() | st.text(alphabet="ab:-[]{}!&*|>'\"#%@,? \n\t\r\\u0~<=1."))
def test_any_fields_are_read_or_malformed(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\nbody"):
        try:
            front_matter.read(whole, file=FILE)
        except Malformed:
            pass


@given(st.binary())
def test_any_bytes_are_read_or_malformed(content: bytes) -> None:
    for whole in (content, b"---\n" + content + b"\n---\n"):
        try:
            front_matter.read(front_matter.decoded(whole, file=FILE), file=FILE)
        except Malformed:
            pass


def test_a_change_keeps_comments_order_quotes_unknown_fields_and_the_body() -> None:
    goals = [{"metric": "posts", "target": 4}, {"metric": "visits", "target": 1.0}]
    after = front_matter.changed(WRITTEN, {"name": "Bob: B", "goals": goals, "last": ["a", "c"]}, file=FILE)
    expected = (
        WRITTEN.replace('"Ada"  #', '"Bob: B" #')
        .replace("target: 3", "target: 4")
        .replace("'calls'", "'visits'")
        .replace("[a, b]", "[a, c]")
    )
    assert after == expected


def test_a_change_back_gives_the_values_back() -> None:
    before = front_matter.read(WRITTEN, file=FILE)
    there = front_matter.changed(WRITTEN, {"budget": 5, "note": "one line", "goals": ["x"], "last": None}, file=FILE)
    back = front_matter.changed(there, {name: before.fields[name] for name in before.fields}, file=FILE)
    assert front_matter.read(back, file=FILE) == before


def test_a_field_that_is_removed_takes_its_own_lines_only() -> None:
    after = front_matter.changed(WRITTEN, {"goals": None, "note": None, "not_there": None}, file=FILE)
    start, end = WRITTEN.index("goals:"), WRITTEN.index("# about the odd one")
    note, last = WRITTEN.index("note:"), WRITTEN.index("last:")
    assert after == WRITTEN[:start] + WRITTEN[end:note] + WRITTEN[last:]


def test_new_fields_come_last_and_are_written_so_that_they_mean_the_same() -> None:
    added = {"answer": "no", "number": "1_000", "truth": "true", "day": "2026-10-01", "deep": {"a": [1, {"b": None}]}}
    added["lines"] = "one\ntwo\n"
    after = front_matter.changed(WRITTEN, added, file=FILE)
    assert after.startswith(WRITTEN[: WRITTEN.index("---\nBody")])
    assert "lines: |\n  one\n  two\n" in after
    found = front_matter.read(after, file=FILE)
    assert found.fields == {**front_matter.read(WRITTEN, file=FILE).fields, **added}


def test_nested_fields_may_come_and_go() -> None:
    text = "---\nactive:\n  from: 9  # o'clock\n  1: x\n  to: 17\nlist:\n- a\n- b\n---\n"
    after = front_matter.changed(text, {"active": {"from": 9, "1": "x", "until": 18}, "list": ["a"]}, file=FILE)
    assert after == "---\nactive:\n  from: 9  # o'clock\n  1: x\n  until: 18\nlist:\n- a\n---\n"
    longer = front_matter.changed(after, {"list": ["a", "b", "c"]}, file=FILE)
    assert longer.endswith("list:\n- a\n- b\n- c\n---\n")


def test_no_change_leaves_every_byte() -> None:
    assert front_matter.changed(WRITTEN, {"name": "Ada", "budget": 12, "nothing": None}, file=FILE) == WRITTEN


def test_one_and_true_are_not_the_same() -> None:
    assert front_matter.changed("---\na: 1\n---\n", {"a": True}, file=FILE) == "---\na: true\n---\n"


def test_fields_in_braces_can_be_changed_too() -> None:
    assert (
        front_matter.changed("---\n{a: 1, b: x} # all\n---\n", {"a": 2}, file=FILE) == "---\n{a: 2, b: x} # all\n---\n"
    )


def test_indented_fields_can_be_changed_too() -> None:
    after = front_matter.changed("---\n  a: 1\n  b: x\n---\n", {"a": 2, "c": 3}, file=FILE)
    assert fields(after[4:-5]) == {"a": 2, "b": "x", "c": 3}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Body\n", "---\nname: Ada\n---\nBody\n"),
        ("\ufeffBody\r\n", "\ufeff---\r\nname: Ada\r\n---\r\nBody\r\n"),
        ("", "---\nname: Ada\n---\n"),
        ("---\r\na: 1\r\n---\r\nx\n", "---\r\na: 1\r\nname: Ada\r\n---\r\nx\n"),
        ("---\n---", "---\nname: Ada\n---"),
    ],
)
def test_a_text_without_fields_gets_its_first(text: str, after: str) -> None:
    assert front_matter.changed(text, {"name": "Ada"}, file=FILE) == after


@pytest.mark.parametrize("value", [{1, 2}, object(), "\ud800", float("inf"), {1: 2}, 10**40, ["\x00"], ["a\x85b"] * 9])
def test_what_front_matter_cannot_hold_is_invalid_and_never_half_written(value: object) -> None:
    try:
        after = front_matter.changed(WRITTEN, {"name": value}, file=FILE)
    except Invalid as error:
        assert "by hand" in error.message
    else:
        assert front_matter.read(after, file=FILE).fields["name"] == value


def test_a_malformed_text_is_not_changed() -> None:
    with pytest.raises(Malformed):
        front_matter.changed("---\na: [\n---\n", {"a": 1}, file=FILE)


def test_the_text_that_ruamel_writes_to_never_waits() -> None:
    sink = yaml_change._Text()
    sink.write("a")
    sink.flush()
    assert sink.pieces == ["a"]


NAMES = st.text(alphabet="abcdefgh_", min_size=1, max_size=6)
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
) | st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20)
VALUES = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(NAMES, v, max_size=3), max_leaves=8)
FIELDS = st.dictionaries(NAMES, VALUES, max_size=5)


@settings(deadline=None)
@given(before=FIELDS, changes=FIELDS, body=st.text(), comment=NAMES)
def test_changes_keep_every_other_field_whatever_it_holds(
    before: dict[str, Any], changes: dict[str, Any], body: str, comment: str
) -> None:
    written = f"# {comment}\n" + (yaml.safe_dump(before, allow_unicode=True, sort_keys=False) if before else "")
    text = f"---\n{written}---\n{body}"
    try:
        known = front_matter.read(text, file=FILE)
        after = front_matter.changed(text, changes, file=FILE)
    except Invalid:  # YAML 1.1 writes some of them in its own way
        return
    found = front_matter.read(after, file=FILE)
    left = {name: value for name, value in changes.items() if value is not None}
    assert found.body == body
    assert f"# {comment}\n" in after
    assert found.fields == {**{name: value for name, value in known.fields.items() if name not in changes}, **left}


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_the_line_of_each_field_is_known(line_break: str) -> None:
    lines = (
        "---",
        "name: Ada",
        "# about: time",
        "budget : 4",
        "goals:",
        "  - metric: pages",
        "nonsense",
        "---",
        "role: x",
        "",
    )
    assert front_matter.lines_of(line_break.join(lines), file="a.md") == {"name": 2, "budget": 4, "goals": 5}
    assert front_matter.lines_of("role: x\n", file="a.md") == {}
    with pytest.raises(Malformed):
        front_matter.lines_of("---\nname: Ada\n", file="a.md")
