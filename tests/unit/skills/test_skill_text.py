"""SKILL.md: what is read, what is refused, and that a written one is read again as it was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid, Malformed
from jupyter_cabinet.skills import skill_text

GOOD = "---\nname: weekly-report\ndescription: Writes the weekly report.\n---\n\nCollect, then write.\n"
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=300)


def test_a_published_example_is_read() -> None:
    text = GOOD.replace("---\n\n", "license: Apache-2.0\nmetadata:\n  author: somebody\n  version: '1.0'\n---\n\n")
    skill = skill_text.read(text.encode(), file="f")
    assert (skill.name, skill.description) == ("weekly-report", "Writes the weekly report.")
    assert (skill.instructions, skill.ignored) == ("Collect, then write.", ())


def test_fields_that_would_grant_rights_are_named_and_ignored() -> None:
    text = GOOD.replace("---\n\n", "allowed-tools: Bash(*)\nhooks: {}\n---\n\n")
    assert skill_text.read(text.encode(), file="f").ignored == ("allowed-tools", "hooks")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD.replace("weekly-report", "Weekly"), "lowercase"),
        (GOOD.replace("weekly-report", "a--b"), "single hyphens"),
        (GOOD.replace("weekly-report", "../a"), "lowercase"),
        (GOOD.replace("weekly-report", "a" * 65), "64"),
        (GOOD.replace("name: weekly-report\n", ""), "needs the field name"),
        (GOOD.replace("Writes the weekly report.", "''"), "needs the field description"),
        (GOOD.replace("Writes the weekly report.", "x" * 1025), "1,024"),
        (GOOD.replace("Collect, then write.", " "), "no instructions"),
        ("Only text.", "no line `---`"),
        (GOOD.replace("---\n\n", f"x: {'[]' * 2500}\n---\n\n"), "within 4 KiB"),
        ("---\nname: [\n---\nx", "line 3"),
    ],
)
def test_what_is_not_a_skill_says_what_to_correct(text: str, says: str) -> None:
    with pytest.raises(Malformed, match=says):
        skill_text.read(text.encode(), file="SKILL.md")


@given(TEXTS, TEXTS)
def test_a_written_skill_is_read_as_it_was_meant(description: str, instructions: str) -> None:
    try:
        content = skill_text.written("a-skill", description, instructions)
    except Invalid:
        assert not description.strip() or not instructions.strip()
        return
    skill = skill_text.read(content, file="f")
    assert skill.description == " ".join(description.split())
    assert skill.instructions == instructions.strip()


@pytest.mark.parametrize(
    ("given", "field"),
    [(("A", "d", "i"), "name"), (("a", " ", "i"), "description"), (("a", "d", "\n"), "instructions")],
)
def test_a_skill_that_cannot_be_written_names_its_field(given: tuple[str, str, str], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        skill_text.written(*given)
    assert refused.value.detail["field"] == field
