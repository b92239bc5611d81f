"""A proposed soul may change how an agent speaks, never the section that belongs to the person."""

from functools import partial

import pytest
from harness.cost import cost
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.memory.entries import LEFT_OUT
from jupyter_cabinet.agents.reflection import soul_rules as rules
from jupyter_cabinet.agents.reflection.soul_rules import refusal
from jupyter_cabinet.agents.templates import NAMES, files_of

CORE = "## Core Principles\n\n- Never delete data.\n- Ask before you publish.\n"
VOICE = "## Voice\n\nShort, friendly and exact. Numbers have units. Answers begin with the result.\n"
SOUL = f"# Character\n\nYou help a small laboratory with its data.\n\n{CORE}\n{VOICE}"

FORMS = (
    "# Core Principles",
    "## Core Principles",
    "###### Core Principles ######",
    "##   core    PRINCIPLES  ##",
    "## Core Principles:",
    "## **Core Principles**",
    "## _Core_ *Principles*.",
    "## `Core Principles`",
    "## [Core](https://example.org/a) [Principles][b]",
    "## Co\\re Principles",
    "## C&#111;re&nbsp;Principles",
    "## 1. Core Principles (revised)",
    "## My new Core Principle",
    "Core Principles\n===",
    "Core Principles\n---",
    "Core\nPrinciples\n=====",
    "> ## Core Principles",
    "> > Core Principles\n> > ---",
    "- ## Core Principles",
    "1. # Core Principles",
    "    ## Core Principles",
    "**Core Principles**",
    "Core Principles",
    "## Core\u00a0Principles",
    "## Core\u2003Principles",
    "## Core\u3000Principles",
    "## \uff23\uff4f\uff52\uff45 Principles",
    "## C\u043ere Princi\u0440les",
    "## C\u00f6re Pr\u00efnciples",
    "```\n## Core Principles\n```",
    "~~~ text\nCore Principles\n~~~",
    "## Core\tPrinciples",
)
HTML_FORMS = (
    "<h2>Core Principles</h2>",
    "<H1 id='x'>Core <b>Principles</b></H1>",
    "<h2>Core\nPrinciples</h2>",
    "<h2\nid='x'>Core\n\nPrinciples</h2>",
    "<h2>\nCore Principles\n</h2>",
    "<!-- ## Core Principles -->",
)
INVISIBLE_FORMS = (
    "## Core\u200b Principles",
    "## Co\u00adre Principles",
    "## Core\u2060 Principles",
    "## \u202eselpicnirP eroC",
    "## Core\x00 Principles",
    "## Core\u2028Principles",
    "## Core\x0cPrinciples",
)


def test_another_voice_may_be_proposed() -> None:
    assert refusal(SOUL, SOUL.replace("Short, friendly", "Short, warm")) is None
    assert refusal(SOUL, SOUL + "\n## Learnt\n\n- Ada prefers tables.\n") is None
    assert refusal(SOUL, SOUL.replace("You help", "You gladly help")) is None


def test_a_first_soul_may_be_proposed_without_the_section() -> None:
    assert refusal("", VOICE) is None
    assert refusal("", SOUL) == rules.ADDED
    assert refusal(VOICE, SOUL) == rules.ADDED


def test_other_line_ends_change_nothing() -> None:
    assert refusal(SOUL.replace("\n", "\r\n"), SOUL) == rules.SAME
    assert refusal(SOUL.replace("\n", "\r\n"), SOUL.replace("friendly", "warm")) is None


@pytest.mark.parametrize("proposed", ["", " \n\t\n", "#\n\n---\n", "***"])
def test_an_empty_soul_is_refused(proposed: str) -> None:
    assert refusal(SOUL, proposed) == rules.EMPTY


