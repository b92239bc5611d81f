"""Which shell texts a rule allows, has asked or denies: a list of tricks, and any argv there is."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from harness.examples import examples
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.approvals import shell
from jupyter_cabinet.approvals.matching import DEEPEST
from jupyter_cabinet.approvals.rule_evaluation import Decision, decide
from jupyter_cabinet.approvals.rules import ApprovalRule, RuledCommand
from jupyter_cabinet.core.people import Person
from jupyter_cabinet.runtimes.requested_actions import Command

NOW = datetime(2026, 11, 23, tzinfo=UTC)
ADA = Person(username="ada", display_name="Ada")
BASH = shutil.which("bash") or "bash"
TEXTS = Path(__file__).parents[2] / "fixtures/rules/shell_texts.json"


class Case(msgspec.Struct, frozen=True):
    """A text, the rules beside it (`allow git log …`: with more behind it), and what they say."""

    text: str
    rules: tuple[str, ...]
    effect: str


CASES = msgspec.json.decode(TEXTS.read_bytes(), type=list[Case])


def rule(words: str) -> ApprovalRule:
    effect, *argv = shlex.split(words.removesuffix(" …"))
    action = RuledCommand(argv=tuple(argv), more=words.endswith(" …"))
    return msgspec.convert(
        {"id": words, "effect": effect, "action": msgspec.to_builtins(action), "made_by": ADA, "made_at": NOW},
        ApprovalRule,
        from_attributes=True,
    )


def said(text: str, *rules: str) -> Decision:
    held = [rule(each) for each in rules]
    return decide(held, Command(text=text), agent=None, folder="/root/work", root="/root/work", now=NOW)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.effect}: {case.text!r} {case.rules}")
def test_a_text_is_allowed_only_where_it_means_nothing_else(case: Case) -> None:
    assert said(case.text, *case.rules).effect == case.effect


def test_the_list_is_long_and_has_every_effect_often() -> None:
    effects = [case.effect for case in CASES]
    assert min(effects.count(each) for each in ("allow", "ask", "deny")) >= 40


WORDS = st.text(st.characters(codec="utf-8"), min_size=0, max_size=12)
ARGUMENTS = st.lists(WORDS, max_size=5)
ACTIVE = st.sampled_from([*"$`*?[{}~!#&|;<>()^\\\"'\n\r\x00\u202e\u200b", "&&", "||", "$(x)", "<(x)", ">x", "{a,b}"])


@given(argv=st.lists(WORDS, min_size=1, max_size=6))
@example(argv=["a", "'"])
@example(argv=["a", "it's", "''"])
@example(argv=["a", "=ls"])
def test_a_quoted_argv_is_read_as_it_was_or_leaves_a_doubt(argv: list[str]) -> None:
    found = shell.read(shlex.join(argv))
    assert found.doubts or found.commands == (tuple(argv),)


@given(arguments=ARGUMENTS, active=ACTIVE, word=st.text("abc -", max_size=4), glued=st.booleans())
def test_nothing_active_behind_an_allowed_command_is_allowed(
    arguments: list[str], active: str, word: str, glued: bool
) -> None:
    text = shlex.join(["git", "log", *arguments]) + ("" if glued else " ") + active + word
    decision = said(text, "allow git log …")
    # the end of a line or of a list adds nothing where nothing follows
    assert decision.effect == "ask" or (active in ("\n", ";") and not word.strip())


@pytest.mark.long(reason="tries every character")
def test_no_character_ends_the_process() -> None:
    """The grammar looks some up in a table of C that is too short for them."""
    for start in range(0, 0x110000, 0x400):
        text = "".join(f"{{{chr(code)} ${chr(code)}<{chr(code)}:" for code in range(start, start + 0x400, 0x10))
        assert shell.read(text).doubts


@given(text=st.text(st.characters(codec="utf-8"), max_size=40))
def test_any_text_is_read(text: str) -> None:
    found = shell.read(text)
    assert found.doubts or found.commands


FRAGMENTS = (
    *(
        "x",
        "y",
        "xy",
        " ",
        " ",
        "-y",
        "'x y'",
        '"x y"',
        "''",
        "1",
        "2",
        "=",
        "\\",
        "\n",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "!",
    ),
    *(
        "( ",
        " )",
        "{ ",
        "; }",
        " 2>&1",
        " >/dev/null",
        " >&2",
        " </dev/null",
        "$x",
        "${y}",
        "*",
        "~",
        "#",
        "`y`",
        "$(y)",
    ),
    *("<<x\n", "{x,y}", "x=y ", "'", '"', ",", "[x]", "?", "%", "^", "-"),
)
# Bash calls this for each program that it does not find; it finds none.
RECORDER = 'command_not_found_handle() { printf \'%s\\0\' "$#" "$@" >>"$RECORD"; }\n'


def recorded(text: str) -> set[tuple[str, ...]]:
    """The commands in what `RECORDER` writes: before each how many words it has."""
    words, found = text.split("\0")[:-1], set()
    while words:
        end = 1 + int(words[0])
        found.add(tuple(words[1:end]))
        words = words[end:]
    return found


def bash_runs(text: str, folder: Path) -> set[tuple[str, ...]]:
    """What bash takes to be programs, with their arguments; not those that are named by a path."""
    record = folder / "record"
    record.write_bytes(b"")
    environment = {"PATH": "/nowhere", "RECORD": str(record)}
    command = [BASH, "--noprofile", "--norc", "-c", RECORDER + text]
    subprocess.run(command, env=environment, cwd=folder, capture_output=True, check=False, timeout=60)
    return recorded(record.read_text())


@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=9))
def test_bash_runs_of_a_certain_text_only_what_was_read(tmp_path: Path, pieces: list[str]) -> None:
    found = shell.read(text := "".join(pieces))
    if not found.doubts:
        assert bash_runs(text, tmp_path) <= set(found.commands), text
        assert [each.name for each in tmp_path.iterdir()] == ["record"], text


def test_what_bash_runs_is_recorded(tmp_path: Path) -> None:
    assert bash_runs("x 'y\nz' && { y; } | xy 2>&1; $(x)", tmp_path) == {("x", "y\nz"), ("y",), ("xy",), ("x",)}


def test_a_command_that_is_hidden_too_deep_is_asked_for_its_shell() -> None:
    text = "rm -rf x"
    for _ in range(DEEPEST + 2):
        text = shlex.join(["sh", "-c", text])
    assert said(text, "deny rm -rf").effect == "ask"


def test_a_long_text_is_asked_and_says_which_rule_names_a_program_in_it() -> None:
    text = "rm -rf x; " + "echo " + "a" * shell.LONGEST_PARSED
    decision = said(text, "deny rm -rf", "allow echo …")
    assert decision.effect == "ask"
    assert "too long to be read" in decision.because
    assert "“rm -rf”" in decision.because
