"""The table of programs: every entry has an effect, a source, and one place."""

from __future__ import annotations

import pytest

from jupyter_cabinet.approvals.program_manuals import LAUNCHERS, LAUNCHING_SUBCOMMANDS, OLD_STYLE, OPTIONS
from jupyter_cabinet.approvals.shell_programs import doubt_of, runs_others

LAUNCHED = sorted({name for each in LAUNCHERS for name in each.names.split()})
SUBCOMMANDS = [(each.program, name) for each in LAUNCHING_SUBCOMMANDS for name in each.names.split()]
RISKY = [(tuple(each.command.split()), name) for each in OPTIONS for name in each.names.split()]


@pytest.mark.parametrize("program", LAUNCHED)
def test_a_launcher_is_asked_about_and_searched_for_what_a_rule_denies(program: str) -> None:
    assert doubt_of((program, "ls")) and doubt_of((f"/usr/bin/{program}", "ls"))
    assert runs_others((program, "ls"))


@pytest.mark.parametrize(("program", "subcommand"), SUBCOMMANDS)
def test_a_subcommand_that_launches_is_asked_about(program: str, subcommand: str) -> None:
    assert doubt_of((program, subcommand, "log"))
    assert not doubt_of((program, "log"))


@pytest.mark.parametrize(("command", "option"), RISKY)
def test_an_option_is_asked_about_wherever_it_is(command: tuple[str, ...], option: str) -> None:
    command = ("git", "log") if command == ("git",) else command
    assert not doubt_of((*command, "file"))
    assert doubt_of((*command, option, "file")) and doubt_of((*command, "file", option))
    if option.startswith("--"):
        assert doubt_of((*command, f"{option}=x")) and doubt_of((*command, option[:-1]))
    elif len(option) == 2:
        assert doubt_of((*command, f"{option}x")) and doubt_of((*command, f"-9{option[1]}"))


@pytest.mark.parametrize("subcommand", ["remote-ext", "mailinfo", "merge-file", "an-alias", "Log", "lo"])
def test_a_subcommand_of_git_that_is_not_listed_is_asked_about(subcommand: str) -> None:
    assert doubt_of(("git", subcommand, "x")) and doubt_of(("git", "--no-pager", subcommand))


@pytest.mark.parametrize("program", OLD_STYLE)
def test_letters_of_options_without_a_dash_count_as_the_first_word_only(program: str) -> None:
    assert not doubt_of((program, "cf", "I"))
    assert bool(doubt_of((program, "cIf", "x"))) == (program == "tar")


def test_every_entry_has_a_source_and_no_name_is_there_twice() -> None:
    assert all(each.source for each in (*LAUNCHERS, *LAUNCHING_SUBCOMMANDS, *OPTIONS))
    names = [name for each in LAUNCHERS for name in each.names.split()]
    assert len(names) == len(set(names))
    commands = [each.command for each in OPTIONS]
    assert len(commands) == len(set(commands))