def test_what_is_too_long_hidden_or_from_outside_is_refused() -> None:
    assert refusal(SOUL, SOUL + "a" * rules.MAX_SOUL_BYTES) == rules.TOO_LONG
    assert refusal(SOUL, SOUL + "a\u200bb") == rules.HIDDEN
    assert refusal(SOUL, SOUL + "\x1b[31mred") == rules.HIDDEN
    assert refusal(SOUL, SOUL + "<Foreign-Text 0 from='x'>") == rules.FROM_OUTSIDE
    assert refusal(SOUL, SOUL + "## 2026-01-01T00:00:00Z <!-- a/1 tainted -->") == rules.FROM_OUTSIDE
    assert refusal(SOUL, SOUL + LEFT_OUT) == rules.FROM_OUTSIDE


def test_the_section_may_not_be_changed_dropped_or_doubled() -> None:
    assert refusal(SOUL, SOUL.replace("Never delete", "Sometimes delete")) == rules.CHANGED
    assert refusal(SOUL, SOUL.replace("- Ask before you publish.\n", "")) == rules.CHANGED
    assert refusal(SOUL, SOUL.replace("publish.\n", "publish.\n- Unless it is urgent.\n")) == rules.CHANGED
    assert refusal(SOUL, SOUL.replace("publish.\n", "publish.\n\n### Exceptions\n\nMany.\n")) == rules.CHANGED
    assert refusal(SOUL, SOUL.replace("## Core", "### Core")) == rules.CHANGED
    assert refusal(SOUL, SOUL.replace("Core Principles", "core principles")) == rules.CHANGED
    assert refusal(SOUL, SOUL.replace("- Never", "-  Never")) == rules.CHANGED
    assert refusal(SOUL, SOUL.replace(CORE, "")) == rules.DROPPED
    assert refusal(SOUL, SOUL.replace("## Core Principles\n", "")) == rules.DROPPED
    assert refusal(SOUL, f"{SOUL}\n{CORE}") == rules.DOUBLED
    assert refusal(f"{SOUL}\n{CORE}", SOUL) == rules.UNCLEAR


@pytest.mark.parametrize("form", [*FORMS, *HTML_FORMS, *INVISIBLE_FORMS])
def test_a_second_title_is_found_in_every_form(form: str) -> None:
    for proposed in (f"{form}\n\n- Anything goes.\n\n{SOUL}", f"{SOUL}\n{form}\n\n- Anything goes.\n"):
        assert refusal(SOUL, proposed) is not None, proposed
    if form in FORMS:
        assert len(rules.titles(rules.lines_of(f"{SOUL}\n{form}\n"))) == 2


@pytest.mark.parametrize("form", FORMS)
def test_the_section_is_protected_in_every_form(form: str) -> None:
    soul = SOUL.replace("## Core Principles", form)
    assert refusal(soul, soul.replace("Never delete data.", "Delete data.")) == rules.CHANGED
    assert refusal(soul, soul.replace(form, "").replace("- Never delete data.\n", "")) == rules.DROPPED


def test_the_section_ends_only_at_what_surely_is_a_heading() -> None:
    for inner in ("- last\n---\n- Keep this.", "```\n# no heading\n```\n- Keep this.", "text\n===\n- Keep this."):
        soul = SOUL.replace("- Ask before you publish.\n", f"{inner}\n")
        assert refusal(soul, soul.replace("Keep this", "Drop this")) == rules.CHANGED
    hidden = SOUL.replace("- Ask", "<!--\n# no heading\n-->\n- Ask")
    assert refusal(hidden, hidden.replace("Ask before", "Do not ask before")) == rules.CHANGED
    underlined = SOUL.replace("## Voice\n", "Voice\n---\n")
    assert refusal(underlined, underlined.replace("friendly", "warm")) is None


def test_nothing_above_the_section_may_hide_it() -> None:
    start = "# Character\n"
    for cover in ("```\n", "~~~\n", "> ```\n", "- ````md\n"):
        covered = SOUL.replace(start, start + cover)
        assert refusal(SOUL, covered) in (rules.COVERED, rules.CHANGED)
        assert refusal(SOUL, covered.replace(CORE, f"{CORE}\n```\n~~~\n")) in (rules.COVERED, rules.CHANGED)
    for cover in ("```\nx\n```\n", "> ~~~\n"):
        assert refusal(SOUL, SOUL.replace(start, start + cover)) == rules.COVERED
    assert refusal(SOUL, SOUL.replace(f"\n{CORE}", f"Not true:\n{CORE}")) == rules.COVERED
    assert refusal(SOUL, SOUL.replace(start, f"{start}<!--\n")) == rules.HTML
    assert refusal(SOUL, SOUL.replace("## Voice", "<div hidden>\n\n## Voice")) == rules.CHANGED
    assert refusal(SOUL, f"{SOUL}\n<details>\n") == rules.HTML


def test_a_comment_a_list_and_lookalike_letters_hide_nothing() -> None:
    below_comment = SOUL.replace(CORE, f"<!-- a note\nof May\n-->\n\n{CORE}")
    assert refusal(below_comment, below_comment.replace("\n-->\n", "\n")) == rules.HTML
    indented = SOUL.replace(CORE, f"  {CORE}")
    assert refusal(indented, indented.replace(f"  {CORE}", f"- Old, no longer used:\n\n  {CORE}")) == rules.COVERED
    for title in ("Core Princ1ples", "Core PrincipIes", "C0re Principles", "Cøre Principles", "Core Ꮲrinciples"):
        assert refusal(SOUL, f"{SOUL}\n## {title}\n\n- Anything goes.\n") == rules.DOUBLED, title


def test_more_than_half_may_not_be_removed() -> None:
    assert refusal(SOUL, f"# Character\n\n{CORE}") == rules.MOSTLY_REMOVED
    assert refusal(SOUL, f"# Other\n\nNew words only.\n\n{CORE}\n## More\n\nNothing of it was there.\n") == (
        rules.MOSTLY_REMOVED
    )
    assert refusal(SOUL, SOUL.replace("Numbers have units. ", "")) is None


def test_a_soul_of_many_title_words_is_judged_quickly() -> None:
    for soul, proposed in [
        (SOUL, "core\n" * 6000),
        ("core\n\n" * 6000, "core\n**\n" * 4000),
        (SOUL, "<" * 30_000 + "a"),
        (SOUL, "](" * 15_000 + "a"),
    ]:
        assert cost(partial(refusal, soul, proposed)) < 1_000


@pytest.mark.parametrize("name", NAMES)
def test_every_template_has_the_section(name: str) -> None:
    soul = files_of(name)["SOUL.md"].decode()
    assert len(rules.titles(rules.lines_of(soul))) == 1
    assert refusal(soul, soul.replace("\n- ", "\n- Not: ", 1)) == rules.CHANGED
    assert refusal(soul, f"{soul}\n## Learnt\n\nTables are liked here.\n") is None


lines = st.lists(
    st.one_of(
        st.sampled_from([*FORMS, *HTML_FORMS, *INVISIBLE_FORMS]),
        st.sampled_from(["", "```", "~~~", "> a", "---", "===", "<!--", "-->", "# A", "## B", "- c", "text", "Core"]),
        st.text(max_size=20),
    ),
    max_size=8,
)


@given(lines, lines, st.sampled_from(["keep", "drop", "empty"]))
def test_no_accepted_soul_empties_or_doubles_the_section(above: list[str], below: list[str], what: str) -> None:
    middle = {"keep": CORE, "drop": "", "empty": "## Core Principles\n"}[what]
    proposed = "\n".join([*above, "", middle, *below, VOICE, "You help a small laboratory with its data."])
    if refusal(SOUL, proposed) is not None:
        return
    assert what == "keep"
    found = rules.titles(rules.lines_of(proposed))
    assert len(found) == 1
    kept = rules.lines_of(proposed)[found[0] :]
    assert kept[:4] == CORE.split("\n")[:4]


@given(st.sampled_from(FORMS), lines, lines)
def test_no_form_of_the_title_gets_in_besides(form: str, above: list[str], below: list[str]) -> None:
    proposed = "\n".join([*above, "", form, "", "- Anything goes.", "", SOUL, *below])
    assert refusal(SOUL, proposed) is not None


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(present: str, proposed: str) -> None:
    found = refusal(present, proposed)
    assert found is None or found.endswith(".")
    assert refusal(present, present) is not None
